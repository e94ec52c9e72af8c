"""Baselines of SLALOM: additive surrogates of words, of words at positions, and word counts by
class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import Lasso, LinearRegression

from babelscope.methods.slalom.surrogate import Numbers

Sequences = Sequence[Sequence[int]]


def word_counts(sequences: Sequences, size: int) -> Numbers:
    """How often each word occurs in each text."""
    return np.stack(
        [np.bincount(np.asarray(sequence, np.int64), minlength=size) for sequence in sequences]
    ).astype(np.float64)


def linear(train: Sequences, answer: Numbers, test: Sequences, size: int) -> Numbers:
    """Predictions of an additive model of word counts.

        F(t) = b + sum_u c_u w_u        least squares

    *Laws*: additive answers are predicted exactly.
    """
    fitted = LinearRegression().fit(word_counts(train, size), answer)
    return np.asarray(fitted.predict(word_counts(test, size)))


def additive(
    train: Sequences, answer: Numbers, test: Sequences, size: int, *, strength: float = 0.01
) -> Numbers:
    """Predictions of a generalised additive model: a weight for every word at every position.

        F(t) = b + sum_i w(i, t_i)        Lasso, 1/(2n) |F - f|^2 + strength |w|_1

    *Laws*: answers that depend on one word at one position are predicted up to the shrinkage.
    Source: Leemann et al. 2024 (SLALOM), table 6 ("GAM").
    """
    places = max(len(sequence) for sequence in [*train, *test])

    def indicators(sequences: Sequences) -> Numbers:
        table = np.zeros((len(sequences), places * size))
        for row, sequence in zip(table, sequences):
            row[np.arange(len(sequence)) * size + np.asarray(sequence, np.int64)] = 1
        return table

    fitted = Lasso(alpha=strength, max_iter=5000).fit(indicators(train), answer)
    return np.asarray(fitted.predict(indicators(test)))


def naive_bayes(
    sequences: Sequences, positive: Sequence[bool], size: int, *, smoothing: float = 20.0
) -> Numbers:
    """How much more often a word occurs in positive texts than in negative ones.

        log( (N_u+ + a) / (N_u- + a) )

    N the occurrences in the texts of a class, a the smoothing.

    *Laws*: 0 for a word equally frequent in both; exchanging the classes flips the sign.
    Source: Leemann et al. 2024 (SLALOM), agreement with naive Bayes, with a = 20.
    """
    counts, chosen = word_counts(sequences, size), np.asarray(positive, bool)
    return np.asarray(
        np.log((counts[chosen].sum(axis=0) + smoothing) / (counts[~chosen].sum(axis=0) + smoothing))
    )
