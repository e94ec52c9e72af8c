"""Who may write: one process at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock


@contextmanager
def writing_lock(folder: Path) -> Iterator[None]:
    """Only one process at a time writes into the store: what others are writing is never taken for
    what a killed one left.
    """
    with FileLock(folder / ".lock"):
        yield
