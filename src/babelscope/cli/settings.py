"""The rarer fields of a command, each set with `--set KEY=VALUE`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import Field, ValidationError

from babelscope.cli.arguments import STRICT, pairs
from babelscope.data.skipping import MOST
from babelscope.errors import InputError
from babelscope.options import Spec
from babelscope.types import Aim

if TYPE_CHECKING:
    from babelscope.training.finetune import Recipe

AnySettings = TypeVar("AnySettings", bound=Spec)


class WeightSettings(Spec):
    """How the weights of a model are loaded."""

    dtype: str | None = None
    """Precision of the weights: float32, float64, bfloat16 or float16; by default as saved."""
    device_map: str | None = None
    """Spread the weights over the devices by accelerate: auto, balanced or sequential."""
    quantization: str | None = None
    """Bits of the weights, 8bit or 4bit, by bitsandbytes or torchao."""
    adapter: str | None = None
    """Folder or hub id of a peft adapter that is merged into the model."""


class MeasureSettings(WeightSettings):
    """Further fields of `measure`."""

    part: Literal["all", "first", "second"] = "all"
    """Text of a pair that is explained and erased."""
    unit: str | None = None
    """Scored and erased as a whole: token, word, sentence, paragraph, text, or as the data name
    it; by default tokens, shown in words."""
    seed: int = 0
    """Seed of the methods that sample."""
    verbalizer: str | None = None
    """Continuation for each label of a language model: positive=good/great,negative=bad."""
    prompt: Path | None = None
    """File of the prompt that a language model reads around each text (YAML)."""
    allow_untrained_head: bool = False
    """Accept a model whose task head was never trained."""
    strict: bool = False
    """Refuse a file with a text that cannot be explained, instead of skipping it."""
    max_skipped: float = Field(default=MOST, ge=0, le=1)
    """Largest share of the texts that may be skipped."""

    @property
    def refuses(self) -> bool:
        """Whether a bad row is an error."""
        return self.strict or STRICT.get()

    @property
    def words(self) -> dict[str, list[str]] | None:
        """The verbalizer as labels with their words."""
        if self.verbalizer is None:
            return None
        labels = pairs(self.verbalizer.split(","), "--set verbalizer: the part")
        return {label: words.split("/") for label, words in labels.items()}


class ExplainSettings(MeasureSettings):
    """Further fields of `explain`."""

    quantity: str | None = None
    """Number that is attributed: logit (default), probability, log_probability, log_odds (default
    for a verbalizer's labels) or contrast."""
    contrast: str | None = None
    """Class that a contrast subtracts; by default the best of the others."""
    word: int | None = Field(default=None, ge=0)
    """Position of the word whose tag is explained; by default the first that is not O."""
    edge: str = "both"
    """End of an answer that is explained: both, start or end."""
    long: str = "truncate"
    """How a text that exceeds the model is read: truncate, window, or for answers best (the
    window that the model answers from)."""
    answer: str | None = None
    """Answer of a language model to explain, token by token."""
    generate: int = Field(default=0, ge=0)
    """Explain the model's own answer, of at most so many tokens; 0: explain the next one."""

    def aim(self, target: str | None) -> Aim:
        return Aim(target, self.contrast, self.word, self.edge)


class FinetuneSettings(Spec):
    """Further fields of `finetune`."""

    warmup: float = Field(default=0.1, ge=0)
    """Share of the steps in which the learning rate rises; from 1 on, their number."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Weight decay of AdamW."""
    max_length: int | None = Field(default=None, ge=8)
    """Largest number of tokens per input; by default 512, or the tokenizer's own limit."""
    accumulation: int = Field(default=1, ge=1)
    """Number of batches that make one step."""
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    """Precision of forward and backward passes; float16 on GPUs only."""
    gradient_checkpointing: bool = False
    """Compute activations again instead of keeping them: less memory, more time."""
    patience: int = Field(default=0, ge=0)
    """Number of epochs without a better one after which training stops; 0: never."""
    select: Literal["loss", "score"] = "loss"
    """What the kept epoch is best in: loss, or score (accuracy, the mean over languages)."""
    layers: int | None = Field(default=None, ge=1)
    """Number of lowest layers of the base that are kept; of a new model: its layers, 2."""
    lora: int = Field(default=0, ge=0)
    """Rank of LoRA's matrices, trained in place of the weights (needs peft); 0: no LoRA."""
    freeze_embeddings: bool = False
    """Keep the word embeddings as they are."""
    freeze_layers: int = Field(default=0, ge=0)
    """Number of lowest layers that are kept as they are, with all embeddings."""
    head_only: bool = False
    """Train the task head alone."""
    width: int = Field(default=128, ge=32)
    """Hidden size of a new model, a multiple of 32."""
    vocabulary: int = Field(default=8000, ge=100)
    """Vocabulary size of a new model's tokenizer."""
    strict: bool = False
    """Refuse data with a row that cannot be used, instead of skipping it."""
    max_skipped: float = Field(default=MOST, ge=0, le=1)
    """Largest share of the rows that may be skipped."""

    @property
    def refuses(self) -> bool:
        """Whether a bad row is an error."""
        return self.strict or STRICT.get()

    def recipe(
        self, learning_rate: float, epochs: int, batch: int, seed: int, *, new: bool = False
    ) -> Recipe:
        """The whole recipe; a new model has its layers already."""
        from babelscope.training.finetune import Recipe

        return Recipe(
            learning_rate, epochs, batch,
            warmup=self.warmup, weight_decay=self.weight_decay, max_length=self.max_length,
            freeze_embeddings=self.freeze_embeddings, freeze_layers=self.freeze_layers,
            head_only=self.head_only, accumulation=self.accumulation, precision=self.precision,
            gradient_checkpointing=self.gradient_checkpointing, patience=self.patience,
            select=self.select, lora=self.lora, layers=None if new else self.layers, seed=seed,
        )  # fmt: skip


def read_settings(kind: type[AnySettings], arguments: Sequence[str] | None) -> AnySettings:
    """The settings of a command; an unknown key or a value of another kind is one line."""
    values = pairs(arguments, "--set")
    for key in values:
        if key not in kind.model_fields:
            known = ", ".join(kind.model_fields)
            raise InputError(f"--set {key}: there is no such key; known are: {known}")
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0])
        raise InputError(f"--set {key}={values[key]}: {first['msg']}") from error
