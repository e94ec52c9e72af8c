"""The units of an input that a method scores and erases as a whole: tokens, words, sentences, or
those that the data name.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from babelscope.data.segmentation import words_of_tokens
from babelscope.data.skipping import skipped_row
from babelscope.data.units import RULES, TOKEN, unit_spans
from babelscope.errors import BadRow
from babelscope.types import Encoded, Span, Units


def with_units(row: Encoded, unit: str) -> Encoded:
    """The input with its units. What is in none of them is fixed: never scored and never erased.

    *Laws*: every content token is in exactly one unit; for tokens it is the input itself.
    """
    if unit == TOKEN:
        return row
    units = units_of(row, unit)
    inside = row.content & (units.index >= 0)
    if not inside.any():
        raise BadRow(skipped_row(row.example, "units", f"the text holds no {unit}"))
    same = np.array_equal(inside, row.content)
    return replace(row if same else _restricted(row, inside), units=units)


def units_of(row: Encoded, unit: str) -> Units:
    """The units of the input that have a token; a token belongs to the one that it shares most
    characters with.
    """
    if row.units is not None and row.units.name == unit:
        return row.units
    if unit == "word":
        return Units(unit, row.word, row.words, row.word_offsets, row.word_segment)
    if unit not in RULES and unit not in dict(row.example.units):
        known = ", ".join((TOKEN, *RULES, *dict(row.example.units)))
        detail = f"there are no units {unit!r}; there are: {known}"
        raise BadRow(skipped_row(row.example, "units", detail))
    owner = np.full(len(row.ids), -1, dtype=np.int64)
    listed: list[tuple[int, Span]] = []
    for text, spans in enumerate(unit_spans(row.example, unit)):
        places = np.flatnonzero(row.content & (row.segment == text))
        offsets = [(int(start), int(end)) for start, end in row.offsets[places]]
        number = np.array(words_of_tokens(offsets, spans, row.example.texts[text]), dtype=np.int64)
        if unit not in RULES and spans:
            number[[not _overlap(span, spans[at]) for span, at in zip(offsets, number)]] = -1
        owner[places] = np.where(number < 0, -1, number + len(listed))
        listed += [(text, span) for span in spans]
    present = sorted(set(owner[owner >= 0].tolist()))
    renumber = np.full(len(listed) + 1, -1, dtype=np.int64)
    renumber[present] = np.arange(len(present))
    return Units(
        unit,
        renumber[owner],
        tuple(row.example.texts[listed[at][0]][slice(*listed[at][1])] for at in present),
        tuple(listed[at][1] for at in present),
        tuple(listed[at][0] for at in present),
    )


def players(row: Encoded) -> NDArray[np.int64]:
    """Per content token the number of the unit that it is erased with, from 0 without a gap."""
    if row.units is None:
        return np.arange(int(row.content.sum()))
    return row.units.index[row.content]


def player_count(row: Encoded) -> int:
    """The number of units."""
    return int(row.content.sum()) if row.units is None else len(row.units.texts)


def unit_name(row: Encoded) -> str:
    """What the units are called."""
    return TOKEN if row.units is None else row.units.name


def spread(row: Encoded, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of units as scores of their tokens: equal parts, which sum to the unit's score."""
    if row.units is None:
        return scores
    owner = players(row)
    shared: NDArray[np.float64] = (scores / np.bincount(owner, minlength=len(scores)))[owner]
    return shared


def aggregated(
    owner: NDArray[np.int64], count: int, scores: NDArray[np.float64], how: str
) -> NDArray[np.float64]:
    """A unit's score: the sum (or maximum) of its tokens' scores; undefined if one of them is."""
    if how == "sum":
        return np.bincount(owner, weights=scores, minlength=count).astype(np.float64)
    best = np.full(count, -np.inf)
    np.maximum.at(best, owner, scores)
    return best


def _overlap(token: Span, unit: Span) -> bool:
    return token[0] < unit[1] and token[1] > unit[0]


def _restricted(row: Encoded, content: NDArray[np.bool_]) -> Encoded:
    """The input with fewer content tokens, and the words that still have one."""
    kept = sorted(set(row.word[content].tolist()))
    renumber = np.full(len(row.words) + 1, -1, dtype=np.int64)
    renumber[kept] = np.arange(len(kept))
    return replace(
        row,
        content=content,
        word=np.where(content, renumber[row.word], -1),
        words=tuple(row.words[at] for at in kept),
        word_offsets=tuple(row.word_offsets[at] for at in kept),
        word_segment=tuple(row.word_segment[at] for at in kept),
    )
