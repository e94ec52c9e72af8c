"""JSONL, CSV, TSV and Parquet files as examples, with a column map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babelscope.data.formats.lines import comma_separated, json_lines, tab_separated
from babelscope.data.formats.problems import Problem, sound
from babelscope.data.formats.records import COLUMNS, parse
from babelscope.errors import InputError
from babelscope.types import Example

__all__ = ["COLUMNS", "READERS", "ending", "read", "stream"]

Rows = Iterator[tuple[int, Mapping[str, Any]] | Problem]


def read(path: str | Path, *, columns: Mapping[str, str] | None = None, lang: str | None = None) -> list[Example]:
    """The examples of a file; its format is told by its ending, `.gz` included.

    Each row needs a text; id, pair, label, lang and group are optional (the id is the row's number, the group the id).
    `columns` maps these names to the file's own, e.g. {"text": "review_body"}. `lang` holds where the file has no column.
    JSONL and Parquet may carry gold in the columns words, rationale, heads, relations, concepts and answer.
    """
    return list(stream(path, columns=columns, lang=lang))


def stream(path: str | Path, *, columns: Mapping[str, str] | None = None, lang: str | None = None) -> Iterator[Example]:
    """The same one by one: only the ids are kept in memory. A fault is raised when its row is reached."""
    file = Path(path)
    for field in columns or {}:
        if field not in COLUMNS:
            raise InputError(f"column map: there is no field {field!r}; known are: {', '.join(COLUMNS)}")
    if ending(file) not in READERS:
        raise InputError(f"{file}: the ending {ending(file)!r} is not one of {', '.join(READERS)} (or these with .gz)")
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    return _stream(file, columns or {}, lang)


def _stream(file: Path, columns: Mapping[str, str], lang: str | None) -> Iterator[Example]:
    empty = True
    for _, one in sound(examples(file, columns, lang)):
        empty = False
        yield one
    if empty:
        raise InputError(f"{file} holds no row")


def examples(file: Path, columns: Mapping[str, str], lang: str | None) -> Iterator[tuple[int, Example] | Problem]:
    """The examples with their lines, and the problems between them."""
    seen: set[tuple[str, str]] = set()
    gold = ending(file) not in (".csv", ".tsv")
    for found in READERS[ending(file)](file):
        if isinstance(found, Problem):
            yield found
            continue
        for one in parse(file, *found, columns, lang, gold):
            if isinstance(one, Problem):
                yield one
                continue
            if (one.id, one.lang) in seen:
                twice = f"the id {one.id!r} stands twice for language {one.lang!r}"
                yield Problem(str(file), found[0], "id", twice, "ids that are unique within a language")
            seen.add((one.id, one.lang))
            yield found[0], one


def ending(file: Path) -> str:
    """What tells the format: the last suffix before `.gz`."""
    return Path(file.name.removesuffix(".gz")).suffix


def _parquet(file: Path) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
    except (pa.ArrowInvalid, OSError) as error:
        found = f"is not a readable Parquet file: {' '.join(str(error).split())}"
        yield Problem(str(file), 0, "", found, "a Parquet file (these are never put into .gz)")
        return
    number = 0
    try:
        with table:
            for batch in table.iter_batches():
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pa.ArrowInvalid, OSError) as error:
        yield Problem(str(file), number + 1, "", f"cannot be read: {' '.join(str(error).split())}", "a complete Parquet file")


READERS: dict[str, Callable[[Path], Rows]] = {
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".csv": comma_separated,
    ".tsv": tab_separated,
    ".parquet": _parquet,
}
