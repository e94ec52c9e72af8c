"""Fine-tuning through the Hugging Face Trainer, resumable, with everything that decides the result
in one value.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoTokenizer, Trainer, TrainerCallback, TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from babelscope.errors import InputError
from babelscope.files import rename_folder, write_text
from babelscope.model.checkpoints import not_found
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.layers import freeze
from babelscope.model.load import Model
from babelscope.model.resegmentation import Cut, resegment
from babelscope.model.scopes import enough_threads, quiet
from babelscope.model.tasks import TASKS, Task, task_functions
from babelscope.model.tasks.functions import Training
from babelscope.types import Example

COMPLETE = "complete"
"""The file that marks a checkpoint as wholly written: the Trainer writes its parts one after
another.
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides a fine-tuning besides the base and the data. Defaults are those of the
    published study.
    """

    learning_rate: float = 1e-5
    epochs: int = 5
    batch: int = 16
    warmup: float = 0.1
    weight_decay: float = 0.01
    freeze_embeddings: bool = False
    max_length: int = 512
    seed: int = 0
    freeze_layers: int = 0
    """How many of the lowest layers stay as they are, with the embeddings: what languages share
    there stays shared.
    """
    head_only: bool = False
    """Whether everything below the head stays as it was: what the same training gains without
    touching the encoder.
    """


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
    """A model tuned on `train`, the epoch with the lowest loss on `dev` kept, written to `output`
    when complete.

    A classifier where the examples have labels, a reader of answers where they have answers. With a
    `cut` a classifier learns from words in those pieces, each example in one cut, the same in every
    epoch.

    AdamW with linear decay after a warm-up, gradient clipping at 1. Checkpoints go to `output.part`
    after every epoch; a run that was killed goes on from the last one and ends with the same
    weights as one that was not (on the same machine and number of threads). Nothing is at `output`
    before the end.
    """
    final, working = Path(output), Path(f"{output}.part")
    if (final / "config.json").exists():
        return final
    labels = check(train, dev)
    working.mkdir(parents=True, exist_ok=True)
    if cut is not None and not labels:
        raise InputError(
            "words are cut anew for classifiers only: the answers of reading comprehension are "
            "places in the text"
        )
    job = _Job(str(base), revision, *_task_of(train[0]), labels, recipe, cut)
    trainer, tokenizer = _trainer(job, train, dev, working, progress)
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
            f"fine-tuning needs training and development examples; {len(train)} and {len(dev)} "
            "given"
        )
    _, training = _task_of(train[0])
    return training.check(train, dev)


def _task_of(example: Example) -> tuple[Task, Training]:
    """The task that an example is one of; the last of the table that suits, as the first suits
    every text with a label.
    """
    suited = [(row, task_functions(row).training) for row in reversed(TASKS.values())]
    return next(
        (row, training)
        for row, training in suited
        if training is not None and training.suits(example)
    )


@dataclass(frozen=True, slots=True)
class _Job:
    """What is fine-tuned, and how."""

    base: str
    revision: str | None
    task: Task
    training: Training
    labels: Sequence[str]
    recipe: Recipe
    cut: Cut | None


def _trainer(
    job: _Job,
    train: Sequence[Example],
    dev: Sequence[Example],
    working: Path,
    progress: Progress | None,
) -> tuple[Any, Any]:
    recipe = job.recipe
    torch.manual_seed(recipe.seed)
    hf, tokenizer = _loaded(job)
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
        train_dataset=_Rows(_inputs(job, hf, tokenizer, train, limit)),
        eval_dataset=_Rows(_inputs(job, hf, tokenizer, dev, limit)),
        data_collator=getattr(transformers, job.training.collator)(tokenizer),
        compute_metrics=_accuracy(job.training),
        callbacks=[_Watch(progress)],
    )
    for callback in ("PrinterCallback", "ProgressCallback"):
        for one in list(trainer.callback_handler.callbacks):
            if type(one).__name__ == callback:
                trainer.remove_callback(one)
    return trainer, tokenizer


def _loaded(job: _Job) -> tuple[Any, Any]:
    """The base with a head for the task, untrained where the base has none, and its tokenizer."""
    names = {
        "id2label": dict(enumerate(job.labels)),
        "label2id": {label: at for at, label in enumerate(job.labels)},
    }
    head = {"num_labels": len(job.labels), **names} if job.labels else {}
    with quiet():
        try:
            tokenizer = AutoTokenizer.from_pretrained(job.base, revision=job.revision)
            auto = getattr(transformers, next(iter(job.task.heads.values())))
            return auto.from_pretrained(job.base, revision=job.revision, **head), tokenizer
        except (OSError, ValueError) as error:
            raise not_found(job.base, error) from error


class _Rows(torch.utils.data.Dataset[dict[str, Any]]):
    """Examples as the Trainer reads them."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> dict[str, Any]:
        return self.rows[at]


def _inputs(
    job: _Job, hf: Any, tokenizer: Any, examples: Sequence[Example], limit: int
) -> list[dict[str, Any]]:
    rows = job.training.rows(tokenizer, examples, job.labels, limit)
    if job.cut is None:
        return rows
    return [row | new for row, new in zip(rows, _recut(job.task, hf, examples, tokenizer, job.cut))]


def _recut(
    task: Task, hf: Any, examples: Sequence[Example], tokenizer: Any, cut: Cut
) -> list[dict[str, Any]]:
    """What differs for words in other pieces; a text that would be too long stays as it is."""
    model = Model(hf, tokenizer, "to be fine-tuned", task.name)
    made = resegment(model, encode(model, examples), cut)
    found: list[dict[str, Any]] = []
    for one in made:
        new = (
            {}
            if one is None
            else {"input_ids": one.ids.tolist(), "attention_mask": [1] * len(one.ids)}
        )
        types = {} if one is None or one.types is None else {"token_type_ids": one.types.tolist()}
        found.append(new | types)
    return found


class _Watch(TrainerCallback):  # type: ignore[misc]
    """Tells a progress callback how many steps are done, and marks the checkpoints that are wholly
    written.
    """

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
