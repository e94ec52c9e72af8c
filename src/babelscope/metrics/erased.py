"""Probabilities of inputs with units erased: what the faithfulness metrics are computed from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from babelscope.data.units import TOKEN
from babelscope.errors import InputError
from babelscope.model import inference
from babelscope.model.erase import default_operator, erase_all, moved
from babelscope.model.load import Model
from babelscope.model.targets import probability
from babelscope.model.units import units_of
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Target

Scores = Sequence[NDArray[np.float64]]
Erased = NDArray[np.bool_]
"""The erased tokens of one input."""
SIGNS = ("signed", "abs")
"""How a metric reads scores: as they are, or without their sign."""


def ranking(scores: Float[np.ndarray, " unit"], *key: str) -> Int[np.ndarray, " unit"]:
    """Units from the highest score to the lowest; ties in an order that depends on nothing but the
    key, an example's identity."""
    ties = keyed("ties", *key).permutation(len(scores))
    return np.lexsort((ties, -scores))


def by_sign(scores: Scores, sign: str) -> Scores:
    """The scores that a metric ranks: as they are stored, or |a| of every unit.

        signed  a_u        the unit that most supports the explained class comes first
        abs     |a_u|      the unit with the largest effect in either direction comes first

    A word's score is the signed sum of its tokens' before its absolute value is taken.

    *Laws*: `abs` gives a and -a the same value of every metric; of scores without a negative one
    both give the same.
    *Left open by the paper*: it ranks input x gradient by |a| and all other methods by a.
    Source: Zhao and Aletras 2024.
    """
    if sign not in SIGNS:
        raise InputError(f"sign {sign!r} is not one of: {', '.join(SIGNS)}")
    return scores if sign == "signed" else [np.abs(attributed) for attributed in scores]


def units(row: Encoded, unit: str) -> tuple[NDArray[np.int64], int]:
    """Which unit each token belongs to (-1 where it is not content), and how many there are."""
    if unit == TOKEN:
        return np.where(row.content, np.cumsum(row.content) - 1, -1), int(row.content.sum())
    listed = units_of(row, unit)
    return np.where(row.content, listed.index, -1), len(listed.texts)


def ranked(row: Encoded, scores: NDArray[np.float64], unit: str) -> tuple[NDArray[np.int64], str]:
    """The units by descending score; none, with the reason, where a score is undefined."""
    _, n = units(row, unit)
    if len(scores) != n:
        raise InputError(f"{row.example.id}: {len(scores)} scores for {n} {unit}s")
    undefined = int((~np.isfinite(scores)).sum())
    if undefined:
        return np.zeros(0, dtype=np.int64), f"{undefined} of {n} scores are undefined"
    return ranking(np.asarray(scores, dtype=np.float64), *identity(row)), ""


def tops(row: Encoded, order: NDArray[np.int64], sizes: Sequence[int], unit: str) -> list[Erased]:
    """The tokens of the highest units, for each size."""
    owner, _ = units(row, unit)
    return [np.isin(owner, order[:size]) & row.content for size in sizes]


def missing_probabilities(model: Model) -> str:
    """Why a metric of probabilities is not defined for the model; empty where it is."""
    if model.activation != "none":
        return ""
    return (
        f"{model.name} gives scores without probabilities; use value_comprehensiveness or "
        "value_sufficiency"
    )


def probabilities(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    sets: Sequence[Sequence[Erased]],
    operator: str | None,
    of: Callable[[Model, Tensor, Target], float | Tensor] = probability,
) -> list[tuple[NDArray[np.float64], str]]:
    """Per input the target's probability (or what `of` computes from the output) with each set of
    tokens erased; NaN, and a reason, where it is undefined."""
    reason = missing_probabilities(model) if of is probability else ""
    if reason:
        return [(np.full(len(erasures), nan), reason) for erasures in sets]
    how = operator or default_operator(model)
    queries = iter(
        erase_all(
            model,
            [(row, erased) for row, erasures in zip(inputs, sets) for erased in erasures],
            how,
        )
    )
    answerable: list[inference.Query] = []
    plans: list[tuple[list[tuple[int, Target] | None], str]] = []
    for erasures, target in zip(sets, targets):
        places: list[tuple[int, Target] | None] = []
        reason = ""
        for erased in erasures:
            query = next(queries)
            shifted = moved(target, erased, how, model.row.spans)
            if query is None or shifted is None:
                places.append(None)
                reason = reason or (
                    "nothing is left to read"
                    if query is None
                    else "the explained position is erased"
                )
            else:
                places.append((len(answerable), shifted))
                answerable.append(query)
        plans.append((places, reason))
    outputs = inference.outputs(model, answerable)
    return [
        (
            np.array(
                [nan if at is None else float(of(model, outputs[at[0]], at[1])) for at in places]
            ),
            reason,
        )
        for places, reason in plans
    ]
