"""JSONL, CSV, TSV and Parquet files as examples, with a column map."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from babelscope.errors import InputError
from babelscope.types import Example

COLUMNS = {
    "text": ("text", "sentence", "premise", "sentence1", "text_a", "question", "document"),
    "pair": ("pair", "text_pair", "hypothesis", "sentence2", "text_b", "context", "query"),
    "id": ("id", "annotation_id", "index", "index_id"),
    "label": ("label", "category", "gold"),
    "lang": ("lang", "language"),
    "group": ("group", "group_id"),
}
"""Each field of an example and the column names under which it is found; a column map names others."""


def read(path: str | Path, *, columns: Mapping[str, str] | None = None, lang: str | None = None) -> list[Example]:
    """The examples of a file; its format is told by its ending, `.gz` included.

    Each row needs a text; id, pair, label, lang and group are optional (the id is the row's number, the group the id).
    `columns` maps these names to the file's own, e.g. {"text": "review_body"}. `lang` holds where the file has no column.
    """
    file = Path(path)
    for field in columns or {}:
        if field not in COLUMNS:
            raise InputError(f"column map: there is no field {field!r}; known are: {', '.join(COLUMNS)}")
    ending = "".join(file.suffixes[-2:] if file.suffix == ".gz" else file.suffixes[-1:]).removesuffix(".gz")
    if ending not in READERS:
        raise InputError(f"{file}: the ending {ending!r} is not one of {', '.join(READERS)} (or these with .gz)")
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    try:
        rows = [_example(file, line, row, columns or {}, lang) for line, row in READERS[ending](file)]
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile) as error:
        raise InputError(f"{file} cannot be read: {error}; it must be complete and in UTF-8") from error
    if not rows:
        raise InputError(f"{file} holds no row")
    _refuse_repeated(file, rows)
    return rows


def _example(file: Path, line: int, row: Mapping[str, Any], columns: Mapping[str, str], lang: str | None) -> Example:
    found: dict[str, str | None] = {}
    for field, known in COLUMNS.items():
        if field in columns and columns[field] not in row:
            raise InputError(f"{file}, line {line}: there is no column {columns[field]!r}; found: {', '.join(map(str, row))}")
        name = columns.get(field) or next((each for each in known if each in row), None)
        given = None if name is None else row[name]
        if field in ("text", "pair") and given is not None and not isinstance(given, str):
            raise InputError(f"{file}, line {line}, field {name}: a text was expected, found {type(given).__name__}")
        found[field] = None if given is None or given == "" else str(given)
    if found["text"] is None:
        raise InputError(
            f"{file}, line {line}: no text; found the columns {', '.join(map(str, row))}; name it with text=COLUMN"
        )
    name = found["id"] or str(line)
    texts = (found["text"],) if found["pair"] is None else (found["text"], found["pair"])
    return Example(name, texts, found["lang"] or lang or "und", found["group"] or name, found["label"])


def _refuse_repeated(file: Path, rows: list[Example]) -> None:
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if (row.id, row.lang) in seen:
            raise InputError(f"{file}: the id {row.id!r} stands twice for language {row.lang!r}; ids must be unique")
        seen.add((row.id, row.lang))


def _open(file: Path) -> io.TextIOBase:
    if file.suffix == ".gz":
        return io.TextIOWrapper(gzip.open(file), encoding="utf-8", newline="")
    return file.open(encoding="utf-8-sig", newline="")


def _jsonl(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with _open(file) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(f"{file}, line {number}: broken JSON at character {error.pos}: {error.msg}") from error
            if not isinstance(row, dict):
                raise InputError(f"{file}, line {number}: an object was expected, found {type(row).__name__}")
            yield number, row


def _separated(file: Path, delimiter: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with _open(file) as lines:
        if delimiter == "\t":  # a TSV's quotation marks are text
            rows = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
        else:
            rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            header = next(rows, [])
            for row in rows:
                if row and len(row) != len(header):
                    known = f"the header has {len(header)}: {', '.join(header)}"
                    raise InputError(f"{file}, line {rows.line_num}: {len(row)} columns, but {known}")
                if row:
                    yield rows.line_num, dict(zip(header, row))
        except csv.Error as error:
            raise InputError(f"{file}, line {rows.line_num}: {error}") from error


def _parquet(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{file} is not a readable Parquet file: {error}") from error
    number = 0
    for batch in table.iter_batches():
        for row in batch.to_pylist():
            number += 1
            yield number, row


READERS = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".csv": lambda file: _separated(file, ","),
    ".tsv": lambda file: _separated(file, "\t"),
    ".parquet": _parquet,
}
