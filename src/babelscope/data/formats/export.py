"""Examples to files: whole or not at all, and such that they come back as they were."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from babelscope.data.formats.problems import Problem
from babelscope.data.formats.records import parse, record
from babelscope.data.formats.tables import ending
from babelscope.errors import InputError
from babelscope.files import writing
from babelscope.types import Example

FLAT = ("id", "lang", "group", "label", "text", "pair")
"""What CSV and TSV carry."""

BATCH = 1000
"""Rows of a Parquet file that are in memory at a time."""


def write(examples: Iterable[Example], path: str | Path) -> int:
    """Writes a .jsonl, .csv, .tsv (these also with .gz) or .parquet file and says how many examples it holds.

    The file appears when it is complete; if anything fails, what stood there before still does. CSV and TSV carry id, lang,
    group, label and texts; JSONL and Parquet also the gold. An example that could not be read back the same is refused.

    *Law*: `read(write(x)) == x`, for JSONL and Parquet with all gold.
    """
    file = Path(path)
    if ending(file) not in WRITERS or file.name.endswith(".parquet.gz"):
        raise InputError(f"{file}: the ending must be one of {', '.join(WRITERS)} (the text formats also with .gz)")
    if not file.parent.is_dir():
        raise InputError(f"{file}: there is no folder {file.parent}")
    with writing(file) as raw:
        if file.suffix == ".gz":
            with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                return WRITERS[ending(file)](returning(examples), packed)
        return WRITERS[ending(file)](returning(examples), raw)


def json_line(one: Example) -> str:
    """The example as one line of JSONL, without its end."""
    line = json.dumps(record(one), ensure_ascii=False)
    _encoded(one, line)
    return line


def returning(examples: Iterable[Example]) -> Iterator[Example]:
    """The examples; one that would not come back from a file as it is, is refused."""
    seen: set[tuple[str, str]] = set()
    for one in examples:
        for back in parse(one.id, 0, record(one), {}, None):
            if back != one:
                why = "an empty id, label, language or text"
                if isinstance(back, Problem):
                    why = f"{back.field or 'texts'}: {back.found}"
                raise InputError(f"the example {one.id!r} cannot be written: {why}")
        if (one.id, one.lang) in seen:
            raise InputError(f"the id {one.id!r} stands twice for language {one.lang!r}; ids must be unique")
        seen.add((one.id, one.lang))
        yield one


def _encoded(one: Example, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"the example {one.id!r} cannot be written: it holds a lone surrogate") from error


def _jsonl(examples: Iterable[Example], out: Any) -> int:
    count = 0
    for one in examples:
        out.write(json_line(one).encode() + b"\n")
        count += 1
    return count


def _csv(examples: Iterable[Example], out: Any) -> int:
    out.write((",".join(FLAT) + "\r\n").encode())
    count = 0
    for one in examples:
        line = io.StringIO()
        csv.writer(line, quoting=csv.QUOTE_ALL).writerow(_cells(one))
        out.write(_encoded(one, line.getvalue()))
        count += 1
    return count


def _tsv(examples: Iterable[Example], out: Any) -> int:
    out.write(("\t".join(FLAT) + "\n").encode())
    count = 0
    for one in examples:
        cells = _cells(one)
        for name, cell in zip(FLAT, cells):
            if any(mark in cell for mark in "\t\n\r"):
                raise InputError(
                    f"the example {one.id!r}, {name}: a tab or a line end cannot stand in a TSV; use .jsonl or .csv"
                )
        out.write(_encoded(one, "\t".join(cells) + "\n"))
        count += 1
    return count


def _cells(one: Example) -> list[str]:
    row = record(one)
    return [row.get(name, "") for name in FLAT]


def _parquet(examples: Iterable[Example], out: BinaryIO) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def nested(kind: Any, depth: int) -> Any:
        return kind if depth == 0 else pa.list_(nested(kind, depth - 1))

    depths = {"words": 3, "rationale": 2, "heads": 2, "relations": 2, "concepts": 3, "answer": 1}
    kinds = {"rationale": pa.bool_(), "relations": pa.string(), "concepts": pa.string()}
    columns = [(name, pa.string()) for name in FLAT]
    columns += [(name, nested(kinds.get(name, pa.int64()), depth)) for name, depth in depths.items()]
    schema = pa.schema(columns)
    count = 0
    with pq.ParquetWriter(out, schema) as writer:
        batch: list[dict[str, Any]] = []
        for one in examples:
            json_line(one)  # refuses what UTF-8 cannot hold
            batch.append(record(one))
            count += 1
            if len(batch) == BATCH:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(batch, schema))
    return count


WRITERS: dict[str, Callable[[Iterable[Example], Any], int]] = {
    ".jsonl": _jsonl,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
}
