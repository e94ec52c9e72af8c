"""Data in memory: texts, pairs of texts in a tuple, rows with columns, tables, and examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelscope.data.formats.problems import Problem
from babelscope.data.formats.records import parse, record
from babelscope.data.languages import check_language
from babelscope.data.selection import Filters, matches
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
    items = [
        (number, item)
        for number, item in enumerate(_items(data), 1)
        if not where or not isinstance(item, Mapping) or matches(item, where, "the data")
    ]
    if not items:
        raise InputError("there is no text; give at least one")
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
    if isinstance(data, str) and Path(data).suffix in FILES and _is_file(data):
        raise InputError(
            f"{data!r} is a file and would be read as a text; give babelscope.read({data!r})"
        )
    if isinstance(data, Mapping) and data and all(map(_is_split, data.values())):
        raise InputError(
            f"there are the splits {', '.join(map(str, data))}; give one of them: "
            f"data[{str(next(iter(data)))!r}]"
        )
    if isinstance(data, Mapping) and data and all(isinstance(each, list) for each in data.values()):
        return _column_rows(data)
    if isinstance(data, (str, tuple, Mapping, Example)):
        return [data]
    if _is_split(data):
        names = class_names(data.features or {})
        return [with_class_names(row, names) for row in data]
    if type(data).__name__ == "LazyFrame":  # of polars: a query that has not run
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__") and hasattr(data, "columns"):
        return list(_table_rows(data))
    if not isinstance(data, Iterable) or isinstance(data, (bytes, bytearray)):
        raise InputError(
            f"cannot read texts from {type(data).__name__}; give a text, a pair of texts, a "
            "mapping with the columns of a row, a table, an Example, or a list of these"
        )
    return list(data)


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
        raise InputError(f"the table cannot be read: a column has mixed types ({why})") from error
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
        if isinstance(item, Problem):
            raise InputError(f"row {number} of the data: {item.found}; expected {item.expected}")
        return item
    raise AssertionError("a row is an example or a problem")
