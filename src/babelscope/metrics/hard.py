"""Faithfulness by erasing whole units: sufficiency and comprehensiveness, raw and normalised.

Notation of the docstrings: p(.) the probability of the explained class c; x the input; n its number
of content units (tokens or words); R_k the k units with the highest scores; x - R the input with R
erased; K = { max(1, ceil(r n)) : r in grid } the *distinct* rationale lengths, so that short texts
do not count the same rationale twice (with the usual grid and n = 10 the lengths 1, 1, 1, 2, 5 are
three rationales, not five). Special tokens and fixed parts are in every input.

Choices left open by the papers, the same for all four: ties in the scores are broken at random,
keyed to the example, because any fixed order would score a constant attribution like a positional
one; the 100 % point is not in the grid, as it is the same for every attribution.

With `sampled` = m > 0 the mean is over m of the lengths K, chosen at random for every text but the
same for all methods, models and metrics: an unbiased estimate of the mean over K. Texts differ more
from each other than lengths do, so more texts with fewer lengths each give as narrow an interval of
a mean over texts for fewer inputs. The value of a single text is then an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, nan

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, by_sign, probabilities, ranked, tops
from babelscope.model.inference import query
from babelscope.model.inference_state import ErasureCurve, ErasureKey
from babelscope.model.load import Model
from babelscope.random import keyed
from babelscope.types import Encoded, Measured, Target

GRID = (0.01, 0.05, 0.10, 0.20, 0.50)
"""ERASER's rationale lengths."""
LEAST_DROP = 1e-3
"""A normalised metric is undefined where erasing everything lowers the probability by less."""


def comprehensiveness(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    grid: Sequence[float] = GRID,
    sign: str = "signed",
    sampled: int = 0,
) -> list[Measured]:
    """How far the probability falls when the highest scored units are erased; higher is better.

        1/|K| sum_{k in K} [ p(x) - p(x - R_k) ]

    *Laws*: within [-1, 1]; 0 for a constant model; unchanged by strictly increasing maps of the
    scores; on a model that is additive in its units, the true weights are the best of all rankings.
    Source: DeYoung et al. 2020 (ERASER), eq. 1, and its AOPC.
    """
    return [
        _mean(path.full - path.erased, path.reason)
        for path in _paths(
            model, inputs, by_sign(scores, sign), targets, unit, operator, grid, sampled
        )
    ]


def sufficiency(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    grid: Sequence[float] = GRID,
    sign: str = "signed",
    sampled: int = 0,
) -> list[Measured]:
    """How far the probability falls when only the highest scored units are kept; lower is better.

        1/|K| sum_{k in K} [ p(x) - p(R_k) ]

    *Laws*: within [-1, 1]; 0 for a constant model; unchanged by strictly increasing maps of the
    scores; keeping R is erasing the rest, to the bit.
    Source: DeYoung et al. 2020 (ERASER), eq. 2, and its AOPC.
    """
    return [
        _mean(path.full - path.kept, path.reason)
        for path in _paths(
            model, inputs, by_sign(scores, sign), targets, unit, operator, grid, sampled
        )
    ]


def normalised_comprehensiveness(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    grid: Sequence[float] = GRID,
    sign: str = "signed",
    sampled: int = 0,
) -> list[Measured]:
    """Comprehensiveness as a share of the fall when everything is erased; higher is better.

        NC_k = clip( max(0, p(x) - p(x - R_k)) / D0, 0, 1 ),   mean over K
        D0 = max(0, p(x) - p(null))

    null: all content units erased by the same operator, special tokens and fixed parts kept.

    *Laws*: within [0, 1]; 0 at k = 0 and 1 at k = n; undefined (NaN) where D0 < 1e-3.
    Source: Carton, Rathore and Tan 2020; Zhao and Aletras 2023, 2024.
    """
    paths = _paths(model, inputs, by_sign(scores, sign), targets, unit, operator, grid, sampled)
    return [_share(path, np.maximum(0.0, path.full - path.erased)) for path in paths]


def normalised_sufficiency(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    grid: Sequence[float] = GRID,
    sign: str = "signed",
    sampled: int = 0,
) -> list[Measured]:
    """How much of the fall to an erased text the highest scored units alone prevent; higher is
    better.

        NS_k = clip( max(0, S_k - S_0) / (1 - S_0), 0, 1 ),   mean over K
        S_k = 1 - max(0, p(x) - p(R_k)),   S_0 = 1 - D0

    *Laws*: within [0, 1]; 0 at k = 0 and 1 at k = n; undefined (NaN) where D0 < 1e-3.
    Source: Carton, Rathore and Tan 2020; Zhao and Aletras 2023, 2024.
    """
    paths = _paths(model, inputs, by_sign(scores, sign), targets, unit, operator, grid, sampled)
    return [
        _share(path, np.maximum(0.0, path.drop - np.maximum(0.0, path.full - path.kept)))
        for path in paths
    ]


