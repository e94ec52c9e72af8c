"""Numbers, intervals and names as people read them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup

from babelscope.types import Estimate


def number(value: float) -> str:
    """Three decimals with a true minus; a dash where there is no value."""
    return f"{value:.3f}".replace("-", "−") if isfinite(value) else "–"


def interval(found: Estimate) -> Markup:
    """`0.412 [0.380, 0.440]`, kept on one line."""
    bounds = f" [{number(found.low)}, {number(found.high)}]" if isfinite(found.low) else " (one group, no interval)"
    return Markup('<span class="num">{}{}</span>').format(number(found.mean), bounds)


def unbroken(model: str) -> Markup:
    """A model's name, not broken at its hyphens while it fits a line."""
    return Markup('<span class="name">{}</span>').format(model)


def spoken(metric: str) -> str:
    return metric.replace("_", " ")


def listed(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
