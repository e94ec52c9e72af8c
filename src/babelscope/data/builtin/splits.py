"""Seeds and splits that are the same in every process, on every machine and for every version of Python."""

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
    """Whether the combination belongs to the split; each belongs to exactly one, whatever the seed."""
    return number("split", *combination) % 10 in SHARES[split]


def pick(rng: Random, items: Sequence[T]) -> T:
    """One item, uniformly. Only `random()` promises the same numbers in every version of Python."""
    return items[int(rng.random() * len(items))]
