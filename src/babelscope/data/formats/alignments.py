"""Word alignments: which words of two translations correspond."""

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
"""Pairs of word indices, from 0: a word of the source text, a word of the target text."""

_LINK = re.compile(r"(\d+)(-|p)(\d+)")


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two translations of one text with the links between their words (indices into `words[0]`)."""

    source: Example
    target: Example
    links: Links


def alignment(source: Example, target: Example) -> tuple[Links, ...]:
    """For each text, the pairs of words that share a concept.

    *Law*: `alignment(b, a)` is the transpose of `alignment(a, b)`.
    """
    if source.concepts is None or target.concepts is None:
        name = source.id if source.concepts is None else target.id
        raise InputError(f"{name}: its words have no concepts, so they cannot be aligned")
    if len(source.concepts) != len(target.concepts):
        counts = f"{source.id} has {len(source.concepts)} texts, {target.id} {len(target.concepts)}"
        raise InputError(f"{counts}: these are no translations")
    links = []
    for left, right in zip(source.concepts, target.concepts):
        places: dict[str, list[int]] = {}
        for place, names in enumerate(right):
            for name in names:
                places.setdefault(name, []).append(place)
        named = ((start, name) for start, names in enumerate(left) for name in names)
        links.append(
            frozenset((start, end) for start, name in named for end in places.get(name, ()))
        )
    return tuple(links)


def pharaoh(file: str | Path) -> Iterator[tuple[Links, Links]]:
    """The links of each line of a Pharaoh file: the sure ones (`1-2`) and the possible ones
    (`3p4`).
    """
    return sound(_pharaoh(Path(file)))


def _pharaoh(file: Path) -> Iterator[tuple[Links, Links] | Problem]:
    for item in lines(file):
        if isinstance(item, Problem):
            yield item
            continue
        number, line = item
        sure: set[tuple[int, int]] = set()
        possible: set[tuple[int, int]] = set()
        for place, link in enumerate(line.split(), 1):
            match = _LINK.fullmatch(link)
            if match is None:
                expected = "two word indices like 0-0, or 3p4 if only possible"
                yield Problem(str(file), number, f"link {place}", repr(link), expected)
                continue
            (sure if match[2] == "-" else possible).add((int(match[1]), int(match[3])))
        yield frozenset(sure), frozenset(possible)
