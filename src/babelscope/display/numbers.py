"""Numbers, intervals and names as people read them: the only place that formats numbers for
display.

Every negative number has a true minus (−), zero has no sign, every undefined one is a dash (–).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10

from markupsafe import Markup

from babelscope.types import FEW_GROUPS, Estimate

UNDEFINED = "–"
ACRONYMS = {
    "aopc": "AOPC", "auroc": "AUROC", "auprc": "AUPRC", "iou": "IoU", "f1": "F1",
    "loo": "leave-one-out",
}  # fmt: skip
"""Parts of metrics' names that are no words."""


def number(value: float | None, digits: int = 3) -> str:
    """`0.412`; with so many decimals."""
    return _typeset(value, f".{digits}f")


def signed(value: float | None, digits: int = 3) -> str:
    """`+0.412`."""
    return _typeset(value, f"+.{digits}f")


def significant(value: float | None, digits: int = 3, *, sign: bool = False) -> str:
    """`0.000412`, `412`: so many significant digits, whatever the magnitude."""
    return _typeset(value, f"{'+' if sign else ''}.{digits}g")


def rounded(value: float | None, digits: int = 2) -> str:
    """`0.00041`, `0.41`, `41`, `62,124`: so many significant digits, but never fewer than those of
    a whole number, and no exponent."""
    if not value or not isfinite(value):
        return _typeset(value, ",.0f")
    return _typeset(value, f",.{max(0, digits - 1 - floor(log10(abs(value))))}f")


def percent(share: float | None, digits: int = 0) -> str:
    """`41 %` of a share of 0.412."""
    text = _typeset(None if share is None else 100 * share, f".{digits}f")
    return text if text == UNDEFINED else f"{text} %"


def p_value(value: float | None, digits: int = 3) -> str:
    """`0.041`, and `< 0.001` where rounding would give 0: no p of a test is 0."""
    least = 10.0**-digits
    if value is not None and 0 <= value < least / 2:
        return f"< {number(least, digits)}"
    return number(value, digits)


def compact(value: float | None, digits: int = 2, *, sign: bool = False) -> str:
    """`.41`, without the leading zero: for the cells of a heat map."""
    text = signed(value, digits) if sign else number(value, digits)
    return text.replace("0.", ".", 1) if text.lstrip("+−").startswith("0.") else text


def items(count: int, noun: str) -> str:
    """`1 cell`, `3 cells`, of a noun whose plural has an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def value_range(low: float | None, high: float | None, digits: int = 3) -> str:
    """`0.380 to 0.440`."""
    return f"{number(low, digits)} to {number(high, digits)}"


def few_groups(estimate: Estimate) -> str:
    """` (only 5 groups)` where an interval is from so few that it may be too narrow, else empty."""
    few = isfinite(estimate.low) and 0 < estimate.groups < FEW_GROUPS
    return f" (only {estimate.groups} groups)" if few else ""


def estimate_text(estimate: Estimate, digits: int = 3) -> str:
    """`0.412 [0.380, 0.440]`, without the interval where there is none."""
    text = number(estimate.mean, digits)
    if not isfinite(estimate.low):
        return text
    bounds = f"[{number(estimate.low, digits)}, {number(estimate.high, digits)}]"
    return f"{text} {bounds}{few_groups(estimate)}"


def interval(estimate: Estimate) -> Markup:
    """`0.412 [0.380, 0.440]`, kept on one line."""
    note = "" if isfinite(estimate.low) else " (one group, no interval)"
    return Markup('<span class="num">{}{}</span>').format(estimate_text(estimate), note)


def unbroken(model: str) -> Markup:
    """A model's name, not broken at its hyphens while it fits a line."""
    return Markup('<span class="name">{}</span>').format(model)


def spoken(metric: str) -> str:
    """A metric's name as words: `rationale AUROC`; options stay as they are."""
    name, bracket, options = metric.partition("[")
    words = [ACRONYMS.get(word, word) for word in name.split("_")]
    return f"{' '.join(words)}{bracket}{options}"


def bounds(low: float | None, high: float | None) -> str:
    """`interval 0.380 to 0.440`, or that there is none."""
    if low is None or not isfinite(low):
        return "no interval: too few texts"
    return f"interval {value_range(low, high)}"


def listed(names: Sequence[str], word: str = "and") -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def _typeset(value: float | None, form: str) -> str:
    if value is None or not isfinite(value):
        return UNDEFINED
    text = format(value, form)
    return text.lstrip("-+") if float(text.replace(",", "")) == 0 else text.replace("-", "−")
