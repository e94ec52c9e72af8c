"""Rows of the hub on this machine: what one model has read is not fetched again for the next."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from babelscope.files import json_lines, write_bytes

Row = Mapping[str, Any]
COMPLETE = "complete"
"""The file that marks a split whose last row has been read."""


def cached_rows(folder: Path, fetch: Callable[[int], Iterator[Row]]) -> Iterator[Row]:
    """The rows of a split: from the folder as far as it holds them, then those that `fetch` gives
    from that number on, which are added to the folder when the reading ends.

    *Laws*: the rows and their order are those of `fetch(0)`; none is fetched twice by readings that
    follow one another. Two at the same time may fetch the same rows, and both files are correct.
    """
    number = 0
    while (part := _part(folder, number)) is not None:
        for line in gzip.decompress(part.read_bytes()).decode("utf-8").splitlines():
            yield json.loads(line)
            number += 1
    if (folder / COMPLETE).exists():
        return
    new: list[Row] = []
    try:
        for row in fetch(number):
            new.append(row)
            yield row
        folder.mkdir(parents=True, exist_ok=True)
        write_bytes(folder / COMPLETE, b"")
    finally:
        if new:
            folder.mkdir(parents=True, exist_ok=True)
            text = json_lines(json.loads(json.dumps(row, default=str)) for row in new)
            name = f"{number:010}-{number + len(new):010}.jsonl.gz"
            write_bytes(folder / name, gzip.compress(text.encode("utf-8"), mtime=0))


def _part(folder: Path, start: int) -> Path | None:
    """The file that begins with the row of that number, the longest of several."""
    return max(folder.glob(f"{start:010}-*.jsonl.gz"), default=None)
