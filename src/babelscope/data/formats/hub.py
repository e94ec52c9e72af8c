"""Data sets of the Hugging Face hub, streamed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from babelscope.data.formats.problems import sound
from babelscope.data.formats.records import parse
from babelscope.errors import InputError
from babelscope.hub import locate
from babelscope.types import Example


def read(
    name: str,
    config: str | None = None,
    split: str = "test",
    *,
    columns: Mapping[str, str] | None = None,
    lang: str | None = None,
    revision: str | None = None,
) -> Iterator[Example]:
    """The rows of a split as examples, one by one, nothing stored; the columns are found as in
    files.

    Numbers of a ClassLabel become their names, lists of words one text. Rows are numbered from 1
    where they have no id.
    """
    import datasets
    from datasets.exceptions import DatasetGenerationError

    place, revision = locate(name, revision, kind="datasets")
    origin = place if place != name and Path(place).is_dir() else "the Hugging Face hub"
    try:
        rows = datasets.load_dataset(place, config, split=split, streaming=True, revision=revision)
        features = rows.features or {}
        first = next(iter(rows), None)
    except (OSError, ValueError, RuntimeError, DatasetGenerationError) as error:
        why = " ".join(str(error).split())[:200]
        what = f"{name}{f' ({config})' if config else ''}, split {split}"
        raise InputError(
            f"the data set {what} cannot be read from {origin}: {type(error).__name__}: {why}"
        ) from error
    if first is None:
        raise InputError(f"the data set {name}, split {split}, holds no row")
    names = {column: kind for column, kind in features.items() if hasattr(kind, "int2str")}
    return _examples(name, rows, names, columns or {}, lang)


def _examples(
    name: str, rows: Any, names: Mapping[str, Any], columns: Mapping[str, str], lang: str | None
) -> Iterator[Example]:
    for number, row in enumerate(rows, 1):
        cells = dict(row)
        for column, kind in names.items():
            value = cells[column]
            if isinstance(value, int):  # -1 marks a test label that is withheld
                cells[column] = None if value < 0 else kind.int2str(value)
        for column, value in cells.items():
            if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
                cells[column] = ", ".join(value)
        yield from sound(parse(name, number, cells, columns, lang, gold=False))
