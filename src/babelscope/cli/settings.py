"""The rarer fields of a command, each set with `--set KEY=VALUE`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

from pydantic import Field, ValidationError

from babelscope.cli.arguments import pairs
from babelscope.errors import InputError
from babelscope.options import Spec
from babelscope.types import Aim

if TYPE_CHECKING:
    from babelscope.training.finetune import Recipe

AnySettings = TypeVar("AnySettings", bound=Spec)


class MeasureSettings(Spec):
    """Further fields of `measure`."""

    part: Literal["all", "first", "second"] = "all"
    """Text of a pair that is explained and erased."""
    seed: int = 0
    """Seed of the methods that sample."""
    verbalizer: str | None = None
    """Continuation for each label of a language model: positive=good/great,negative=bad."""
    allow_untrained_head: bool = False
    """Accept a model whose task head was never trained."""

    @property
    def words(self) -> dict[str, list[str]] | None:
        """The verbalizer as labels with their words."""
        if self.verbalizer is None:
            return None
        labels = pairs(self.verbalizer.split(","), "--set verbalizer: the part")
        return {label: words.split("/") for label, words in labels.items()}


class ExplainSettings(MeasureSettings):
    """Further fields of `explain`."""

    quantity: str = "logit"
    """Number that is attributed: logit, probability, log_odds or contrast."""
    contrast: str | None = None
    """Class that a contrast subtracts; by default the best of the others."""
    word: int | None = Field(default=None, ge=0)
    """Position of the word whose tag is explained; by default the first that is not O."""
    edge: str = "both"
    """End of an answer that is explained: both, start or end."""
    long: str = "truncate"
    """How a text that exceeds the model is read: truncate or window."""
    unit: Literal["word", "token"] = "word"
    """What the terminal shows scores of."""

    def aim(self, target: str | None) -> Aim:
        return Aim(target, self.contrast, self.word, self.edge)


class FinetuneSettings(Spec):
    """Further fields of `finetune`."""

    warmup: float = Field(default=0.1, ge=0, le=1)
    """Share of the steps in which the learning rate rises."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Weight decay of AdamW."""
    max_length: int = Field(default=512, ge=1)
    """Largest number of tokens per text."""
    freeze_embeddings: bool = False
    """Keep the word embeddings as they are."""
    freeze_layers: int = Field(default=0, ge=0)
    """Number of lowest layers that are kept as they are, with all embeddings."""
    head_only: bool = False
    """Train the task head alone."""
    layers: int = Field(default=2, ge=1)
    """Number of layers of a new model."""
    width: int = Field(default=128, ge=32)
    """Hidden size of a new model, a multiple of 32."""
    vocabulary: int = Field(default=8000, ge=100)
    """Vocabulary size of a new model's tokenizer."""

    def recipe(self, learning_rate: float, epochs: int, batch: int, seed: int) -> Recipe:
        from babelscope.training.finetune import Recipe

        return Recipe(
            learning_rate,
            epochs,
            batch,
            warmup=self.warmup,
            weight_decay=self.weight_decay,
            freeze_embeddings=self.freeze_embeddings,
            max_length=self.max_length,
            seed=seed,
            freeze_layers=self.freeze_layers,
            head_only=self.head_only,
        )


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
