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
from babelscope.analyses.tradeoffs.reliability import temperature, wilson
from baseline.values import Values, put


def values() -> Values:
    found: Values = {}
    confidences(found)
    errors(found)
    states(found)
    transfer(found)
    return found


def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Logits of two models, gold classes, and how sure the first model is."""
    rng = np.random.default_rng(23)
    logits, other = rng.normal(0, 2, (2, 40, 3))
    return logits, other, rng.integers(0, 3, 40), confidence.probabilities(logits).max(axis=1)


def confidences(found: Values) -> None:
    """How sure and how right: errors of calibration, a temperature."""
    logits, _, gold, sure = drawn()
    right = logits.argmax(axis=1) == gold
    for equal in ("width", "count"):
        key = f"arrays/confidence/{equal}"
        put(found, f"{key}/ece", confidence.ece(sure, right, bins=5, equal=equal))
        put(found, f"{key}/null", confidence.ece_null(sure, bins=5, equal=equal))
        put(found, f"{key}/reliability", curve(sure, right, bins=5, equal=equal))
    for name in ("class_ece", "brier", "nll"):
        put(found, f"arrays/confidence/{name}", getattr(confidence, name)(logits, gold))
    put(found, "arrays/confidence/over", confidence.over_confidence(sure, right))
    put(found, "arrays/confidence/entropy", confidence.predictive_entropy(logits))
    put(found, "arrays/confidence/auroc", confidence.auroc(sure, right))
    put(found, "arrays/confidence/risk", list(confidence.risk_coverage(sure, right)))
    put(found, "arrays/confidence/temperature", temperature(logits, gold))
    put(found, "arrays/confidence/wilson", wilson(7, 19))


def errors(found: Values) -> None:
    """Which classes are confused, and what flips between two languages."""
    logits, other, gold, sure = drawn()
    counts = confusions.confusion(gold, logits.argmax(axis=1), 3)
    put(found, "arrays/confusions/counts", counts)
    put(found, "arrays/confusions/scores", confusions.scores(counts))
    put(found, "arrays/confusions/shift", confusions.label_shift(counts))
    put(found, "arrays/confusions/one_vs_rest", confusions.one_vs_rest(logits, gold))
    put(
        found,
        "arrays/confusions/offsets",
        confusions.offsets(logits, np.array([0.2, 0.5, 0.3])),
    )
    groups = [f"g{at}" for at in range(40)]
    one, two = logits.argmax(axis=1), other.argmax(axis=1)
    put(found, "arrays/flips", flips.flips(groups, gold, one, two, sure, 3))


def states(found: Values) -> None:
    """Similarity of hidden states, attention, and the matrix of transfer."""
    rng = np.random.default_rng(29)
    one, two = rng.normal(size=(2, 30, 5))
    put(found, "arrays/states/linear_cka", activations.linear_cka(one, two))
    batches = [(one[:10], two[:10]), (one[10:], two[10:])]
    put(found, "arrays/states/debiased_cka", activations.debiased_cka(batches))
    put(
        found,
        "arrays/states/cosine",
        [activations.paired_cosine(one, two, centred=on) for on in (False, True)],
    )
    put(found, "arrays/states/retrieval", activations.retrieval(one, one + two / 2))
    put(found, "arrays/states/depth_slope", activations.depth_slope(one))
    weights = np.exp(rng.normal(size=(2, 3, 6, 6)))
    weights /= weights.sum(axis=-1, keepdims=True)
    put(
        found,
        "arrays/attention/spread",
        attention.spread(weights, np.array([True, *[False] * 4, True])),
    )
    clusters = [f"c{at // 2}" for at in range(30)]
    effect = attention.language_effect(one[:, :3], np.exp(two[:, :3]), clusters)
    put(found, "arrays/attention/language_effect", effect)


def transfer(found: Values) -> None:
    """The matrix of accuracies by source and target, with intervals."""
    rng = np.random.default_rng(31)
    clusters = [f"c{at // 2}" for at in range(30)]
    accuracy, own = rng.uniform(0.3, 1, (3, 3)), [0, 1, 2]
    for name in ("preference", "transfer_gap", "specialisation"):
        put(found, f"arrays/behaviour/{name}", getattr(behaviour, name)(accuracy, own))
    put(found, "arrays/behaviour/relative", behaviour.relative_transfer(accuracy, own, 0.3))
    put(found, "arrays/behaviour/two_way", behaviour.two_way(accuracy))
    put(found, "arrays/behaviour/factorial", behaviour.factorial(accuracy[:2, :2]))
    right = (rng.random((3, 3, 3, 30)) < 0.7).astype(float)
    gap = intervals(right, clusters, lambda table: behaviour.transfer_gap(table, own))
    put(found, "arrays/behaviour/intervals", gap)
