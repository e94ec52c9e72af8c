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
from babelscope.display.numbers import number, percent
from babelscope.methods import METHODS
from babelscope.metrics.bounds import Bounds, wins
from babelscope.random import keyed
from babelscope.stats.calibration import claimed, reliability
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


def chance(scores: Scores, *key: str) -> Scores:
    """Tau of the scores with random orders of themselves."""
    signs = np.sign(scores[:, None] - scores[None])
    untied = float(np.abs(signs).sum())
    if not np.isfinite(scores).all() or untied == 0:
        return np.full(ORDERS, nan)
    rng = keyed("trust", *key)
    orders = [rng.permutation(len(scores)) for _ in range(ORDERS)]
    return np.array(
        [float((signs * signs[np.ix_(order, order)]).sum()) / untied for order in orders]
    )


def spread(null: Scores, count: int = 1) -> tuple[float, float]:
    """95 % of the means of `count` such taus."""
    means = (
        null
        if count == 1
        else null[keyed("range", count).integers(0, len(null), (len(null), count))].mean(axis=1)
    )
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def mean(values: Sequence[float]) -> float:
    known = [value for value in values if isfinite(value)]
    return float(np.mean(known)) if known else nan


def _undefined(name: str, reason: str, verdict: str = "undefined") -> Check:
    return Check(name, nan, nan, nan, verdict, reason)


def completeness(attribution: Attribution) -> Check:
    """The gap |sum of scores - (value - reference value)| as a share of the latter."""
    if not METHODS[attribution.method].complete or attribution.reference_value is None:
        reason = f"{attribution.method} does not promise that its scores add up"
        return _undefined("completeness", reason, "does not apply")
    difference = attribution.value - attribution.reference_value
    gap = abs(sum(attribution.scores) - difference) / max(abs(difference), 1e-12)
    if not isfinite(gap):
        return _undefined("completeness", "some scores are undefined")
    details = f"the scores sum to {sum(attribution.scores):.3g} and should sum to {difference:.3g}"
    return Check("completeness", gap, nan, nan, "holds" if gap <= CLOSED else "fails", details)


def _alike(name: str, value: float, bounds: tuple[float, float], details: str) -> Check:
    if not isfinite(value):
        return _undefined(name, "a correlation needs two words with different scores")
    verdict = (
        "holds"
        if value >= max(STABLE, bounds[1])
        else "undecided"
        if value > bounds[1]
        else "fails"
    )
    return Check(name, value, *bounds, verdict, details)


def stability(
    attribution: Attribution, scores: Scores, repeated: Sequence[Scores], null: Scores
) -> Check:
    if not repeated:
        reason = f"{attribution.method} uses no random numbers: another seed gives the same scores"
        return _undefined("stability", reason, "does not apply")
    value = mean([similarity(a, b) for a, b in combinations([scores, *repeated], 2)])
    return _alike(
        "stability", value, spread(null), f"mean rank agreement between {1 + len(repeated)} seeds"
    )


def siblings(scores: Scores, others: Sequence[Scores], null: Scores) -> Check:
    if not others:
        reason = "no model fine-tuned with another seed was given"
        return _undefined("siblings", reason, "not run")
    value = mean([similarity(scores, other) for other in others])
    return _alike(
        "siblings",
        value,
        spread(null, len(others)),
        f"mean rank agreement with {len(others)} other models",
    )


def leave_one_out(value: float, reason: str, null: Scores) -> Check:
    if reason or not isfinite(value):
        return _undefined("leave_one_out", reason)
    low, high = spread(null)
    verdict = "holds" if value > high else "fails" if value < low else "undecided"
    return Check(
        "leave_one_out",
        value,
        low,
        high,
        verdict,
        "rank agreement with the effect of leaving each word out",
    )


def place(name: str, bounds: Bounds | None, words: int) -> Check:
    """The position between random orders (0) and the best order found (1), with the range of
    random orders.
    """
    if bounds is None:
        return _undefined(name, f"{words} words: the best order is searched for up to {LONGEST}")
    floor = float(bounds.floor.mean())
    if bounds.reason or abs(bounds.ceiling - floor) < 1e-6:
        return _undefined(
            name, bounds.reason or "the best order found is no better than random ones"
        )
    value, *ends = (
        (part - floor) / (bounds.ceiling - floor)
        for part in (bounds.value, *np.quantile(bounds.floor, (0.025, 0.975)))
    )
    beaten = wins(bounds)[0]
    verdict = "holds" if beaten >= SURE else "fails" if beaten <= 0.5 else "undecided"
    details = (
        f"{number(bounds.value)}, random orders {number(floor)} on average, the best order found "
        f"{number(bounds.ceiling)}; better than {percent(beaten)} of random orders"
    )
    return Check(name, value, min(ends), max(ends), verdict, details)


def randomisation(stages: Sequence[Stage], untrained: float) -> Check:
    """What is left of the explanation when every weight has been shuffled."""
    if not stages:
        reason = "a function of texts has no weights to shuffle"
        return _undefined("randomisation", reason, "does not apply")
    last = stages[-1]
    if not isfinite(last.similarity):
        return _undefined("randomisation", "a correlation needs two words with different scores")
    verdict = "fails" if last.similarity > last.high else "holds"
    details = "rank agreement with the explanations of shuffled models"
    if isfinite(untrained):
        details += f"; between two of them it is {number(untrained, 2)}"
    return Check("randomisation", last.similarity, last.low, last.high, verdict, details)


def calibration(
    attribution: Attribution, known: Sequence[Outcome], missing: tuple[str, str] = ("", "")
) -> Check:
    """How often the model is right when it is about as sure; among texts of the same language
    where there are any. `missing` are the verdict and the reason where no outcome is known.
    """
    verdict, reason = missing
    if not reason and attribution.target != attribution.label:
        reason = (
            f"{attribution.target!r} is explained, but the model predicts {attribution.label!r}"
        )
    if reason:
        return _undefined("calibration", reason, verdict or "undefined")
    similar = [each for each in known if each.lang == attribution.lang] or known
    sure = [each.sure for each in similar]
    rate = reliability(attribution.probability, sure, [each.right for each in similar])
    expected = claimed(attribution.probability, sure)
    holds = rate.low - 1e-9 <= expected <= rate.high + 1e-9
    where = "" if similar[0].lang == attribution.lang else f", none of them in {attribution.lang},"
    details = (
        f"says {attribution.probability:.3f}; of the {rate.n} predictions that are most nearly as "
        f"sure{where}, which say {expected:.3f} on average, this share is right"
    )
    return Check(
        "calibration", rate.mean, rate.low, rate.high, "holds" if holds else "fails", details
    )