def pooled_shares(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    grid: Sequence[float] = GRID,
) -> tuple[float, float]:
    """Normalised comprehensiveness and sufficiency pooled over texts, so that none is excluded.

        NC* = sum_i C_i / sum_i D0_i,   C_i = mean over K of max(0, p(x) - p(x - R_k))
        NS* = sum_i S_i / sum_i D0_i,   S_i = mean over K of max(0, D0_i - max(0, p(x) - p(R_k)))

    *Laws*: for one text with D0 the two normalised metrics, where erasing a part lowers p no
    further than erasing all; a text with D0 = 0 changes NC* only by its C_i and NS* not at all; NaN
    where no text has a fall.
    Source: this project; a ratio of sums, in which each text weighs as much as its fall D0.
    """
    paths = [
        path
        for path in _paths(model, inputs, scores, targets, unit, operator, grid)
        if not path.reason
    ]
    total = sum(path.drop for path in paths)
    lost = sum(float(np.maximum(0.0, path.full - path.erased).mean()) for path in paths)
    saved = sum(
        float(np.maximum(0.0, path.drop - np.maximum(0.0, path.full - path.kept)).mean())
        for path in paths
    )
    return (lost / total, saved / total) if total > 0 else (nan, nan)


def check_grid(grid: Sequence[float]) -> None:
    if not grid or not all(0 < ratio <= 1 for ratio in grid):
        raise InputError(f"a grid holds shares above 0 and up to 1, not {tuple(grid)}")


def check_sampled(sampled: int) -> None:
    if sampled < 0:
        raise InputError(f"sampled is a number of lengths, or 0 for all of them, not {sampled}")


def lengths(n: int, grid: Sequence[float]) -> list[int]:
    """The distinct rationale lengths K, ascending."""
    return sorted({min(n, max(1, ceil(ratio * n - 1e-9))) for ratio in grid})


def sampled_lengths(row: Encoded, n: int, grid: Sequence[float], sampled: int) -> list[int]:
    """The lengths of K that are measured on a text: all, or a systematic sample.

        { K[floor((u + j) |K| / m)] : j = 0 .. m-1 },   u uniform on [0, 1)

    *Laws*: every length of K is among them with probability m / |K|; they are min(m, |K|) distinct
    ones; u depends on the text alone, not on model, method or metric.
    Source: Cochran 1977, chapter 8 (systematic sampling).
    """
    every = lengths(n, grid) if n else []
    if sampled in range(1, len(every)):
        example = row.example
        start = keyed("rationale lengths", example.id, example.lang, *example.texts).random()
        return [every[int((start + at) * len(every) / sampled)] for at in range(sampled)]
    return every


def _paths(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    unit: str,
    operator: str | None,
    grid: Sequence[float],
    sampled: int = 0,
) -> list[ErasureCurve]:
    check_grid(grid)
    check_sampled(sampled)
    known = {} if model.inference.cache is None else model.inference.cache.erasures
    keys = [
        ErasureKey(*_identity(row, attributed), target, unit, operator, tuple(grid), sampled)
        for row, attributed, target in zip(inputs, scores, targets)
    ]
    new = {key: at for at, key in enumerate(keys) if key not in known}
    orders = [ranked(inputs[at], scores[at], unit) for at in new.values()]
    sets = []
    for at, (order, _) in zip(new.values(), orders):
        row = inputs[at]
        chosen = tops(row, order, sampled_lengths(row, len(order), grid, sampled), unit)
        sets.append(
            [
                np.zeros_like(row.content),
                row.content,
                *(tokens for top in chosen for tokens in (top, row.content & ~top)),
            ]
        )
    rows, wanted = [inputs[at] for at in new.values()], [targets[at] for at in new.values()]
    for key, (_, why), (many, reason) in zip(
        new, orders, probabilities(model, rows, wanted, sets, operator)
    ):
        known[key] = ErasureCurve(
            float(many[0]), float(many[1]), many[2::2], many[3::2], why or reason
        )
    return [known[key] for key in keys]


def _identity(row: Encoded, scores: NDArray[np.float64]) -> tuple[str, bytes, bytes, bytes, bytes]:
    """What determines a path besides the target and the options: the key under which metrics share
    it."""
    values = np.asarray(scores, dtype=np.float64).tobytes()
    name = f"{row.example.lang} {row.example.id}"
    units = row.word if row.units is None else row.units.index
    return name, query(row).digest(), row.content.tobytes(), units.tobytes(), values


def _mean(values: NDArray[np.float64], reason: str) -> Measured:
    if len(values) == 0 or not np.isfinite(values).all():
        return Measured(nan, reason)
    return Measured(float(values.mean()))


def _share(path: ErasureCurve, amounts: NDArray[np.float64]) -> Measured:
    if not np.isfinite(path.null):
        return Measured(nan, path.reason)
    if path.drop < LEAST_DROP:
        return Measured(nan, f"erasing everything lowers the probability by less than {LEAST_DROP}")
    return _mean(np.clip(amounts / path.drop, 0.0, 1.0), path.reason)
