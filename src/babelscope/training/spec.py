"""What a study file says about models: where one comes from, or how it is trained."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from babelscope.options import Spec


class TrainSpec(Spec):
    """A model to be trained here: from a small architecture made from scratch, or from a checkpoint as `base`."""

    languages: list[str] = Field(min_length=1)
    separately: bool = False
    base: str | dict[str, str] | None = None
    revision: str | None = None
    architecture: str = "xlm-roberta"
    layers: int = Field(default=2, ge=1)
    width: int = Field(default=128, ge=32)
    vocabulary: int = Field(default=8000, ge=100)
    examples: int = Field(default=4000, ge=10)
    dev_examples: int = Field(default=400, ge=10)
    learning_rate: float = Field(default=1e-5, gt=0)
    epochs: int = Field(default=5, ge=1)
    batch: int = Field(default=16, ge=1)
    weight_decay: float = Field(default=0.01, ge=0)
    freeze_embeddings: bool = False
    freeze_layers: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def a_base_for_each(self) -> Self:
        if not isinstance(self.base, dict):
            return self
        if not self.separately or self.revision is not None:
            raise ValueError("a base for each language needs 'separately: true', and has no one 'revision'")
        missing = sorted(set(self.languages) - set(self.base))
        if missing:
            raise ValueError(f"there is no base for {missing[0]!r}; given: {', '.join(self.base)}")
        return self

    def of(self, lang: str) -> TrainSpec:
        """How the model that reads this language is trained: on it alone where models are trained separately."""
        if not self.separately:
            return self
        base = self.base[lang] if isinstance(self.base, dict) else self.base
        return self.model_copy(update={"languages": [lang], "base": base, "separately": False})


class ModelSpec(Spec):
    """A model: an existing one (`source`: hub id or folder) or one to be trained; and the languages it is studied in."""

    name: str
    source: str | None = None
    revision: str | None = None
    train: TrainSpec | None = None
    allow_untrained_head: bool = False
    verbalizer: dict[str, str | list[str]] | None = None
    languages: list[str] | None = None
    tasks: list[str] | None = None

    @model_validator(mode="after")
    def one_origin(self) -> Self:
        if (self.source is None) == (self.train is None):
            raise ValueError("give either 'source' or 'train'")
        if self.verbalizer is not None and self.train is not None:
            raise ValueError("a 'verbalizer' is for a language model as 'source'; what is trained here has classes")
        return self
