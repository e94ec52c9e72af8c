"""A study as a file: models x tasks x languages x methods x metrics x seeds, validated before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from babelscope.analyses.consistency.spec import ConsistencySpec
from babelscope.analyses.faithfulness.spec import PairingSpec
from babelscope.data.spec import TaskSpec
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.options import (
    Choice,
    Spec,
    choose,
    resolve_options,
    suggestion,
)
from babelscope.training.spec import ModelSpec


class Study(Spec):
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
            resolve_options(choose(METHODS, choice.name, "method"), choice.options)
        for choice in self.metrics:
            resolve_options(choose(METRICS, choice.name, "metric"), choice.options)
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
            known = {name for kind in Spec.__subclasses__() for name in kind.model_fields}
            said = f"there is no such field; {suggestion(str(first['loc'][-1]), sorted(known))}"
        raise InputError(f"{origin}: {where}: {said}{more}") from error
    except InputError as error:
        raise InputError(f"{origin}: {error}") from error
