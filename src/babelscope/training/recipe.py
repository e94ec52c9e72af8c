"""The settings of a fine-tuning run, and the arguments of the Hugging Face Trainer that they
become.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import TrainingArguments

from babelscope.errors import InputError

PRECISIONS: dict[str, dict[str, bool]] = {
    "float32": {},
    "bfloat16": {"bf16": True},
    "float16": {"fp16": True},
}
"""The precision of forward and backward passes (the weights stay float32), and the Trainer's name
for it.
"""
SELECTED: dict[str, str] = {"loss": "eval_loss", "score": "eval_mean_over_languages"}
"""What the kept epoch is best in on the development examples, and the Trainer's name for it."""

LEAST: dict[str, float] = {
    "epochs": 1, "batch": 1, "warmup": 0, "weight_decay": 0, "max_length": 8, "seed": 0,
    "freeze_layers": 0, "accumulation": 1, "patience": 0, "layers": 1, "lora": 0,
}  # fmt: skip
"""The least value of the fields that are numbers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of a fine-tuning run. Defaults are those of the published study."""

    learning_rate: float = 1e-5
    epochs: int = 5
    batch: int = 16
    warmup: float = 0.1
    """The share of the steps in which the learning rate rises; from 1 on, their number."""
    weight_decay: float = 0.01
    freeze_embeddings: bool = False
    max_length: int | None = None
    """The largest number of tokens, in training and later in explanations, as far as the model has
    positions; None: 512, or fewer where the tokenizer says so.
    """
    seed: int = 0
    freeze_layers: int = 0
    """How many of the lowest layers are frozen, with the embeddings: what languages share there
    stays shared.
    """
    head_only: bool = False
    """Whether everything below the head is frozen: what the same training gains without changing
    the encoder.
    """
    accumulation: int = 1
    """How many batches make one step: `batch` x `accumulation` examples."""
    precision: str = "float32"
    """float32, bfloat16 or float16 (GPUs only); the weights are float32 in any case."""
    gradient_checkpointing: bool = False
    """Whether activations are computed again in the backward pass instead of kept: less memory,
    more time.
    """
    patience: int = 0
    """After how many epochs without a better one training stops; 0: never."""
    select: str = "loss"
    """loss: the epoch with the lowest loss is kept; score: the one with the highest accuracy, as
    the mean over the languages of the development examples.
    """
    layers: int | None = None
    """The base is reduced to this many of its lowest layers."""
    lora: int = 0
    """The rank of LoRA's matrices, which are trained in place of the weights; 0: no LoRA."""


def check_recipe(recipe: Recipe) -> None:
    """Refuses a recipe that cannot be trained here."""
    for name, value, known in (
        ("precision", recipe.precision, PRECISIONS),
        ("select", recipe.select, SELECTED),
    ):
        if value not in known:
            raise InputError(f"{name} {value!r} is not one of: {', '.join(known)}")
    if recipe.precision == "float16" and not torch.cuda.is_available():
        raise InputError("precision 'float16' needs a GPU; use bfloat16 on this machine")
    for name, least in LEAST.items():
        value = getattr(recipe, name)
        if value is not None and not value >= least:  # NaN is not
            raise InputError(f"{name} must be at least {least}; it is {value}")
    if not 0 < recipe.learning_rate < math.inf:
        raise InputError(f"learning_rate must be a number above 0; it is {recipe.learning_rate}")
    if recipe.lora and (recipe.freeze_layers or recipe.head_only or recipe.freeze_embeddings):
        raise InputError(
            "LoRA keeps all weights of the base: leave out freeze_embeddings, freeze_layers and "
            "head_only"
        )


def trainer_arguments(recipe: Recipe, working: Path) -> Any:
    """The Trainer's arguments; checkpoints are written to `working`."""
    return TrainingArguments(
        output_dir=str(working),
        learning_rate=recipe.learning_rate,
        num_train_epochs=recipe.epochs,
        per_device_train_batch_size=recipe.batch,
        gradient_accumulation_steps=recipe.accumulation,
        per_device_eval_batch_size=64,
        warmup_steps=recipe.warmup,
        weight_decay=recipe.weight_decay,
        max_grad_norm=1.0,
        lr_scheduler_type="linear",
        gradient_checkpointing=recipe.gradient_checkpointing,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model=SELECTED[recipe.select],
        seed=recipe.seed,
        data_seed=recipe.seed,
        train_sampling_strategy="group_by_length",
        disable_tqdm=True,
        logging_strategy="epoch",
        report_to=[],
        dataloader_pin_memory=False,
        dataloader_num_workers=0,
        # The Trainer refuses bfloat16 unless a GPU has it or the CPU is named
        use_cpu=recipe.precision == "bfloat16" and not torch.cuda.is_available(),
        **PRECISIONS[recipe.precision],
    )
