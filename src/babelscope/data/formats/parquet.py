"""Parquet files, read and written in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from babelscope.data.formats import jsonl
from babelscope.data.formats.problems import Problem
from babelscope.data.formats.records import FLAT, record
from babelscope.types import Example

BATCH = 1000
"""Rows that are in memory at a time when a file is written."""

DEPTHS = {"words": 3, "rationale": 2, "heads": 2, "relations": 2, "concepts": 3, "answer": 1}
"""How deep the lists of each gold column are nested; a span is a list of two numbers."""


def rows(file: Path) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """The rows of a file with their numbers from 1."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(file)
    except (pa.ArrowInvalid, OSError) as error:
        reason = f"is not a readable Parquet file: {' '.join(str(error).split())}"
        yield Problem(str(file), 0, "", reason, "a Parquet file (these are never put into .gz)")
        return
    number = 0
    try:
        with table:
            for batch in table.iter_batches():
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (pa.ArrowInvalid, OSError) as error:
        reason = f"cannot be read: {' '.join(str(error).split())}"
        yield Problem(str(file), number + 1, "", reason, "a complete Parquet file")


def write(examples: Iterable[Example], out: BufferedIOBase) -> int:
    """Writes the examples with all their gold; the number of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    count = 0
    with pq.ParquetWriter(out, schema) as writer:
        batch: list[dict[str, Any]] = []
        for example in examples:
            jsonl.line(example)  # refuses what UTF-8 cannot hold
            batch.append(record(example))
            count += 1
            if len(batch) == BATCH:
                writer.write_table(pa.Table.from_pylist(batch, schema))
                batch = []
        writer.write_table(pa.Table.from_pylist(batch, schema))
    return count


def _schema() -> Any:
    import pyarrow as pa

    def nested(kind: Any, depth: int) -> Any:
        return kind if depth == 0 else pa.list_(nested(kind, depth - 1))

    kinds = {"rationale": pa.bool_(), "relations": pa.string(), "concepts": pa.string()}
    gold = [(name, nested(kinds.get(name, pa.int64()), depth)) for name, depth in DEPTHS.items()]
    further = [
        ("answers", pa.list_(pa.struct([("text", pa.string())]))),
        ("units", pa.map_(pa.string(), nested(pa.int64(), 3))),
    ]
    return pa.schema([(name, pa.string()) for name in FLAT] + gold + further)
