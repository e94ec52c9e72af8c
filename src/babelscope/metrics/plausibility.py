"""Do the scores agree with gold rationales, by annotators or by the corpus itself? The model is not
queried.

Notation of the docstrings: n units; G those in the gold rationale; R_k the k units with the highest
scores. Scores are signed: a word that counts against the explained class is not in its rationale.
Undefined (NaN) without a gold rationale, or where it holds none or all of the units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, by_sign, ranked, units
from babelscope.model.load import Model
from babelscope.types import Encoded, Measured, Target

Agreement = Callable[[NDArray[np.bool_], NDArray[np.float64]], float]


def rationale_auroc(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    sign: str = "signed",
) -> list[Measured]:
    """How often a unit of the rationale outscores one outside of it; higher is better.

        P( a_u > a_v ) + P( a_u = a_v ) / 2,    u in G, v not in G

    *Laws*: within [0, 1]; 1/2 for equal scores; negating the scores gives 1 minus it; unchanged by
    strictly increasing maps.
    Source: Mann and Whitney 1947; as the plausibility of soft scores, DeYoung et al. 2020 (ERASER).
    """
    return [
        _agreement(row, attributed, unit, roc_auc_score)
        for row, attributed in zip(inputs, by_sign(scores, sign))
    ]


def rationale_auprc(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    sign: str = "signed",
) -> list[Measured]:
    """Precision averaged over the recall that falling thresholds reach (average precision); higher
    is better.

        sum_j ( recall_j - recall_{j-1} ) precision_j

    j over the distinct scores, from the highest down.

    *Laws*: within [0, 1]; |G| / n for equal scores; 1 where the rationale outscores the rest;
    unchanged by strictly increasing maps.
    *Left open by the paper*: no interpolation between the points of the curve, which would be too
    optimistic.
    Source: DeYoung et al. 2020 (ERASER), AUPRC.
    """
    return [
        _agreement(row, attributed, unit, average_precision_score)
        for row, attributed in zip(inputs, by_sign(scores, sign))
    ]


def rationale_f1(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    k: int = 0,
    sign: str = "signed",
) -> list[Measured]:
    """The harmonic mean of precision and recall of the k highest units; higher is better.

        2 | R_k and G | / ( k + |G| ),    k = |G| unless it is given

    *Laws*: within [0, 1]; 1 where R_k is G; unchanged by strictly increasing maps.
    Source: DeYoung et al. 2020 (ERASER), token F1.
    """
    return [
        _overlap(row, attributed, unit, k, lambda hits, top, gold: 2 * hits / (top + gold))
        for row, attributed in zip(inputs, by_sign(scores, sign))
    ]


def rationale_iou(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    k: int = 0,
    sign: str = "signed",
) -> list[Measured]:
    """The intersection over union of the k highest units and the rationale; higher is better.

        | R_k and G | / | R_k or G |,    k = |G| unless it is given

    *Laws*: within [0, 1]; f / (2 - f) of the F1 f at the same k; unchanged by strictly increasing
    maps.
    *Left open by the paper*: ERASER matches spans that overlap by half; this counts units, as later
    work does.
    Source: DeYoung et al. 2020 (ERASER), intersection over union.
    """
    return [
        _overlap(row, attributed, unit, k, lambda hits, top, gold: hits / (top + gold - hits))
        for row, attributed in zip(inputs, by_sign(scores, sign))
    ]


def rationale_precision(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    k: int = 5,
    sign: str = "signed",
) -> list[Measured]:
    """The share of the k highest units that are in the rationale; higher is better.

        | R_k and G | / min(k, n)

    *Laws*: within [0, 1]; with k of at least n it is |G| / n; unchanged by strictly increasing
    maps.
    Source: precision at k, as in Manning, Raghavan and Schuetze 2008, section 8.4.
    """
    return [
        _overlap(row, attributed, unit, k, lambda hits, top, gold: hits / top)
        for row, attributed in zip(inputs, by_sign(scores, sign))
    ]


def gold(row: Encoded, unit: str) -> NDArray[np.bool_] | None:
    """Which units the gold rationale holds: a token whose word it holds, a larger unit with such a
    word. None where there is no rationale."""
    example = row.example
    if example.rationale is None or example.words is None:
        return None
    marked = {
        (text, span): mark
        for text, (spans, marks) in enumerate(zip(example.words, example.rationale))
        for span, mark in zip(spans, marks)
    }
    words = np.array(
        [marked.get(place, False) for place in zip(row.word_segment, row.word_offsets)], dtype=bool
    )
    if unit == "word":
        return words
    owner, count = units(row, unit)
    inside = owner[row.content]
    marks = np.zeros(count, dtype=bool)
    marks[inside[words[row.word[row.content]] & (inside >= 0)]] = True
    return marks


def _marks(
    row: Encoded, attributed: NDArray[np.float64], unit: str
) -> tuple[NDArray[np.bool_], NDArray[np.int64], str]:
    """Gold marks and the units by descending score, or the reason why there is no value."""
    order, reason = ranked(row, attributed, unit)
    _, n = units(row, unit)
    marks = gold(row, unit)
    if marks is None:
        return np.zeros(n, dtype=bool), order, reason or "there is no gold rationale"
    if not reason and (not marks.any() or marks.all()):
        reason = f"the gold rationale holds {'all' if marks.any() else 'none'} of the {unit}s"
    return marks, order, reason


def _agreement(
    row: Encoded, attributed: NDArray[np.float64], unit: str, agreement: Agreement
) -> Measured:
    marks, _, reason = _marks(row, attributed, unit)
    return (
        Measured(nan, reason)
        if reason
        else Measured(float(agreement(marks, np.asarray(attributed, dtype=np.float64))))
    )


def _overlap(
    row: Encoded,
    attributed: NDArray[np.float64],
    unit: str,
    k: int,
    share: Callable[[int, int, int], float],
) -> Measured:
    if k < 0:
        raise InputError(f"k must be at least 0 (0: as many as the rationale holds), not {k}")
    marks, order, reason = _marks(row, attributed, unit)
    if reason:
        return Measured(nan, reason)
    inside = int(marks.sum())
    top = order[: k or inside]
    return Measured(float(share(int(marks[top].sum()), len(top), inside)))
