"""What a linear classifier finds in frozen states: the reference for fine-tuned models."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from babelscope.analyses.tradeoffs.activations import States
from babelscope.analyses.tradeoffs.confidence import Golds, Logits
from babelscope.errors import InputError
from babelscope.random import keyed

STRENGTHS = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2)
"""Values of C, scikit-learn's inverse of the penalty, that the development examples choose from."""


class Probe(NamedTuple):
    """A fitted classifier: logits = (x - mean) / scale @ weights + bias."""

    mean: Float[np.ndarray, " dim"]
    scale: Float[np.ndarray, " dim"]
    weights: Float[np.ndarray, "dim label"]
    bias: Float[np.ndarray, " label"]
    strength: float


def probe(
    train: Float[np.ndarray, "text dim"],
    gold: Int[np.ndarray, " text"],
    dev: Float[np.ndarray, "dev dim"],
    dev_gold: Int[np.ndarray, " dev"],
    labels: int,
) -> Probe:
    """Multinomial logistic regression on standardised states, its penalty chosen by accuracy on
    dev.

        min_W  C sum_i -log softmax(W z_i + b)[y_i] + |W|^2 / 2
        z = (x - mean of train) / standard deviation of train

    Ties go to the stronger penalty. States are standardised by the training texts alone.

    *Laws*: separable classes are found; scaling and translating all states changes no prediction;
    on shuffled labels it is at chance; classes that are not in the training texts are never
    predicted.
    """
    known = np.unique(gold)
    if len(known) < 2:
        raise InputError(
            "a probe needs training texts of at least two classes; found one: give more texts"
        )
    scaler = StandardScaler().fit(train)
    fits = [(strength, _fit(scaler.transform(train), gold, strength)) for strength in STRENGTHS]
    accuracies = [float((fit.predict(scaler.transform(dev)) == dev_gold).mean()) for _, fit in fits]
    strength, fitted = fits[
        int(np.argmax(accuracies))
    ]  # the first of the best: the strongest penalty
    weights, bias = np.zeros((train.shape[1], labels)), np.full(labels, -1e9)
    two = len(known) == 2  # scikit-learn then keeps the second class's weights only
    rows, starts = (
        np.concatenate([-part, part]) if two else part for part in (fitted.coef_, fitted.intercept_)
    )
    weights[:, known], bias[known] = (rows.T / 2, starts / 2) if two else (rows.T, starts)
    return Probe(scaler.mean_, scaler.scale_, weights, bias, strength)


def logits(fitted: Probe, states: States) -> Logits:
    return np.asarray((states - fitted.mean) / fitted.scale @ fitted.weights + fitted.bias)


def control_labels(
    groups: Sequence[str], gold: Golds, *, seed: int = 0
) -> Int[np.ndarray, " group"]:
    """Labels that say nothing: sampled for every group from the frequencies of the real ones.

    What a probe makes of them (on texts that it was trained on, in other languages) is memory, not
    knowledge. Translations share their sample, since a group decides it.

    *Laws*: one group has one label, in any order and language; the frequencies are about the real
    ones.
    Source: Hewitt & Liang 2019, with texts in place of word types.
    """
    classes, counts = np.unique(gold, return_counts=True)
    edges = np.cumsum(counts) / counts.sum()
    samples = np.array([float(keyed(seed, "control", group).random()) for group in groups])
    return classes[np.minimum(np.searchsorted(edges, samples, side="right"), len(classes) - 1)]


def _fit(states: States, gold: Golds, strength: float) -> LogisticRegression:
    # One thread: steps of a millisecond gain nothing from two, which on a busy machine wait for
    # each other, and the last digits then do not depend on their number.
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # a weak penalty may need more steps than it gets: dev then chooses another
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogisticRegression(C=strength, max_iter=300).fit(states, gold)
