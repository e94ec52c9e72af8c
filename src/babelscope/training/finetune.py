"""Fine-tuning through the Hugging Face Trainer, resumable, with everything that decides the result in one value."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import (
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)
from transformers.trainer_utils import get_last_checkpoint

from babelscope.errors import InputError
from babelscope.files import rename_folder, write_text
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.layers import freeze
from babelscope.model.load import Model, enough_threads, not_found, quiet
from babelscope.model.resegmentation import Cut, resegment
from babelscope.types import Example

COMPLETE = "complete"
"""The file that marks a checkpoint as wholly written: the Trainer writes its parts one after another."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides a fine-tuning besides the base and the data. Defaults are those of the published study."""

    learning_rate: float = 1e-5
    epochs: int = 5
    batch: int = 16
    warmup: float = 0.1
    weight_decay: float = 0.01
    freeze_embeddings: bool = False
    max_length: int = 512
    seed: int = 0
    freeze_layers: int = 0
    """How many of the lowest layers stay as they are, with the embeddings: what languages share there stays shared."""
    head_only: bool = False
    """Whether everything below the head stays as it was: what the same training gains without touching the encoder."""


PUBLISHED = Recipe()


def finetune(
    base: str | Path,
    train: Sequence[Example],
    dev: Sequence[Example],
    output: str | Path,
    recipe: Recipe = PUBLISHED,
    *,
    revision: str | None = None,
    cut: Cut | None = None,
    progress: Progress | None = None,
) -> Path:
    """A model tuned on `train`, the epoch with the lowest loss on `dev` kept, written to `output` when complete.

    A classifier where the examples have labels, a reader of answers where they have answers. With a `cut` a classifier learns
    from words in those pieces, each example in one cut, the same in every epoch.

    AdamW with linear decay after a warm-up, gradient clipping at 1. Checkpoints go to `output.part` after every epoch; a
    run that was killed goes on from the last one and ends with the same weights as one that was not (on the same machine
    and number of threads). Nothing is at `output` before the end.
    """
    final, working = Path(output), Path(f"{output}.part")
    if (final / "config.json").exists():
        return final
    labels = check(train, dev)
    working.mkdir(parents=True, exist_ok=True)
    if cut is not None and not labels:
        raise InputError("words are cut anew for classifiers only: the answers of reading comprehension are places in the text")
    trainer, tokenizer = _trainer(str(base), revision, train, dev, labels, working, recipe, cut, progress)
    for checkpoint in working.glob("checkpoint-*"):
        if not (checkpoint / COMPLETE).exists():
            shutil.rmtree(checkpoint)
    done = working / "done"
    shutil.rmtree(done, ignore_errors=True)
    with quiet(), enough_threads(trainer.model):
        trainer.train(resume_from_checkpoint=get_last_checkpoint(str(working)))
        trainer.model.save_pretrained(done)
        tokenizer.save_pretrained(done)
    history = [row for row in trainer.state.log_history if "eval_loss" in row]
    langs = list(dict.fromkeys(row.lang for row in train))
    kept = {
        "recipe": asdict(recipe),
        "languages": langs,
        "dev": [{k: row[k] for k in ("epoch", "eval_loss", "eval_accuracy")} for row in history],
    }
    write_text(done / "training.json", json.dumps(kept, indent=1))
    final.parent.mkdir(parents=True, exist_ok=True)
    rename_folder(done, final)
    shutil.rmtree(working)
    return final


