"""Which texts the model is queried with: short ones that consist of units of the explained text,
the text itself, and the text without some of its positions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice, product

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError

MIX = (1, 2, 3, 4)
KINDS = ("mix", "near", "deletion", "exact")
"""Designs without a length."""
DEFAULT = "mix+text"
SUFFIXES = ("deletion", "text", "context")
TEXT = 0.3
"""The weight of the explained text in a design with +text, as a share of the samples: one text of
hundreds would else change nothing."""
WHOLE = 0.1
"""The share of the samples of `near` that are the text itself."""
DELETED = 5
"""The largest number of positions that a deletion removes, as in the published variant."""
DELETIONS, DELETION = 0.25, 4
"""The share of the samples of a design with +deletion that are deletions, and the weight of each of
them: the fit is to be right near the text first, and short texts differ more in their answers."""
Text = tuple[tuple[int, ...], ...]
"""The sampled units of each segment: one tuple, or two for a pair."""


@dataclass(frozen=True, slots=True)
class Design:
    """How texts are sampled.

    mix          every unit alone, then lengths 2, 3 and 4 in equal numbers
    fixed(L)     L units each, as published with L = 3
    deletion     the text without up to 5 of its positions
    near         as mix, with a quarter of the samples parts of the text in its order, of any
                 length, and the text itself with the weight of a tenth of them
    exact        every unit alone and T - 1 pairs; nothing is fitted
    ...+deletion a quarter of the samples are the text without 1 to 5 of its positions, each with
                 the weight of 4
    ...+text     also the text itself, with the weight of 0.3 of the samples (mix+text: the default)
    ...+context  also the empty text; what is always present (special tokens) becomes a unit
    """

    kind: str
    length: int = 0
    context: bool = False
    text: bool = False
    deletion: bool = False


def parse_design(name: str) -> Design:
    """The design of that name; another one is refused."""
    plain, *suffixes = name.split("+")
    fixed = re.fullmatch(r"fixed\((\d+)\)", plain)
    twice = len(set(suffixes)) < len(suffixes)
    if twice or not set(suffixes) <= set(SUFFIXES) or not (fixed or plain in KINDS):
        raise InputError(
            f"design {name!r} is not one of: {', '.join(KINDS)}, fixed(3), or these with any of "
            "+deletion, +text and +context"
        )
    if fixed and not 1 <= int(fixed[1]) <= 64:
        raise InputError(f"design {name!r}: a length must be from 1 to 64")
    if plain == "exact" and suffixes:
        raise InputError(
            "the exact design takes no deletion, text or context; use mix+text+context"
        )
    if plain == "deletion" and "deletion" in suffixes:
        raise InputError("the design deletion has nothing but deletions; use mix+deletion")
    kind, length = ("fixed", int(fixed[1])) if fixed else (plain, 0)
    return Design(kind, length, *(name in suffixes for name in ("context", "text", "deletion")))


def sample_size(size: int, samples: int, kind: str = "mix") -> int:
    """The requested number of samples; 0 means ten per unit, at least 300 and at most 5000; twice
    as many for `near`, whose short texts would otherwise be too few to determine importances.
    """
    if samples < 0:
        raise InputError(
            f"samples {samples} is negative; give the number of queries, or 0 for the default"
        )
    return samples or min(5000, max(300, 10 * size) * (2 if kind == "near" else 1))


def sample_texts(
    segments: Sequence[Sequence[int]], design: Design, samples: int, generator: np.random.Generator
) -> dict[Text, int]:
    """The texts to query, each with the number of times it was sampled.

    `segments` are the units of the text by position, for each of its segments. Units are taken from
    shuffled decks, so that all are sampled equally often; in a pair, the segments are sampled
    independently.

    *Laws*: the multiplicities sum to `samples`, or every possible text occurs once; with +text they
    are those of samples - 1, and the text itself has 0.3 samples more; with +deletion a quarter of
    the samples are deletions, which count four times; with `mix` and samples >= T every unit of a
    single text occurs alone once; the numbers of occurrences of two units of a segment differ by at
    most one deck per length.
    *Left open by the paper*: it samples units independently with fixed length 3, which leaves units
    unseen when samples are few, and queries neither a unit alone nor the text itself: the surrogate
    of the text is then an extrapolation. docs/slalom.md shows the errors on the text, near it and
    on short texts.
    """
    if design.text:
        without_text = replace(design, text=False)
        sampled = Counter(sample_texts(segments, without_text, max(0, samples - 1), generator))
        sampled[tuple(map(tuple, segments))] += max(1, int(TEXT * samples))
        return dict(sampled)
    if design.deletion:
        deletions = int(DELETIONS * samples)
        rest = replace(design, deletion=False)
        sampled = Counter(sample_texts(segments, rest, samples - deletions, generator))
        for text in islice(_balanced_deletions(segments, deletions, generator), deletions):
            sampled[text] += DELETION
        return dict(sampled)
    if design.kind == "deletion":
        return dict(Counter(_deleted(segments, generator) for _ in range(samples)))
    if design.kind == "near":
        return _near(segments, samples, generator)
    units = [sorted(set(sequence)) for sequence in segments]
    lengths = MIX if design.kind == "mix" else (design.length,)
    if len(units) == 1 and sum(len(units[0]) ** length for length in lengths) <= samples:
        return {
            (sequence,): 1 for length in lengths for sequence in product(units[0], repeat=length)
        }
    first, *others = (_balanced(distinct, lengths, samples, generator) for distinct in units)
    mixed = [[balanced[at] for at in generator.permutation(samples)] for balanced in others]
    return dict(Counter(zip(first, *mixed)))


def _balanced(
    units: Sequence[int], lengths: Sequence[int], samples: int, generator: np.random.Generator
) -> list[tuple[int, ...]]:
    """That many tuples of units; with several lengths, every unit alone first and the longer ones
    in turn."""
    singles = (
        [(unit,) for unit in next(_decks(units, generator))][:samples] if len(lengths) > 1 else []
    )
    longer = lengths[1:] if len(lengths) > 1 else lengths
    decks = {length: _cards(units, generator) for length in longer}
    rest = range(samples - len(singles))
    return singles + [
        tuple(next(decks[longer[at % len(longer)]]) for _ in range(longer[at % len(longer)]))
        for at in rest
    ]


def _near(
    segments: Sequence[Sequence[int]], samples: int, generator: np.random.Generator
) -> dict[Text, int]:
    """Texts of few units, parts of the text, and the text itself."""
    total = sum(len(segment) for segment in segments)
    distinct = max(len(set(segment)) for segment in segments)
    whole = max(1, int(WHOLE * samples))
    parts = max(0, samples - whole - distinct) // 4
    texts = Counter({tuple(map(tuple, segments)): whole})
    longest = max(1, total - len(segments))
    lengths = [1 + at % longest for at in range(parts)]
    texts.update(_without(segments, count, generator.permutation(total)) for count in lengths)
    texts.update(sample_texts(segments, Design("mix"), samples - whole - parts, generator))
    return dict(texts)


def _decks(units: Sequence[int], generator: np.random.Generator) -> Iterator[list[int]]:
    while True:
        yield [units[at] for at in generator.permutation(len(units))]


def _cards(units: Sequence[int], generator: np.random.Generator) -> Iterator[int]:
    for deck in _decks(units, generator):
        yield from deck


def _balanced_deletions(
    segments: Sequence[Sequence[int]], count: int, generator: np.random.Generator
) -> Iterator[Text]:
    """The text without groups of positions, in rounds of which each removes every position once:
    first position by position, or in groups of up to 5 where `count` is less than a round of that,
    then in groups of 2, 3, 4 and 5 in turn.

    *Laws*: of `count` deletions the numbers of times that two positions are removed differ by at
    most one, where every segment is longer than 5.
    """
    total = sum(len(segment) for segment in segments)
    first = max(min(count, total), -(-total // DELETED))
    for groups in chain([first], cycle(-(-total // size) for size in range(2, DELETED + 1))):
        for group in np.array_split(generator.permutation(total), groups):
            yield _without(segments, len(group), group)


def _deleted(segments: Sequence[Sequence[int]], generator: np.random.Generator) -> Text:
    """The text in its order without up to 5 positions."""
    order = generator.permutation(sum(len(segment) for segment in segments))
    return _without(segments, int(generator.integers(0, DELETED + 1)), order)


def _without(segments: Sequence[Sequence[int]], count: int, order: NDArray[np.int64]) -> Text:
    """The text without the first `count` positions of this order, of which each segment keeps at
    least one unit.
    """
    total = sum(len(segment) for segment in segments)
    owner = np.repeat(np.arange(len(segments)), [len(segment) for segment in segments])
    remaining: NDArray[np.int64] = np.bincount(owner, minlength=len(segments))
    removed: set[int] = set()
    for place in order:
        if len(removed) == count:
            break
        if remaining[owner[place]] > 1:
            remaining[owner[place]] -= 1
            removed.add(int(place))
    places = iter(range(total))
    return tuple(
        tuple(unit for unit in segment if next(places) not in removed) for segment in segments
    )
