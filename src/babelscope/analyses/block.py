"""What an analysis is given: a block of the study's grid, and what to compute its cells with."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from babelscope.data.skipping import MOST, check_skipped
from babelscope.data.spec import TaskSpec
from babelscope.errors import BabelscopeError
from babelscope.files import canonical
from babelscope.options import Choice
from babelscope.training.spec import ModelSpec
from babelscope.types import Example, Failure, SkippedRow

if TYPE_CHECKING:
    from babelscope.model.load import Model
    from babelscope.store import Rows, Spooled, Store

FAULTS = (Exception,)
"""What makes a cell fail without stopping the others: anything but an interruption. Libraries
raise errors of their own for a damaged model or file."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """The part of a study that all analyses share."""

    languages: tuple[str, ...]
    tasks: tuple[TaskSpec, ...]
    models: tuple[ModelSpec, ...]
    methods: tuple[Choice, ...] = ()
    seeds: tuple[int, ...] = (0,)
    source: str | None = None
    """The language that translations are compared with."""
    strict: bool = False
    """Whether a bad row is an error instead of being skipped."""
    max_skipped: float = MOST
    """The largest share of rows that may be skipped."""

    def source_of(self, model: ModelSpec) -> str:
        """The study's source language, or the only one that the model is trained on."""
        trained = model.training_languages
        if self.source is None and len(trained) != 1:
            raise ValueError(
                f"give a 'source' language: model {model.name!r} is not trained on exactly one"
            )
        return self.source or trained[0]


@dataclass(frozen=True, slots=True)
class Block:
    """One model of a study at one seed, on one task, in the languages that it reads there."""

    request: Request
    model: ModelSpec
    seed: int
    task: TaskSpec
    languages: tuple[str, ...]

    @property
    def name(self) -> str:
        """The model's name in tables: with its seed where the study trains several."""
        several = bool(self.model.train) and len(self.request.seeds) > 1
        return f"{self.model.name}/{self.seed}" if several else self.model.name

    @property
    def setup(self) -> str:
        """A digest of everything that the study file says about the model and the task."""
        unset = {"methods"} if self.model.methods is None else set()  # earlier versions lacked it
        parts = [self.model.model_dump(exclude=unset), self.task.model_dump(), self.seed]
        text = canonical(parts).encode("utf-8", "surrogatepass")  # rows may hold lone surrogates
        return hashlib.sha256(text).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a cell belongs: known before anything is loaded, and stored beside the cell."""

    analysis: str
    model: str
    task: str
    lang: str
    """Empty for a cell over several languages."""
    what: str
    """The method, metric or part, with whatever else tells the cells of a language apart."""
    setup: str

    @classmethod
    def of(cls, block: Block, analysis: str, lang: str, what: str) -> Place:
        return cls(analysis, block.name, block.task.name, lang, what, block.setup)


@dataclass(frozen=True, slots=True)
class Computed:
    """The rows of a cell, and the examples that its model could not read."""

    rows: Rows | Spooled
    skipped: tuple[SkippedRow, ...] = ()


def computed(
    block: Block,
    rows: Rows | Spooled,
    skipped: Sequence[SkippedRow],
    total: int,
    *,
    split: str = "test",
    reader: str | None = None,
) -> Computed:
    """The rows of a cell that is computed from `total` examples, of which some were skipped; too
    many of these are an error.

    `reader` is the name of the model that cannot read them, by default that of the block.
    """
    request = block.request
    check_skipped(skipped, total, strict=request.strict, most=request.max_skipped)
    task, model = block.task.name, block.name if reader is None else reader
    named = [replace(row, task=task, split=split, model=model, total=total) for row in skipped]
    return Computed(rows, tuple(named))


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """A cell that the store may lack: what determines it, its kind, and how it is computed."""

    place: Place
    identity: Mapping[str, Any]
    kind: str
    compute: Callable[[], Rows | Spooled | Computed]


Group = Sequence[PlannedCell]
"""Cells that are computed one after another and stored together."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What cells are computed with. Models and examples are loaded when they are first needed."""

    store: Store
    model: Callable[[str], Model]
    """The model that reads a language."""
    examples: Callable[[str], list[Example]]
    """The task's examples in a language, those that can be read."""
    base: Callable[[], str]
    """The checkpoint that the block's model was fine-tuned from."""
    tokenizer: Callable[[str], Any]
    """The tokenizer of the model that reads a language; the model itself is not needed."""
    progress: Progress | None = None


def by_language(
    block: Block, analysis: str, groups: Callable[[str], Iterator[Group]]
) -> Iterator[Group | Failure]:
    """The groups of every language; a language whose groups cannot be made is reported
    as failed.
    """
    for lang in block.languages:
        try:
            yield from groups(lang)
        except FAULTS as error:
            yield failure(failed_place(block, analysis, lang), error)


def failed_place(block: Block, analysis: str, lang: str = "") -> dict[str, Any]:
    """What a failure names when it concerns more than one cell."""
    languages = lang or ", ".join(block.languages)
    return {
        "analysis": analysis,
        "model": block.name,
        "task": block.task.name,
        "lang": languages,
        "setup": block.setup,
    }


def failure(cell: Mapping[str, Any], error: Exception) -> Failure:
    """A failed cell with its reason in one line."""
    text = str(error).splitlines()[0] if str(error) else "no message"
    details = "".join(traceback.format_exception(error))
    refused = isinstance(error, BabelscopeError)
    # The class of an error says something where it is a fault of babelscope's own
    reason = text if refused else f"{type(error).__name__}: {text}"
    return Failure(cell, reason, details, refused)
