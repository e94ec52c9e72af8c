"""Samples of the coverage benchmark that are computed one by one, by the functions of the analyses
themselves: similarity of states, use of a vocabulary, calibration, attention heads, classes,
several sources of variation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import norm

from babelscope.analyses.heads.findings import HeadAccuracy
from babelscope.analyses.tokenization.counts import efficiency
from babelscope.analyses.tradeoffs.activations import FOLDS, gram, hsic, jackknifed, similarity
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.stats.calibration import claimed, reliability
from babelscope.stats.classes import macro_f1
from babelscope.stats.jackknife import bounds

SLOW = 400
"""Repetitions."""
TEXTS = 4
"""Dependent texts in a group."""

Array = np.ndarray
Sample = Callable[[np.random.Generator, int], tuple[Array, Array]]
"""From the number of groups to the bounds of every repetition less the truth."""


def repeated(once: Callable[[np.random.Generator, int], tuple[float, float, float]]) -> Sample:
    """SLOW samples; each gives low, high and the truth."""

    def sample(rng: np.random.Generator, groups: int) -> tuple[Array, Array]:
        low, high, truth = np.array([once(rng, groups) for _ in range(SLOW)], dtype=float).T
        return low - truth, high - truth

    return sample


def _maps() -> tuple[Array, Array]:
    """How two models show eight features in 16 dimensions, half of which they share."""
    first, second = np.random.default_rng(0).standard_normal((2, 8, 16))
    second[:, :8] = first[:, :8]
    return first, second


NOISE = 0.5
"""Variance of what a model adds to every dimension."""


def similar_states(rng: np.random.Generator, groups: int) -> tuple[float, float, float]:
    """The debiased CKA of two models, as `activations_table` computes it: folds of groups are left
    out. Its truth is that of the covariances.
    """
    maps = _maps()
    owner = np.repeat(np.arange(groups), TEXTS)
    features = np.sqrt(0.3) * rng.standard_normal((groups, 8))[owner]
    features = features + np.sqrt(0.7) * rng.standard_normal((len(owner), 8))
    folds = rng.integers(FOLDS, size=groups)[owner]
    sides = []
    for each in maps:
        noise = np.sqrt(NOISE) * rng.standard_normal((len(owner), 16))
        sides.append(gram(features @ each + noise, folds))
    k, l = sides
    replicates = similarity(hsic(k, l), hsic(k, k), hsic(l, l))
    interval = jackknifed(replicates[[0, *(1 + np.unique(folds))]])
    own = [np.linalg.norm(each.T @ each + NOISE * np.eye(16)) for each in maps]
    truth = np.linalg.norm(maps[0].T @ maps[1]) ** 2 / (own[0] * own[1])
    return interval.low, interval.high, float(truth)


VOCABULARY = 5000
ZIPF = 1 / np.arange(1, 301)
ZIPF = ZIPF / ZIPF.sum()


def vocabulary_use(rng: np.random.Generator, groups: int) -> tuple[float, float, float]:
    """Renyi's efficiency of 20 tokens a text by Zipf's law; the texts of a group share a topic."""
    topics = rng.dirichlet(200 * ZIPF, groups)
    uses = np.stack([rng.multinomial(20 * TEXTS, topic) for topic in topics]).astype(float)
    total = uses.sum(axis=0, keepdims=True)
    left_out = efficiency(total - uses, VOCABULARY)[:, None]
    low, high = bounds(efficiency(total, VOCABULARY), [left_out], scale="share")
    return float(low[0]), float(high[0]), float(efficiency(ZIPF[None], VOCABULARY)[0])


def calibrated(rng: np.random.Generator, groups: int) -> tuple[float, float, float]:
    """How often a calibrated model is right in the texts of which it is most nearly as sure as of
    a new one; every text is a group."""
    sure, new = rng.uniform(0.5, 1.0, groups).tolist(), float(rng.uniform(0.5, 1.0))
    estimate = reliability(new, sure, (rng.random(groups) < np.array(sure)).tolist())
    return estimate.low, estimate.high, claimed(new, sure)


def followed_relation(rng: np.random.Generator, groups: int) -> tuple[float, float, float]:
    """The accuracy of a head in three pairs of words of each sentence, slightly dependent."""
    latent = np.sqrt(0.1) * rng.standard_normal((groups, 1))
    latent = latent + np.sqrt(0.9) * rng.standard_normal((groups, 3))
    hits = int((latent < norm.ppf(0.6)).sum())
    low, high = HeadAccuracy("en", "0.0", "nsubj", hits, 3 * groups, 0.5).interval
    return low, high, 0.6


CLASSES = np.array([[0.40, 0.06, 0.04], [0.06, 0.21, 0.03], [0.04, 0.03, 0.13]])
"""Probabilities of gold class and prediction."""


def classified(rng: np.random.Generator, groups: int) -> tuple[float, float, float]:
    """Macro-F1 over three classes of unequal frequency; texts of a group tend to share the cell of
    the table that they fall into. The truth is that of the expected counts."""
    common = np.repeat(rng.choice(9, groups, p=CLASSES.ravel()), TEXTS)
    alone = rng.choice(9, groups * TEXTS, p=CLASSES.ravel())
    cells = np.where(rng.random(groups * TEXTS) < 0.3, common, alone)
    clusters = np.repeat(np.arange(groups), TEXTS).astype(str).tolist()
    estimate = macro_f1(*(part.astype(str).tolist() for part in divmod(cells, 3)), clusters)
    truth = 2 * np.diag(CLASSES) / (CLASSES.sum(axis=0) + CLASSES.sum(axis=1))
    return estimate.low, estimate.high, float(truth.mean())


def gap_over_seeds(rng: np.random.Generator, groups: int) -> tuple[float, float, float]:
    """The difference of two models' accuracies (.8 and .6) on the same texts, three seeds each that
    vary as well."""
    text = rng.standard_normal((1, 1, 1, groups))
    seed = 0.3 * rng.standard_normal((3, 2, 1, 1))
    noise = rng.standard_normal((3, 2, 1, groups))
    limits = norm.ppf([0.8, 0.6])[None, :, None, None] * np.sqrt(2.09)
    right = (text + seed + noise < limits).astype(float)
    interval = intervals(
        right, list(map(str, range(groups))), lambda a: a[..., 0, 0] - a[..., 1, 0]
    )
    return float(interval.low), float(interval.high), 0.2


def other_texts(rng: np.random.Generator, groups: int) -> tuple[float, float, float]:
    """The difference of a model's accuracies in two languages (.8 and .6) whose texts are not the
    same ones, so many groups of four in each."""
    count = groups * TEXTS
    right = np.full((1, 1, 2, 2 * count), np.nan)
    for lang, limit in enumerate(norm.ppf([0.8, 0.6])):
        common = np.repeat(rng.standard_normal(groups), TEXTS)
        latent = np.sqrt(0.3) * common + np.sqrt(0.7) * rng.standard_normal(count)
        right[0, 0, lang, lang * count : (lang + 1) * count] = latent < limit
    clusters = np.repeat(np.arange(2 * groups), TEXTS).astype(str).tolist()
    interval = intervals(right, clusters, lambda a: a[..., 0, 0] - a[..., 0, 1])
    return float(interval.low), float(interval.high), 0.2
