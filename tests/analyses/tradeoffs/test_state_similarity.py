"""Similarity of states: what it must not depend on, and what it must say of noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from babelscope.analyses.tradeoffs.activations import (
    FOLDS,
    debiased_cka,
    depth_slope,
    folds,
    gram,
    hsic,
    jackknifed,
    linear_cka,
    paired_cosine,
    retrieval,
    similarity,
)
from babelscope.errors import InputError


def drawn(n: int = 60, dim: int = 12, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)) + 3.0


def related(x: np.ndarray, noise: float = 0.7) -> np.ndarray:
    rng = np.random.default_rng(9)
    return x @ rng.normal(size=(x.shape[1], 7)) + noise * rng.normal(size=(len(x), 7))


def rotation(dim: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(1).normal(size=(dim, dim)))[0]


def dcka(x: np.ndarray, y: np.ndarray) -> float:
    return debiased_cka([(x, y)])


@pytest.mark.parametrize("measure", [linear_cka, dcka])
def test_laws_of_similarity(measure: object) -> None:
    x = drawn()
    y = related(x)
    value = measure(x, y)
    assert measure(x, x) == pytest.approx(1)
    assert measure(y, x) == pytest.approx(value)
    assert 0.1 < value < 0.999
    assert measure(5 * x @ rotation(12) - 20, y) == pytest.approx(value, abs=1e-9)
    stretched = x @ np.diag(np.linspace(0.1, 5, 12))
    assert abs(measure(stretched, y) - value) > 1e-3, "no invariance to general linear maps"


def test_the_biased_form_finds_noise_alike_and_the_debiased_does_not() -> None:
    biased, debiased = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(size=(100, 768)), rng.normal(size=(100, 768))
        biased.append(linear_cka(x, y))
        debiased.append(dcka(x, y))
    assert np.mean(biased) == pytest.approx(0.886, abs=0.005)
    assert abs(np.mean(debiased)) < 0.02


def test_exchanged_rows_are_near_zero() -> None:
    x = drawn(500, 40)
    y = related(x, 0.1)
    assert dcka(x, y) > 0.3
    for seed in range(5):
        assert abs(dcka(x, y[np.random.default_rng(seed).permutation(500)])) < 0.05


def test_batches_estimate_the_same_and_one_batch_is_the_whole() -> None:
    x = drawn(1200, 10)
    y = related(x)
    parts = [(x[at : at + 150], y[at : at + 150]) for at in range(0, 1200, 150)]
    assert debiased_cka(parts) == pytest.approx(dcka(x, y), abs=0.01)
    assert debiased_cka(reversed(parts)) == pytest.approx(debiased_cka(parts))


def test_constant_states_and_few_texts() -> None:
    assert np.isnan(dcka(np.ones((9, 3)), drawn(9, 3)))
    assert np.isnan(linear_cka(np.ones((9, 3)), drawn(9, 3)))
    with pytest.raises(InputError, match="4 texts or more"):
        dcka(drawn(3, 2), drawn(3, 2))
    with pytest.raises(InputError, match="the same texts on both sides; found 9 and 8"):
        dcka(drawn(9, 2), drawn(8, 2))


def test_folds_belong_to_the_cluster_and_leave_texts_out() -> None:
    names = [f"t{at // 2}" for at in range(60)]
    found = folds(names)
    assert (found[::2] == found[1::2]).all()
    assert set(found) <= set(range(FOLDS))
    np.testing.assert_array_equal(found[::-1], folds(names[::-1]))
    x = drawn()
    y = related(x)
    sums = hsic(gram(x, found), gram(y, found))
    assert sums.shape == (1 + FOLDS,)
    np.testing.assert_allclose(sums, hsic(gram(y, found), gram(x, found)))
    np.testing.assert_allclose(sums[:1], hsic(gram(x), gram(y)))
    for fold in range(FOLDS):
        kept = found != fold
        np.testing.assert_allclose(sums[1 + fold], hsic(gram(x[kept]), gram(y[kept]))[0])
    np.testing.assert_allclose(hsic(*[gram(x, np.full(60, FOLDS))] * 2), hsic(gram(x), gram(x))[0])
    assert left_out(x, y, found)[0] == pytest.approx(dcka(x, y))


def left_out(x: np.ndarray, y: np.ndarray, found: np.ndarray) -> np.ndarray:
    one, two = gram(x, found), gram(y, found)
    return similarity(hsic(one, two), hsic(one, one), hsic(two, two))


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    rng, ratios = np.random.default_rng(0), []
    for _ in range(300):
        values = rng.normal(size=200)
        left = [
            np.delete(values, np.s_[fold * 20 : fold * 20 + 20]).mean() for fold in range(FOLDS)
        ]
        found = jackknifed(np.array([values.mean(), *left]))
        # The nearer bound is t standard errors away; skewness moves only the other one.
        nearer = min(found.high - found.value, found.value - found.low)
        ratios.append((nearer / t.ppf(0.975, FOLDS - 1)) ** 2 * 200)
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)
    flat = jackknifed(np.full(11, 0.4))
    assert flat == pytest.approx((0.4, 0.4, 0.4))
    moved = jackknifed(np.linspace(0, 1, 11) + 5)
    assert np.subtract(moved, 5) == pytest.approx(jackknifed(np.linspace(0, 1, 11)))
    assert np.isnan(jackknifed(np.array([0.4, np.nan, 0.3])).low)


def test_the_jackknife_covers_where_the_bootstrap_would_not() -> None:
    hits, truth = 0, _truth()
    for seed in range(100):
        x, y = _pair(120, seed)
        found = jackknifed(left_out(x, y, np.arange(120) % FOLDS))
        hits += found.low <= truth <= found.high
    assert hits >= 89, "three standard errors of .95 at 100 are .065"
    x, y = _pair(120, 0)
    twice = np.random.default_rng(0).integers(0, 120, 120)
    assert dcka(x[twice], y[twice]) > dcka(x, y) + 0.05, "repeated rows inflate it"


def _pair(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """y shares half of its 30 directions with x."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 30))
    return x, np.concatenate([x[:, :15], rng.normal(size=(n, 15))], axis=1)


