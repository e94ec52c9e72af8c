"""The value of a text of which only some tokens are kept: what surrogates and Shapley values ask of the model.

A coalition is a row of truth values, one per content token: kept or erased. Special tokens and fixed parts are always kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from babelscope.model import inference
from babelscope.model.erase import default_operator, erase, moved
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.types import Encoded, Explained, Target

Coalitions = Bool[np.ndarray, "coalition token"]
Values = Float[np.ndarray, " coalition"]

AT_ONCE = 1 << 22
"""Tokens in the queries that are held at a time; a call of the door packs far fewer into a batch."""


def values(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    kept: Sequence[NDArray[np.bool_]],
    operator: str | None,
) -> list[NDArray[np.float64]]:
    """Per input, the explained value of each of its coalitions; NaN where the erasure leaves no target to read.

    Each distinct coalition is computed once, and those of all inputs go through the door together.
    """
    how = operator or default_operator(model)
    distinct = [np.unique(mine, axis=0, return_inverse=True) for mine in kept]
    found: list[NDArray[np.float64]] = []
    for start, end in _parts([len(mine) * len(row.ids) for (mine, _), row in zip(distinct, inputs)]):
        here = [(inputs[at], targets[at], distinct[at][0]) for at in range(start, end)]
        amounts = _amounts(model, [(row, target, _gone(row, one)) for row, target, mine in here for one in mine], how)
        for mine, back in distinct[start:end]:
            found.append(amounts[: len(mine)][back.reshape(-1)])
            amounts = amounts[len(mine) :]
    return found


def explained(
    scores: Float[np.ndarray, " token"], amounts: Values, null: float | None, flags: tuple[str, ...] = ()
) -> Explained:
    """The scores and the value of the empty text; undefined, with a flag, if one of the coalitions has no value."""
    lost = int(np.isnan(amounts).sum())
    if not lost:
        return Explained(scores, null, flags)
    reason = f"undefined: {lost} of {len(amounts)} coalitions leave no target; erase with another operator"
    return Explained(np.full(len(scores), np.nan), None, (*flags, reason))


def _parts(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of inputs whose sizes together stay below AT_ONCE, or single ones."""
    start = total = 0
    for at, size in enumerate(sizes):
        if at > start and total + size > AT_ONCE:
            yield start, at
            start, total = at, 0
        total += size
    yield start, len(sizes)


def _gone(row: Encoded, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    gone = np.zeros(len(row.ids), dtype=bool)
    gone[row.content] = ~kept
    return gone


def _amounts(model: Model, erased: Sequence[tuple[Encoded, Target, NDArray[np.bool_]]], how: str) -> Values:
    queries: list[inference.Query] = []
    places: list[tuple[int, Target]] = []
    for at, (row, target, gone) in enumerate(erased):
        asked = erase(model, row, gone, how)
        there = moved(target, gone, how, model.row.spans)
        if asked is not None and there is not None:
            queries.append(asked)
            places.append((at, there))
    amounts = np.full(len(erased), np.nan)
    for output, (at, there) in zip(inference.outputs(model, queries), places):
        amounts[at] = float(value(model, output, there))
    return amounts
