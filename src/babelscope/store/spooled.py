"""Rows of a cell that are written while they are computed, so that they are never all in memory."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq

from babelscope.store.rows import to_table
from babelscope.store.schemas import SCHEMAS

Rows = Any
"""Values of one kind, as in `rows.Rows`."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class Spooled:
    """A Parquet file without a name, which is gone with the process: nobody has to clear up after
    one that was killed.
    """

    kind: str
    writer: pq.ParquetWriter
    file: IO[bytes] = field(repr=False)
    parts: int = 0

    def add(self, rows: Rows) -> None:
        """Adds rows as a row group."""
        self.writer.write_table(to_table(self.kind, rows))
        self.parts += 1

    def copy_to(self, target: Path) -> None:
        self.file.seek(0)
        with target.open("wb") as handle:
            shutil.copyfileobj(self.file, handle)


@contextmanager
def spooling(kind: str) -> Iterator[Spooled]:
    """A file that rows are added to within; complete behind.

    *Law*: rows that are added at once give the file, to the byte, that they give as a list.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 (read when the cell is stored)
    with pq.ParquetWriter(file, SCHEMAS[kind], compression="zstd") as writer:
        spooled = Spooled(kind, writer, file)
        weakref.finalize(spooled, file.close)
        yield spooled
        if not spooled.parts:
            spooled.add(())
