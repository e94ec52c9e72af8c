"""Estimates of tokenizers arranged for tables and figures."""

from __future__ import annotations

from math import isfinite

from babelscope.analyses.tokenization.counts import MEASURES, Tokenization
from babelscope.display.numbers import few_groups, number
from babelscope.types import Estimate

TITLES = {name: row.summary for name, row in MEASURES.items()} | {
    "efficiency": "Rényi efficiency of the vocabulary",
    "agreement": "agreement on boundaries inside of words (F1)",
}
Grid = dict[str, dict[str, Estimate]]
"""Estimates by language, then by tokenizer (or pair of tokenizers)."""


def grids(tokenization: Tokenization) -> dict[str, Grid]:
    """Measure -> language -> tokenizer, in reading order; the agreement last, if there are two
    tokenizers.
    """
    by_measure: dict[str, Grid] = {}
    for row in tokenization.measured:
        by_measure.setdefault(row.measure, {}).setdefault(row.lang, {})[row.tokenizer] = (
            row.estimate
        )
    for pair in tokenization.agreed:
        by_measure.setdefault("agreement", {}).setdefault(pair.lang, {})[
            f"{pair.first} / {pair.second}"
        ] = pair.estimate
    return by_measure


def with_interval(estimate: Estimate) -> str:
    """Mean and interval, or "undefined"."""
    if not isfinite(estimate.mean):
        return "undefined"
    bounds = f" ({number(estimate.low)}–{number(estimate.high)})" if isfinite(estimate.low) else ""
    return number(estimate.mean) + bounds + few_groups(estimate)


def columns_of(grid: Grid) -> list[str]:
    """The tokenizers of a grid; models that read some languages only are not in every row."""
    return list(dict.fromkeys(name for row in grid.values() for name in row))


def cell(row: dict[str, Estimate], name: str) -> str:
    """What a table shows of a tokenizer in a language; a dash where its model does not read it."""
    return with_interval(row[name]) if name in row else "–"
