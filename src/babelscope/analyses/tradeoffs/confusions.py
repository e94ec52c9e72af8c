"""Which classes are taken for which, and whether knowledge was lost or only a threshold moved."""

from __future__ import annotations

from math import nan
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.special import logsumexp

from babelscope.analyses.tradeoffs.confidence import Golds, Logits, auroc, probabilities

Counts = Int[np.ndarray, "gold predicted"]
ROUNDS = 1000
SMOOTH = 0.5
"""Added to every count before two distributions of classes are compared by their logarithms."""


class Scores(NamedTuple):
    """Per class, NaN where undefined; the means are over the classes that have gold examples."""

    recall: Float[np.ndarray, " label"]
    precision: Float[np.ndarray, " label"]
    f1: Float[np.ndarray, " label"]
    macro_f1: float
    balanced_accuracy: float
    absent: int
    """Classes without a gold example."""


class Shift(NamedTuple):
    """Predicted share less gold share per class, half the sum of their sizes, and the divergence
    from gold."""

    by_class: Float[np.ndarray, " label"]
    total_variation: float
    divergence: float


def confusion(gold: Golds, predicted: Golds, labels: int) -> Counts:
    """How often each gold class (rows) was predicted as each class (columns).

    *Laws*: the counts sum to n; their trace / n is the accuracy; exchanging gold and predicted
    transposes them.
    """
    return np.bincount(gold * labels + predicted, minlength=labels * labels).reshape(labels, labels)


def scores(counts: Counts) -> Scores:
    """Recall, precision and F1 per class, and their means.

        recall_c = N_cc / sum_j N_cj;   precision_c = N_cc / sum_i N_ic;   F1_c = 2 N_cc / (sum_j
          N_cj + sum_i N_ic)

    *Laws*: equal to scikit-learn's; a class without gold has no recall and is in no mean; one that
    is never predicted has no precision; balanced accuracy is the mean recall, and the accuracy
    where classes are equally frequent.
    """
    hits, golds, predicted = np.diag(counts).astype(float), counts.sum(axis=1), counts.sum(axis=0)
    recall, precision = _share(hits, golds), _share(hits, predicted)
    f1 = np.where(golds > 0, _share(2 * hits, golds + predicted), nan)
    there = golds > 0
    means = (float(f1[there].mean()), float(recall[there].mean())) if there.any() else (nan, nan)
    return Scores(recall, precision, f1, *means, int((~there).sum()))


def label_shift(counts: Counts) -> Shift:
    """Which classes are predicted too often.

        d_c = predicted_c - gold_c (shares);   total variation = 1/2 sum_c |d_c|;
        divergence = sum_c q_c log(q_c / g_c) with q and g the shares after 1/2 was added to every
        count

    *Laws*: the d sum to 0; 0 <= total variation <= 1; all are 0 where predicted and gold counts
    agree; divergence >= 0.
    """
    golds, predicted = counts.sum(axis=1).astype(float), counts.sum(axis=0).astype(float)
    total = golds.sum()
    if total == 0:
        return Shift(np.full(len(golds), nan), nan, nan)
    by_class = (predicted - golds) / total
    q, g = ((each + SMOOTH) / (each + SMOOTH).sum() for each in (predicted, golds))
    return Shift(by_class, float(np.abs(by_class).sum() / 2), float((q * np.log(q / g)).sum()))


def one_vs_rest(logits: Logits, gold: Golds) -> Float[np.ndarray, " label"]:
    """AUROC of each class's probability against all others: what the model knows of the class,
    whatever its threshold.

    *Laws*: NaN for a class without gold, or with nothing else; adding an offset to one class's
    log-odds keeps its own.
    """
    p = probabilities(logits)
    odds = np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(1 - p, 1e-300))
    return np.array([auroc(odds[:, label], gold == label) for label in range(p.shape[1])])


def offsets(logits: Logits, shares: Float[np.ndarray, " label"]) -> Float[np.ndarray, " label"]:
    """What to add to each class's logit so that the classes get, on average, the shares that they
    should.

        b: 1/n sum_i softmax(logits_i + b)_c = shares_c,   by b_c <- b_c + log shares_c - log
          mean_c, b of mean 0

    Fitted on development examples, it tells a moved threshold (accuracy comes back) from lost
    knowledge (it does not).

    *Laws*: the mean probabilities are the shares (1e-8); logits that have them already get 0; an
    offset that was added to the logits is taken off again.
    *Left open by the paper*: shares of probability, not of arg-max: these have one solution. A
    class whose share is 0 is left alone.
    Source: Saerens et al. 2002, the prior's part.
    """
    offset, goal = np.zeros(logits.shape[1]), np.maximum(shares, 1e-9)
    for _ in range(ROUNDS):
        moved = logits + offset
        logs = moved - logsumexp(moved, axis=1, keepdims=True)
        step = np.log(goal) - (logsumexp(logs, axis=0) - np.log(len(logits)))
        step = np.where(shares > 0, step, 0.0)
        offset = offset + step
        if float(np.abs(step).max()) < 1e-11:
            break
    return np.asarray(offset - offset.mean())


def _share(
    above: Float[np.ndarray, " label"], below: Int[np.ndarray, " label"]
) -> Float[np.ndarray, " label"]:
    return np.asarray(np.divide(above, below, out=np.full(len(above), nan), where=below > 0))
