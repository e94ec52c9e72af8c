"""Fine-tuning through the Hugging Face Trainer, which can be interrupted and resumed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from transformers.trainer_utils import get_last_checkpoint

from babelscope.data.formats.in_memory import Texts, as_examples
from babelscope.data.skipping import MOST, check_skipped, describe, partition
from babelscope.errors import InputError, SkippedRows
from babelscope.files import naming, rename_folder, write_text
from babelscope.model.inference_state import Progress
from babelscope.model.resegmentation import Resegmentation
from babelscope.model.scopes import enough_threads, quiet
from babelscope.model.tasks import TASKS, Task, task_functions
from babelscope.model.tasks.functions import Training
from babelscope.training.base import trained
from babelscope.training.recipe import SELECTED
from babelscope.training.recipe import Recipe as Recipe
from babelscope.training.trainer import Job, build_trainer
from babelscope.training.watch import COMPLETE
from babelscope.types import Example, SkippedRow

PUBLISHED = Recipe()
LATER = ("answers", "units")
"""Fields of an example that count where they hold something: most models were trained without."""


def finetune(
    base: str | Path | Any,
    train: Texts,
    dev: Texts,
    output: str | Path,
    recipe: Recipe | Any = PUBLISHED,
    *,
    revision: str | None = None,
    resegmentation: Resegmentation | None = None,
    strict: bool = False,
    max_skipped: float = MOST,
    progress: Progress | None = None,
) -> Path:
    """A model fine-tuned on `train`, from the epoch that is best on `dev` (`recipe.select`),
    written to `output` when complete.

    `train` and `dev` are examples, rows or tables, as for `explain`. A classifier where they have
    labels, an extractive question answering model where they have answers. With a `resegmentation`
    a classifier learns from re-segmented words, each example in one segmentation, the same in every
    epoch.

    AdamW with linear decay after a warm-up, gradient clipping at 1. Checkpoints go to `output.part`
    after every epoch; an interrupted run resumes from the last one and ends with the same weights
    as one that was not interrupted (on the same machine and number of threads). Nothing is at
    `output` before the end.

    Rows that cannot be trained on are skipped, listed in `training.json` and named in a SkippedRows
    warning; with `strict` they are an error, and so are more than the share `max_skipped` of them.
    """
    final, working = Path(output), Path(f"{output}.part")
    if (final / "config.json").exists():
        return final
    if not isinstance(base, (str, Path)):
        raise InputError(
            f"a base is a folder or a hub id, not {type(base).__name__}; save a transformer with "
            "save_pretrained and name the folder"
        )
    if not isinstance(recipe, Recipe):
        raise InputError(f"a recipe is a Recipe(epochs=..., ...), not {type(recipe).__name__}")
    rows, judged = as_examples(train), as_examples(dev)
    total = len(rows) + len(judged)
    rows, judged, skipped = trainable(rows, judged, strict=strict, max_skipped=max_skipped)
    labels = check(rows, judged)
    if resegmentation is not None and not labels:
        raise InputError(
            "words are re-segmented for classifiers only: the answers of question answering are "
            "positions in the text"
        )
    job = Job(str(base), revision, *_task_of(rows[0]), labels, recipe, resegmentation)
    _check_place(final)
    trainer, tokenizer, unknown = build_trainer(job, rows, judged, working, progress)
    skipped = (*skipped, *unknown)
    check_skipped(skipped, total, strict=strict, most=max_skipped)
    for checkpoint in working.glob("checkpoint-*"):
        if not (checkpoint / COMPLETE).exists():
            shutil.rmtree(checkpoint)
    done = working / "done"
    shutil.rmtree(done, ignore_errors=True)
    with quiet(), enough_threads(trainer.model):
        trainer.train(resume_from_checkpoint=get_last_checkpoint(str(working)))
        trained(trainer.model).save_pretrained(done)
        tokenizer.save_pretrained(done)
    history = trainer.state.log_history
    write_text(done / "training.json", _record(recipe, rows, history, skipped))
    final.parent.mkdir(parents=True, exist_ok=True)
    rename_folder(done, final)
    shutil.rmtree(working)
    if skipped:
        warnings.warn(describe(skipped, total), SkippedRows, stacklevel=2)
    return final


def _check_place(final: Path) -> None:
    """Refuses, before anything is trained or written, a place where no folder can be made."""
    with naming(final):
        if final.exists() and not (final.is_dir() and not any(final.iterdir())):
            raise InputError(f"{final} exists already; choose another folder or remove it")
        parent = next(each for each in final.absolute().parents if each.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        reason = "not writable" if parent.is_dir() else "not a folder"
        raise InputError(f"{final} cannot be written: {parent} is {reason}")


def trainable(
    train: Sequence[Example],
    dev: Sequence[Example],
    *,
    strict: bool = False,
    max_skipped: float = MOST,
) -> tuple[list[Example], list[Example], tuple[SkippedRow, ...]]:
    """The rows that can be trained on, of both splits, and the others.

    A label of `dev` that no row of `train` has is outside of the label set. Where no row has a
    label, all are left to the task, which refuses them.
    """
    kept: list[list[Example]] = []
    skipped: list[SkippedRow] = []
    classes = all(len(row.texts) <= 2 for row in train)  # of candidates, labels are numbers
    names = sorted({row.label for row in train if row.label is not None}) if classes else []
    for split, rows, labels in (("train", train, []), ("dev", dev, names)):
        gold = any(row.label is not None or row.answer is not None for row in rows)
        seen = any(row.label in labels for row in rows)
        part = partition(rows, labels=labels if seen else [], labelled=gold)
        check_skipped(part.skipped, part.total, strict=strict, most=max_skipped)
        kept.append(part.rows)
        skipped += [replace(row, split=split, total=part.total) for row in part.skipped]
    return kept[0], kept[1], tuple(skipped)


def _record(
    recipe: Recipe,
    train: Sequence[Example],
    history: Sequence[dict[str, Any]],
    skipped: Sequence[SkippedRow],
) -> str:
    """The settings, the languages, the development results of every epoch and the skipped rows, as
    JSON.
    """
    epochs = [row for row in history if "eval_loss" in row]
    measure = SELECTED[recipe.select]
    best = (min if recipe.select == "loss" else max)(epochs, key=lambda row: row[measure])
    columns = dict.fromkeys(("epoch", "eval_loss", "eval_accuracy", measure))
    record = {
        "recipe": asdict(recipe),
        "languages": list(dict.fromkeys(row.lang for row in train)),
        "dev": [{column: row[column] for column in columns} for row in epochs],
        "kept": best["epoch"],
        "skipped": [asdict(row) for row in skipped],
    }
    return json.dumps(record, indent=1)


def fingerprint(examples: Sequence[Example]) -> str:
    """SHA-256 of the examples, gold included."""
    digest = hashlib.sha256()
    for row in examples:
        fields = {name: value for name, value in asdict(row).items() if value or name not in LATER}
        digest.update(
            json.dumps(fields, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
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
