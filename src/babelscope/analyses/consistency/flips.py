"""Is a pair with little agreement one whose prediction flips? Pair by pair, within languages, beyond confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np
from jaxtyping import Float

from babelscope.analyses.consistency.pairs import Pair
from babelscope.analyses.consistency.tables import column
from babelscope.errors import InputError
from babelscope.stats.bootstrap import of_sums
from babelscope.types import Estimate

OUTCOMES = ("flip", "wrong")
"""The translation gets another prediction than the source text; the translation's prediction is wrong."""
GIVEN = {"confidence": ("confidence_s", "confidence_t"), "agreement": ("same_prediction",)}
"""What may be held fixed."""


@dataclass(frozen=True, slots=True)
class Association:
    """How the lift goes with an outcome, plain and with something held fixed, and the outcome's share by thirds of the lift."""

    outcome: str
    given: str
    plain: Estimate
    partial: Estimate
    thirds: tuple[float, float, float]
    """The share of the outcome in the lowest, middle and highest third of the lifts of each language."""
    share: float


def association(pairs: Sequence[Pair], outcome: str = "flip", given: str = "confidence", *, seed: int = 0) -> Association:
    """Pearson's correlation of lift and outcome within languages, and the partial one given confidence or agreement.

        x, y, z = lift, outcome (0 or 1), what is given; each less its mean in its language
        plain = sum xy / sqrt(sum xx sum yy);  partial = - Q_xy / sqrt(Q_xx Q_yy),  Q the inverse of the sums of products

    `pairs` may be of several languages: differences between languages have no part in it. Intervals resample clusters over
    all languages at once, since the pairs of one source text go together; the means of the languages stay.

    *Laws*: partial equals the correlation of what least squares on z leave of x and of y; adding a constant to a language
    changes nothing; adding a multiple of z to x leaves the partial one; NaN where one of them does not vary.
    *Left open by the paper*: whether low agreement tells a flip at all; the given ones are the confidences in both texts.
    """
    if outcome not in OUTCOMES or given not in GIVEN:
        raise InputError(f"{outcome!r} given {given!r}: the outcome is one of {OUTCOMES}, given one of {tuple(GIVEN)}")
    lift, happened = column(pairs, "lift"), _outcome(pairs, outcome)
    fixed = [np.array([_number(getattr(pair, name)) for pair in pairs]) for name in GIVEN[given]]
    table = np.stack([lift, happened, *fixed], axis=1)
    kept = np.isfinite(table).all(1)
    langs = np.array([pair.lang for pair in pairs], dtype=object)
    for lang in dict.fromkeys(langs[kept]):
        mine = kept & (langs == lang)
        table[mine] -= table[mine].mean(0)
    products = (table[:, :, None] * table[:, None, :]).reshape(len(table), -1)
    groups = [pair.cluster for pair in pairs]
    found = [of_sums(products, groups, partial(_from_products, width=table.shape[1], fixed=held), seed=seed)
             for held in (False, True)]  # fmt: skip
    share = float(happened[kept].mean()) if kept.any() else nan
    return Association(outcome, given, found[0], found[1], _thirds(lift[kept], happened[kept], langs[kept]), share)


def _from_products(sums: Float[np.ndarray, "resample part"], width: int, fixed: bool) -> Float[np.ndarray, " resample"]:
    tables = sums.reshape(-1, width, width)
    made = np.full(len(tables), nan)
    for place, each in enumerate(tables):
        chosen = each if fixed else each[:2, :2]
        scale = np.sqrt(np.diag(chosen))
        if not (scale > 1e-12).all():
            continue
        chosen = chosen / np.outer(scale, scale)
        if np.linalg.eigvalsh(chosen)[0] <= 1e-10:
            continue
        inverse = np.linalg.inv(chosen)
        made[place] = -inverse[0, 1] / np.sqrt(inverse[0, 0] * inverse[1, 1])
    return made


def _thirds(
    lift: Float[np.ndarray, " pair"], happened: Float[np.ndarray, " pair"], langs: np.ndarray
) -> tuple[float, float, float]:
    third = np.zeros(len(lift), dtype=int)
    for lang in dict.fromkeys(langs):
        mine = np.flatnonzero(langs == lang)
        third[mine[np.argsort(lift[mine], kind="stable")]] = 3 * np.arange(len(mine)) // len(mine)
    shares = [float(happened[third == part].mean()) if (third == part).any() else nan for part in range(3)]
    return shares[0], shares[1], shares[2]


def _outcome(pairs: Sequence[Pair], outcome: str) -> Float[np.ndarray, " pair"]:
    said = [pair.same_prediction if outcome == "flip" else pair.correct_t for pair in pairs]
    return np.array([nan if each is None else float(not each) for each in said])


def _number(value: float | bool | None) -> float:
    return nan if value is None else float(value)
