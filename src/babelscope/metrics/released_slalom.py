"""Deletion, insertion and agreement with human attention as the SLALOM study's code measures them,
each of its deviations from the definitions here with a name of its own.

    orientation  scores of a text of the first of two classes are negated, as those that speak for
                 the second class have to be; ours already speak for the explained class, so that
                 this concerns scores without a sign, which the code also negates
    occurrences  of a token that occurs several times the first counts
    punctuation  tokens of punctuation do not count; both are of tokens, not of larger units

Without deviations they are `stepwise_deletion`, `stepwise_insertion` and `rationale_auroc` on
tokens.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from babelscope.data.units import TOKEN
from babelscope.metrics.erased import Scores, by_sign, ranked
from babelscope.metrics.plausibility import gold
from babelscope.metrics.stepwise import stepwise_deletion, stepwise_insertion
from babelscope.model.load import Model
from babelscope.options import known_names
from babelscope.types import Encoded, Measured, Target

ORIENTATION = ("orientation",)
COUNTED = ("occurrences", "punctuation")


def released_stepwise_deletion(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = TOKEN,
    operator: str | None = None,
    step: int = 5,
    sign: str = "signed",
    deviations: Sequence[str] = ORIENTATION,
) -> list[Measured]:
    """Stepwise deletion as the SLALOM study's code measures it of scores without a sign; higher is
    better.

        1 - 1/|K| sum_{k in K} p(B_k),    B_k the k lowest of (2 c - 1) a, c the class (0 or 1)

    *Laws*: without deviations, and for the second class, it is `stepwise_deletion`; for the first
    class it is that of the negated scores; within [0, 1]; undefined for other than two classes.
    Source: the released code of Leemann et al. 2024 (SLALOM), tables 2c and 9, importances.
    """
    oriented = _oriented(by_sign(scores, sign), targets, deviations)
    values = stepwise_deletion(
        model, inputs, oriented, targets, unit=unit, operator=operator, step=step
    )
    return _of_two_classes(model, values)


def released_stepwise_insertion(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = TOKEN,
    operator: str | None = None,
    step: int = 5,
    sign: str = "signed",
    deviations: Sequence[str] = ORIENTATION,
) -> list[Measured]:
    """Stepwise insertion as the SLALOM study's code measures it of scores without a sign; lower is
    better.

        1 - 1/|K| sum_{k in K} p(R_k),    R_k the k highest of (2 c - 1) a, c the class (0 or 1)

    *Laws*: without deviations, and for the second class, it is `stepwise_insertion`; for the first
    class it is that of the negated scores; within [0, 1]; undefined for other than two classes.
    Source: the released code of Leemann et al. 2024 (SLALOM), table 9, importances.
    """
    oriented = _oriented(by_sign(scores, sign), targets, deviations)
    values = stepwise_insertion(
        model, inputs, oriented, targets, unit=unit, operator=operator, step=step
    )
    return _of_two_classes(model, values)


def released_rationale_auroc(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = TOKEN,
    sign: str = "abs",
    deviations: Sequence[str] = COUNTED,
) -> list[Measured]:
    """Agreement with the gold rationale as the SLALOM study's code measures it: over the distinct
    tokens that are no punctuation; higher is better.

        P( |a_u| > |a_v| ) + P( |a_u| = |a_v| ) / 2,    u in G, v not in G

    *Laws*: without deviations it is `rationale_auroc` on tokens; within [0, 1].
    Source: the released code of Leemann et al. 2024 (SLALOM), table 2b.
    """
    on = known_names("deviation", deviations, COUNTED)
    return [_agreement(row, each, unit, on) for row, each in zip(inputs, by_sign(scores, sign))]


def counted_tokens(row: Encoded, on: frozenset[str]) -> NDArray[np.bool_]:
    """Which of the content tokens count.

    *Laws*: all of them without deviations; with `occurrences` no token twice.
    """
    content = np.flatnonzero(row.content)
    counts = np.ones(len(content), dtype=np.bool_)
    if "punctuation" in on:
        counts &= ~np.array([_is_punctuation(row, int(at)) for at in content], dtype=np.bool_)
    if "occurrences" in on:
        _, firsts = np.unique(row.ids[content], return_index=True)
        first = np.zeros(len(content), dtype=np.bool_)
        first[firsts] = True
        counts &= first
    return counts


def _is_punctuation(row: Encoded, at: int) -> bool:
    start, end = row.offsets[at]
    text = row.example.texts[row.segment[at]][start:end].strip()
    return bool(text) and all(unicodedata.category(each).startswith("P") for each in text)


def _agreement(
    row: Encoded, attributed: NDArray[np.float64], unit: str, on: frozenset[str]
) -> Measured:
    _, reason = ranked(row, attributed, unit)
    marks = gold(row, unit)
    if marks is None or reason:
        return Measured(nan, reason or "there is no gold rationale")
    kept = counted_tokens(row, on) if unit == TOKEN else np.ones(len(marks), dtype=np.bool_)
    marks, values = marks[kept], np.asarray(attributed, dtype=np.float64)[kept]
    if not marks.any() or marks.all():
        part = "all" if marks.any() else "none"
        return Measured(nan, f"the gold rationale holds {part} of the tokens that count")
    return Measured(float(roc_auc_score(marks, values)))


def _oriented(scores: Scores, targets: Sequence[Target], deviations: Sequence[str]) -> Scores:
    on = known_names("deviation", deviations, ORIENTATION)
    if not on:
        return scores
    return [-each if target.index == 0 else each for each, target in zip(scores, targets)]


def _of_two_classes(model: Model, values: Sequence[Measured]) -> list[Measured]:
    if len(model.labels) == 2:
        return list(values)
    reason = f"the model has {len(model.labels)} classes, not two"
    return [Measured(nan, each.reason or reason) for each in values]
