"""The lines of a trust panel: each from numbers that are already there, each with what chance
would give.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import isfinite, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from babelscope.analyses.trust.values import (
    Check,
    Stage,
)
from babelscope.methods import METHODS
from babelscope.metrics.bounds import Bounds, wins
from babelscope.random import keyed
from babelscope.stats.calibration import reliability
from babelscope.types import Attribution

CLOSED = 0.05
"""A completeness gap, as a share of what is explained, up to which the scores add up."""
STABLE = 0.7
"""A rank agreement from which on two explanations say the same."""
SURE = 0.95
"""The share of random orders that an explanation must beat."""
ORDERS = 1000
"""Random orders of the scores behind every 95 % of chance."""
LONGEST = 120
"""Words; the best order of a longer text is not searched for: it costs some forty erased texts per
word.
"""

Scores = NDArray[np.float64]


class Outcome(NamedTuple):
    """A labelled example: its language, the prediction's probability, and whether it is right."""

    lang: str
    sure: float
    right: bool


def similarity(first: Scores, second: Scores) -> float:
    """Kendall's tau-b of two explanations of one text; NaN where one of them has no order or no
    value.
    """
    if len(first) < 2 or not (np.isfinite(first).all() and np.isfinite(second).all()):
        return nan
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return nan
    return float(kendalltau(first, second).statistic)


def chance(scores: Scores, key: str) -> Scores:
    """Tau of the scores with random orders of themselves."""
    signs = np.sign(scores[:, None] - scores[None])
    untied = float(np.abs(signs).sum())
    if not np.isfinite(scores).all() or untied == 0:
        return np.full(ORDERS, nan)
    draw = keyed("trust", key)
    orders = [draw.permutation(len(scores)) for _ in range(ORDERS)]
    return np.array(
        [float((signs * signs[np.ix_(order, order)]).sum()) / untied for order in orders]
    )


def spread(luck: Scores, count: int = 1) -> tuple[float, float]:
    """95 % of the means of `count` such taus."""
    drawn = (
        luck
        if count == 1
        else luck[keyed("range", count).integers(0, len(luck), (len(luck), count))].mean(axis=1)
    )
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(low), float(high)


def mean(values: Sequence[float]) -> float:
    known = [one for one in values if isfinite(one)]
    return float(np.mean(known)) if known else nan


def _undefined(name: str, reason: str) -> Check:
    return Check(name, nan, nan, nan, "undefined", reason)


def completeness(one: Attribution) -> Check:
    """The gap |sum of scores - (value - reference value)| as a share of the latter."""
    if not METHODS[one.method].complete or one.reference_value is None:
        return _undefined("completeness", f"{one.method} does not promise that its scores add up")
    way = one.value - one.reference_value
    gap = abs(sum(one.scores) - way) / max(abs(way), 1e-12)
    if not isfinite(gap):
        return _undefined("completeness", "some scores are undefined")
    said = f"the scores sum to {sum(one.scores):.3g} and should sum to {way:.3g}"
    return Check("completeness", gap, nan, nan, "holds" if gap <= CLOSED else "fails", said)


def _alike(name: str, value: float, bounds: tuple[float, float], said: str) -> Check:
    if not isfinite(value):
        return _undefined(name, "a correlation needs two words with different scores")
    verdict = (
        "holds"
        if value >= max(STABLE, bounds[1])
        else "undecided"
        if value > bounds[1]
        else "fails"
    )
    return Check(name, value, *bounds, verdict, said)


def stability(one: Attribution, own: Scores, repeated: Sequence[Scores], luck: Scores) -> Check:
    if not repeated:
        return _undefined(
            "stability", f"{one.method} draws no random numbers: another seed gives the same scores"
        )
    value = mean([similarity(a, b) for a, b in combinations([own, *repeated], 2)])
    return _alike(
        "stability", value, spread(luck), f"mean rank agreement between {1 + len(repeated)} seeds"
    )


def siblings(own: Scores, kin: Sequence[Scores], luck: Scores) -> Check:
    if not kin:
        return _undefined("siblings", "no model tuned with another seed was given")
    value = mean([similarity(own, other) for other in kin])
    return _alike(
        "siblings",
        value,
        spread(luck, len(kin)),
        f"mean rank agreement with {len(kin)} other models",
    )


def leave_one_out(value: float, reason: str, luck: Scores) -> Check:
    if reason or not isfinite(value):
        return _undefined("leave_one_out", reason)
    low, high = spread(luck)
    verdict = "holds" if value > high else "fails" if value < low else "undecided"
    return Check(
        "leave_one_out",
        value,
        low,
        high,
        verdict,
        "rank agreement with the effect of leaving each word out",
    )


def place(name: str, one: Bounds | None, words: int) -> Check:
    """The position between random orders (0) and the best order found (1), with the range of
    random orders.
    """
    if one is None:
        return _undefined(name, f"{words} words: the best order is searched for up to {LONGEST}")
    floor = float(one.floor.mean())
    if one.reason or abs(one.ceiling - floor) < 1e-6:
        return _undefined(name, one.reason or "the best order found is no better than random ones")
    value, *ends = (
        (part - floor) / (one.ceiling - floor)
        for part in (one.value, *np.quantile(one.floor, (0.025, 0.975)))
    )
    beaten = wins(one)[0]
    verdict = "holds" if beaten >= SURE else "fails" if beaten <= 0.5 else "undecided"
    said = (
        f"{one.value:.3f}; random {floor:.3f}, by search {one.ceiling:.3f}; beats {beaten:.0%} "
        "of random orders"
    )
    return Check(name, value, min(ends), max(ends), verdict, said)


def randomisation(stages: Sequence[Stage], untrained: float) -> Check:
    """What is left of the explanation when every weight has been shuffled."""
    last = stages[-1]
    if not isfinite(last.similarity):
        return _undefined("randomisation", "a correlation needs two words with different scores")
    verdict = "fails" if last.similarity > last.high else "holds"
    said = "rank agreement with the explanations of shuffled models"
    if isfinite(untrained):
        said += f"; between two of them {untrained:.2f}"
    return Check("randomisation", last.similarity, last.low, last.high, verdict, said)


def calibration(one: Attribution, known: Sequence[Outcome], reason: str) -> Check:
    """How often the model is right when it is about as sure; among texts of the same language
    where there are any.
    """
    if one.target != one.label:
        reason = f"{one.target!r} is explained, but the model predicts {one.label!r}"
    if reason:
        return _undefined("calibration", reason)
    mine = [each for each in known if each.lang == one.lang] or known
    found = reliability(
        one.probability, [each.sure for each in mine], [each.right for each in mine]
    )
    holds = found.low - 1e-9 <= one.probability <= found.high + 1e-9
    where = "" if mine[0].lang == one.lang else f", none of them in {one.lang},"
    said = (
        f"says {one.probability:.3f}; of the {found.n} predictions that are about as "
        f"sure{where}, this share is right"
    )
    return Check(
        "calibration", found.mean, found.low, found.high, "holds" if holds else "fails", said
    )
