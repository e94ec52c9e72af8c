"""Is one source language more consistent with the others than another is? Paired by text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.stats import estimate
from babelscope.stats.corrections import holm
from babelscope.stats.paired import sign_flip


class SourceTest(NamedTuple):
    """The lift of the first source less that of the second, over the targets that both have."""

    first: str
    second: str
    targets: int
    texts: int
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    """By Holm over all pairs of sources."""


def source_tests(comparisons: Sequence[Comparison], *, seed: int = 0) -> list[SourceTest]:
    """Every two source languages, on the same texts and targets.

        d_i = mean over t not in {s, s'} of lift_i(s, t) - lift_i(s', t)

    with i a text that both compared; the interval is by cluster of texts, p by sign flips of
    clusters, adjusted by Holm over the pairs. Targets that are one of the two sources are left out:
    a source is always most like itself.

    *Laws*: exchanging the sources negates the difference and keeps p; equal lifts have p = 1; a
    pair without a common target or text is undefined and takes no part in the correction.
    Source: the study of consistency claims a most consistent source from means without a test.
    """
    rows = []
    for first, second in combinations(comparisons, 2):
        apart = {first.source, second.source}
        left, right = _lifts(first, apart), _lifts(second, apart)
        common = sorted(set(left) & set(right))
        texts: dict[str, list[float]] = {}
        for text, lang in common:
            texts.setdefault(text, []).append(left[text, lang] - right[text, lang])
        differences = [float(np.mean(each)) for each in texts.values()]
        cluster = {pair.id: pair.cluster for pair in first.pairs}
        groups = [cluster[text] for text in texts]
        mean, test = estimate(differences, groups), sign_flip(differences, groups, seed=seed)
        targets = len({lang for _, lang in common})
        place = (first.source, second.source, targets, len(texts))
        rows.append((*place, mean.mean, mean.low, mean.high, test.p))
    adjusted = _adjusted([row[-1] for row in rows])
    return [SourceTest(*row, each) for row, each in zip(rows, adjusted)]


def _lifts(comparison: Comparison, apart: set[str]) -> Mapping[tuple[str, str], float]:
    """The lift of every text and target, without undefined ones."""
    return {
        (pair.id, pair.lang): pair.score.lift
        for pair in comparison.pairs
        if pair.lang not in apart and np.isfinite(pair.score.lift)
    }


def _adjusted(p: Sequence[float]) -> list[float]:
    defined = [each for each in p if np.isfinite(each)]
    corrected = iter(holm(defined))
    return [next(corrected) if np.isfinite(each) else each for each in p]
