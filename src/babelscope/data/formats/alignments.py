"""Which words of two translations say the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem, sound
from babelscope.errors import InputError
from babelscope.types import Example

Links = frozenset[tuple[int, int]]
"""Pairs of word indices, from 0: a word of the one text, a word of the other."""

_LINK = re.compile(r"(\d+)(-|p)(\d+)")


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two translations of one text with the links between their words (indices into `words[0]`, from 0)."""

    one: Example
    two: Example
    links: Links


def alignment(one: Example, two: Example) -> tuple[Links, ...]:
    """For each text, the pairs of words that share a concept.

    *Law*: `alignment(b, a)` is the transpose of `alignment(a, b)`.
    """
    if one.concepts is None or two.concepts is None:
        lacks = one.id if one.concepts is None else two.id
        raise InputError(f"{lacks}: its words have no concepts, so they cannot be aligned")
    if len(one.concepts) != len(two.concepts):
        raise InputError(f"{one.id} has {len(one.concepts)} texts, {two.id} {len(two.concepts)}: these are no translations")
    found = []
    for left, right in zip(one.concepts, two.concepts):
        places: dict[str, list[int]] = {}
        for place, names in enumerate(right):
            for name in names:
                places.setdefault(name, []).append(place)
        pairs = ((start, end) for start, names in enumerate(left) for name in names for end in places.get(name, ()))
        found.append(frozenset(pairs))
    return tuple(found)


def pharaoh(file: str | Path) -> Iterator[tuple[Links, Links]]:
    """The links of each line of a Pharaoh file: the sure ones (`1-2`) and the possible ones (`3p4`), indices from 0."""
    return sound(_pharaoh(Path(file)))


def _pharaoh(file: Path) -> Iterator[tuple[Links, Links] | Problem]:
    for one in lines(file):
        if isinstance(one, Problem):
            yield one
            continue
        number, line = one
        sure: set[tuple[int, int]] = set()
        possible: set[tuple[int, int]] = set()
        for place, item in enumerate(line.split(), 1):
            match = _LINK.fullmatch(item)
            if match is None:
                yield Problem(
                    str(file), number, f"link {place}", repr(item), "two word indices like 0-0, or 3p4 if only possible"
                )
                continue
            (sure if match[2] == "-" else possible).add((int(match[1]), int(match[3])))
        yield frozenset(sure), frozenset(possible)
