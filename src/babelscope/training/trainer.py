"""The Hugging Face Trainer of a fine-tuning job: model, settings, inputs, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers import DataCollatorWithPadding, EarlyStoppingCallback, Trainer

from babelscope.data.skipping import skipped_row
from babelscope.errors import BadRow
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.resegmentation import Resegmentation, resegment
from babelscope.model.tasks import Task
from babelscope.model.tasks.functions import Training
from babelscope.model.tokenizers import only_unknown
from babelscope.training.base import load_base, prepare
from babelscope.training.recipe import Recipe, check_recipe, trainer_arguments
from babelscope.training.spec import STEP
from babelscope.training.watch import Watch
from babelscope.types import Encoded, Example, SkippedRow

USUAL_LENGTH = 512
"""Tokens of the longest input where the recipe names no other length."""


@dataclass(frozen=True, slots=True)
class Job:
    """What is fine-tuned, and how."""

    base: str
    revision: str | None
    task: Task
    training: Training
    labels: Sequence[str]
    recipe: Recipe
    resegmentation: Resegmentation | None


def build_trainer(
    job: Job,
    train: Sequence[Example],
    dev: Sequence[Example],
    working: Path,
    progress: Progress | None,
) -> tuple[Any, Any, tuple[SkippedRow, ...]]:
    """The Trainer of a job, its tokenizer, and the rows of unknown tokens only, which are
    skipped.
    """
    recipe = job.recipe
    check_recipe(recipe)
    torch.manual_seed(recipe.seed)
    hf, tokenizer = load_base(job.base, job.revision, job.task, job.labels, recipe.layers)
    train, dev, skipped = _known(tokenizer, train, dev)
    limit = _limit(job, hf, tokenizer)
    inputs = partial(_inputs, job, hf, tokenizer, limit=limit)
    parts = [inputs(part) for part in _by_language(dev, recipe)]
    sizes = [len(part) for part in parts] if recipe.select == "score" else []
    trainer = (_InOrder if sizes else Trainer)(
        model=prepare(hf, recipe, len(train[0].texts)),
        args=trainer_arguments(recipe, working),
        train_dataset=_Rows(inputs(train)),
        eval_dataset=_Rows([row for part in parts for row in part]),
        data_collator=_collator(job, tokenizer, limit),
        compute_metrics=_scores(job.training, sizes),
        callbacks=_callbacks(recipe, progress),
    )
    if recipe.accumulation > 1:
        # Heads take the mean over their batch whatever number of items they are told, so it is the
        # Trainer that has to divide by the number of batches
        trainer.model_accepts_loss_kwargs = False
    for callback in ("PrinterCallback", "ProgressCallback"):
        for installed in list(trainer.callback_handler.callbacks):
            if type(installed).__name__ == callback:
                trainer.remove_callback(installed)
    return trainer, tokenizer, skipped


def _known(
    tokenizer: Any, train: Sequence[Example], dev: Sequence[Example]
) -> tuple[list[Example], list[Example], tuple[SkippedRow, ...]]:
    """The rows with a token that the tokenizer knows, of both splits, and the others."""
    detail = "every token is unknown to the model's vocabulary; there is nothing to learn"
    parts: list[list[Example]] = []
    skipped: list[SkippedRow] = []
    for split, rows in (("train", train), ("dev", dev)):
        known = [not only_unknown(tokenizer, row.texts) for row in rows]
        unknown = [row for row, keep in zip(rows, known) if not keep]
        if unknown and len(unknown) == len(rows):
            raise BadRow(skipped_row(unknown[0], "unknown", detail))
        parts.append([row for row, keep in zip(rows, known) if keep])
        records = (skipped_row(row, "unknown", detail) for row in unknown)
        skipped += [replace(row, split=split, total=len(rows)) for row in records]
    return parts[0], parts[1], tuple(skipped)


def _limit(job: Job, hf: Any, tokenizer: Any) -> int:
    """How many tokens an input has at most. A length that the recipe names replaces that of the
    tokenizer, which is saved with it: the model is explained on what it was trained on.
    """
    if job.recipe.max_length is not None:
        tokenizer.model_max_length = job.recipe.max_length
    limit = Model(hf, tokenizer, job.base, job.task.name).limit
    return limit if job.recipe.max_length is not None else min(USUAL_LENGTH, limit)


def _callbacks(recipe: Recipe, progress: Progress | None) -> list[Any]:
    stop = [EarlyStoppingCallback(recipe.patience)] if recipe.patience else []
    return [Watch(progress), *stop]


def _by_language(dev: Sequence[Example], recipe: Recipe) -> list[list[Example]]:
    """The examples of each language, where these count alike; else all together."""
    if recipe.select != "score":
        return [list(dev)]
    langs = dict.fromkeys(row.lang for row in dev)
    return [[row for row in dev if row.lang == lang] for lang in langs]


def _collator(job: Job, tokenizer: Any, limit: int) -> Any:
    """What pads the inputs of a batch: to the longest, in half precision to a multiple of STEP, but
    not beyond the limit.

    On a CPU the kernels of bfloat16 keep memory for every shape that they have computed, so that
    it would grow with the number of different lengths.
    """
    collator = getattr(transformers, job.training.collator)(tokenizer)
    if job.recipe.precision == "float32" or type(collator) is not DataCollatorWithPadding:
        return collator

    def padded(rows: list[dict[str, Any]]) -> Any:
        longest = max(len(row["input_ids"]) for row in rows)
        length = min(-(-longest // STEP) * STEP, max(longest, limit))
        return replace(collator, padding="max_length", max_length=length)(rows)

    return padded


class _InOrder(Trainer):  # type: ignore[misc]
    """A Trainer that reads the development examples in their order, not by length: language after
    language.
    """

    def _get_eval_sampler(self, eval_dataset: Any) -> Any:
        return torch.utils.data.SequentialSampler(eval_dataset)


class _Rows(torch.utils.data.Dataset[dict[str, Any]]):
    """Examples as the Trainer reads them."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> dict[str, Any]:
        return self.rows[at]


def _inputs(
    job: Job, hf: Any, tokenizer: Any, examples: Sequence[Example], *, limit: int
) -> list[dict[str, Any]]:
    rows = job.training.rows(tokenizer, examples, job.labels, limit)
    if job.resegmentation is None:
        return rows
    model = Model(hf, tokenizer, "to be fine-tuned", job.task.name)
    changed = resegment(model, encode(model, examples), job.resegmentation)
    return [row | _fields(encoded) for row, encoded in zip(rows, changed)]


def _fields(encoded: Encoded | None) -> dict[str, Any]:
    """What differs for re-segmented words; a text that would be too long stays as it is."""
    if encoded is None:
        return {}
    fields = {"input_ids": encoded.ids.tolist(), "attention_mask": [1] * len(encoded.ids)}
    if encoded.types is not None:
        fields["token_type_ids"] = encoded.types.tolist()
    return fields


def _scores(training: Training, sizes: Sequence[int]) -> Callable[[Any], dict[str, float]]:
    """The share of right predictions: of classes, or of answers whose first and last token are
    right; with the sizes of several languages also the mean of their shares. Of a long context
    every window counts.
    """

    def scores(outcome: Any) -> dict[str, float]:
        right = training.right(outcome.predictions, outcome.label_ids)
        values = {"accuracy": float(right.mean())}
        if sizes:
            parts = np.split(right, np.cumsum(sizes)[:-1])
            values["mean_over_languages"] = float(np.mean([part.mean() for part in parts]))
        return values

    return scores
