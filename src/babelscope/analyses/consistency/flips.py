"""Is a pair with little agreement one whose prediction flips? Pair by pair, within languages,
beyond confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np
from jaxtyping import Float

from babelscope.analyses.consistency.pairs import Pair
from babelscope.analyses.consistency.summary import column
from babelscope.errors import InputError
from babelscope.stats.intervals import of_sums
from babelscope.types import Estimate

OUTCOMES = ("flip", "wrong")
"""The translation gets another prediction than the source text; the translation's prediction is
wrong."""
GIVEN = {"confidence": ("confidence_s", "confidence_t"), "agreement": ("same_prediction",)}
"""What may be held fixed."""

PairValues = Float[np.ndarray, " pair"]


@dataclass(frozen=True, slots=True)
class Association:
    """How the lift goes with an outcome, plain and with something held fixed, and the outcome's
    share by thirds of the lift."""

    outcome: str
    given: str
    plain: Estimate
    partial: Estimate
    thirds: tuple[float, float, float]
    """The share of the outcome in the lowest, middle and highest third of the lifts of each
    language.
    """
    share: float


def association(
    pairs: Sequence[Pair], outcome: str = "flip", given: str = "confidence"
) -> Association:
    """Pearson's correlation of lift and outcome within languages, and the partial one given
    confidence or agreement.

        x, y, z = lift, outcome (0 or 1), what is given; each less its mean in its language
        plain   = sum xy / sqrt(sum xx sum yy)
        partial = - Q_xy / sqrt(Q_xx Q_yy),  Q the inverse of the sums of products

    `pairs` may be of several languages: differences between languages have no part in it. Intervals
    are of Fisher's z and leave out clusters in all languages at once, since the pairs of one source
    text go together; the means of the languages stay.

    *Laws*: partial equals the correlation of what least squares on z leave of x and of y; adding a
    constant to a language changes nothing; adding a multiple of z to x leaves the partial one; NaN
    where one of them does not vary.
    *Left open by the paper*: whether low agreement tells a flip at all; the given ones are the
    confidences in both texts.
    """
    if outcome not in OUTCOMES or given not in GIVEN:
        known = f"the outcome is one of {OUTCOMES}, given one of {tuple(GIVEN)}"
        raise InputError(f"{outcome!r} given {given!r}: {known}")
    lift, happened = column(pairs, "lift"), _outcome(pairs, outcome)
    fixed = [np.array([_number(getattr(p, name)) for p in pairs]) for name in GIVEN[given]]
    table = np.stack([lift, happened, *fixed], axis=1)
    kept = np.isfinite(table).all(1)
    langs = np.array([pair.lang for pair in pairs], dtype=object)
    for lang in dict.fromkeys(langs[kept]):
        rows = kept & (langs == lang)
        table[rows] -= table[rows].mean(0)
    products = (table[:, :, None] * table[:, None, :]).reshape(len(table), -1)
    groups = [pair.cluster for pair in pairs]
    width = table.shape[1]
    plain = of_sums(
        products, groups, partial(_correlations, width=width, fixed=False), scale="correlation"
    )
    partly = of_sums(
        products, groups, partial(_correlations, width=width, fixed=True), scale="correlation"
    )
    share = float(happened[kept].mean()) if kept.any() else nan
    thirds = _thirds(lift[kept], happened[kept], langs[kept])
    return Association(outcome, given, plain, partly, thirds, share)


def _correlations(
    sums: Float[np.ndarray, "row part"], width: int, fixed: bool
) -> Float[np.ndarray, " row"]:
    """The plain or the partial correlation of every row of sums of products."""
    tables = sums.reshape(-1, width, width)
    values = np.full(len(tables), nan)
    for place, table in enumerate(tables):
        chosen = table if fixed else table[:2, :2]
        scale = np.sqrt(np.diag(chosen))
        if not (scale > 1e-12).all():
            continue
        chosen = chosen / np.outer(scale, scale)
        if np.linalg.eigvalsh(chosen)[0] <= 1e-10:
            continue
        inverse = np.linalg.inv(chosen)
        values[place] = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
    return values


def _thirds(
    lift: PairValues, happened: PairValues, langs: np.ndarray
) -> tuple[float, float, float]:
    third = np.zeros(len(lift), dtype=int)
    for lang in dict.fromkeys(langs):
        rows = np.flatnonzero(langs == lang)
        order = rows[np.argsort(lift[rows], kind="stable")]
        third[order] = 3 * np.arange(len(rows)) // len(rows)
    parts = [happened[third == part] for part in range(3)]
    low, middle, high = (float(part.mean()) if len(part) else nan for part in parts)
    return low, middle, high


def _outcome(pairs: Sequence[Pair], outcome: str) -> PairValues:
    name = "same_prediction" if outcome == "flip" else "correct_t"
    values = [getattr(pair, name) for pair in pairs]
    return np.array([nan if value is None else float(not value) for value in values])


def _number(value: float | bool | None) -> float:
    return nan if value is None else float(value)
