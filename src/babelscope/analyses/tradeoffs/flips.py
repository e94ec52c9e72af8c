"""The same text in two languages, answered differently: how often, from which class to which, and
which texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from babelscope.analyses.tradeoffs.confidence import Golds


class Flip(NamedTuple):
    """One text that is right in the source and wrong in the target; `confidence` of the wrong
    answer."""

    group: str
    gold: int
    predicted: int
    confidence: float


class Flips(NamedTuple):
    """`rate`: wrong in the target among those right in the source; by gold class, NaN where none
    was right."""

    rate: float
    by_class: Float[np.ndarray, " label"]
    transitions: tuple[tuple[int, int, int], ...]
    """Gold class, class predicted in the target, how often; the most frequent first."""
    agreement: float
    kappa: float
    listed: tuple[Flip, ...]
    """Surest first."""


def flips(
    groups: Sequence[str],
    gold: Golds,
    source: Golds,
    target: Golds,
    confidence: Float[np.ndarray, " example"],
    labels: int,
) -> Flips:
    """Parallel examples whose answer changes with the language.

        rate = P(target wrong | source right);   agreement = P(target = source)
        kappa = (agreement - e) / (1 - e),  e = sum_c P(source = c) P(target = c)

    `source` and `target` are predictions for the same texts in two languages, `confidence` that in
    the target.

    *Laws*: equal predictions have rate 0, agreement 1 and kappa 1; independent ones have kappa
    about 0; the listed flips are as many as the rate says, sorted by falling confidence; the order
    of the examples does not matter (ties by group); kappa is NaN where both always say the same
    class.
    Source: Cohen 1960 (kappa).
    """
    right, lost = source == gold, (source == gold) & (target != gold)
    many = np.bincount(gold[right], minlength=labels)
    by_class = np.divide(
        np.bincount(gold[lost], minlength=labels), many, out=np.full(labels, nan), where=many > 0
    )
    listed = [
        Flip(str(groups[at]), int(gold[at]), int(target[at]), float(confidence[at]))
        for at in np.flatnonzero(lost).tolist()
    ]
    moves = Counter((flip.gold, flip.predicted) for flip in listed)
    agreement = float((source == target).mean()) if len(gold) else nan
    shares = [np.bincount(side, minlength=labels) / max(len(gold), 1) for side in (source, target)]
    chance = float(shares[0] @ shares[1])
    return Flips(
        float(lost.sum() / right.sum()) if right.any() else nan,
        by_class,
        tuple(
            (*move, count)
            for move, count in sorted(moves.items(), key=lambda each: (-each[1], each[0]))
        ),
        agreement,
        (agreement - chance) / (1 - chance) if chance < 1 - 1e-12 else nan,
        tuple(sorted(listed, key=lambda flip: (-flip.confidence, flip.group))),
    )
