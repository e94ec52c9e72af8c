"""What a study file says about models: where one comes from, or how it is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from babelscope.model.prompt_spec import PromptSpec
from babelscope.options import Spec

LAYERS = 2
"""Layers of a small model where no number is given."""
STEP = 32
"""Lengths of padded inputs in half precision are multiples of this."""


TF_IDF, FULLY_CONNECTED = NETWORKS = ("tf-idf", "fully-connected")
"""The architectures without attention and layers."""


class StageSpec(Spec):
    """A later stage of fine-tuning, which starts from the model of the stage before it. What is not
    given is as in the first stage."""

    languages: list[str] = Field(min_length=1)
    """Languages of its training examples."""
    dev_languages: list[str] | None = None
    """Languages that choose its checkpoint; by default those that it is trained on."""
    examples: int | None = Field(default=None, ge=10)
    """Largest number of training examples per language."""
    learning_rate: float | None = Field(default=None, gt=0)
    """Learning rate of AdamW."""
    epochs: int | None = Field(default=None, ge=1)
    """Number of epochs."""


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
    tokenizer: str | dict[str, str] | None = None
    """Checkpoint or recipe whose tokenizer replaces that of the base: vectors of pieces that both
    have are kept, others start from the mean of the base's pieces that spell them. With
    `separately` optionally a mapping from language to checkpoint."""
    adaptation: int = Field(default=0, ge=0)
    """Number of steps in which the base learns to fill masks in the training texts, without
    labels, before it is fine-tuned."""
    adaptation_rate: float = Field(default=5e-5, gt=0)
    """Learning rate of the adaptation."""
    architecture: str = "xlm-roberta"
    """Architecture of a small model: `bert`, `xlm-roberta`, `distilbert` or `gpt2`; or a network
    without attention to compare them with: `tf-idf` or `fully-connected`."""
    layers: int | None = Field(default=None, ge=1)
    """Number of layers: of a small model, 2 by default; of a base, the lowest ones that are kept,
    all by default."""
    width: int = Field(default=128, ge=32)
    """Hidden size of a small model, a multiple of 32: of `tf-idf` the units of the first hidden
    layer, of `fully-connected` the width of the embeddings."""
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
    """Number of examples in a batch."""
    weight_decay: float = Field(default=0.01, ge=0)
    """Weight decay of AdamW."""
    freeze_embeddings: bool = False
    """Keep the word embeddings as they are."""
    freeze_layers: int = Field(default=0, ge=0)
    """Number of lowest layers that are kept as they are, with all embeddings."""
    head_only: bool = False
    """Train the task head alone: a reference of the trade-offs."""
    warmup: float = Field(default=0.1, ge=0)
    """Share of the steps in which the learning rate rises; from 1 on, their number."""
    max_length: int | None = Field(default=None, ge=8)
    """Largest number of tokens, in training and in explanations; by default 512, or what the
    tokenizer says."""
    accumulation: int = Field(default=1, ge=1)
    """Number of batches that make one step."""
    precision: Literal["float32", "bfloat16", "float16"] = "float32"
    """Precision of forward and backward passes; `float16` on GPUs only."""
    gradient_checkpointing: bool = False
    """Compute activations again instead of keeping them: less memory, more time."""
    patience: int = Field(default=0, ge=0)
    """Number of epochs without a better one after which training stops; 0: never."""
    dev_languages: list[str] | None = None
    """Languages whose development examples choose the epoch, by the mean of their accuracies; by
    default the loss in the training languages does."""
    lora: int = Field(default=0, ge=0)
    """Rank of LoRA's matrices, trained in place of the weights (needs `peft`); 0: no LoRA."""
    then: list[StageSpec] = Field(default_factory=list)
    """Further stages of fine-tuning, for example first English, then Hindi; each starts from the
    model of the stage before it."""

    @model_validator(mode="after")
    def layers_of_a_transformer(self) -> Self:
        if self.base is None and self.architecture in NETWORKS and self.layers is not None:
            raise ValueError(f"{self.architecture} has no layers to choose: leave out 'layers'")
        return self

    @model_validator(mode="after")
    def stages_from_a_base(self) -> Self:
        if self.then and (self.base is None or self.separately):
            raise ValueError("'then' needs a 'base', and one model for all languages")
        return self

    @model_validator(mode="after")
    def a_base_for_each(self) -> Self:
        for name, each in (("base", self.base), ("tokenizer", self.tokenizer)):
            if isinstance(each, dict):
                self._check_each(name, each)
        if self.base is None and (self.tokenizer is not None or self.adaptation):
            raise ValueError(
                "'tokenizer' and 'adaptation' change a checkpoint: name it as the 'base'"
            )
        return self

    def _check_each(self, name: str, each: dict[str, str]) -> None:
        if not self.separately or (name == "base" and self.revision is not None):
            raise ValueError(
                f"a {name} for each language needs 'separately: true', and has no one 'revision'; "
                "write ID@REVISION for each"
            )
        missing = sorted(set(self.languages) - set(each))
        if missing:
            raise ValueError(f"there is no {name} for {missing[0]!r}; given: {', '.join(each)}")

    def of(self, lang: str) -> TrainSpec:
        """How the model that reads this language is trained: on it alone where models are trained
        separately.
        """
        if not self.separately:
            return self
        changed = {
            name: each[lang] if isinstance(each, dict) else each
            for name, each in (("base", self.base), ("tokenizer", self.tokenizer))
        }
        return self.model_copy(update={"languages": [lang], "separately": False, **changed})

    @property
    def all_languages(self) -> list[str]:
        """The languages of all stages."""
        return list(dict.fromkeys(lang for stage in self.stages() for lang in stage.languages))

    def stages(self) -> list[TrainSpec]:
        """The first stage and the later ones, each as a specification of its own; the bases of the
        later ones are the models before them.
        """
        first = self.model_copy(update={"then": []})
        unchanged = {"tokenizer": None, "adaptation": 0, "layers": None}
        changes = [
            stage.model_dump(exclude_none=True) | {"dev_languages": stage.dev_languages}
            for stage in self.then
        ]
        return [first, *(first.model_copy(update=each | unchanged) for each in changes)]


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
    prompt: PromptSpec | None = None
    """For language models: what is read around each text, and the labels' words."""
    languages: list[str] | None = None
    """Languages that the model is studied in; all languages of the study by default."""
    tasks: list[str] | None = None
    """Tasks that the model is studied on; all tasks of the study by default."""
    methods: list[str] | None = None
    """Methods that explain the model, by name; all methods of the study by default."""

    @field_validator("source", mode="before")
    @classmethod
    def named_source(cls, source: Any) -> Any:
        if source is None or isinstance(source, (str, Path)):
            return None if source is None else str(source)
        raise ValueError(
            f"a study names its models by hub id or folder; found {type(source).__name__}: save a "
            "transformer with save_pretrained, or explain and measure it outside of a study"
        )

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
        if self.prompt is not None and self.train is not None:
            raise ValueError(
                "a 'prompt' is for a language model as 'source'; what is trained here has classes"
            )
        return self

    @property
    def training_languages(self) -> list[str]:
        """The languages that it is, or was, fine-tuned on, as far as the study says so."""
        return self.train.all_languages if self.train else self.trained_on
