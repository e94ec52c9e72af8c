"""Confusions, moved thresholds, flips between languages, and probes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.metrics import cohen_kappa_score, precision_recall_fscore_support, roc_auc_score

from babelscope.analyses.tradeoffs import probing
from babelscope.analyses.tradeoffs.confusions import (
    confusion,
    label_shift,
    offsets,
    one_vs_rest,
    scores,
)
from babelscope.analyses.tradeoffs.flips import flips
from babelscope.errors import InputError

RNG = np.random.default_rng


def labelled(n: int = 300, labels: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = RNG(seed)
    gold = rng.integers(0, labels, n)
    return gold, np.where(rng.random(n) < 0.6, gold, rng.integers(0, labels, n))


def test_counts_sum_to_n_and_their_trace_is_the_accuracy() -> None:
    gold, said = labelled()
    counts = confusion(gold, said, 4)
    assert counts.sum() == 300
    assert np.trace(counts) / 300 == pytest.approx((gold == said).mean())
    np.testing.assert_array_equal(confusion(said, gold, 4), counts.T)
    assert counts[1, 2] == ((gold == 1) & (said == 2)).sum(), "rows are gold"


def test_scores_equal_scikit_learn() -> None:
    gold, said = labelled()
    found = scores(confusion(gold, said, 4))
    precision, recall, f1, _ = precision_recall_fscore_support(gold, said)
    np.testing.assert_allclose(found.precision, precision)
    np.testing.assert_allclose(found.recall, recall)
    np.testing.assert_allclose(found.f1, f1)
    assert (found.macro_f1, found.balanced_accuracy) == pytest.approx((f1.mean(), recall.mean()))
    even = np.repeat(np.arange(4), 25)
    counts = confusion(even, RNG(3).integers(0, 4, 100), 4)
    assert scores(counts).balanced_accuracy == pytest.approx(np.trace(counts) / 100)


def test_absent_classes_have_no_value_and_stand_in_no_mean() -> None:
    gold, said = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2])
    found = scores(confusion(gold, said, 4))
    assert np.isnan(found.recall[2:]).all()
    assert np.isnan(found.precision[3])
    assert found.precision[2] == 0
    assert found.balanced_accuracy == pytest.approx(0.5)
    assert found.macro_f1 == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.absent == 2
    assert np.isnan(scores(np.zeros((3, 3), dtype=int)).macro_f1)


def test_label_shift() -> None:
    found = label_shift(confusion(*labelled(), 4))
    assert found.by_class.sum() == pytest.approx(0)
    assert 0 <= found.total_variation <= 1
    assert found.divergence >= 0
    one_class = label_shift(np.array([[0, 5], [0, 5]]))
    assert one_class.by_class == pytest.approx([-0.5, 0.5])
    assert one_class.total_variation == pytest.approx(0.5)
    swapped = label_shift(np.array([[0, 5], [5, 0]]))
    assert (swapped.total_variation, swapped.divergence) == (0, 0), (
        "all wrong, but no class too often"
    )
    assert np.isnan(label_shift(np.zeros((2, 2), dtype=int)).total_variation)


def drawn(n: int = 500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = RNG(seed)
    gold = rng.integers(0, 3, n)
    return 1.3 * np.eye(3)[gold] + rng.normal(size=(n, 3)), gold


def test_offsets_match_the_shares_and_undo_a_moved_threshold() -> None:
    logits, gold = drawn()
    shares = np.array([0.2, 0.5, 0.3])
    found = offsets(logits, shares)
    np.testing.assert_allclose(softmax(logits + found, axis=1).mean(axis=0), shares, atol=1e-8)
    assert found.sum() == pytest.approx(0, abs=1e-9)
    own = softmax(logits, axis=1).mean(axis=0)
    np.testing.assert_allclose(offsets(logits, own), 0, atol=1e-8)
    moved = np.array([2.0, -1.0, -1.0])
    np.testing.assert_allclose(offsets(logits + moved, own), -moved, atol=1e-7)
    truth = np.bincount(gold) / len(gold)
    before, after = (
        (one.argmax(axis=1) == gold).mean()
        for one in (logits + moved, logits + moved + offsets(logits + moved, truth))
    )
    assert after > before + 0.1
    assert after == pytest.approx((logits.argmax(axis=1) == gold).mean(), abs=0.03)
    assert np.isfinite(offsets(logits, np.array([0.5, 0.5, 0.0]))).all()


def test_auroc_of_a_class_survives_a_moved_threshold_and_not_lost_knowledge() -> None:
    logits, gold = drawn()
    found = one_vs_rest(logits, gold)
    p = softmax(logits, axis=1)
    for label in range(3):
        assert found[label] == pytest.approx(roc_auc_score(gold == label, p[:, label]))
    moved = one_vs_rest(logits + np.array([2.0, 0.0, 0.0]), gold)
    assert moved[0] == pytest.approx(found[0])
    noise = logits.copy()
    noise[:, 0] = RNG(5).normal(size=500)
    assert one_vs_rest(noise, gold)[0] < found[0] - 0.1
    assert np.isnan(one_vs_rest(logits, np.minimum(gold, 1))[2])


def test_flips() -> None:
    gold, one = labelled()
    _, two = labelled(seed=7)
    two = np.where(RNG(2).random(300) < 0.8, gold, two)
    sure = RNG(3).random(300)
    names = [f"g{at:03d}" for at in range(300)]
    found = flips(names, gold, one, two, sure, 4)
    lost = (one == gold) & (two != gold)
    assert found.rate == pytest.approx(lost.sum() / (one == gold).sum())
    assert len(found.listed) == sum(count for *_, count in found.transitions) == lost.sum()
    assert [flip.confidence for flip in found.listed] == sorted(
        (flip.confidence for flip in found.listed), reverse=True
    )
    assert all(flip.predicted != flip.gold for flip in found.listed)
    assert found.kappa == pytest.approx(cohen_kappa_score(one, two))
    for label in range(4):
        assert found.by_class[label] == pytest.approx(
            lost[gold == label].sum() / (one == gold)[gold == label].sum()
        )
    order = RNG(4).permutation(300)
    again = flips([names[at] for at in order], gold[order], one[order], two[order], sure[order], 4)
    assert (again.listed, again.transitions) == (found.listed, found.transitions)


def test_equal_predictions_never_flip() -> None:
    gold, one = labelled()
    found = flips(list(map(str, range(300))), gold, one, one, np.ones(300), 4)
    assert (found.rate, found.agreement, found.kappa, found.listed) == (0, 1, 1, ())
    constant = np.zeros(300, dtype=int)
    assert np.isnan(
        flips(list(map(str, range(300))), gold, constant, constant, np.ones(300), 4).kappa
    )
    wrong = flips(["a"], np.array([1]), np.array([0]), np.array([1]), np.ones(1), 2)
    assert np.isnan(wrong.rate), "nothing was right in the source"
    apart = flips(
        list(map(str, range(300))),
        gold,
        RNG(8).integers(0, 4, 300),
        RNG(9).integers(0, 4, 300),
        np.ones(300),
        4,
    )
    assert abs(apart.kappa) < 0.1


def states(n: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = RNG(seed)
    gold = rng.integers(0, 3, n)
    return 3 * np.eye(3)[gold] @ RNG(100).normal(size=(3, 10)) + rng.normal(size=(n, 10)), gold


def accuracy(fitted: probing.Probe, x: np.ndarray, gold: np.ndarray) -> float:
    return float((probing.logits(fitted, x).argmax(axis=1) == gold).mean())


@pytest.mark.parametrize("labels", [2, 3])
def test_a_probe_finds_what_is_there_whatever_the_scale(labels: int) -> None:
    (train, gold), (dev, dev_gold), (test, test_gold) = (states(seed=seed) for seed in range(3))
    gold, dev_gold, test_gold = (
        np.minimum(each, labels - 1) for each in (gold, dev_gold, test_gold)
    )
    fitted = probing.probe(train, gold, dev, dev_gold, labels)
    assert accuracy(fitted, test, test_gold) > 0.9
    scale = np.linspace(0.1, 9, 10)
    moved = probing.probe(train * scale + 7, gold, dev * scale + 7, dev_gold, labels)
    np.testing.assert_allclose(
        probing.logits(moved, test * scale + 7), probing.logits(fitted, test), atol=1e-3
    )


def test_a_probe_on_shuffled_labels_is_at_chance() -> None:
    (train, _), (dev, _), (test, _) = (states(600, seed=seed) for seed in range(3))
    golds = [
        probing.control_labels([f"{part}{at}" for at in range(600)], np.arange(3), seed=1)
        for part in "abc"
    ]
    fitted = probing.probe(train, golds[0], dev, golds[1], 3)
    assert accuracy(fitted, test, golds[2]) == pytest.approx(1 / 3, abs=0.07)


def test_a_class_that_was_not_trained_is_not_predicted() -> None:
    train, gold = states()
    kept = gold != 1
    fitted = probing.probe(train[kept], gold[kept], train[kept], gold[kept], 3)
    assert set(probing.logits(fitted, train).argmax(axis=1)) == {0, 2}
    with pytest.raises(InputError, match="two classes"):
        probing.probe(train[gold == 1], gold[gold == 1], train, gold, 3)


def test_control_labels_belong_to_the_group() -> None:
    names = [f"g{at}" for at in range(2000)]
    gold = np.repeat([0, 2], [500, 1500])
    found = probing.control_labels(names, gold)
    np.testing.assert_array_equal(probing.control_labels(names[::-1], gold)[::-1], found)
    assert set(found) == {0, 2}
    assert (found == 0).mean() == pytest.approx(0.25, abs=0.03)
    assert (found != probing.control_labels(names, gold, seed=1)).any()
