"""Faithfulness by erasing in proportion to the scores: soft sufficiency and comprehensiveness, raw
and normalised.

Every unit has a share a' in [0, 1] computed from its score. Each entry of its tokens' word
embeddings is kept with probability q = a' (sufficiency) or q = 1 - a' (comprehensiveness), and set
to 0 otherwise. Special tokens and fixed parts are always kept. X' is the text under one such random
mask, called a draw.

Choices common to all four. *Scaling* is over the content units alone, one of `SCALINGS`; equal
scores give 1/2 everywhere. `rank` does not depend on the spread of a method's scores; `softmax`
has the mean share 1/n, so that long texts are erased almost whole. *Budget*: shares are shifted
(and clipped to [0, 1]) until their mean is `budget`, so that methods are compared by their order at
equal perturbation; 0 leaves them unchanged, and then a method with few high scores erases less than
one with many.
*Draws* are keyed to the example and the draw's number, not to the method: all methods share the
same random masks. Four draws in a row are one group: they take the same uniform number u of an
entry, turned by 0, 1/2, 1/4 and 3/4 around [0, 1), and keep the entry where it is below q. Each
draw alone has the distribution above, so that the mean of any fixed number of draws is unbiased;
and an entry is kept in as near to q of a group's draws as whole numbers allow, which lowers the
variance of their mean. Draws are added, `draws` at a time and at most 64, until the standard error
of the example's mean, computed as if all draws were independent, is at most `error`; that of a mean
over n texts is smaller by sqrt(n). A number of draws that depends on the draws favours texts whose
first ones agree by chance: the bias of starting with 2 or 4 is stated in docs/design/decisions.md;
with error=1 the number is fixed, and there is none. `draws=0`
multiplies by q instead: deterministic, but another quantity than the mean of the draws, as the
model is not linear. The masks act on word embeddings, before position embeddings are added (left
open by the paper).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from math import nan, sqrt

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.special import expit, softmax
from scipy.stats import rankdata
from torch import Tensor

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, missing_probabilities, ranked, units
from babelscope.metrics.hard import LEAST_DROP
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import probability
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Measured, Target

SCALINGS = ("minmax", "rank", "sigmoid", "softmax", "abs_then_minmax")
MOST = 64
"""Draws at most."""
TURNS = (0.0, 0.5, 0.25, 0.75)
"""How far the uniform numbers of a group are turned in each of its draws; the first two are an
antithetic pair."""
Score = Callable[[float, float, float], float]
"""From p(x), p(null) and the p(X') of a draw to the draw's value."""


def soft_comprehensiveness(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    scaling: str = "minmax",
    budget: float = 0.0,
    draws: int = 8,
    error: float = 0.02,
) -> list[Measured]:
    """How far the probability falls when units are erased in proportion to their scores; higher is
    better.

        E[ p(x) - p(X') ],   every entry of a token's embedding kept with probability 1 - a'

    *Laws*: within [-1, 1]; 0 for a constant model; equal shares give equal values to the bit; with
    `rank` unchanged by strictly increasing maps of the scores.
    Source: Zhao and Aletras 2023, without their clipping at 0.
    """
    plans = _plans(model, inputs, scores, unit, scaling, budget, kept=False)
    return _measured(model, inputs, targets, plans, _fall, draws, error, normalised=False)


def soft_sufficiency(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    scaling: str = "minmax",
    budget: float = 0.0,
    draws: int = 8,
    error: float = 0.02,
) -> list[Measured]:
    """How far the probability falls when units are kept in proportion to their scores; lower is
    better.

        E[ p(x) - p(X') ],   every entry of a token's embedding kept with probability a'

    *Laws*: within [-1, 1]; 0 for a constant model; equal shares give equal values to the bit; with
    `rank` unchanged by strictly increasing maps of the scores.
    Source: Zhao and Aletras 2023, without their clipping at 0 and as a fall, like `sufficiency`.
    """
    plans = _plans(model, inputs, scores, unit, scaling, budget, kept=True)
    return _measured(model, inputs, targets, plans, _fall, draws, error, normalised=False)


def normalised_soft_comprehensiveness(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    scaling: str = "minmax",
    budget: float = 0.0,
    draws: int = 8,
    error: float = 0.02,
) -> list[Measured]:
    """Soft comprehensiveness as a share of the fall when all content embeddings are 0 (Soft-NC);
    higher is better.

        E[ clip( max(0, p(x) - p(X')) / D0, 0, 1 ) ],   D0 = max(0, p(x) - p(null))

    null: q = 0 on all content.

    *Laws*: within [0, 1]; 0 where everything is kept and 1 where nothing is; undefined (NaN) where
    D0 < 1e-3.
    *Left open by the paper*: every draw is clipped, as published, and not the mean of the draws.
    Null is the limit q = 0 of the same erasure, so that the ends are 0 and 1; the released code
    takes another null and the opposite polarity.
    Source: Zhao and Aletras 2023, 2024.
    """
    plans = _plans(model, inputs, scores, unit, scaling, budget, kept=False)
    return _measured(model, inputs, targets, plans, _lost, draws, error, normalised=True)


def normalised_soft_sufficiency(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    scaling: str = "minmax",
    budget: float = 0.0,
    draws: int = 8,
    error: float = 0.02,
) -> list[Measured]:
    """How much of the fall to zero embeddings is prevented by units kept in proportion to their
    scores (Soft-NS); higher is better.

        E[ clip( max(0, S - S_0) / (1 - S_0), 0, 1 ) ]
        S = 1 - max(0, p(x) - p(X')),   S_0 = 1 - D0

    *Laws*: within [0, 1]; 1 where everything is kept and 0 where nothing is; undefined (NaN) where
    D0 < 1e-3.
    Source: Zhao and Aletras 2023, 2024.
    """
    plans = _plans(model, inputs, scores, unit, scaling, budget, kept=True)
    return _measured(model, inputs, targets, plans, _saved, draws, error, normalised=True)


def shares(
    scores: Float[np.ndarray, " unit"], scaling: str, budget: float
) -> Float[np.ndarray, " unit"]:
    """The shares a' of the units.

        minmax           (a - min) / (max - min)
        rank             (number below + half of the number of other equal ones) / (n - 1)
        sigmoid          1 / (1 + exp(-a))
        softmax          exp(a) / sum exp(a)
        abs_then_minmax  minmax of |a|

    then, with a budget, clip(a' + s, 0, 1) with the s that gives the mean `budget`.

    *Laws*: within [0, 1]; in the order of the scores (of |a| with abs_then_minmax); 1/2 everywhere
    where all scores are equal (all |a| with abs_then_minmax); softmax sums to 1; the mean is the
    budget.
    *Left open by the paper*: it scales to [0, 1] without saying how; its released code has sigmoid,
    softmax and min-max over the padded row with special tokens among the scores, which is not
    offered: it depends on the padding.
    Source: Zhao and Aletras 2023.
    """
    if scaling not in SCALINGS:
        raise InputError(f"scaling {scaling!r} is not one of: {', '.join(SCALINGS)}")
    if not 0 <= budget < 1:
        raise InputError(
            f"a budget is a mean share above 0 and below 1, or 0 for none, not {budget}"
        )
    scaled = _scaled(np.abs(scores) if scaling == "abs_then_minmax" else scores, scaling)
    return _matched(scaled, budget) if budget else scaled


def _scaled(values: NDArray[np.float64], scaling: str) -> NDArray[np.float64]:
    if np.ptp(values) == 0:
        return np.full(len(values), 0.5)
    if scaling == "rank":
        return np.asarray((rankdata(values) - 1) / (len(values) - 1))
    if scaling == "sigmoid":
        return np.asarray(expit(values))
    if scaling == "softmax":
        return np.asarray(softmax(values))
    return np.asarray((values - values.min()) / np.ptp(values))


def _matched(shares: NDArray[np.float64], budget: float) -> NDArray[np.float64]:
    """The shares, shifted and clipped so that their mean is the budget."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        below = np.clip(shares + middle, 0, 1).mean() < budget
        low, high = (middle, high) if below else (low, middle)
    return np.asarray(np.clip(shares + high, 0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """The probability with which each token's entries are kept; or the reason why there is none."""

    keep: NDArray[np.float64]
    reason: str = ""


def _plans(
    model: Model, inputs: Sequence[Encoded], scores: Scores, unit: str, scaling: str,
    budget: float, *, kept: bool,
) -> list[_Plan]:  # fmt: skip
    plans = []
    for row, attributed in zip(inputs, scores):
        _, reason = ranked(row, attributed, unit)
        reason = reason or missing_probabilities(model)
        keep = np.ones(len(row.ids))
        if not reason:
            owner, _ = units(row, unit)
            part = shares(np.asarray(attributed, dtype=np.float64), scaling, budget)
            keep[row.content] = (part if kept else 1 - part)[owner[row.content]]
        plans.append(_Plan(keep, reason))
    return plans


def _measured(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    plans: Sequence[_Plan],
    score: Score,
    draws: int,
    error: float,
    *,
    normalised: bool,
) -> list[Measured]:
    """The mean over draws of each input, which are added until its standard error is small
    enough."""
    if not 0 <= draws <= MOST or error < 0:
        raise InputError(
            f"draws must be 0 to {MOST} and error not negative, not {draws} and {error}"
        )
    ends = [
        query
        for row in inputs
        for query in (inference.query(row), _query(row, np.where(row.content, 0.0, 1.0), None))
    ]
    values = _probabilities(model, ends, [target for target in targets for _ in range(2)])
    full, null = values[::2], values[1::2]
    samples: list[list[float]] = [[] for _ in inputs]
    waiting = [
        at
        for at, plan in enumerate(plans)
        if not plan.reason and (not normalised or full[at] - null[at] >= LEAST_DROP)
    ]
    defined = set(waiting)
    while waiting:
        requests = [
            (at, len(samples[at]) + more if draws else None)
            for at in waiting
            for more in range(max(draws, 1))
        ]
        remaining = _probabilities(
            model,
            [_query(inputs[at], plans[at].keep, number) for at, number in requests],
            [targets[at] for at, _ in requests],
        )
        for (at, _), amount in zip(requests, remaining):
            samples[at].append(score(full[at], null[at], amount))
        waiting = [
            at
            for at in waiting
            if draws and len(samples[at]) + draws <= MOST and _error(samples[at]) > error
        ]
    reason = f"setting all content to zero lowers the probability by less than {LEAST_DROP}"
    return [
        Measured(float(np.mean(draws_)))
        if at in defined
        else Measured(nan, plans[at].reason or reason)
        for at, draws_ in enumerate(samples)
    ]


def _fall(full: float, null: float, left: float) -> float:
    return full - left


def _lost(full: float, null: float, left: float) -> float:
    return min(1.0, max(0.0, full - left) / (full - null))


def _saved(full: float, null: float, left: float) -> float:
    return max(0.0, (full - null - max(0.0, full - left)) / (full - null))


def _error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) / sqrt(len(values)) if len(values) > 1 else np.inf


def _probabilities(
    model: Model, queries: Sequence[inference.Query], targets: Sequence[Target]
) -> list[float]:
    return [
        probability(model, output, target)
        for output, target in zip(inference.outputs(model, queries), targets)
    ]


def _query(row: Encoded, keep: Float[np.ndarray, " token"], draw: int | None) -> inference.Query:
    """The input with each entry of each token kept with the token's probability; multiplied by it
    where there is no draw."""
    if (keep == 1).all():
        return inference.query(row)
    certain = draw is None or bool(np.isin(keep, (0.0, 1.0)).all())
    sample = "" if certain else f"{draw} {row.example.lang} {row.example.id} "
    edit = partial(_thinned, keep, identity(row), draw)
    return replace(
        inference.query(row),
        edit=edit,
        key=f"soft {sample}{sha256(keep.tobytes()).hexdigest()}",
    )


def _thinned(
    keep: Float[np.ndarray, " token"],
    key: tuple[str, str, str],
    draw: int | None,
    embedded: Float[Tensor, "token dim"],
) -> Float[Tensor, "token dim"]:
    times = keep[:, None]
    if draw is not None:
        group, place = divmod(draw, len(TURNS))
        luck = keyed("soft", *key, group).random(tuple(embedded.shape))
        times = ((luck + TURNS[place]) % 1 < times).astype(np.float64)
    return embedded * torch.from_numpy(times).to(embedded.device, embedded.dtype)
