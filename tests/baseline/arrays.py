"""Numbers of logits, hidden states, attention and the matrix of transfer, from drawn arrays."""

from __future__ import annotations

import numpy as np

from babelscope.analyses.tradeoffs import (
    activations,
    attention,
    behaviour,
    confidence,
    confusions,
    flips,
)
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.analyses.tradeoffs.reliability import reliability as curve
from babelscope.analyses.tradeoffs.reliability import temperature
from babelscope.stats import rate
from baseline.values import Values, put


def values() -> Values:
    entries: Values = {}
    confidences(entries)
    errors(entries)
    states(entries)
    transfer(entries)
    return entries


def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Logits of two models, gold classes, and how sure the first model is."""
    rng = np.random.default_rng(23)
    logits, other = rng.normal(0, 2, (2, 40, 3))
    return logits, other, rng.integers(0, 3, 40), confidence.probabilities(logits).max(axis=1)


def confidences(entries: Values) -> None:
    """How sure and how right: errors of calibration, a temperature."""
    logits, _, gold, sure = drawn()
    right = logits.argmax(axis=1) == gold
    for equal in ("width", "count"):
        key = f"arrays/confidence/{equal}"
        put(entries, f"{key}/ece", confidence.ece(sure, right, bins=5, equal=equal))
        put(entries, f"{key}/null", confidence.ece_null(sure, bins=5, equal=equal))
        put(
            entries,
            f"{key}/reliability",
            curve(sure, right, list(map(str, range(len(sure)))), bins=5, equal=equal),
        )
    for name in ("class_ece", "brier", "nll"):
        put(entries, f"arrays/confidence/{name}", getattr(confidence, name)(logits, gold))
    put(entries, "arrays/confidence/over", confidence.over_confidence(sure, right))
    put(entries, "arrays/confidence/entropy", confidence.predictive_entropy(logits))
    put(entries, "arrays/confidence/auroc", confidence.auroc(sure, right))
    put(entries, "arrays/confidence/risk", list(confidence.risk_coverage(sure, right)))
    put(entries, "arrays/confidence/temperature", temperature(logits, gold))
    wilson = rate([1.0] * 7 + [0.0] * 12, list(map(str, range(19))))
    put(entries, "arrays/confidence/wilson", (wilson.low, wilson.high))


def errors(entries: Values) -> None:
    """Which classes are confused, and what flips between two languages."""
    logits, other, gold, sure = drawn()
    counts = confusions.confusion(gold, logits.argmax(axis=1), 3)
    put(entries, "arrays/confusions/counts", counts)
    put(entries, "arrays/confusions/scores", confusions.scores(counts))
    put(entries, "arrays/confusions/shift", confusions.label_shift(counts))
    put(entries, "arrays/confusions/one_vs_rest", confusions.one_vs_rest(logits, gold))
    put(
        entries,
        "arrays/confusions/offsets",
        confusions.offsets(logits, np.array([0.2, 0.5, 0.3])),
    )
    groups = [f"g{at}" for at in range(40)]
    first, second = logits.argmax(axis=1), other.argmax(axis=1)
    put(entries, "arrays/flips", flips.flips(groups, gold, first, second, sure, 3))


def states(entries: Values) -> None:
    """Similarity of hidden states, attention, and the matrix of transfer."""
    rng = np.random.default_rng(29)
    first, second = rng.normal(size=(2, 30, 5))
    put(entries, "arrays/states/linear_cka", activations.linear_cka(first, second))
    batches = [(first[:10], second[:10]), (first[10:], second[10:])]
    put(entries, "arrays/states/debiased_cka", activations.debiased_cka(batches))
    put(
        entries,
        "arrays/states/cosine",
        [activations.paired_cosine(first, second, centred=on) for on in (False, True)],
    )
    put(entries, "arrays/states/retrieval", activations.retrieval(first, first + second / 2))
    put(entries, "arrays/states/depth_slope", activations.depth_slope(first))
    weights = np.exp(rng.normal(size=(2, 3, 6, 6)))
    weights /= weights.sum(axis=-1, keepdims=True)
    put(
        entries,
        "arrays/attention/spread",
        attention.spread(weights, np.array([True, *[False] * 4, True])),
    )
    clusters = [f"c{at // 2}" for at in range(30)]
    effect = attention.language_effect(first[:, :3], np.exp(second[:, :3]), clusters)
    put(entries, "arrays/attention/language_effect", effect)


def transfer(entries: Values) -> None:
    """The matrix of accuracies by source and target, with intervals."""
    rng = np.random.default_rng(31)
    clusters = [f"c{at // 2}" for at in range(30)]
    accuracy, diagonal = rng.uniform(0.3, 1, (3, 3)), [0, 1, 2]
    for name in ("preference", "transfer_gap", "specialisation"):
        put(entries, f"arrays/behaviour/{name}", getattr(behaviour, name)(accuracy, diagonal))
    put(entries, "arrays/behaviour/relative", behaviour.relative_transfer(accuracy, diagonal, 0.3))
    put(entries, "arrays/behaviour/two_way", behaviour.two_way(accuracy))
    put(entries, "arrays/behaviour/factorial", behaviour.factorial(accuracy[:2, :2]))
    right = (rng.random((3, 3, 3, 30)) < 0.7).astype(float)
    gap = intervals(right, clusters, lambda table: behaviour.transfer_gap(table, diagonal))
    put(entries, "arrays/behaviour/intervals", gap)