def fingerprint(examples: Sequence[Example]) -> str:
    """SHA-256 of the examples, gold included: the data's part in what decides a number."""
    digest = hashlib.sha256()
    for row in examples:
        digest.update(json.dumps(asdict(row), sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def check(train: Sequence[Example], dev: Sequence[Example]) -> list[str]:
    """The classes in the order of their names, none for reading comprehension; data that cannot be trained on are refused."""
    labels = sorted({row.label for row in train if row.label is not None})
    if not train or not dev:
        raise InputError(f"fine-tuning needs training and development examples; {len(train)} and {len(dev)} given")
    if train[0].answer is not None:
        unanswered = next((row.id for row in (*train, *dev) if row.answer is None or len(row.texts) != 2), None)
        if unanswered is not None:
            raise InputError(f"{unanswered}: reading comprehension needs a question, a context and an answer in it")
        return []
    unlabelled = next((row.id for row in (*train, *dev) if row.label is None), None)
    if unlabelled is not None:
        raise InputError(f"{unlabelled}: fine-tuning needs a label on every example")
    unseen = sorted({str(row.label) for row in dev} - {str(row.label) for row in train})
    if unseen:
        raise InputError(f"the development examples have the label {unseen[0]!r}, which no training example has")
    if len(labels) < 2:
        raise InputError(f"fine-tuning needs at least two classes; found only {', '.join(labels)}")
    return labels


def _trainer(
    base: str, revision: str | None, train: Sequence[Example], dev: Sequence[Example], labels: Sequence[str],
    working: Path, recipe: Recipe, cut: Cut | None, progress: Progress | None,
) -> tuple[Any, Any]:  # fmt: skip
    torch.manual_seed(recipe.seed)
    with quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(base, revision=revision)
            if labels:
                names = {"id2label": dict(enumerate(labels)), "label2id": {label: at for at, label in enumerate(labels)}}
                hf = AutoModelForSequenceClassification.from_pretrained(
                    base, revision=revision, num_labels=len(labels), **names
                )
            else:
                hf = AutoModelForQuestionAnswering.from_pretrained(base, revision=revision)
        except (OSError, ValueError) as error:
            raise not_found(base, error) from error
    hf.config.texts_per_input = len(train[0].texts)
    hf.config.untrained = False
    if recipe.freeze_embeddings:
        hf.get_input_embeddings().weight.requires_grad_(False)
    freeze(hf, recipe.freeze_layers)
    if recipe.head_only:
        hf.base_model.requires_grad_(False)
    if hf.config.pad_token_id is None and tokenizer.pad_token_id is not None:
        hf.config.pad_token_id = tokenizer.pad_token_id
    limit = min(recipe.max_length, tokenizer.model_max_length)
    arguments = TrainingArguments(
        output_dir=str(working),
        learning_rate=recipe.learning_rate,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch,
        per_device_eval_batch_size=64,
        warmup_steps=recipe.warmup,
        weight_decay=recipe.weight_decay,
        max_grad_norm=1.0,
        lr_scheduler_type="linear",
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        seed=recipe.seed,
        data_seed=recipe.seed,
        train_sampling_strategy="group_by_length",
        disable_tqdm=True,
        logging_strategy="no",
        report_to=[],
        dataloader_pin_memory=False,
        dataloader_num_workers=0,
    )
    trainer = Trainer(
        model=hf,
        args=arguments,
        train_dataset=_Rows(_inputs(hf, train, tokenizer, labels, limit, cut)),
        eval_dataset=_Rows(_inputs(hf, dev, tokenizer, labels, limit, cut)),
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=_accuracy,
        callbacks=[_Watch(progress)],
    )
    for callback in ("PrinterCallback", "ProgressCallback"):
        for one in list(trainer.callback_handler.callbacks):
            if type(one).__name__ == callback:
                trainer.remove_callback(one)
    return trainer, tokenizer


class _Rows(torch.utils.data.Dataset[dict[str, Any]]):
    """Examples as the Trainer reads them."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> dict[str, Any]:
        return self.rows[at]


def _inputs(
    hf: Any, examples: Sequence[Example], tokenizer: Any, labels: Sequence[str], limit: int, cut: Cut | None
) -> list[dict[str, Any]]:
    firsts = [row.texts[0] for row in examples]
    seconds = [row.texts[1] for row in examples if len(row.texts) == 2]
    if seconds and len(seconds) != len(firsts):
        raise InputError("some examples are pairs and some are single texts; a task has one or the other")
    ends = True if labels else "only_second"
    made = tokenizer(firsts, seconds or None, truncation=ends, max_length=limit, return_offsets_mapping=not labels)
    spans = made.pop("offset_mapping", None)
    rows: list[dict[str, Any]] = [{name: made[name][at] for name in made} for at in range(len(firsts))]
    for at, (row, example) in enumerate(zip(rows, examples)):
        if labels:
            row["labels"] = labels.index(str(example.label))
        else:
            row["start_positions"], row["end_positions"] = _answer(example, spans[at], made.sequence_ids(at))
    return rows if cut is None else [row | new for row, new in zip(rows, _recut(hf, examples, tokenizer, cut))]


def _recut(hf: Any, examples: Sequence[Example], tokenizer: Any, cut: Cut) -> list[dict[str, Any]]:
    """What differs for words in other pieces; a text that would be too long stays as it is."""
    model = Model(hf, tokenizer, "to be tuned", "text-classification")
    made = resegment(model, encode(model, examples), cut)
    found: list[dict[str, Any]] = []
    for one in made:
        new = {} if one is None else {"input_ids": one.ids.tolist(), "attention_mask": [1] * len(one.ids)}
        types = {} if one is None or one.types is None else {"token_type_ids": one.types.tolist()}
        found.append(new | types)
    return found


def _answer(example: Example, offsets: Sequence[tuple[int, int]], segments: Sequence[int | None]) -> tuple[int, int]:
    """The first and last token of the answer; the first token of all if it was truncated away, as SQuAD has it."""
    assert example.answer is not None
    start, end = example.answer
    inside = [at for at, (a, b) in enumerate(offsets) if segments[at] == 1 and a < end and b > start]
    return (inside[0], inside[-1]) if inside else (0, 0)


class _Watch(TrainerCallback):  # type: ignore[misc]
    """Tells a progress callback how many steps are done, and marks the checkpoints that are wholly written."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.progress is not None:
            self.progress(state.global_step, state.max_steps)

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        (Path(args.output_dir) / f"checkpoint-{state.global_step}" / COMPLETE).touch()


def _accuracy(outcome: Any) -> dict[str, float]:
    """The share of right classes; for reading comprehension of answers whose first and last token are right."""
    if isinstance(outcome.predictions, tuple):
        right = [np.argmax(given, axis=-1) == gold for given, gold in zip(outcome.predictions[:2], outcome.label_ids)]
        return {"accuracy": float((right[0] & right[1]).mean())}
    return {"accuracy": float((np.argmax(outcome.predictions, axis=-1) == outcome.label_ids).mean())}
