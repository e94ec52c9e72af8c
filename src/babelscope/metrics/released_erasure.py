"""AOPC and LOdds as the released code of masked relevance propagation computes them, each of its
deviations from the written definition with a name of its own.

Without deviations they are `aopc` and `lodds` on tokens with padding; with the default ones they
are the released ones.

    erasure   an erased token has the id 0 (padding for most BERTs, <s> for RoBERTa, "!" for GPT-2)
    budget    k is a share of all tokens, special ones included, which are never erased: the last
              levels erase the same
    last      the lowest token of the ranking is never erased; with `budget` it is a special one
    levels    equal k of several levels are counted as often, not once
    types     the model is not told which text of a pair a token belongs to
    absolute  AOPC is the mean of |p(x) - p(x - R_k)|: in notebooks of AttCAT, not a default

The code ranks special tokens with all others and skips them; here, where they have no score, they
come last, as they do where they get no relevance. Its means over the batches of its workers are not
well defined and not offered. It recognises special tokens by the names that BERT gives them, and so
erases those of other models; they have no scores here, and stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from babelscope.data.units import TOKEN
from babelscope.errors import InputError
from babelscope.metrics.erased import (
    Erased,
    Scores,
    by_sign,
    probabilities,
    ranked,
    tops,
)
from babelscope.metrics.evidence import LEAST
from babelscope.metrics.released import probabilities_by_id
from babelscope.model.load import Model
from babelscope.options import known_names
from babelscope.types import Encoded, Measured, Target

PAD = "pad"
DEFAULT = ("erasure", "budget", "last", "levels", "types")
DEVIATIONS = (*DEFAULT, "absolute")


def released_aopc(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = TOKEN,
    levels: int = 9,
    sign: str = "signed",
    deviations: Sequence[str] = DEFAULT,
) -> list[Measured]:
    """AOPC as a study's released code computes it; higher is better.

        1/|K| sum_{k in K} [ p(x) - p(x - R_k) ]

    *Laws*: without deviations it is `aopc` on tokens with padding; within [-1, 1]; 0 for a constant
    model.
    Source: the released code of masked relevance propagation (arXiv 2401.09972); `absolute`: that
    of Qiang et al. 2022.
    """
    on = known_names("deviation", deviations, DEVIATIONS)
    measured = []
    for full, rest, reason in _levels(
        model, inputs, by_sign(scores, sign), targets, unit, levels, on
    ):
        lost = np.abs(full - rest) if "absolute" in on else full - rest
        measured.append(Measured(nan, reason) if reason else Measured(float(lost.mean())))
    return measured


def released_lodds(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = TOKEN,
    levels: int = 9,
    sign: str = "signed",
    deviations: Sequence[str] = DEFAULT,
) -> list[Measured]:
    """LOdds as a study's released code computes it; lower is better.

        1/|K| sum_{k in K} ln( p(x - R_k) / p(x) )

    *Laws*: without deviations it is `lodds` on tokens with padding; 0 for a constant model.
    Source: the released code of masked relevance propagation (arXiv 2401.09972).
    """
    on = known_names("deviation", deviations, DEVIATIONS)
    return [
        Measured(nan, reason)
        if reason
        else Measured(float(np.mean(np.log(np.maximum(rest, LEAST)) - np.log(max(full, LEAST)))))
        for full, rest, reason in _levels(
            model, inputs, by_sign(scores, sign), targets, unit, levels, on
        )
    ]


def sizes(units: int, whole: int, levels: int, on: frozenset[str]) -> list[int]:
    """How many of the units are erased at each level; `whole` counts special tokens as well.

        k_m = min( units, round(n m / levels) ),    n = whole with `budget`, else units;
        with `last` at most n - 1

    *Laws*: never falls; ends at `units` without deviations.
    """
    n = whole if "budget" in on else units
    most = n - 1 if "last" in on else n
    listed = [min(units, most, round(n * m / levels)) for m in range(1, levels + 1)]
    return listed if "levels" in on else sorted(set(listed) - {0})


def _levels(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    unit: str,
    levels: int,
    on: frozenset[str],
) -> list[tuple[float, NDArray[np.float64], str]]:
    """Per input: the full text's probability, those along the levels, and the reason where there
    are none."""
    if levels < 1:
        raise InputError(f"levels must be at least 1, not {levels}")
    rows = [_untyped(row) for row in inputs] if "types" in on else list(inputs)
    orders = [ranked(row, attributed, unit) for row, attributed in zip(rows, scores)]
    sets = []
    for row, (order, _) in zip(rows, orders):
        others = int((~row.content).sum())
        chosen = sizes(len(order), len(order) + others, levels, on)
        sets.append([np.zeros_like(row.content), *tops(row, order, chosen, unit)])
    read = probabilities_by_id if "erasure" in on else _by_padding
    return [
        (float(many[0]), many[1:], why or reason or ("" if len(many) > 1 else "nothing is erased"))
        for (_, why), (many, reason) in zip(orders, read(model, rows, targets, sets))
    ]


Probabilities = list[tuple[NDArray[np.float64], str]]


def _by_padding(
    model: Model,
    rows: Sequence[Encoded],
    targets: Sequence[Target],
    sets: Sequence[Sequence[Erased]],
) -> Probabilities:
    return probabilities(model, rows, targets, sets, PAD)


def _untyped(row: Encoded) -> Encoded:
    return row if row.types is None else replace(row, types=np.zeros_like(row.types))
