"""Data in memory: texts, pairs of texts in a tuple, rows with columns, tables, and examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from babelscope.data.formats.records import parse, record
from babelscope.data.languages import check_language
from babelscope.data.selection import Filters, matches, nothing_left
from babelscope.errors import InputError
from babelscope.types import Example

Item = str | tuple[str, str] | Mapping[str, Any] | Example
FILES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".json", ".gz")
"""Endings of the files that `babelscope.read` knows."""
Texts = Item | Sequence[Item] | Any
"""Texts, pairs, rows by column, examples; a table of pandas, polars, Arrow or datasets; or the Path
of a file.
"""


def as_examples(data: Texts, lang: str = "und") -> list[Example]:
    """Texts, pairs, rows and examples as examples; texts and rows without an id are numbered
    from 1.

        as_examples("good")                                   # one text
        as_examples([("premise", "hypothesis")])              # a pair
        as_examples({"sentence1": "a", "sentence2": "b"})     # a row by its columns
        as_examples({"text": ["a", "b"], "label": [0, 1]})    # columns
        as_examples(pandas.read_csv("reviews.csv"))           # a table
        as_examples(Path("reviews.csv"))                      # a file

    The columns of rows are found as in files (see `babelscope.read`). `lang` is the language of
    what has none of its own.
    """
    return examples_of(data, lang, {}, {})


def examples_of(
    data: Texts, lang: str, columns: Mapping[str, str], where: Filters
) -> list[Example]:
    """The same with a column map and filters, as `babelscope.read` has them for files."""
    check_language(lang)
    if isinstance(data, Path):
        from babelscope.data.formats.tables import read

        rows = read(data, columns=columns, where=where)
        return [replace(row, lang=lang) if row.lang == "und" else row for row in rows]
    items = list(enumerate(_items(data), 1))
    if not items:
        raise InputError("there is no text; give at least one")
    for _, item in items if columns or where else ():
        if not isinstance(item, Mapping):
            kind = type(item).__name__
            raise InputError(f"columns and where are for rows with columns; found {kind} items")
    if where:
        items = [(number, item) for number, item in items if matches(item, where, "the data")]
    if not items:
        raise InputError(nothing_left("the data", where))
    return [_example(number, item, lang, columns) for number, item in items]


def plain_rows(data: Any) -> list[dict[str, Any]]:
    """Data in memory, or a file, as rows of plain values, as a study file holds them."""
    if isinstance(data, Path):
        return [record(example) for example in as_examples(data)]
    return [
        dict(item) if isinstance(item, Mapping) else record(_example(number, item, "und", {}))
        for number, item in enumerate(_items(data), 1)
    ]


def class_names(features: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a data set that hold numbers of classes, with what names these."""
    return {column: kind for column, kind in features.items() if hasattr(kind, "int2str")}


