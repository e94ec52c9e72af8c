"""Estimates of tokenizers arranged for tables and figures."""

from __future__ import annotations

from math import isfinite

from babelscope.analyses.tokenization.counts import MEASURES, Tokenization
from babelscope.display.numbers import number
from babelscope.types import Estimate

TITLES = {name: row.summary for name, row in MEASURES.items()} | {
    "efficiency": "Renyi efficiency of the vocabulary",
    "agreement": "agreement on boundaries inside of words (F1)",
}
Grid = dict[str, dict[str, Estimate]]
"""Estimates by language, then by tokenizer (or pair of tokenizers)."""


def grids(found: Tokenization) -> dict[str, Grid]:
    """Measure -> language -> tokenizer, in reading order; the agreement last, if there are two
    tokenizers.
    """
    made: dict[str, Grid] = {}
    for one in found.measured:
        made.setdefault(one.measure, {}).setdefault(one.lang, {})[one.tokenizer] = one.estimate
    for two in found.agreed:
        made.setdefault("agreement", {}).setdefault(two.lang, {})[f"{two.first} / {two.second}"] = (
            two.estimate
        )
    return made


def said(one: Estimate) -> str:
    """Mean and interval; what is not known is said to be undefined."""
    if not isfinite(one.mean):
        return "undefined"
    bounds = f" ({number(one.low)}–{number(one.high)})" if isfinite(one.low) else ""
    return number(one.mean) + bounds
