"""Normalised sufficiency and comprehensiveness as the released code of a published study computes
them, each of its deviations from the written definition with a name of its own.

Zhao and Aletras 2024 define the metrics as `hard` does, on tokens; their released code differs from
that in ways that move the numbers. Without deviations the two metrics here are
`normalised_sufficiency` and `normalised_comprehensiveness` on tokens; with the default ones, and
`occurrences` for input x gradient and integrated gradients, they are the released ones, so that
authors see what each correction changes. What depends
on the batch or on what was measured before (a null that is decremented in place) is not well
defined and not offered.

    erasure      an erased token has the id 0 (padding for most BERTs, <s> for RoBERTa), not that
                 of the mask or padding token
    null         of a single text, special tokens are erased in the null too
    budget       k = ceil(r (n + 1)), not ceil(r n): the first separator is counted as content
    lengths      equal k of several ratios are counted as often, not once
    query        comprehensiveness also erases the fixed text of a pair
    occurrences  a token's score is the sum over its occurrences in the text, which is what a
                 gradient with respect to rows of the embedding matrix gives
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, nan

import numpy as np
from numpy.typing import NDArray

from babelscope.data.units import TOKEN
from babelscope.metrics.erased import (
    Erased,
    Scores,
    by_sign,
    missing_probabilities,
    probabilities,
    ranked,
    tops,
)
from babelscope.metrics.hard import LEAST_DROP, check_grid
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import probability
from babelscope.options import known_names
from babelscope.types import Encoded, Measured, Target

GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""The study's rationale lengths; the last is the same for every attribution."""
DEFAULT = ("erasure", "null", "budget", "lengths", "query")
"""Those of the metrics; the last one is that of gradient methods."""
DEVIATIONS = (*DEFAULT, "occurrences")


def released_comprehensiveness(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *,
    unit: str = TOKEN, grid: Sequence[float] = GRID, sign: str = "signed",
    deviations: Sequence[str] = DEFAULT,
) -> list[Measured]:  # fmt: skip
    """Normalised comprehensiveness as a study's released code computes it; higher is better.

        NC_k = clip( max(0, p(x) - p(x - R_k)) / D0, 0, 1 ),   mean over the lengths k

    *Laws*: without deviations it is `normalised_comprehensiveness` with the same unit and
    grid; within [0, 1].
    Source: Zhao and Aletras 2024, released code.
    """
    on = known_names("deviation", deviations, DEVIATIONS)
    curves = _curves(model, inputs, by_sign(scores, sign), targets, unit, grid, on)
    return [_share(full, null_, np.maximum(0.0, full - erased), reason)
            for full, null_, erased, _, reason in curves]  # fmt: skip


def released_sufficiency(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *,
    unit: str = TOKEN, grid: Sequence[float] = GRID, sign: str = "signed",
    deviations: Sequence[str] = DEFAULT,
) -> list[Measured]:  # fmt: skip
    """Normalised sufficiency as a study's released code computes it; higher is better.

        NS_k = clip( max(0, D0 - max(0, p(x) - p(R_k))) / D0, 0, 1 ),   mean over the lengths k

    The query of a pair is always kept: its deviation is one of comprehensiveness.

    *Laws*: without deviations it is `normalised_sufficiency` with the same unit and grid;
    within [0, 1].
    Source: Zhao and Aletras 2024, released code.
    """
    on = known_names("deviation", deviations, DEVIATIONS)
    curves = _curves(model, inputs, by_sign(scores, sign), targets, unit, grid, on)
    return [
        _share(full, null_, np.maximum(0.0, full - null_ - np.maximum(0.0, full - kept)), reason)
        for full, null_, _, kept, reason in curves
    ]


def summed_occurrences(
    ids: NDArray[np.int64], scores: NDArray[np.float64]
) -> NDArray[np.float64]:  # fmt: skip
    """Every score replaced by the sum over all positions with the same token.

    *Law*: unchanged where no token occurs twice. For input x gradient it is the embedding times the
    gradient with respect to the row of the embedding matrix, in a batch of one text.
    """
    return np.array([scores[ids == each].sum() for each in ids])


Curve = tuple[float, float, NDArray[np.float64], NDArray[np.float64], str]
"""p(x), p(null), p with the rationale erased and p of the rationale alone by length, a reason."""


def _curves(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    unit: str,
    grid: Sequence[float],
    on: frozenset[str],
) -> list[Curve]:
    check_grid(grid)
    sets, reasons = [], []
    for row, attributed in zip(inputs, scores):
        values = np.asarray(attributed, dtype=np.float64)
        if "occurrences" in on and unit == TOKEN and np.isfinite(values).all():
            values = summed_occurrences(row.ids[row.content], values)
        order, reason = ranked(row, values, unit)
        chosen = tops(row, order, _lengths(len(order), grid, on), unit)
        sets.append(_erasures(row, chosen, on))
        reasons.append(reason)
    tables = _probabilities(model, inputs, targets, sets, "erasure" in on)
    return [
        (float(many[0]), float(many[1]), many[2::2], many[3::2], reason or why)
        for why, (many, reason) in zip(reasons, tables)
    ]


def _erasures(row: Encoded, chosen: Sequence[Erased], on: frozenset[str]) -> list[Erased]:
    """Nothing, the null, then for each length the rationale and all but the rationale."""
    pair = bool((row.segment == 1).any())
    fixed = np.zeros_like(row.content)
    if "query" in on and pair:
        fixed = (row.segment >= 0) & ~row.content
    empty = row.content
    if "null" in on and not pair:
        empty = np.ones_like(row.content)
    both = [part for top in chosen for part in (top | fixed, row.content & ~top)]
    return [np.zeros_like(row.content), empty, *both]


def _lengths(n: int, grid: Sequence[float], on: frozenset[str]) -> list[int]:
    if n == 0:
        return []
    counted = n + 1 if "budget" in on else n
    sizes = [min(n, max(1, ceil(ratio * counted - 1e-9))) for ratio in grid]
    return sizes if "lengths" in on else sorted(set(sizes))


def _probabilities(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    sets: Sequence[Sequence[Erased]],
    by_id: bool,
) -> list[tuple[NDArray[np.float64], str]]:
    if not by_id:
        return probabilities(model, inputs, targets, sets, None)
    return probabilities_by_id(model, inputs, targets, sets)


def probabilities_by_id(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    sets: Sequence[Sequence[Erased]],
) -> list[tuple[NDArray[np.float64], str]]:
    """Per input the target's probability with the id 0 in the place of every erased token, for each
    set of tokens."""
    queries = [
        replace(inference.query(row), ids=np.where(gone, 0, row.ids))
        for row, erasures in zip(inputs, sets)
        for gone in erasures
    ]
    outputs = iter(inference.outputs(model, queries))
    missing = missing_probabilities(model)
    return [
        (np.array([float(probability(model, next(outputs), target)) for _ in erasures]), missing)
        for target, erasures in zip(targets, sets)
    ]


def _share(full: float, null: float, amounts: NDArray[np.float64], reason: str) -> Measured:
    if reason or len(amounts) == 0 or not np.isfinite([full, null, *amounts]).all():
        return Measured(nan, reason or "there is no rationale")
    drop = max(0.0, full - null)
    if drop < LEAST_DROP:
        return Measured(nan, f"erasing everything lowers the probability by less than {LEAST_DROP}")
    return Measured(float(np.clip(amounts / drop, 0.0, 1.0).mean()))
