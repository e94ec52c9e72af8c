"""The units of an explanation that pages, terminals and tables show."""

from __future__ import annotations

from babelscope.types import Attribution, Span

ShownUnit = tuple[str, float, int, Span]
"""The text of a unit, its score, the number of its text, its characters."""


def shown_units(attribution: Attribution) -> list[ShownUnit]:
    """The explanation's own units where it has any, else its words."""
    units = attribution.units
    if units is not None:
        return list(zip(units.texts, units.scores, units.segment, units.offsets))
    return list(
        zip(
            attribution.words,
            attribution.word_scores,
            attribution.word_segment,
            attribution.word_offsets,
        )
    )
