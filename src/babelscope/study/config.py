"""A study as a file: models x tasks x languages x methods x metrics x seeds, validated before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.study.consistency import Settings
from babelscope.study.options import choose, settle, suggestion


class Strict(BaseModel):
    """Unknown fields are refused: a misspelt one must not be silently left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DataSpec(Strict):
    """Where a task's examples come from: a built-in corpus, a public one in a folder, a file (one per `{lang}`), or the hub."""

    builtin: str | None = None
    corpus: str | None = None
    folder: str | None = None
    file: str | None = None
    train_file: str | None = None
    dev_file: str | None = None
    hub: str | None = None
    config: str | None = None
    revision: str | None = None
    train_split: str = "train"
    dev_split: str = "validation"
    columns: dict[str, str] = Field(default_factory=dict)
    languages: list[str] | None = None
    split: str = "test"
    examples: int | None = Field(default=100, ge=1)
    drawn: bool = False
    seed: int = 0

    @model_validator(mode="after")
    def one_source(self) -> Self:
        if sum(each is not None for each in (self.builtin, self.corpus, self.file, self.hub)) != 1:
            raise ValueError("give one of 'builtin', 'corpus', 'file' and 'hub'")
        if self.hub is None and (self.config is not None or self.revision is not None):
            raise ValueError("'config' and 'revision' are of a data set of the 'hub'")
        if self.folder is not None and self.corpus is None:
            raise ValueError("'folder' is where a 'corpus' lies; a 'file' has its own path")
        if self.builtin is not None and self.drawn:
            raise ValueError(
                "'drawn' is for files, corpora and the hub; of the built-in corpus another 'seed' gives other examples"
            )
        if self.builtin is not None and self.examples is None:
            raise ValueError("give the number of 'examples': the built-in corpus has no end")
        return self


class TaskSpec(Strict):
    """A task: a name for the report, its examples, and what of them is explained (as in `explain`)."""

    name: str
    data: DataSpec
    target: str | None = None
    quantity: str = "logit"
    contrast: str | None = None
    word: int | None = Field(default=None, ge=0)
    edge: str = "both"
    part: str = "all"
    long: str = "truncate"


class TrainSpec(Strict):
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


class ModelSpec(Strict):
    """A model: an existing one (`source`: hub id or folder) or one to be trained; and the languages it is studied in."""

    name: str
    source: str | None = None
    revision: str | None = None
    train: TrainSpec | None = None
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


class Choice(Strict):
    """A method or metric with options; a bare name in the file means: with its defaults."""

    name: str
    options: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def bare_name(cls, given: Any) -> Any:
        return {"name": given} if isinstance(given, str) else given


class PairingSpec(Strict):
    """A multilingual model and its monolingual counterpart, one model or one for each language, by their names."""

    multilingual: str
    monolingual: list[str] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def one_counterpart(cls, given: Any) -> Any:
        alone = isinstance(given, dict) and isinstance(given.get("monolingual"), str)
        return {**given, "monolingual": [given["monolingual"]]} if alone else given


class ConsistencySpec(Strict):
    """Do translations get the same explanation? The space that words are compared in, and how; see `consistency`.

    Without `source` each model's own training language is the source. No space is the model's own input table.
    """

    source: str | None = None
    vectors: str | None = None
    subwords: str | None = None
    encoder: str | None = None
    gold: bool = False
    norms: list[str] = Field(default=["abs"], min_length=1)
    segments: str = "blocked"
    unknown: str = "identity"
    draws: int = Field(default=20, ge=1)
    untrained: bool = False

    @model_validator(mode="after")
    def all_known(self) -> Self:
        if self.gold and (self.vectors or self.subwords or self.encoder):
            raise ValueError("'gold' compares words by gold links; leave the other spaces out")
        for norm in self.norms:
            Settings(norm, self.segments, self.unknown)
        return self

    def source_of(self, model: ModelSpec) -> str:
        """The language that the others are compared with."""
        trained = model.train.languages if model.train else []
        if self.source is None and len(trained) != 1:
            raise ValueError(f"consistency needs a 'source': model {model.name!r} is not trained here in one language")
        return self.source or trained[0]


