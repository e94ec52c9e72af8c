"""JSONL, CSV, TSV and Parquet files as examples, with a column map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from babelscope.data.formats import csv, jsonl, parquet, squad
from babelscope.data.formats.in_memory import examples_of
from babelscope.data.formats.lines import ending
from babelscope.data.formats.problems import Problem, with_bad_rows
from babelscope.data.formats.records import COLUMNS, parse
from babelscope.data.languages import check_language
from babelscope.data.selection import Filters, matches, nothing_left
from babelscope.errors import InputError
from babelscope.types import Example

Rows = Iterator[tuple[int, Mapping[str, Any]] | Problem]


def read(
    data: str | Path | Any,
    *,
    columns: Mapping[str, str] | None = None,
    lang: str | None = None,
    where: Filters | None = None,
) -> list[Example]:
    """The examples of a file; its ending decides the format, `.gz` may follow; `.json` is SQuAD's.
    Or those of data in memory: rows by column, a table of pandas, polars, Arrow or datasets.

        rows = babelscope.read("reviews.csv", columns={"text": "review_body"}, lang="en")
        rows = babelscope.read(frame, columns={"text": "review_body"}, where={"stars": [1, 5]})
        babelscope.explain(model, rows, "integrated_gradients")

    Each row needs a text; id, pair, label, lang and group are optional (the id is the row's number,
    the group the id). A row whose text is blank is returned like the others; it is skipped where it
    would be used. `columns` maps these names to those of the file. `lang` is the language of
    rows without a column for it. JSONL and Parquet may hold gold in the columns words, rationale,
    heads, relations, concepts and answer, or `answers` as in SQuAD. `where` filters rows by their
    columns: `{"stars": [1, 5]}`.
    """
    if isinstance(data, (str, Path)):
        return list(stream(data, columns=columns, lang=lang, where=where))
    _check_columns(columns or {})
    return examples_of(data, lang or "und", columns or {}, where or {})


def stream(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    lang: str | None = None,
    where: Filters | None = None,
) -> Iterator[Example]:
    """The same one by one: only the ids are kept in memory. A fault is raised at its row."""
    file = Path(path)
    _check_columns(columns or {})
    if lang is not None:
        check_language(lang)
    if ending(file) not in READERS and ending(file) != SQUAD:
        known = f"{', '.join((*READERS, SQUAD))} (or these with .gz)"
        hint = "" if ending(file) else "; a text is explained as it is, without reading it first"
        raise InputError(f"{file}: the ending {ending(file)!r} is not one of {known}{hint}")
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    if ending(file) == SQUAD:
        for name, value in (("columns", columns), ("where", where)):
            if value:
                raise InputError(f"{file}: {name} has no effect on the JSON of SQuAD")
        return squad.read(file, lang or "und", "squad")
    return _stream(file, columns or {}, lang, where or {})


def _check_columns(columns: Mapping[str, str]) -> None:
    for field in columns:
        if field not in COLUMNS:
            raise InputError(
                f"column map: there is no field {field!r}; there are: {', '.join(COLUMNS)}"
            )


def _stream(
    file: Path, columns: Mapping[str, str], lang: str | None, where: Filters
) -> Iterator[Example]:
    empty = True
    for _, example in with_bad_rows(examples(file, columns, lang, where)):
        empty = False
        yield example
    if empty:
        raise InputError(nothing_left(str(file), where) if where else f"{file} holds no row")


def examples(
    file: Path, columns: Mapping[str, str], lang: str | None, where: Filters | None = None
) -> Iterator[tuple[int, Example] | Problem]:
    """The examples with their lines, and the problems between them."""
    seen: set[tuple[str, str]] = set()
    gold = ending(file) not in (".csv", ".tsv")
    for row in READERS[ending(file)](file):
        if isinstance(row, Problem):
            yield row
            continue
        if where and not matches(row[1], where, str(file)):
            continue
        for item in parse(file, *row, columns, lang, gold):
            if isinstance(item, Problem):
                yield item if item.row is None else replace(item, row=(row[0], item.row))
                continue
            if (item.id, item.lang) in seen:
                reason = f"the id {item.id!r} occurs twice for language {item.lang!r}"
                yield Problem(
                    str(file), row[0], "id", reason, "ids that are unique within a language"
                )
            seen.add((item.id, item.lang))
            yield row[0], item


SQUAD = ".json"
"""The ending of files in the JSON of SQuAD."""
READERS: dict[str, Callable[[Path], Rows]] = {
    ".jsonl": jsonl.rows,
    ".ndjson": jsonl.rows,
    ".csv": csv.comma_separated,
    ".tsv": csv.tab_separated,
    ".parquet": parquet.rows,
}
