"""Fine-tuning through the Hugging Face Trainer, which can be interrupted and resumed."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from transformers.trainer_utils import get_last_checkpoint

from babelscope.errors import InputError
from babelscope.files import rename_folder, write_text
from babelscope.model.inference_state import Progress
from babelscope.model.resegmentation import Resegmentation
from babelscope.model.scopes import enough_threads, quiet
from babelscope.model.tasks import TASKS, Task, task_functions
from babelscope.model.tasks.functions import Training
from babelscope.training.trainer import COMPLETE, Job, build_trainer
from babelscope.training.trainer import Recipe as Recipe
from babelscope.types import Example

PUBLISHED = Recipe()


def finetune(
    base: str | Path,
    train: Sequence[Example],
    dev: Sequence[Example],
    output: str | Path,
    recipe: Recipe = PUBLISHED,
    *,
    revision: str | None = None,
    resegmentation: Resegmentation | None = None,
    progress: Progress | None = None,
) -> Path:
    """A model fine-tuned on `train`, from the epoch with the lowest loss on `dev`, written to
    `output` when complete.

    A classifier where the examples have labels, an extractive question answering model where they
    have answers. With a `resegmentation` a classifier learns from re-segmented words, each example
    in one segmentation, the same in every epoch.

    AdamW with linear decay after a warm-up, gradient clipping at 1. Checkpoints go to `output.part`
    after every epoch; an interrupted run resumes from the last one and ends with the same weights
    as one that was not interrupted (on the same machine and number of threads). Nothing is at
    `output` before the end.
    """
    final, working = Path(output), Path(f"{output}.part")
    if (final / "config.json").exists():
        return final
    labels = check(train, dev)
    working.mkdir(parents=True, exist_ok=True)
    if resegmentation is not None and not labels:
        raise InputError(
            "words are re-segmented for classifiers only: the answers of question answering are "
            "positions in the text"
        )
    job = Job(str(base), revision, *_task_of(train[0]), labels, recipe, resegmentation)
    trainer, tokenizer = build_trainer(job, train, dev, working, progress)
    for checkpoint in working.glob("checkpoint-*"):
        if not (checkpoint / COMPLETE).exists():
            shutil.rmtree(checkpoint)
    done = working / "done"
    shutil.rmtree(done, ignore_errors=True)
    with quiet(), enough_threads(trainer.model):
        trainer.train(resume_from_checkpoint=get_last_checkpoint(str(working)))
        trainer.model.save_pretrained(done)
        tokenizer.save_pretrained(done)
    write_text(done / "training.json", _record(recipe, train, trainer.state.log_history))
    final.parent.mkdir(parents=True, exist_ok=True)
    rename_folder(done, final)
    shutil.rmtree(working)
    return final


def _record(recipe: Recipe, train: Sequence[Example], history: Sequence[dict[str, Any]]) -> str:
    """The settings, the languages and the development results of every epoch, as JSON."""
    epochs = [row for row in history if "eval_loss" in row]
    record = {
        "recipe": asdict(recipe),
        "languages": list(dict.fromkeys(row.lang for row in train)),
        "dev": [{k: row[k] for k in ("epoch", "eval_loss", "eval_accuracy")} for row in epochs],
    }
    return json.dumps(record, indent=1)


def fingerprint(examples: Sequence[Example]) -> str:
    """SHA-256 of the examples, gold included."""
    digest = hashlib.sha256()
    for row in examples:
        digest.update(
            json.dumps(asdict(row), sort_keys=True, ensure_ascii=False).encode(
                "utf-8", "surrogatepass"
            )
        )
    return digest.hexdigest()


def check(train: Sequence[Example], dev: Sequence[Example]) -> list[str]:
    """The classes in the order of their names, none for tasks without them; data that cannot be
    trained on are refused.
    """
    if not train or not dev:
        raise InputError(
            f"fine-tuning needs training and development examples; got {len(train)} and {len(dev)}"
        )
    _, training = _task_of(train[0])
    return training.check(train, dev)


def _task_of(example: Example) -> tuple[Task, Training]:
    """The task of an example: the last of the table that suits, as the first suits every text with
    a label.
    """
    suited = [(row, task_functions(row).training) for row in reversed(TASKS.values())]
    return next(
        (row, training)
        for row, training in suited
        if training is not None and training.suits(example)
    )
