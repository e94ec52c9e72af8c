"""How much a mask depends on its thresholds, and how much masks of two languages agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from babelscope.errors import InputError
from babelscope.model.head_masks import HeadMask
from babelscope.model.head_statistics import HeadStatistics, accuracy, syntactic

MARGINS = (-0.3, -0.2, -0.1, 0.0, 0.05, 0.1, 0.2)
"""Below 0 a head passes that is worse than a fixed distance: not the method, but it says how far
from it a model is."""
POSITIONALS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9)


class Step(NamedTuple):
    """A point of the curve: two thresholds, and how many heads pass one, the other, and either."""

    margin: float
    positional: float
    synt: int
    pos: int
    kept: int


class Agreement(NamedTuple):
    """Two masks over the same heads; NaN where a number is undefined."""

    one: str
    two: str
    common: int
    either: int
    jaccard: float
    kappa: float


def sensitivity(
    statistics: HeadStatistics,
    *,
    margins: Sequence[float] = MARGINS,
    positionals: Sequence[float] = POSITIONALS,
) -> list[Step]:
    """How many heads are kept as the thresholds vary, for every pair of them.

        kept(margin, positional) = sum over l, h of (synt[l, h](margin) or pos[l, h](positional))

    synt and pos as in `head_mask`.

    *Laws*: synt, pos and kept never grow with a threshold; kept is what `head_mask` keeps.
    """
    steps = []
    for margin in margins:
        synt = syntactic(statistics, margin).any(axis=-1)
        for least in positionals:
            pos = statistics.positional > least
            counts = (int(heads.sum()) for heads in (synt, pos, synt | pos))
            steps.append(Step(margin, least, *counts))
    return steps


def agreement(first: HeadMask, second: HeadMask) -> Agreement:
    """Whether two masks keep the same heads.

        jaccard = |A and B| / |A or B|;   kappa = (p - e) / (1 - e)

    A, B the kept heads; p the share of heads on which the masks agree, e that share if each kept as
    many heads by chance.

    *Laws*: symmetric; 1 for equal masks; the order of the heads has no part in it. Jaccard is
    undefined if both masks are empty, kappa if both are empty or both full.
    Sources: Jaccard 1901; Cohen 1960.
    """
    if first.shape != second.shape:
        shapes = (first.shape, second.shape)
        sizes = " and ".join(f"{layers} layers of {heads} heads" for layers, heads in shapes)
        raise InputError(f"masks of {sizes} cannot be compared: they are of different models")
    a, b = (np.array(mask.keep, dtype=bool) for mask in (first, second))
    common, either = int((a & b).sum()), int((a | b).sum())
    jaccard = common / either if either else float("nan")
    return Agreement(first.lang, second.lang, common, either, jaccard, _kappa(a, b))


def _kappa(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> float:
    chance = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
    return float(((a == b).mean() - chance) / (1 - chance)) if chance < 1 else float("nan")


def agreements(masks: Mapping[str, HeadMask]) -> list[Agreement]:
    """The agreement of every two masks, under the names that they have here."""
    pairs = combinations(masks, 2)
    return [agreement(masks[a], masks[b])._replace(one=a, two=b) for a, b in pairs]


def likeness(first: HeadStatistics, second: HeadStatistics) -> float:
    """Whether the same heads are good at the same relations, whatever the thresholds.

        mean over k of the rank correlation, over heads, of acc[l, h, k] in the one and the other

    acc as in `accuracy`, ranks with ties at their mean. NaN if no relation has accuracies that
    differ in both.

    *Laws*: symmetric; in [-1, 1]; 1 for the same statistics; the order of the heads has no part in
    it.
    Source: Spearman 1904.
    """
    if (first.shape, first.relations) != (second.shape, second.relations):
        raise InputError("statistics of different models or relations cannot be compared")
    by_relation = (accuracy(each).reshape(-1, len(each.relations)).T for each in (first, second))
    correlations = []
    for a, b in zip(*by_relation):
        ranks = [rankdata(each) for each in (a, b)]
        if not np.isnan([a, b]).any() and all(np.ptp(each) > 0 for each in ranks):
            correlations.append(float(np.corrcoef(*ranks)[0, 1]))
    return float(np.mean(correlations)) if correlations else float("nan")
