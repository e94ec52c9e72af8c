"""How well classes are predicted, with intervals that respect groups of dependent examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from babelscope.stats.intervals import of_sums
from babelscope.types import Estimate


def macro_f1(gold: Sequence[str], predicted: Sequence[str], groups: Sequence[str]) -> Estimate:
    """The mean over classes of F1, the harmonic mean of precision and recall, with its interval.

        F1_c = 2 N_cc / ( sum_j N_cj + sum_i N_ic ),   N_ij examples of class i predicted as j;
        macro-F1 = mean of F1_c over the classes c with a gold example

    The interval is that of `intervals.of_sums`, within [0, 1].

    *Laws*: equal to scikit-learn's over the classes with gold examples; 1 where all predictions are
    right and 0 where none is; the names and the order of the classes do not matter; a class that
    is predicted but never gold lowers F1 of the others only.
    *Left open by the paper*: macro or micro; micro-F1 of single-label classes is the accuracy.
    Source: van Rijsbergen 1979 (F1); Zhao and Aletras 2024 report the macro mean.
    """
    names = sorted(set(gold))
    is_gold, is_predicted = (
        np.array([[each == name for name in names] for each in column], dtype=np.float64)
        for column in (gold, predicted)
    )
    parts = np.concatenate([is_gold * is_predicted, is_gold, is_predicted], axis=1)
    estimate = of_sums(parts, groups, _mean_f1)
    low, high = (float(np.clip(bound, 0, 1)) for bound in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)


def _mean_f1(sums: Float[np.ndarray, "row part"]) -> Float[np.ndarray, " row"]:
    """Of rows with hits, gold and predicted counts of every class; a class without either is in no
    mean."""
    hits, gold, predicted = np.split(sums, 3, axis=1)
    total = gold + predicted
    there = total > 0
    f1 = np.where(there, 2 * hits / np.where(there, total, 1), 0.0)
    counted = there.sum(axis=1)
    return np.asarray(np.where(counted > 0, f1.sum(axis=1) / np.maximum(counted, 1), np.nan))
