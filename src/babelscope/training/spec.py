"""What a study file says about models: where one comes from, or how it is trained."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from babelscope.options import Spec


class TrainSpec(Spec):
    """A model to be trained here: from a small architecture made from scratch, or from a
    checkpoint as `base`.
    """

    languages: list[str] = Field(min_length=1)
    """Languages of the training examples, as far as the task has them."""
    separately: bool = False
    """Train one model for each of these languages, on that language alone; all go by one name."""
    base: str | dict[str, str] | None = None
    """Checkpoint to start from, or a recipe such as `pretrained:multilingual`; with `separately`,
    optionally a mapping from language to checkpoint. A hub id may have its revision after it:
    `ID@COMMIT`. By default a small model is made from scratch."""
    revision: str | None = None
    """Commit or branch of a base from the hub."""
    architecture: str = "xlm-roberta"
    """Architecture of a small model: `bert`, `xlm-roberta`, `distilbert` or `gpt2`."""
    layers: int = Field(default=2, ge=1)
    """Number of layers of a small model."""
    width: int = Field(default=128, ge=32)
    """Hidden size of a small model, a multiple of 32."""
    vocabulary: int = Field(default=8000, ge=100)
    """Vocabulary size of a small model's tokenizer."""
    examples: int = Field(default=4000, ge=10)
    """Largest number of training examples per language."""
    dev_examples: int = Field(default=400, ge=10)
    """Largest number of development examples per language."""
    learning_rate: float = Field(default=1e-5, gt=0)
    """Learning rate of AdamW."""
    epochs: int = Field(default=5, ge=1)
    """Number of epochs; the one with the lowest loss on the development examples is kept."""
    batch: int = Field(default=16, ge=1)
    """Number of examples per step."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Weight decay of AdamW."""
    freeze_embeddings: bool = False
    """Keep the word embeddings as they are."""
    freeze_layers: int = Field(default=0, ge=0)
    """Number of lowest layers that are kept as they are, with all embeddings."""
    head_only: bool = False
    """Train the task head alone: a reference of the trade-offs."""

    @model_validator(mode="after")
    def a_base_for_each(self) -> Self:
        if not isinstance(self.base, dict):
            return self
        if not self.separately or self.revision is not None:
            raise ValueError(
                "a base for each language needs 'separately: true', and has no one 'revision'; "
                "write ID@REVISION for each"
            )
        missing = sorted(set(self.languages) - set(self.base))
        if missing:
            raise ValueError(f"there is no base for {missing[0]!r}; given: {', '.join(self.base)}")
        return self

    def of(self, lang: str) -> TrainSpec:
        """How the model that reads this language is trained: on it alone where models are trained
        separately.
        """
        if not self.separately:
            return self
        base = self.base[lang] if isinstance(self.base, dict) else self.base
        return self.model_copy(update={"languages": [lang], "base": base, "separately": False})


class ModelSpec(Spec):
    """A model: an existing one (`source`: hub id or folder) or one to be trained; and the
    languages it is studied in.
    """

    name: str
    """Name of the model in the report."""
    source: str | None = None
    """Hub id or folder of an existing model."""
    revision: str | None = None
    """Commit or branch of the hub id."""
    trained_on: list[str] = Field(default_factory=list)
    """Languages that an existing model was fine-tuned on."""
    train: TrainSpec | None = None
    """How the model is trained here."""
    allow_untrained_head: bool = False
    """Accept a classification head that was never trained."""
    verbalizer: dict[str, str | list[str]] | None = None
    """For language models: the word, or list of words, that continues the text for each label."""
    languages: list[str] | None = None
    """Languages that the model is studied in; all languages of the study by default."""
    tasks: list[str] | None = None
    """Tasks that the model is studied on; all tasks of the study by default."""

    @model_validator(mode="after")
    def one_origin(self) -> Self:
        if (self.source is None) == (self.train is None):
            raise ValueError("give either 'source' or 'train'")
        if self.train is not None and self.trained_on:
            raise ValueError(
                "'trained_on' is for an existing model; what is trained here has 'languages' in "
                "'train'"
            )
        if self.verbalizer is not None and self.train is not None:
            raise ValueError(
                "a 'verbalizer' is for a language model as 'source'; what is trained here has "
                "classes"
            )
        return self

    @property
    def training_languages(self) -> list[str]:
        """The languages that it is, or was, fine-tuned on, as far as the study says so."""
        return self.train.languages if self.train else self.trained_on
