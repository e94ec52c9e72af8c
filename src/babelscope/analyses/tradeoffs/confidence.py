"""Does a model know when it is right? Calibration, scores of probabilities, and what may be
refused."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.special import log_softmax, softmax
from scipy.stats import rankdata

from babelscope.errors import InputError
from babelscope.random import keyed

BINS = 15
PER_BIN = 20
"""Equal-count bins hold at least so many examples."""
SAMPLES = 500
TINY = 1e-12
"""The least probability whose logarithm is taken."""
EDGES = ("width", "count")

Logits = Float[np.ndarray, "example label"]
Golds = Int[np.ndarray, " example"]


class Brier(NamedTuple):
    """`total` = reliability - resolution + uncertainty + `within`, which binning leaves over."""

    total: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float


def probabilities(logits: Logits) -> Float[np.ndarray, "example label"]:
    return np.asarray(softmax(logits, axis=1))


def binned(
    confidence: Float[np.ndarray, " example"], *, bins: int = BINS, equal: str = "width"
) -> Int[np.ndarray, " example"]:
    """The bin of every confidence: of equal width on [0, 1], the last one closed; or of equal
    count, ties together.

    With fewer than `bins` examples there are as many bins as examples; equal counts are of 20
    examples at least.

    *Laws*: bins lie in 0 .. bins - 1; 1 falls into the last; equal confidences share a bin; order
    does not matter.
    """
    if equal not in EDGES:
        raise InputError(f"there are no bins of equal {equal!r}; choose from: {', '.join(EDGES)}")
    count = len(confidence)
    bins = max(1, min(bins, count))
    if equal == "width":
        return np.minimum((confidence * bins).astype(np.int64), bins - 1)
    bins = max(1, min(bins, count // PER_BIN))
    places = rankdata(confidence, method="min") - 1 if count else np.zeros(0)
    return np.minimum((places * bins / max(count, 1)).astype(np.int64), bins - 1)


def ece(
    confidence: Float[np.ndarray, " example"],
    right: Bool[np.ndarray, " example"],
    *,
    bins: int = BINS,
    equal: str = "width",
) -> float:
    """Expected calibration error: how far confidence and accuracy lie apart, bin by bin.

        ECE = sum_k n_k / n |acc_k - conf_k|,   conf_k the mean confidence in bin k

    *Laws*: 0 <= ECE <= 1; 0 where every bin's accuracy is its mean confidence; one bin gives
    |over_confidence|, which it never falls below; the order of the examples does not matter; a
    confidence of 1 counts.
    *Left open by the paper*: the mean of a bin, not its centre.
    Source: Naeini et al. 2015; Guo et al. 2017, eq. 3. Equal counts: Nguyen & O'Connor 2015.
    """
    if not len(confidence):
        return float("nan")
    places = binned(confidence, bins=bins, equal=equal)
    gaps = np.bincount(places, weights=right.astype(np.float64) - confidence)
    return float(np.abs(gaps).sum() / len(confidence))


def ece_null(
    confidence: Float[np.ndarray, " example"],
    *,
    bins: int = BINS,
    equal: str = "width",
    seed: int = 0,
) -> float:
    """The 95 % quantile of ECE if the model were perfectly calibrated: below it, an ECE shows
    nothing.

        right*_i ~ Bernoulli(confidence_i), 500 times;   labels sampled from the model's own
          probabilities

    *Laws*: falls with more examples; 0 where all confidences are 1; a calibrated model exceeds it
    about once in twenty.
    """
    random = keyed(seed, "calibration", len(confidence))
    samples = [random.random(len(confidence)) < confidence for _ in range(SAMPLES)]
    return float(
        np.quantile([ece(confidence, right, bins=bins, equal=equal) for right in samples], 0.95)
    )


def class_ece(logits: Logits, gold: Golds, *, bins: int = BINS) -> float:
    """The mean over classes of the ECE of each class's probability.

    *Laws*: of two classes it is the ECE of either's probability, but for values on the edge of a
    bin.
    Source: Kull et al. 2019, eq. 3.
    """
    p = probabilities(logits)
    return float(
        np.mean([ece(p[:, label], gold == label, bins=bins) for label in range(p.shape[1])])
    )


def over_confidence(
    confidence: Float[np.ndarray, " example"], right: Bool[np.ndarray, " example"]
) -> float:
    """Mean confidence less accuracy: positive where the model promises too much.

    *Laws*: |over| <= ECE.
    """
    return float(confidence.mean() - right.mean()) if len(confidence) else float("nan")


def brier(logits: Logits, gold: Golds, *, bins: int = BINS) -> Brier:
    """The squared distance between probabilities and the truth, between 0 and 2, and what it is
    made of.

        total = 1/n sum_i sum_c (p_ic - [y_i = c])^2
        reliability = sum_c sum_k n_ck/n (conf_ck - freq_ck)^2;  resolution = sum_c sum_k n_ck/n
          (freq_ck - freq_c)^2
        uncertainty = sum_c freq_c (1 - freq_c);   conf_ck and freq_ck the means of p_c and of [y =
          c] in bin k of class c

    *Laws*: total = reliability - resolution + uncertainty + within; within = 0 where each bin holds
    one value; the mean rate has reliability and resolution 0; a perfect model has total 0.
    Source: Brier 1950; Murphy 1973; within-bin part as in Stephenson et al. 2008.
    """
    p = probabilities(logits)
    truth = np.eye(p.shape[1])[gold]
    total = float(((p - truth) ** 2).sum(axis=1).mean())
    reliability = resolution = 0.0
    for label in range(p.shape[1]):
        places = binned(p[:, label], bins=bins)
        sizes = np.bincount(places)
        filled = sizes > 0
        share = sizes[filled] / len(p)
        conf = np.bincount(places, weights=p[:, label])[filled] / sizes[filled]
        freq = np.bincount(places, weights=truth[:, label])[filled] / sizes[filled]
        reliability += float((share * (conf - freq) ** 2).sum())
        resolution += float((share * (freq - truth[:, label].mean()) ** 2).sum())
    rate = truth.mean(axis=0)
    uncertainty = float((rate * (1 - rate)).sum())
    return Brier(
        total,
        reliability,
        resolution,
        uncertainty,
        total - (reliability - resolution + uncertainty),
    )


def nll(logits: Logits, gold: Golds) -> float:
    """The mean of -log p(gold), probabilities below 1e-12 counted as that.

    *Laws*: never negative; log of the number of classes for equal logits.
    """
    logs = np.asarray(log_softmax(logits, axis=1))[np.arange(len(gold)), gold]
    return float(-np.maximum(logs, np.log(TINY)).mean())


def predictive_entropy(logits: Logits) -> Float[np.ndarray, " example"]:
    """-sum_c p_c log p_c.

    *Laws*: log of the number of classes for equal logits.
    """
    p = probabilities(logits)
    return np.asarray(-(p * np.log(np.maximum(p, 1e-300))).sum(axis=1))


def auroc(scores: Float[np.ndarray, " example"], positive: Bool[np.ndarray, " example"]) -> float:
    """The chance that a positive example scores higher than a negative one, ties half.

        (sum of the ranks of positives - m (m + 1) / 2) / (m (n - m)),   m positives of n

    *Laws*: 1 for perfect order, 1/2 for equal scores; negating the scores gives 1 - AUROC;
    unchanged by a rising function; NaN where one side is empty.
    Source: Mann & Whitney 1947.
    """
    many, count = int(positive.sum()), len(positive)
    if many in (0, count):
        return float("nan")
    return float(
        (rankdata(scores)[positive].sum() - many * (many + 1) / 2) / (many * (count - many))
    )


def risk_coverage(
    confidence: Float[np.ndarray, " example"], right: Bool[np.ndarray, " example"]
) -> tuple[Float[np.ndarray, " example"], float]:
    """The error among the k most confident answers, for every k, and the mean over k (area under
    the curve).

        risk_k = 1/k sum_{i <= k} [wrong_(i)], most confident first, equal confidences at their
        common error rate

    *Laws*: risk_n = 1 - accuracy; all right gives 0; order of examples does not matter; equal
    confidences make it flat.
    Source: El-Yaniv & Wiener 2010; Geifman & El-Yaniv 2017.
    """
    _, member = np.unique(-confidence, return_inverse=True)
    wrong = 1.0 - right.astype(np.float64)
    rate = np.bincount(member, weights=wrong) / np.bincount(member)
    curve = np.cumsum(rate[np.sort(member)]) / np.arange(1, len(member) + 1)
    return curve, float(curve.mean())
