"""The units of an explanation that pages, terminals and tables show."""

from __future__ import annotations

from babelscope.types import Attribution
from babelscope.types.explanations import WordScore, words_in_place


def shown_units(attribution: Attribution) -> list[WordScore]:
    """The explanation's own units where it has any, else its words, in the order of the texts."""
    units = attribution.units
    if units is None:
        return words_in_place(attribution)
    rows = zip(units.texts, units.segment, units.offsets, units.scores)
    return sorted((WordScore(*row) for row in rows), key=lambda unit: (unit.segment, unit.offsets))
