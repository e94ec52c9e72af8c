"""What is wrong with a file, and where.

A reader yields what it reads, and a `Problem` in the place of what it cannot read. A loader raises
the first, the checker collects them all: both report the same faults in the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from babelscope.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: the file, the line from 1 (0: the file as a whole), the field ("" if it is none),
    found and expected.
    """

    file: str
    line: int
    field: str
    found: str
    expected: str
    row: Any = None
    """The row itself, where nothing but this row is affected: it can be skipped."""

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        if self.field:
            place += f", field {self.field}"
        return f"{place}: {self.found}; expected {self.expected}"


def sound(stream: Iterable[T | Problem]) -> Iterator[T]:
    """What the stream holds; its first problem is raised."""
    for item in stream:
        if isinstance(item, Problem):
            raise InputError(str(item))
        yield item


def with_bad_rows(stream: Iterable[T | Problem]) -> Iterator[T]:
    """What the stream holds, bad rows included; the first problem of more than a row is raised.

    Bad rows are skipped where they would be used (`data/skipping.py`).
    """
    for item in stream:
        if isinstance(item, Problem) and item.row is None:
            raise InputError(str(item))
        yield item.row if isinstance(item, Problem) else item
