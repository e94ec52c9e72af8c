"""Calibration, probabilities' scores, refusing: identities and bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax

from babelscope.analyses.tradeoffs.confidence import (
    auroc,
    binned,
    brier,
    class_ece,
    ece,
    ece_null,
    nll,
    over_confidence,
    predictive_entropy,
    risk_coverage,
)
from babelscope.analyses.tradeoffs.reliability import reliability, temperature
from babelscope.errors import InputError

RNG = np.random.default_rng


def answers(
    n: int = 400, labels: int = 3, seed: int = 0, sharp: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Logits and gold drawn from them: a model that is calibrated at sharp = 1."""
    rng = RNG(seed)
    logits = 1.5 * rng.normal(size=(n, labels))
    gold = (rng.random(n)[:, None] > softmax(logits, axis=1).cumsum(axis=1)).sum(axis=1)
    return sharp * logits, np.minimum(gold, labels - 1)


def judged(logits: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return softmax(logits, axis=1).max(axis=1), logits.argmax(axis=1) == gold


@pytest.mark.parametrize("equal", ["width", "count"])
def test_ece_is_bounded_ordered_and_at_least_the_signed_gap(equal: str) -> None:
    for seed in range(8):
        confidence, right = judged(*answers(300, seed=seed, sharp=2.0))
        value = ece(confidence, right, equal=equal)
        assert 0 <= value <= 1
        assert abs(over_confidence(confidence, right)) <= value + 1e-12
        order = RNG(seed).permutation(300)
        assert ece(confidence[order], right[order], equal=equal) == pytest.approx(value, abs=1e-12)
        assert ece(confidence, right, bins=1) == pytest.approx(
            abs(over_confidence(confidence, right))
        )


def test_bins_that_match_exactly_have_no_error() -> None:
    confidence = np.repeat([0.5, 0.75, 1.0], [4, 8, 5])
    right = np.array([1, 0, 1, 0] + [1, 1, 1, 0] * 2 + [1] * 5, dtype=bool)
    assert ece(confidence, right) == pytest.approx(0, abs=1e-12)
    assert ece(np.ones(10), np.zeros(10, dtype=bool)) == pytest.approx(1), (
        "a confidence of exactly 1 is not lost"
    )
    assert np.isnan(ece(np.zeros(0), np.zeros(0, dtype=bool)))


def test_bins() -> None:
    confidence = np.concatenate([RNG(0).random(500), np.full(100, 0.9), [1.0]])
    wide = binned(confidence)
    assert wide[-1] == 14
    assert ((wide >= 0) & (wide <= 14)).all()
    assert len(set(wide[500:600])) == 1
    even = binned(confidence, equal="count")
    assert len(set(even[500:600])) == 1, "equal confidences share a bin"
    sizes = np.bincount(binned(RNG(1).random(600), equal="count"))
    assert sizes.min() == sizes.max() == 40
    assert len(np.bincount(binned(RNG(1).random(70), equal="count"))) == 3, "20 at least in each"
    assert binned(np.array([0.3, 0.9])).max() <= 1, "no more bins than examples"
    with pytest.raises(InputError, match="equal 'size'"):
        binned(confidence, equal="size")


@pytest.mark.slow
def test_the_null_says_what_a_calibrated_model_would_show() -> None:
    above = 0
    for seed in range(60):
        confidence, right = judged(*answers(200, seed=seed))
        above += ece(confidence, right) > ece_null(confidence)
    assert above <= 9, "about one in twenty"
    confidence, right = judged(*answers(200, sharp=4.0))
    assert ece(confidence, right) > ece_null(confidence)
    nulls = [ece_null(judged(*answers(n))[0]) for n in (50, 400, 3200)]
    assert nulls == sorted(nulls, reverse=True)
    assert ece_null(np.ones(50)) == 0
    assert ece_null(confidence) == ece_null(confidence), "seeded"


def test_the_brier_score_is_the_sum_of_its_parts() -> None:
    for labels in (2, 3, 7):
        logits, gold = answers(500, labels, sharp=2.0)
        found = brier(logits, gold)
        p = softmax(logits, axis=1)
        assert found.total == pytest.approx(
            np.mean([(p[i] ** 2).sum() - 2 * p[i, y] + 1 for i, y in enumerate(gold)])
        )
        assert 0 <= found.total <= 2
        assert found.total == pytest.approx(
            found.reliability - found.resolution + found.uncertainty + found.within
        )
        assert min(found[:4]) >= 0
        assert abs(found.within) < 0.02
    few = np.log(np.array([[0.1, 0.9], [0.5, 0.5], [0.9, 0.1]]))[RNG(0).integers(0, 3, 300)]
    assert brier(few, RNG(1).integers(0, 2, 300)).within == pytest.approx(0, abs=1e-12), (
        "one value per bin"
    )


def test_the_mean_rate_and_the_perfect_model() -> None:
    gold = np.array([0] * 30 + [1] * 50 + [2] * 20)
    rate = brier(np.log(np.tile([0.3, 0.5, 0.2], (100, 1))), gold)
    assert (rate.reliability, rate.resolution) == pytest.approx((0, 0), abs=1e-12)
    assert rate.total == pytest.approx(0.3 * 0.7 + 0.5 * 0.5 + 0.2 * 0.8)
    assert brier(1000 * np.eye(3)[gold], gold).total == pytest.approx(0)
    assert brier(1000 * np.eye(3)[(gold + 1) % 3], gold).total == pytest.approx(2)


def test_log_scores() -> None:
    _, gold = answers()
    assert nll(np.zeros((400, 3)), gold) == pytest.approx(np.log(3))
    assert predictive_entropy(np.zeros((5, 3))) == pytest.approx(np.log(3))
    assert nll(1e6 * np.eye(3)[(gold + 1) % 3], gold) == pytest.approx(-np.log(1e-12)), "clipped"
    assert nll(1e6 * np.eye(3)[gold], gold) == pytest.approx(0)


def test_class_ece_of_two_classes_is_that_of_either() -> None:
    logits, gold = answers(400, 2, sharp=2.0)
    assert class_ece(logits, gold) == pytest.approx(ece(softmax(logits, axis=1)[:, 0], gold == 0))


def test_auroc() -> None:
    scores, positive = RNG(0).normal(size=200), RNG(1).random(200) < 0.3
    value = auroc(scores, positive)
    assert auroc(-scores, positive) == pytest.approx(1 - value)
    assert auroc(np.exp(scores), positive) == pytest.approx(value)
    assert auroc(positive.astype(float), positive) == 1
    assert auroc(np.zeros(200), positive) == pytest.approx(0.5)
    assert np.isnan(auroc(scores, np.ones(200, dtype=bool)))


def test_risk_coverage() -> None:
    confidence, right = judged(*answers(300))
    curve, area = risk_coverage(confidence, right)
    assert curve[-1] == pytest.approx(1 - right.mean())
    order = RNG(0).permutation(300)
    assert risk_coverage(confidence[order], right[order])[1] == pytest.approx(area)
    assert risk_coverage(confidence, np.ones(300, dtype=bool))[1] == 0
    flat, _ = risk_coverage(np.full(300, 0.5), right)
    np.testing.assert_allclose(flat, 1 - right.mean())
    assert risk_coverage(right + 0.0, right)[1] < area < risk_coverage(1.0 - right, right)[1]


def test_the_diagram_holds_the_ece() -> None:
    confidence, right = judged(*answers(300, sharp=2.0))
    for equal in ("width", "count"):
        points = reliability(confidence, right, list(map(str, range(300))), equal=equal)
        assert sum(point.n for point in points) == 300
        assert min(point.n for point in points) > 0
        gaps = sum(point.n / 300 * abs(point.accuracy - point.confidence) for point in points)
        assert gaps == pytest.approx(ece(confidence, right, equal=equal))
        assert all(point.low <= point.accuracy <= point.high for point in points)
        # The same texts under a second seed are no further texts: no interval becomes narrower,
        # where Wilson's of twice the count would be narrower by about sqrt 2.
        twice = (np.concatenate([each, each]) for each in (confidence, right))
        again = reliability(*twice, clusters=list(map(str, range(300))) * 2, equal=equal)
        for once, both in zip(points, again):
            assert both.n == 2 * once.n
            assert both.high - both.low >= once.high - once.low - 1e-9


def test_temperature_is_best_keeps_predictions_and_scales() -> None:
    logits, gold = answers(2000, sharp=3.0)
    found = temperature(logits, gold)
    assert found.value == pytest.approx(3, rel=0.1)
    assert not found.bound
    best = nll(logits / found.value, gold)
    assert all(best <= nll(logits / np.exp(log), gold) + 1e-9 for log in np.linspace(-3, 3, 200))
    assert temperature(2 * logits, gold).value == pytest.approx(2 * found.value, rel=1e-4)
    assert (np.argmax(logits / found.value, axis=1) == logits.argmax(axis=1)).all()
    confidence, right = judged(logits, gold)
    after, _ = judged(logits / found.value, gold)
    assert ece(after, right) < ece(confidence, right)
    separated = temperature(10 * np.eye(3)[gold], gold)
    assert separated.bound, "examples without a mistake want no temperature"
