"""A study as a file, validated before anything runs: models, tasks, languages, seeds, analyses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Self, TypeVar

import yaml
from pydantic import Field, SerializeAsAny, ValidationError, model_validator

from babelscope.analyses import ANALYSES
from babelscope.analyses.block import Request
from babelscope.analyses.spec import AnalysisSpec
from babelscope.data.languages import check_language
from babelscope.data.skipping import MOST
from babelscope.data.spec import TaskSpec
from babelscope.errors import InputError
from babelscope.files import canonical, plain
from babelscope.methods import METHODS
from babelscope.options import Choice, Spec, choose, resolve_options, suggestion
from babelscope.training.spec import ModelSpec

Kind = TypeVar("Kind", bound=Spec)


class Study(Spec):
    """Everything that decides a study's numbers. In a file each analysis is a block under its own
    name.
    """

    name: str
    """Title of the report."""
    description: str = ""
    """One sentence below the title."""
    deviations: list[str] = Field(default_factory=list)
    """What is not as in the paper that the study redoes; `plan` and `run` print it."""
    tasks: list[TaskSpec] = Field(min_length=1)
    """Tasks whose examples are explained."""
    languages: list[str] = Field(min_length=1)
    """Languages in which every model is studied, unless it lists its own."""
    models: list[ModelSpec] = Field(min_length=1)
    """Models that are studied."""
    methods: list[Choice] = Field(default_factory=list)
    """Attribution methods: a name, or a name with options."""
    seeds: list[int] = Field(default=[0], min_length=1)
    """For models with `train`: one model per seed. For others: seeds of the methods that are
    random."""
    source: str | None = None
    """Language that translations are compared with; by default the only language that a model is
    trained on."""
    strict: bool = False
    """Refuse the study if a row cannot be used, instead of skipping it."""
    max_skipped: float = Field(default=MOST, ge=0, le=1)
    """Largest share of the rows of a language that may be skipped; more is an error."""
    analyses: dict[str, SerializeAsAny[AnalysisSpec]] = Field(min_length=1)
    """Blocks of the analyses, each under its own name at the top of the file."""

    def __repr__(self) -> str:
        counts = (
            f"{len(self.models)} models, {len(self.languages)} languages, "
            f"{len(self.methods)} methods"
        )
        return f"<Study {self.name!r}: {', '.join(self.analyses)}; {counts}>"

    def _repr_html_(self) -> str:
        from babelscope.display.cards import card

        facts = {
            "analyses": list(self.analyses), "models": [each.name for each in self.models],
            "languages": self.languages, "methods": [each.name for each in self.methods],
            "tasks": [each.name for each in self.tasks],
        }  # fmt: skip
        return str(card(f"Study {self.name}", facts))

    @property
    def request(self) -> Request:
        """The part that all analyses share."""
        return Request(
            tuple(self.languages),
            tuple(self.tasks),
            tuple(self.models),
            tuple(self.methods),
            tuple(self.seeds),
            self.source,
            self.strict,
            self.max_skipped,
        )

    @model_validator(mode="after")
    def all_known(self) -> Self:
        _refuse_repeated("method", map(_setting, self.methods))
        _refuse_repeated("seed", map(str, self.seeds))
        _refuse_repeated("language", self.languages)
        _refuse_repeated("model", [model.name for model in self.models])
        _refuse_repeated("task", [task.name for task in self.tasks])
        for lang in self.languages:
            check_language(lang)
        if self.source is not None:
            _refuse_unknown("'source'", "language", [self.source], self.languages)
        for model in self.models:
            self._check_model(model)
        for task in self.tasks:
            _refuse_unknown(f"task {task.name!r}", "language", task.data.languages, self.languages)
        return self

    @model_validator(mode="after")
    def all_possible(self) -> Self:
        for name, spec in self.analyses.items():
            row = ANALYSES[name]
            if row.methods and not self.methods:
                raise ValueError(f"{name} needs explanations: list 'methods'")
            if row.parallel:
                self._check_parallel()
            spec.check(self.request)
        self._check_targets()
        return self

    def _check_model(self, model: ModelSpec) -> None:
        who, names = f"model {model.name!r}", [task.name for task in self.tasks]
        _refuse_unknown(who, "language", model.languages, self.languages)
        _refuse_unknown(who, "task", model.tasks, names)
        _refuse_unknown(who, "method", model.methods, [each.name for each in self.methods])
        if model.train and model.train.separately:
            read, trained = model.languages or self.languages, model.train.languages
            _refuse_unknown(
                f"{who} is studied in more than it is trained on: it",
                "language",
                read,
                trained,
                "'train'",
            )

    def _check_parallel(self) -> None:
        """What a comparison of translations needs: models that read the source and another
        language. A model that is studied in one language has nothing to compare and is left out.
        """
        compared = [model for model in self.models if len(model.languages or self.languages) > 1]
        if not compared:
            raise ValueError(
                f"model {self.models[0].name!r} is not studied in its source and another language"
            )
        for model in compared:
            source, read = self.request.source_of(model), model.languages or self.languages
            if model.train is not None and model.train.separately:
                raise ValueError(
                    f"model {model.name!r} is trained for each language separately; translations "
                    "are compared within one model"
                )
            if source not in read:
                raise ValueError(
                    f"model {model.name!r} is not studied in its source {source!r} and another "
                    "language"
                )

    def _check_targets(self) -> None:
        parallel = any(ANALYSES[name].parallel for name in self.analyses)
        for task in self.tasks:
            if task.target == "source":
                for model in self.models:
                    self.request.source_of(model)
            elif parallel and task.target not in (None, "gold"):
                raise ValueError(
                    f"task {task.name!r}: translations are compared for the target 'source', "
                    "'gold' or none"
                )


def _setting(choice: Choice) -> str:
    """A method with all its options."""
    options = resolve_options(choose(METHODS, choice.name, "method"), choice.options)
    return f"{choice.name} {canonical(plain(options))}"


def _refuse_unknown(
    who: str,
    what: str,
    names: Iterable[str] | None,
    known: Iterable[str],
    whose: str = "the study",
) -> None:
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise ValueError(f"{who} names the {what} {unknown[0]!r}, which {whose} does not have")


def _refuse_repeated(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"the {what} {name!r} is listed twice")
        seen.add(name)


def read_study(path: str | Path) -> Study:
    """The study in a YAML file; the first thing that is wrong with it is reported in one line."""
    file = Path(path)
    if not file.is_file():
        raise InputError(f"there is no study file {file}")
    try:
        values = yaml.safe_load(file.read_text("utf-8"))
    except RecursionError:
        raise InputError(f"{file}: not a study: it is nested too deeply") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise InputError(f"{file}{where}: not YAML: {getattr(error, 'problem', error)}") from error
    return parse_study(values, str(file))


def as_study(study: Study | Mapping[str, Any] | str | Path) -> Study:
    """A study, from the values of one or the path of its file."""
    if isinstance(study, Study):
        return study
    return read_study(study) if isinstance(study, (str, Path)) else parse_study(study)


def demo_study(*, train: bool = False) -> Study:
    """The study of `babelscope demo`: with the models of the package, or with such that are trained
    first.
    """
    names = ("demo.yaml", "demo-train.yaml") if train else ("demo.yaml",)
    texts = [files("babelscope.study").joinpath(name).read_text("utf-8") for name in names]
    values = {key: value for text in texts for key, value in yaml.safe_load(text).items()}
    return parse_study(values, "the demo")


def parse_study(values: Any, origin: str = "the study") -> Study:
    """A study from plain values: blocks of analyses under their own names, the rest as
    in `Study`.
    """
    if not isinstance(values, dict):
        raise InputError(
            f"{origin}: a study is a mapping with name, tasks, languages, models and at least one "
            f"analysis ({', '.join(ANALYSES)}); found {type(values).__name__}"
        )
    blocks = {name: values[name] for name in ANALYSES if name in values}
    if not blocks:
        raise InputError(
            f"{origin}: no analysis is asked for; add at least one of: {', '.join(ANALYSES)}"
        )
    rest = {name: value for name, value in values.items() if name not in ANALYSES}
    specs = {name: parse_block(name, block, origin) for name, block in blocks.items()}
    return _validated(Study, rest | {"analyses": specs}, origin, "")


def parse_block(analysis: str, block: Any, origin: str = "the study") -> AnalysisSpec:
    """The block of one analysis from plain values."""
    return _validated(ANALYSES[analysis].spec, block or {}, origin, analysis)


def _validated(kind: type[Kind], values: Any, origin: str, block: str) -> Kind:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        parts = [str(part) for part in first["loc"]]
        where = ".".join([block] * bool(block) + parts)
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        place = f"{origin}: {where}" if where else origin
        raise InputError(f"{place}: {_message(first, kind)}{more}") from error
    except InputError as error:
        raise InputError(f"{origin}: {block + ': ' if block else ''}{error}") from error


MOVED = {
    "metrics": "faithfulness",
    "pairings": "faithfulness",
    "draws": "faithfulness, as 'samples'",
}
"""Fields that belong to the block of an analysis."""


def _message(error: Any, kind: type[Spec]) -> str:
    if error["type"] != "extra_forbidden":
        return str(error["msg"]).removeprefix("Value error, ")
    name = str(error["loc"][-1])
    if kind is Study and name in MOVED:
        return f"this field belongs to the block {MOVED[name]}"
    known = {field for spec in _subclasses(Spec) for field in spec.model_fields} | set(ANALYSES)
    return f"there is no such field; {suggestion(name, sorted(known - {'analyses'}))}"


def _subclasses(kind: type[Spec]) -> Iterable[type[Spec]]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)