def _truth() -> float:
    """dCKA -> ||S_xy||^2 / (||S_xx|| ||S_yy||) = 15 / 30 for unit covariances that share 15 of 30
    directions.
    """
    return 15 / 30


def test_slopes() -> None:
    layers = np.arange(5)
    assert depth_slope(0.3 + 0.07 * layers) == pytest.approx(0.07)
    assert depth_slope(np.full(5, 0.9)) == pytest.approx(0)
    both = depth_slope(np.stack([2.0 * layers, -layers]))
    assert both == pytest.approx([2, -1])


def test_cosines() -> None:
    x, y = drawn(), drawn(seed=4)
    assert paired_cosine(x, x) == pytest.approx(1)
    assert paired_cosine(x, 3 * y) == pytest.approx(paired_cosine(x, y))
    assert paired_cosine(x, y) > 0.8, "a common part makes raw cosines near 1"
    assert abs(paired_cosine(x, y, centred=True)) < 0.15
    assert paired_cosine(x + 9, y - 4, centred=True) == pytest.approx(
        paired_cosine(x, y, centred=True)
    )
    assert np.isnan(paired_cosine(np.zeros((4, 2)), x[:4, :2]))


def test_retrieval_both_ways() -> None:
    x = drawn()
    assert retrieval(x, x) == (1, 1)
    turned = rotation(12)
    assert retrieval(x @ turned, drawn(seed=3) @ turned) == pytest.approx(
        retrieval(x, drawn(seed=3))
    )
    hub = x.copy()
    hub[30:] = hub[:30] + 1e-9  # every text of the second half looks like one of the first
    one, two = retrieval(x, hub)
    assert one == pytest.approx(0.5, abs=0.1)
    assert retrieval(hub, x) == pytest.approx((two, one))
    chance = np.mean(
        [retrieval(drawn(100, 20, seed), drawn(100, 20, 50 + seed)) for seed in range(20)]
    )
    assert chance == pytest.approx(0.01, abs=0.01)
