"""The Hugging Face Trainer of a fine-tuning job: model, settings, inputs, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoTokenizer, Trainer, TrainerCallback, TrainingArguments

from babelscope.model.checkpoints import not_found, resolve
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.layers import freeze
from babelscope.model.load import Model
from babelscope.model.resegmentation import Resegmentation, resegment
from babelscope.model.scopes import quiet
from babelscope.model.tasks import Task
from babelscope.model.tasks.functions import Training
from babelscope.types import Encoded, Example

COMPLETE = "complete"
"""The file that marks a checkpoint as complete: the Trainer writes its parts one after another."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of a fine-tuning run. Defaults are those of the published study."""

    learning_rate: float = 1e-5
    epochs: int = 5
    batch: int = 16
    warmup: float = 0.1
    weight_decay: float = 0.01
    freeze_embeddings: bool = False
    max_length: int = 512
    seed: int = 0
    freeze_layers: int = 0
    """How many of the lowest layers are frozen, with the embeddings: what languages share there
    stays shared.
    """
    head_only: bool = False
    """Whether everything below the head is frozen: what the same training gains without changing
    the encoder.
    """


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
) -> tuple[Any, Any]:
    """The Trainer of a job, and its tokenizer."""
    recipe = job.recipe
    torch.manual_seed(recipe.seed)
    hf, tokenizer = _loaded(job)
    _prepare(hf, tokenizer, recipe, len(train[0].texts))
    limit = min(recipe.max_length, tokenizer.model_max_length)
    trainer = Trainer(
        model=hf,
        args=_arguments(recipe, working),
        train_dataset=_Rows(_inputs(job, hf, tokenizer, train, limit)),
        eval_dataset=_Rows(_inputs(job, hf, tokenizer, dev, limit)),
        data_collator=getattr(transformers, job.training.collator)(tokenizer),
        compute_metrics=_accuracy(job.training),
        callbacks=[_Watch(progress)],
    )
    for callback in ("PrinterCallback", "ProgressCallback"):
        for installed in list(trainer.callback_handler.callbacks):
            if type(installed).__name__ == callback:
                trainer.remove_callback(installed)
    return trainer, tokenizer


def _prepare(hf: Any, tokenizer: Any, recipe: Recipe, texts: int) -> None:
    """The config that the fine-tuned model is saved with, and frozen weights."""
    hf.config.texts_per_input = texts
    hf.config.untrained = False
    if recipe.freeze_embeddings:
        hf.get_input_embeddings().weight.requires_grad_(False)
    freeze(hf, recipe.freeze_layers)
    if recipe.head_only:
        hf.base_model.requires_grad_(False)
    if hf.config.pad_token_id is None and tokenizer.pad_token_id is not None:
        hf.config.pad_token_id = tokenizer.pad_token_id


def _arguments(recipe: Recipe, working: Path) -> Any:
    return TrainingArguments(
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


def _loaded(job: Job) -> tuple[Any, Any]:
    """The base with a head for the task, untrained where the base has none, and its tokenizer."""
    names = {
        "id2label": dict(enumerate(job.labels)),
        "label2id": {label: at for at, label in enumerate(job.labels)},
    }
    head = {"num_labels": len(job.labels), **names} if job.labels else {}
    source, revision = resolve(job.base, job.revision)
    with quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(source, revision=revision)
            auto = getattr(transformers, next(iter(job.task.heads.values())))
            return auto.from_pretrained(source, revision=revision, **head), tokenizer
        except (OSError, ValueError) as error:
            raise not_found(source, error) from error


class _Rows(torch.utils.data.Dataset[dict[str, Any]]):
    """Examples as the Trainer reads them."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> dict[str, Any]:
        return self.rows[at]


def _inputs(
    job: Job, hf: Any, tokenizer: Any, examples: Sequence[Example], limit: int
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


class _Watch(TrainerCallback):  # type: ignore[misc]
    """Reports the steps done to a progress callback, and marks complete checkpoints."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self.progress is not None:
            self.progress(state.global_step, state.max_steps)

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        (Path(args.output_dir) / f"checkpoint-{state.global_step}" / COMPLETE).touch()


def _accuracy(training: Training) -> Callable[[Any], dict[str, float]]:
    """The share of right predictions: of classes, or of answers whose first and last token are
    right.
    """
    return lambda outcome: {
        "accuracy": float(training.right(outcome.predictions, outcome.label_ids).mean())
    }
