"""Which texts the model is asked about: short ones made of the text's own units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError

MIX = (1, 2, 3, 4)
DELETED = 5
"""The most positions that the deletion design takes away, as in the published variant."""
Text = tuple[tuple[int, ...], ...]
"""The sampled units of each segment: one tuple, or two for a pair."""


@dataclass(frozen=True, slots=True)
class Design:
    """How texts are sampled.

    mix          every unit alone, then lengths 2, 3 and 4 in equal numbers: the default
    fixed(L)     L units each, as published with L = 3
    deletion     the text without up to 5 of its positions
    exact        every unit alone and T - 1 pairs; nothing is fitted
    ...+context  the empty text is asked too, and what is always there (special tokens) becomes a unit of its own
    """

    kind: str
    length: int = 0
    context: bool = False


def design(name: str) -> Design:
    """The design of that name; another one is refused."""
    plain, plus, rest = name.partition("+")
    fixed = re.fullmatch(r"fixed\((\d+)\)", plain)
    if (plus and rest != "context") or not (fixed or plain in ("mix", "deletion", "exact")):
        raise InputError(f"design {name!r} is not one of: mix, fixed(3), deletion, exact; or one of them with +context")
    if fixed and not 1 <= int(fixed[1]) <= 64:
        raise InputError(f"design {name!r}: a length must be from 1 to 64")
    if plain == "exact" and plus:
        raise InputError("the exact design takes no context: it asks 2T - 1 questions for 2T - 1 numbers")
    return Design("fixed", int(fixed[1]), bool(plus)) if fixed else Design(plain, 0, bool(plus))


def budget(size: int, samples: int) -> int:
    """The number of samples asked for; 0 is ten per unit, at least 300 and at most 5000."""
    if samples < 0:
        raise InputError(f"samples {samples} is negative; give the number of questions, or 0 for an automatic one")
    return samples or min(5000, max(300, 10 * size))


def draw(segments: Sequence[Sequence[int]], how: Design, samples: int, generator: np.random.Generator) -> dict[Text, int]:
    """The texts to ask about, each with the number of times it was drawn.

    `segments` are the units of the text by position, for each of its segments. Units are dealt from shuffled decks, so that
    all are met equally often; in a pair, both segments are drawn on their own.

    *Laws*: the multiplicities sum to `samples`, or every text that can be is there once; with `mix` and samples >= T every
    unit of a single text stands alone once; exposures of two units of a segment differ by at most one deck per length.
    *Left open by the paper*: it draws units independently with fixed length 3, which leaves units unseen when samples are
    few and never shows a unit alone.
    """
    if how.kind == "deletion":
        return dict(Counter(_deleted(segments, generator) for _ in range(samples)))
    units = [sorted(set(one)) for one in segments]
    lengths = MIX if how.kind == "mix" else (how.length,)
    if len(units) == 1 and sum(len(units[0]) ** length for length in lengths) <= samples:
        return {(one,): 1 for length in lengths for one in product(units[0], repeat=length)}
    first, *others = (_dealt(mine, lengths, samples, generator) for mine in units)
    mixed = [[dealt[at] for at in generator.permutation(samples)] for dealt in others]
    return dict(Counter(zip(first, *mixed)))


def _dealt(units: Sequence[int], lengths: Sequence[int], samples: int, generator: np.random.Generator) -> list[tuple[int, ...]]:
    """That many tuples of units; with several lengths, every unit alone first and the longer ones in turn."""
    singles = [(unit,) for unit in next(_decks(units, generator))][:samples] if len(lengths) > 1 else []
    longer = lengths[1:] if len(lengths) > 1 else lengths
    decks = {length: _cards(units, generator) for length in longer}
    rest = range(samples - len(singles))
    return singles + [tuple(next(decks[longer[at % len(longer)]]) for _ in range(longer[at % len(longer)])) for at in rest]


def _decks(units: Sequence[int], generator: np.random.Generator) -> Iterator[list[int]]:
    while True:
        yield [units[at] for at in generator.permutation(len(units))]


def _cards(units: Sequence[int], generator: np.random.Generator) -> Iterator[int]:
    for deck in _decks(units, generator):
        yield from deck


def _deleted(segments: Sequence[Sequence[int]], generator: np.random.Generator) -> Text:
    """The text in its order without up to 5 positions; every segment keeps at least one."""
    total = sum(len(one) for one in segments)
    order = generator.permutation(total)
    wanted = int(generator.integers(0, DELETED + 1))
    owner = np.repeat(np.arange(len(segments)), [len(one) for one in segments])
    left: NDArray[np.int64] = np.bincount(owner, minlength=len(segments))
    gone: set[int] = set()
    for place in order:
        if len(gone) == wanted:
            break
        if left[owner[place]] > 1:
            left[owner[place]] -= 1
            gone.add(int(place))
    places = iter(range(total))
    return tuple(tuple(unit for unit in one if next(places) not in gone) for one in segments)
