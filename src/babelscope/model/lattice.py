"""All ways to spell a run of letters by the pieces of a vocabulary, and some ways to choose one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Lattice:
    """`ends[i]` are the places where a piece that begins at i may end, ascending, if the rest can
    be spelt too.
    """

    ends: tuple[tuple[int, ...], ...]

    @property
    def length(self) -> int:
        return len(self.ends)


def lattice(length: int, known: Callable[[int, int], bool], widest: int) -> Lattice:
    """The lattice of a run of that length, `known(i, j)` saying whether the vocabulary has the
    piece from i to j.

    *Laws*: every path from the beginning leads to the end; a run that cannot be spelt has no path.
    """
    ends: list[tuple[int, ...]] = [()] * length
    for start in range(length - 1, -1, -1):
        ends[start] = tuple(
            stop
            for stop in range(start + 1, min(length, start + widest) + 1)
            if (stop == length or ends[stop]) and known(start, stop)
        )
    return Lattice(tuple(ends))


def _walk(found: Lattice, choose: Callable[[tuple[int, ...]], int]) -> list[int]:
    at, path = 0, []
    while at < found.length:
        at = choose(found.ends[at])
        path.append(at)
    return path


def characters(found: Lattice) -> list[int]:
    """The shortest piece at every place."""
    return _walk(found, lambda ends: ends[0])


def longest(found: Lattice) -> list[int]:
    """The longest piece at every place."""
    return _walk(found, lambda ends: ends[-1])


def dropout(found: Lattice, rate: float, draw: np.random.Generator) -> list[int]:
    """The longest piece that is not lost; each is lost with probability `rate`, the shortest never.

    *Laws*: rate 0 is `longest`, rate 1 is `characters`.
    Source: Hiraoka 2022, MaxMatch-Dropout.
    """

    def choose(ends: tuple[int, ...]) -> int:
        return next((stop for stop in reversed(ends[1:]) if draw.random() >= rate), ends[0])

    return _walk(found, choose)


def same(found: Lattice, count: int, draw: np.random.Generator) -> list[int]:
    """A path of `count` pieces, all such paths equally likely; none (an empty list) where there is
    none.

    n_i(m) = sum over ends j of i of n_j(m - 1),   n_length(0) = 1;   from i with m left to j:
      n_j(m - 1) / n_i(m)
    """
    ways = np.zeros((found.length + 1, count + 1))
    ways[found.length, 0] = 1.0
    for at in range(found.length - 1, -1, -1):
        for left in range(1, count + 1):
            ways[at, left] = sum(ways[stop, left - 1] for stop in found.ends[at])
    at, path = 0, list[int]()
    while at < found.length and ways[at, count - len(path)] > 0:
        left = count - len(path)
        shares = np.array([ways[stop, left - 1] for stop in found.ends[at]]) / ways[at, left]
        at = found.ends[at][int(draw.choice(len(shares), p=shares))]
        path.append(at)
    return path
