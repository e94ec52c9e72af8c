"""The value of a text of which only some tokens are kept: the queries of surrogates and Shapley
values.

A coalition is a row of truth values, one per content token (or unit, where the input has others):
kept or erased. Special tokens and fixed parts are always kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from babelscope.model import inference
from babelscope.model.erase import default_operator, erase, moved
from babelscope.model.load import Model
from babelscope.model.targets import cut_off, value
from babelscope.model.units import players, spread
from babelscope.types import Encoded, Explained, Target

Coalitions = Bool[np.ndarray, "coalition token"]
Values = Float[np.ndarray, " coalition"]

AT_ONCE = 1 << 22
"""Tokens in the queries that are held in memory at a time; inference packs far fewer into a
batch."""


def values(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    kept: Sequence[NDArray[np.bool_]],
    operator: str | None,
) -> list[NDArray[np.float64]]:
    """Per input, the explained value of each of its coalitions; NaN where the erasure leaves no
    target.

    Each distinct coalition is computed once, and those of all inputs share batches.
    """
    how = operator or default_operator(model)
    distinct = [np.unique(coalitions, axis=0, return_inverse=True) for coalitions in kept]
    results: list[NDArray[np.float64]] = []
    for start, end in _parts(
        [len(sets) * len(row.ids) for (sets, _), row in zip(distinct, inputs)]
    ):
        erased = [
            (inputs[at], targets[at], _erased(inputs[at], coalition))
            for at in range(start, end)
            for coalition in distinct[at][0]
        ]
        amounts = _amounts(model, erased, how)
        for sets, inverse in distinct[start:end]:
            results.append(amounts[: len(sets)][inverse.reshape(-1)])
            amounts = amounts[len(sets) :]
    return results


def explained(
    model: Model,
    row: Encoded,
    target: Target,
    scores: Float[np.ndarray, " unit"],
    amounts: Values,
    null: float | None,
    flags: tuple[str, ...] = (),
) -> Explained:
    """The scores and the value of the empty text; undefined, with a flag, if one of the coalitions
    has no value."""
    flags += cut_off(model, target, amounts.tolist())
    undefined = int(np.isnan(amounts).sum())
    if not undefined:
        return Explained(spread(row, scores), null, flags)
    count = f"{undefined} of {len(amounts)} coalitions"
    reason = f"undefined: {count} leave no target; erase with another operator"
    return Explained(np.full(int(row.content.sum()), np.nan), None, (*flags, reason))


def every(n: int) -> Coalitions:
    """All sets of n tokens; the first is empty, the last full."""
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


def _parts(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of inputs whose sizes together stay below AT_ONCE, or single ones."""
    start = total = 0
    for at, size in enumerate(sizes):
        if at > start and total + size > AT_ONCE:
            yield start, at
            start, total = at, 0
        total += size
    yield start, len(sizes)


def _erased(row: Encoded, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    erased = np.zeros(len(row.ids), dtype=bool)
    erased[row.content] = ~kept[players(row)]
    return erased


def _amounts(
    model: Model, erased: Sequence[tuple[Encoded, Target, NDArray[np.bool_]]], how: str
) -> Values:
    queries: list[inference.Query] = []
    places: list[tuple[int, Target]] = []
    for at, (row, target, tokens) in enumerate(erased):
        query = erase(model, row, tokens, how)
        shifted = moved(target, tokens, how, model.row.spans)
        if query is not None and shifted is not None:
            queries.append(query)
            places.append((at, shifted))
    amounts = np.full(len(erased), np.nan)
    for output, (at, shifted) in zip(inference.outputs(model, queries), places):
        amounts[at] = float(value(model, output, shifted))
    return amounts