class Study(Strict):
    """Everything that decides a study's numbers."""

    name: str
    description: str = ""
    tasks: list[TaskSpec] = Field(min_length=1)
    languages: list[str] = Field(min_length=1)
    models: list[ModelSpec] = Field(min_length=1)
    methods: list[Choice] = Field(min_length=1)
    metrics: list[Choice] = Field(default_factory=list)
    consistency: ConsistencySpec | None = None
    seeds: list[int] = Field(default=[0], min_length=1)
    trust: int = Field(default=0, ge=0)
    draws: int = Field(default=1, ge=1)
    pairings: list[PairingSpec] = Field(default_factory=list)

    @model_validator(mode="after")
    def all_paired(self) -> Self:
        known = {one.name: one for one in self.models}
        for pairing in self.pairings:
            for name in (pairing.multilingual, *pairing.monolingual):
                if name not in known:
                    raise ValueError(f"a pairing names the model {name!r}; {suggestion(name, known)}")
        return self

    @model_validator(mode="after")
    def all_known(self) -> Self:
        for choice in self.methods:
            settle(choose(METHODS, choice.name, "method"), choice.options)
        for choice in self.metrics:
            settle(choose(METRICS, choice.name, "metric"), choice.options)
        for what, names in (("model", [one.name for one in self.models]), ("task", [one.name for one in self.tasks])):
            _refuse_repeated(what, names)
        for one in self.models:
            _refuse_unknown(f"model {one.name!r}", "language", one.languages, self.languages)
            _refuse_unknown(f"model {one.name!r}", "task", one.tasks, [task.name for task in self.tasks])
            if one.train and one.train.separately:
                read = one.languages or self.languages
                _refuse_unknown(f"model {one.name!r} is studied in more than it is trained on: it", "language", read,
                                one.train.languages, "'train'")  # fmt: skip
        for task in self.tasks:
            _refuse_unknown(f"task {task.name!r}", "language", task.data.languages, self.languages)
        self._parallel()
        return self

    def _parallel(self) -> None:
        """What a comparison of translations needs; without one, no task can be explained for the source's class."""
        asked = self.consistency
        for task in self.tasks:
            if task.target == "source" and asked is None:
                raise ValueError(f"task {task.name!r}: the target 'source' needs 'consistency', which names the source")
            if asked is not None and task.target not in (None, "source", "gold"):
                raise ValueError(f"task {task.name!r}: translations are compared for the target 'source', 'gold' or none")
            if asked is not None and asked.gold and task.data.builtin is None:
                raise ValueError(f"task {task.name!r}: only built-in corpora have gold links between translations")
        for one in self.models if asked is not None else ():
            source, studied = asked.source_of(one) if asked else "", one.languages or self.languages
            if one.train is not None and one.train.separately:
                raise ValueError(f"model {one.name!r} is another one in every language; translations are compared in one model")
            if source not in studied or len(studied) < 2:
                raise ValueError(f"model {one.name!r} is not studied in its source {source!r} and another language")


def _refuse_unknown(who: str, what: str, given: Iterable[str] | None, known: Iterable[str], whose: str = "the study") -> None:
    unknown = sorted(set(given or ()) - set(known))
    if unknown:
        raise ValueError(f"{who} names the {what} {unknown[0]!r}, which {whose} does not have")


def _refuse_repeated(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"the {what} {name!r} stands twice")
        seen.add(name)


def read_study(path: str | Path) -> Study:
    """The study in a YAML file; the first thing that is wrong with it is said in one line."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no study file {file}")
    try:
        given = yaml.safe_load(file.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{file}{where}: not YAML: {getattr(error, 'problem', error)}") from error
    return parse_study(given, str(file))


def demo_study() -> Study:
    """The study of `babelscope demo`."""
    return parse_study(yaml.safe_load(files("babelscope.study").joinpath("demo.yaml").read_text("utf-8")), "the demo")


def parse_study(given: Any, origin: str = "the study") -> Study:
    """A study from plain values."""
    if not isinstance(given, dict):
        raise InputError(
            f"{origin}: a study is a mapping with name, tasks, languages, models, methods; found {type(given).__name__}"
        )
    try:
        return Study.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the study"
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        said = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            known = {name for kind in Strict.__subclasses__() for name in kind.model_fields}
            said = f"there is no such field; {suggestion(str(first['loc'][-1]), sorted(known))}"
        raise InputError(f"{origin}: {where}: {said}{more}") from error
    except InputError as error:
        raise InputError(f"{origin}: {error}") from error
