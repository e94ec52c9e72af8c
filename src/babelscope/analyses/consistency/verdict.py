"""Which comparisons are above chance, and what follows for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from babelscope.analyses.consistency.summary import Line
from babelscope.stats.corrections import benjamini_hochberg

LITTLE = 0.1
"""A kappa below which agreement beyond chance is next to nothing of what was possible."""
ALPHA = 0.05
"""The share of false findings among the comparisons that are called above chance."""


def adjusted(lines: Sequence[Line]) -> list[float]:
    """p by Benjamini and Hochberg over all lines: of forty comparisons one or two exceed chance by
    chance."""
    return benjamini_hochberg([line.p for line in lines])


def above_chance(lines: Sequence[Line]) -> list[bool]:
    """Whether the interval of the lift is above 0 and so is the corrected test.

    *Laws*: a single comparison whose p is below ALPHA is above chance if its interval is; further
    comparisons with larger p never add to those above chance.
    """
    return [line.means["lift"].low > 0 and p <= ALPHA for line, p in zip(lines, adjusted(lines))]


def verdict(lines: Sequence[Line]) -> str:
    """Yes where every line is above chance, partly where some are; no where the whole interval of
    every kappa is below LITTLE."""
    above = above_chance(lines)
    if all(above):
        return "yes"
    if any(above):
        return "partly"
    small = [line.kappa.high < LITTLE for line in lines if isfinite(line.kappa.high)]
    return "no" if small and all(small) else "undecided"