def with_class_names(row: Mapping[str, Any], names: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a data set with the names of its classes; -1 marks a label that is withheld."""
    cells = dict(row)
    for column, kind in names.items():
        value = cells[column]
        if isinstance(value, int):
            cells[column] = None if value < 0 else kind.int2str(value)
    return cells


def _items(data: Any) -> list[Any]:
    if isinstance(data, str):
        _check_text(data)
    if isinstance(data, Mapping) and data and all(map(_is_split, data.values())):
        raise InputError(
            f"there are the splits {', '.join(map(str, data))}; give one of them: "
            f"data[{str(next(iter(data)))!r}]"
        )
    if isinstance(data, Mapping) and data and all(map(_is_column, data.values())):
        return _column_rows({name: _plain_list(values) for name, values in data.items()})
    if isinstance(data, (str, tuple, Mapping, Example)):
        return [data]
    if _is_split(data):
        names = class_names(data.features or {})
        return [with_class_names(row, names) for row in data.with_format(None)]
    if type(data).__name__ == "LazyFrame":  # of polars: a query that has not run
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__") and (
        hasattr(data, "columns") or hasattr(data, "read_all")  # a reader of Arrow
    ):
        return list(_table_rows(data))
    if hasattr(data, "to_pylist"):  # a column of Arrow
        return list(data.to_pylist())
    if isinstance(data, (set, frozenset)):
        raise InputError("a set has no order; give a list of texts")
    if not isinstance(data, Iterable) or isinstance(data, (bytes, bytearray)):
        raise InputError(
            f"cannot read texts from {type(data).__name__}; give a text, a pair of texts, a "
            "mapping with the columns of a row, a table, an Example, or a list of these"
        )
    return list(data)


def _is_column(values: Any) -> bool:
    """Whether it is a list, or an array or series of one dimension."""
    return isinstance(values, list) or (hasattr(values, "__array__") and np.ndim(values) == 1)


def _plain_list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else list(np.asarray(values).tolist())


def _column_rows(data: Mapping[Any, list[Any]]) -> list[dict[Any, Any]]:
    """The rows of a mapping from columns to lists."""
    lengths = {str(name): len(values) for name, values in data.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"the columns are of different lengths: {sizes}")
    return [dict(zip(data, cells)) for cells in zip(*data.values())]


def _is_split(data: Any) -> bool:
    """Whether it is a data set of the package datasets, in memory or streamed."""
    return hasattr(data, "features") and hasattr(data, "column_names")


def named_source(text: str) -> str:
    """What a text is the name of, rather than a text to read; empty if of nothing."""
    words = len(text.split())
    if text.startswith("hub:") and words == 1:
        return "a data set of the hub"
    return "a file" if text.endswith(FILES) and (words == 1 or _is_file(text)) else ""


def _check_text(text: str) -> None:
    """Refuses a text that is the name of a file or of a data set of the hub."""
    if place := named_source(text):
        read = "babelscope.read" if place == "a file" else "babelscope.data.sources.rows"
        raise InputError(f"{text!r} is {place} and would be read as a text; give {read}({text!r})")


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a text that no file can be called
        return False


def _table_rows(data: Any) -> Iterator[dict[str, Any]]:
    """The rows of a table that speaks Arrow: pandas, polars and pyarrow do."""
    import pyarrow as pa

    try:
        table = pa.table(data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        fault = why if "Duplicate column" in why else f"a column has mixed types ({why})"
        raise InputError(f"the table cannot be read: {fault}") from error
    for batch in table.to_batches():
        yield from batch.to_pylist()


def _example(number: int, item: object, lang: str, columns: Mapping[str, str]) -> Example:
    if isinstance(item, Example):
        return item
    if isinstance(item, str):
        return Example(str(number), (item,), lang)
    if isinstance(item, Mapping):
        return _row(number, item, lang, columns)
    if (
        isinstance(item, tuple)
        and 1 <= len(item) <= 2
        and all(isinstance(text, str) for text in item)
    ):
        return Example(str(number), tuple(item), lang)
    if isinstance(item, tuple) and len(item) > 2 and all(isinstance(text, str) for text in item):
        raise InputError(
            f"item {number} is a tuple of {len(item)} texts; a pair of texts is a tuple of two, "
            "and separate texts are a list"
        )
    raise InputError(
        f"item {number} is neither a text, a pair of texts in a tuple, a mapping with the columns "
        f"of a row, nor an Example: {type(item).__name__} {_shown(item)}"
    )


def _shown(item: object) -> str:
    """The item in at most 80 characters of one line."""
    text = " ".join(repr(item).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def _row(number: int, row: Mapping[str, Any], lang: str, columns: Mapping[str, str]) -> Example:
    for item in parse("the data", number, row, columns, lang):
        if isinstance(item, Example):
            return item
        if isinstance(item.row, Example):
            return item.row  # without a text: it is skipped where texts are used
        place = f", column {item.field}" if item.field in row else ""
        raise InputError(f"row {number} of the data{place}: {item.found}; expected {item.expected}")
    raise AssertionError("a row is an example or a problem")
