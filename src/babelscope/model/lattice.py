"""All segmentations of a run of letters into pieces of a vocabulary, and how one is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Lattice:
    """`ends[i]` are the positions where a piece that begins at i may end, ascending, such that the
    rest can be segmented too.
    """

    ends: tuple[tuple[int, ...], ...]

    @property
    def length(self) -> int:
        return len(self.ends)


def lattice(length: int, known: Callable[[int, int], bool], widest: int) -> Lattice:
    """The lattice of a run of that length, where `known(i, j)` is whether the vocabulary
    has the piece from i to j.

    *Laws*: every path from the beginning leads to the end; a run that cannot be segmented has no
    path.
    """
    ends: list[tuple[int, ...]] = [()] * length
    for start in range(length - 1, -1, -1):
        ends[start] = tuple(
            stop
            for stop in range(start + 1, min(length, start + widest) + 1)
            if (stop == length or ends[stop]) and known(start, stop)
        )
    return Lattice(tuple(ends))


def _walk(lattice: Lattice, choose: Callable[[tuple[int, ...]], int]) -> list[int]:
    at, path = 0, []
    while at < lattice.length:
        at = choose(lattice.ends[at])
        path.append(at)
    return path


def characters(lattice: Lattice) -> list[int]:
    """The shortest piece at every place."""
    return _walk(lattice, lambda ends: ends[0])


def longest(lattice: Lattice) -> list[int]:
    """The longest piece at every place."""
    return _walk(lattice, lambda ends: ends[-1])


def dropout(lattice: Lattice, rate: float, rng: np.random.Generator) -> list[int]:
    """The longest piece that is not dropped; each is dropped with probability `rate`, the shortest
    never.

    *Laws*: rate 0 is `longest`, rate 1 is `characters`.
    Source: Hiraoka 2022, MaxMatch-Dropout.
    """

    def choose(ends: tuple[int, ...]) -> int:
        return next((stop for stop in reversed(ends[1:]) if rng.random() >= rate), ends[0])

    return _walk(lattice, choose)


def same(lattice: Lattice, count: int, rng: np.random.Generator) -> list[int]:
    """A path of `count` pieces, all such paths equally likely; none (an empty list) where there is
    none.

    n_i(m) = sum over ends j of i of n_j(m - 1),   n_length(0) = 1;   from i with m left to j:
      n_j(m - 1) / n_i(m)
    """
    paths = np.zeros((lattice.length + 1, count + 1))
    paths[lattice.length, 0] = 1.0
    for at in range(lattice.length - 1, -1, -1):
        for left in range(1, count + 1):
            paths[at, left] = sum(paths[stop, left - 1] for stop in lattice.ends[at])
    at, path = 0, list[int]()
    while at < lattice.length and paths[at, count - len(path)] > 0:
        left = count - len(path)
        shares = np.array([paths[stop, left - 1] for stop in lattice.ends[at]]) / paths[at, left]
        at = lattice.ends[at][int(rng.choice(len(shares), p=shares))]
        path.append(at)
    return path
