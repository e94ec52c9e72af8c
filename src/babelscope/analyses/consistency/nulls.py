"""What C is read against: equal weights, permuted weights, and the translation of another text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from babelscope.analyses.consistency.transport import Similarity, transport, transport_value
from babelscope.random import keyed
from babelscope.types import UnitScores

SourceShares = Float[np.ndarray, "source sign"]
TargetShares = Float[np.ndarray, "target sign"]
Segments = tuple[Sequence[int], Sequence[int]]
"""The text of a pair (premise, hypothesis) that each unit is in, of the source and of the target.
"""


def uniform(similarity: Similarity) -> float:
    """C_unif: C if every unit had the same weight, which is the similarity of the two texts and no
    explanation at all.

        C_unif = C with a = 1/m, b = 1/n

    With as many units on both sides it is the best assignment over n (Birkhoff), which is quicker.
    """
    # Imported here: a study file is validated without scipy, which takes most of a second.
    from scipy.optimize import linear_sum_assignment

    m, n = similarity.shape
    clipped = np.clip(similarity, 0.0, 1.0)
    if m == n:
        rows, columns = linear_sum_assignment(clipped, maximize=True)
        return float(clipped[rows, columns].mean())
    return transport(np.full(m, 1 / m), np.full(n, 1 / n), clipped)[0]


def permuted(
    source: SourceShares,
    target: TargetShares,
    similarity: Similarity,
    segments: Segments | None,
    permutations: int,
    key: tuple[str | int, ...],
) -> Float[np.ndarray, " permutation"]:
    """C of `permutations` pairs of permutations: the same weights on other words of the same texts.

    Similarities are in [0, 1]. With `segments`, weights are permuted within each text of a pair.
    """
    rng = keyed(*key, "permuted weights")
    sides = segments or ([0] * len(source), [0] * len(target))
    places = [_by_segment(side) for side in sides]
    values = []
    for _ in range(permutations):
        mixed = [side.copy() for side in (source, target)]
        for side, groups, before in zip(mixed, places, (source, target)):
            for group in groups:
                side[group] = before[rng.permutation(group)]
        values.append(_value(mixed[0], mixed[1], similarity))
    return np.array(values, dtype=np.float64)


def partners(rows: Mapping[str, UnitScores], seed: int) -> dict[str, UnitScores]:
    """For every text another one of like length, for C_mis.

    It is the next one in order of length (for the last: the one before); ties are in a random
    order.
    """
    usable = [row for row in rows.values() if not row.reason and row.units]

    def place(row: UnitScores) -> tuple[int, float, str]:
        return len(row.units), keyed(seed, "another text", row.id).random(), row.id

    order = sorted(usable, key=place)
    if len(order) < 2:
        return {}
    following = [*order[1:], order[-2]]
    return {row.id: other for row, other in zip(order, following)}


def _by_segment(side: Sequence[int]) -> list[np.ndarray]:
    return [np.flatnonzero(np.asarray(side) == name) for name in dict.fromkeys(side)]


def _value(source: SourceShares, target: TargetShares, similarity: Similarity) -> float:
    signs = range(source.shape[1])
    return sum(transport_value(source[:, sign], target[:, sign], similarity) for sign in signs)
