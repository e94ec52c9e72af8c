"""Seeds and splits that are the same in every process, on every machine and for every version of
Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import TypeVar

T = TypeVar("T")

SHARES = {"train": range(0, 7), "dev": range(7, 8), "test": range(8, 10)}
"""Tenths of the space of combinations that belong to each split."""


def number(*parts: object) -> int:
    """A number that depends on the parts only; `hash()` would depend on the process."""
    return int.from_bytes(sha256("|".join(map(str, parts)).encode()).digest()[:8], "big")


def source(*parts: object) -> Random:
    """A stream of random numbers that depends on the parts only."""
    return Random(number(*parts))


def owns(split: str, *combination: object) -> bool:
    """Whether the combination belongs to the split; each belongs to exactly one, whatever the
    seed.
    """
    return number("split", *combination) % 10 in SHARES[split]


def known(split: str, items: Sequence[T], reserved: int) -> tuple[T, ...]:
    """The items that occur in the split: the last `reserved` only in test, as many before them only
    in dev.

    >>> known("train", "abcdef", 1), known("dev", "abcdef", 1), known("test", "abcdef", 1)
    (('a', 'b', 'c', 'd'), ('a', 'b', 'c', 'd', 'e'), ('a', 'b', 'c', 'd', 'f'))
    """
    shared = len(items) - 2 * reserved
    only = {
        "train": (),
        "dev": items[shared : shared + reserved],
        "test": items[shared + reserved :],
    }[split]
    return (*items[:shared], *only)


def pick(rng: Random, items: Sequence[T]) -> T:
    """One item, uniformly. Only `random()` promises the same numbers in every version of Python."""
    return items[int(rng.random() * len(items))]


def chance(rng: Random, share: float) -> bool:
    return rng.random() < share


def some(rng: Random, items: Sequence[T], count: int) -> list[T]:
    """`count` distinct items, in random order."""
    remaining = list(items)
    return [remaining.pop(int(rng.random() * len(remaining))) for _ in range(count)]
