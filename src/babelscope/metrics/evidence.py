"""The metrics of masked relevance propagation: probability lost along a ranking, and answers among
its highest units."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, by_sign, probabilities, ranked, tops, units
from babelscope.model.load import Model
from babelscope.types import Encoded, Measured, Target

LEAST = 1e-12
"""Smaller probabilities count as this in a logarithm."""


def aopc(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    levels: int = 9,
    sign: str = "signed",
) -> list[Measured]:
    """The probability lost on average while units are erased in the order of their scores, to the
    last; higher is better.

        1/|K| sum_{k in K} [ p(x) - p(x - R_k) ]
        K = { round(n m / levels) : m = 1 .. levels } without 0

    R_k the k highest units of n. Unlike in comprehensiveness, K ends at n, where all rankings erase
    the same.

    *Laws*: within [-1, 1]; 0 for a constant model; unchanged by strictly increasing maps of the
    scores.
    *Left open by the paper*: content units only, the explained class, equal weights for all texts;
    equal k count once. Its code never erases the lowest token, counts special tokens in n, and
    averages over the workers' batches.
    Source: the AOPC of Qiang et al. 2022 and of masked relevance propagation (9 levels, tokens,
    padding).
    """
    return [
        Measured(nan, reason) if reason else Measured(float((full - rest).mean()))
        for full, rest, reason in _levels(
            model, inputs, by_sign(scores, sign), targets, unit, operator, levels
        )
    ]


def lodds(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    levels: int = 9,
    sign: str = "signed",
) -> list[Measured]:
    """The logarithm of the remaining probability, relative to the full text's, along the same
    erasures; lower is better.

        1/|K| sum_{k in K} ln( p(x - R_k) / p(x) )

    The papers call it LOdds, though no odds are in it: it is a ratio of probabilities. The log-odds
    of a class are the quantity `log_odds`, which can be explained.

    *Laws*: 0 for a constant model; unchanged by strictly increasing maps of the scores;
    probabilities below 1e-12 count as 1e-12.
    Source: the LOdds of Qiang et al. 2022 and of masked relevance propagation.
    """
    return [
        Measured(nan, reason)
        if reason
        else Measured(float(np.mean(np.log(np.maximum(rest, LEAST)) - np.log(max(full, LEAST)))))
        for full, rest, reason in _levels(
            model, inputs, by_sign(scores, sign), targets, unit, operator, levels
        )
    ]


def answer_precision(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "token",
    k: int = 20,
    sign: str = "signed",
) -> list[Measured]:
    """The share of the k highest units that lie in the explained answer; higher is better.

        | R_k and S | / min(k, n)        S the units of the answer, R_k the k highest of n

    *Laws*: within [0, 1]; undefined where the model predicts no span. With the gold answer as
    target S is the gold span.
    Source: the question-answering evidence of masked relevance propagation; what it calls precision
    is answer_recall.
    """
    return [
        _share(row, attributed, target, unit, k, model.row.spans, of_answer=False)
        for row, attributed, target in zip(inputs, by_sign(scores, sign), targets)
    ]


def answer_recall(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "token",
    k: int = 20,
    sign: str = "signed",
) -> list[Measured]:
    """The share of the explained answer's units that are among the k highest; higher is better.

        | R_k and S | / |S|

    *Laws*: within [0, 1]; 1 where the answer is a part of R_k; an answer of more than k units
    cannot reach 1.
    *Left open by the paper*: it sums hits and answer lengths over texts before dividing; here every
    text has equal weight.
    Source: "Precision@20" of masked relevance propagation, which is this recall.
    """
    return [
        _share(row, attributed, target, unit, k, model.row.spans, of_answer=True)
        for row, attributed, target in zip(inputs, by_sign(scores, sign), targets)
    ]


def _levels(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    unit: str,
    operator: str | None,
    levels: int,
) -> list[tuple[float, NDArray[np.float64], str]]:
    """Per input: the full text's probability, those along the levels, and the reason where there
    are none."""
    if levels < 1:
        raise InputError(f"levels must be at least 1, not {levels}")
    orders = [ranked(row, attributed, unit) for row, attributed in zip(inputs, scores)]
    sets = []
    for row, (order, _) in zip(inputs, orders):
        n = len(order)
        sizes = sorted({round(n * m / levels) for m in range(1, levels + 1)} - {0})
        sets.append([np.zeros_like(row.content), *tops(row, order, sizes, unit)])
    values = probabilities(model, inputs, targets, sets, operator)
    return [
        (float(many[0]), many[1:], why or reason)
        for (_, why), (many, reason) in zip(orders, values)
    ]


def _share(
    row: Encoded,
    attributed: NDArray[np.float64],
    target: Target,
    unit: str,
    k: int,
    spans: bool,
    of_answer: bool,
) -> Measured:
    if k < 1:
        raise InputError(f"k must be at least 1, not {k}")
    if not spans:
        return Measured(nan, "there is no answer span to find")
    order, reason = ranked(row, attributed, unit)
    if reason:
        return Measured(nan, reason)
    owner, _ = units(row, unit)
    answer = set(owner[target.index : target.end + 1].tolist()) - {-1}
    if not answer:
        return Measured(nan, "the answer is not in the part that is explained")
    top = set(order[:k].tolist())
    return Measured(len(top & answer) / (len(answer) if of_answer else len(top)))
