"""What a fine-tuning run reports while it runs: its steps, a line after each epoch, and which
checkpoints are complete.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from babelscope.model.inference_state import Progress
from babelscope.training.recipe import SELECTED

_LOG = logging.getLogger("babelscope.training")

COMPLETE = "complete"
"""The file that marks a checkpoint as complete: the Trainer writes its parts one after another."""


class Watch(TrainerCallback):  # type: ignore[misc]
    """Reports the steps done to a progress callback, logs every epoch, and marks complete
    checkpoints.
    """

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.start, self.step = time.monotonic(), 0
        self.loss = float("nan")

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.start, self.step = time.monotonic(), state.global_step

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.progress is not None:
            self.progress(state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        self.loss = (named.get("logs") or {}).get("loss", self.loss)

    def on_evaluate(self, args: Any, state: Any, control: Any, **named: Any) -> None:
        done = state.global_step - self.step
        passed = time.monotonic() - self.start
        remaining = passed / max(1, done) * (state.max_steps - state.global_step)
        scores = named.get("metrics") or {}
        _LOG.info(
            "epoch %g of %g: training loss %.3f, dev loss %.3f, dev accuracy %.3f%s; %s remaining",
            round(state.epoch or 0, 2), args.num_train_epochs, self.loss,
            scores.get("eval_loss", float("nan")), scores.get("eval_accuracy", float("nan")),
            _by_language(scores), _duration(remaining),
        )  # fmt: skip

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        (Path(args.output_dir) / f"checkpoint-{state.global_step}" / COMPLETE).touch()


def _by_language(scores: dict[str, float]) -> str:
    mean = scores.get(SELECTED["score"])
    return "" if mean is None else f", mean over languages {mean:.3f}"


def _duration(seconds: float) -> str:
    """Hours, minutes and seconds: 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
