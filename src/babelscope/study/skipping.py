"""The rows of a study's data that no model can read: found before anything is computed."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, replace

from babelscope.analyses.block import FAULTS
from babelscope.data.examples import usable_and_dropped
from babelscope.data.selection import describe_dropped
from babelscope.data.skipping import Partition, check_skipped
from babelscope.data.spec import DataSpec, TaskSpec
from babelscope.errors import BadRow, InputError
from babelscope.files import canonical
from babelscope.store import SCHEME, Cell
from babelscope.study.config import Study
from babelscope.types import SkippedRow

_LOG = logging.getLogger("babelscope.study")

SKIPPED = "skipped"
"""The kind of cells that list skipped rows."""


def skipped_cells(study: Study) -> list[Cell]:
    """One cell for every task, split and language of which rows are skipped.

    Any such row is refused where the study is strict, and so are too many of them. Data that cannot
    be read at all are left to the cells that need them, which fail with the reason. The built-in
    corpus has no such rows.
    """
    cells = []
    for task in study.tasks:
        for split, lang, count in _parts(study, task):
            part, dropped = _read(task, split, lang, count)
            if dropped:
                words = describe_dropped(dropped)
                _LOG.info("task %s, %s, %s: %s", task.name, lang, split or "test", words)
            if part is None or not part.skipped:
                continue
            _check(study, task, lang, part)
            rows = [
                replace(row, task=task.name, split=split or "test", total=part.total)
                for row in part.skipped
            ]
            cells.append(_cell(task, split or "test", lang, rows))
    return cells


def storable(rows: Sequence[SkippedRow]) -> list[SkippedRow]:
    """The rows as a table can hold them: lone surrogates are replaced."""
    fields = ("id", "group", "detail")
    return [
        replace(row, **{name: _utf8(getattr(row, name)) for name in fields})  # type: ignore[arg-type]
        for row in rows
    ]


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _parts(study: Study, task: TaskSpec) -> Iterator[tuple[str | None, str, int | None]]:
    """The splits and languages of a task that the study reads, and how many rows of each."""
    data = task.data
    if data.builtin is not None:
        return
    yield from ((None, lang, None) for lang in study.languages if _has(data, lang))
    trained = [
        model.train
        for model in study.models
        if model.train is not None and (model.tasks is None or task.name in model.tasks)
    ]
    counts: dict[tuple[str, str], int] = {}
    for train in trained:
        for split, count in (("train", train.examples), ("dev", train.dev_examples)):
            dev = train.dev_languages if split == "dev" else None
            for lang in dev or train.all_languages:
                counts[split, lang] = max(counts.get((split, lang), 0), count)
    yield from ((*part, count) for part, count in counts.items() if _has(data, part[1]))


def _has(data: DataSpec, lang: str) -> bool:
    return data.languages is None or lang in data.languages


def _read(
    task: TaskSpec, split: str | None, lang: str, count: int | None
) -> tuple[Partition | None, Mapping[str, int]]:
    """The rows that can be used and the others, and what the label map leaves out."""
    try:
        labelled = split is not None or task.target == "gold"
        return usable_and_dropped(task.data, lang, split, count, labelled=labelled)
    except FAULTS:
        return None, {}


def _check(study: Study, task: TaskSpec, lang: str, part: Partition) -> None:
    try:
        check_skipped(part.skipped, part.total, strict=study.strict, most=study.max_skipped)
    except BadRow as error:
        raise InputError(f"task {task.name!r}, {lang}: {error} (the study is strict)") from error
    except InputError as error:
        raise InputError(f"task {task.name!r}, {lang}: {error}") from error


def _cell(task: TaskSpec, split: str, lang: str, rows: Sequence[SkippedRow]) -> Cell:
    listed = storable(rows)
    identity = {
        "kind": SKIPPED,
        "task": task.name,
        "split": split,
        "lang": lang,
        "rows": canonical([list(astuple(row)) for row in listed]),
        "scheme": SCHEME,
    }
    return Cell(identity, SKIPPED, listed)
