"""Normalised sufficiency and comprehensiveness as the released code of a published study computes
them, each of its deviations from the written definition with a switch of its own.

Zhao and Aletras 2024 define the metrics as `hard` does, on tokens; their released code differs from
that in ways that move the numbers. With all switches at "defined" the two metrics here are
`normalised_sufficiency` and `normalised_comprehensiveness` on tokens; with the defaults they are
the released ones, so that authors see what each correction changes. What depends on the batch or on
what was measured before (a null that is decremented in place) is not well defined and not offered.

    erasure      id_0         an erased token has the id 0: padding for most BERTs, <s> for RoBERTa
                 defined      the token that the tokenizer names (mask, else padding)
    null         everything   of a single text, special tokens are erased in the null too
                 defined      special tokens are kept
    budget       n_plus_1     k = ceil(r (n + 1)): the first separator is counted as content
                 defined      k = ceil(r n)
    lengths      repeated     equal k of several ratios are counted as often
                 defined      once
    query        erased       comprehensiveness also erases the fixed text of a pair
                 defined      it is kept
    occurrences  summed       a token's score is the sum over its occurrences in the text, which is
                              what a gradient with respect to rows of the embedding matrix gives
                 defined      every occurrence has its own
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, nan

import numpy as np
from numpy.typing import NDArray

from babelscope.data.units import TOKEN
from babelscope.errors import InputError
from babelscope.metrics.erased import Erased, Scores, by_sign, probabilities, ranked, tops
from babelscope.metrics.hard import LEAST_DROP, check_grid
from babelscope.metrics.hard import lengths as distinct_lengths
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import probability
from babelscope.types import Encoded, Measured, Target

GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""The study's rationale lengths; the last is the same for every attribution."""
DEFINED = "defined"
SWITCHES: Mapping[str, str] = {
    "erasure": "id_0", "null": "everything", "budget": "n_plus_1", "lengths": "repeated",
    "query": "erased", "occurrences": "summed",
}  # fmt: skip
"""What each switch does in the released code."""


def released_comprehensiveness(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *,
    unit: str = TOKEN, grid: Sequence[float] = GRID, sign: str = "signed",
    erasure: str = "id_0", null: str = "everything", budget: str = "n_plus_1",
    lengths: str = "repeated", query: str = "erased", occurrences: str = "summed",
) -> list[Measured]:  # fmt: skip
    """Normalised comprehensiveness as a study's released code computes it; higher is better.

        NC_k = clip( max(0, p(x) - p(x - R_k)) / D0, 0, 1 ),   mean over the lengths k

    with the erasure, the null, the budget, the lengths, the query and the scores of the switches.

    *Laws*: with all switches "defined" it is `normalised_comprehensiveness` with the same unit and
    grid; within [0, 1].
    Source: Zhao and Aletras 2024, released code.
    """
    switches = _checked(erasure, null, budget, lengths, query, occurrences)
    curves = _curves(model, inputs, by_sign(scores, sign), targets, unit, grid, switches)
    return [_share(full, null_, np.maximum(0.0, full - erased), reason)
            for full, null_, erased, _, reason in curves]  # fmt: skip


def released_sufficiency(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *,
    unit: str = TOKEN, grid: Sequence[float] = GRID, sign: str = "signed",
    erasure: str = "id_0", null: str = "everything", budget: str = "n_plus_1",
    lengths: str = "repeated", query: str = "erased", occurrences: str = "summed",
) -> list[Measured]:  # fmt: skip
    """Normalised sufficiency as a study's released code computes it; higher is better.

        NS_k = clip( max(0, D0 - max(0, p(x) - p(R_k))) / D0, 0, 1 ),   mean over the lengths k

    The query of a pair is kept with or without its switch, which is about comprehensiveness.

    *Laws*: with all switches "defined" it is `normalised_sufficiency` with the same unit and grid;
    within [0, 1].
    Source: Zhao and Aletras 2024, released code.
    """
    switches = _checked(erasure, null, budget, lengths, query, occurrences)
    curves = _curves(model, inputs, by_sign(scores, sign), targets, unit, grid, switches)
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
    switches: Mapping[str, str],
) -> list[Curve]:
    check_grid(grid)
    sets, reasons = [], []
    for row, attributed in zip(inputs, scores):
        values = np.asarray(attributed, dtype=np.float64)
        if switches["occurrences"] != DEFINED and unit == TOKEN and np.isfinite(values).all():
            values = summed_occurrences(row.ids[row.content], values)
        order, reason = ranked(row, values, unit)
        chosen = tops(row, order, _lengths(len(order), grid, switches), unit)
        sets.append(_erasures(row, chosen, switches))
        reasons.append(reason)
    found = _probabilities(model, inputs, targets, sets, switches["erasure"])
    return [
        (float(many[0]), float(many[1]), many[2::2], many[3::2], why or reason)
        for why, (many, reason) in zip(reasons, found)
    ]


def _erasures(row: Encoded, chosen: Sequence[Erased], switches: Mapping[str, str]) -> list[Erased]:
    """Nothing, the null, then for each length the rationale and all but the rationale."""
    pair = bool((row.segment == 1).any())
    fixed = np.zeros_like(row.content)
    if switches["query"] != DEFINED and pair:
        fixed = (row.segment >= 0) & ~row.content
    empty = row.content
    if switches["null"] != DEFINED and not pair:
        empty = np.ones_like(row.content)
    both = [part for top in chosen for part in (top | fixed, row.content & ~top)]
    return [np.zeros_like(row.content), empty, *both]


def _lengths(n: int, grid: Sequence[float], switches: Mapping[str, str]) -> list[int]:
    if n == 0:
        return []
    counted = n if switches["budget"] == DEFINED else n + 1
    if switches["lengths"] == DEFINED and counted == n:
        return distinct_lengths(n, grid)
    sizes = [min(n, max(1, ceil(ratio * counted - 1e-9))) for ratio in grid]
    return sizes if switches["lengths"] != DEFINED else sorted(set(sizes))


def _probabilities(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    sets: Sequence[Sequence[Erased]],
    erasure: str,
) -> list[tuple[NDArray[np.float64], str]]:
    if erasure == DEFINED:
        return probabilities(model, inputs, targets, sets, None)
    queries = [
        replace(inference.query(row), ids=np.where(gone, 0, row.ids))
        for row, erasures in zip(inputs, sets)
        for gone in erasures
    ]
    outputs = iter(inference.outputs(model, queries))
    return [
        (np.array([float(probability(model, next(outputs), target)) for _ in erasures]), "")
        for target, erasures in zip(targets, sets)
    ]


def _checked(*values: str) -> dict[str, str]:
    for (name, released), value in zip(SWITCHES.items(), values):
        if value not in (released, DEFINED):
            raise InputError(f"{name} {value!r} is not one of: {released}, {DEFINED}")
    return dict(zip(SWITCHES, values))


def _share(full: float, null: float, amounts: NDArray[np.float64], reason: str) -> Measured:
    if reason or len(amounts) == 0 or not np.isfinite([full, null, *amounts]).all():
        return Measured(nan, reason or "there is no rationale")
    drop = max(0.0, full - null)
    if drop < LEAST_DROP:
        return Measured(nan, f"erasing everything lowers the probability by less than {LEAST_DROP}")
    return Measured(float(np.clip(amounts / drop, 0.0, 1.0).mean()))
