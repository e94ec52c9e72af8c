"""Mantel's test of two matrices of pairs."""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.stats.mantel import mantel, pooled_mantel


def symmetric(pairs: list[float], n: int) -> np.ndarray:
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = pairs
    return matrix + matrix.T


def random_matrix(n: int, seed: int) -> np.ndarray:
    return symmetric(np.random.default_rng(seed).normal(size=n * (n - 1) // 2).tolist(), n)


def test_by_hand() -> None:
    """Three models, pairs 12, 13, 23: x = 0, 1, 2 and y = 0, 1, 5. Means 1 and 2, deviations
    -1, 0, 1 and -2, -1, 3: r = 5 / sqrt(2 * 14). Relabelling three models gives all six orders of
    the pairs; |r| is as large only for the identity and the reversed order of x (2, 1, 0): 2/6.
    """
    x, y = symmetric([0, 1, 2], 3), symmetric([0, 1, 5], 3)
    test = mantel(x, y)
    assert test.r == pytest.approx(5 / np.sqrt(28))
    assert (test.n, test.exact) == (3, True)
    assert test.p == pytest.approx(2 / 6)


def test_laws() -> None:
    x, y = random_matrix(6, 1), random_matrix(6, 2)
    test = mantel(x, y)
    order = [3, 1, 5, 0, 2, 4]
    moved = mantel(x[np.ix_(order, order)], y[np.ix_(order, order)])
    exchanged = mantel(y, x)
    risen = mantel(3 * x + 2, y)
    for other in (moved, exchanged, risen):
        assert (other.r, other.p) == pytest.approx((test.r, test.p))
    assert mantel(-x, y).r == pytest.approx(-test.r)
    assert mantel(x, x).r == pytest.approx(1)
    assert mantel(x, x).p == pytest.approx(1 / 720)
    upper = np.triu_indices(6, 1)
    assert test.r == pytest.approx(np.corrcoef(x[upper], y[upper])[0, 1])


def test_controls_are_taken_out() -> None:
    """y is x plus a multiple of the control: without it nothing is left but x."""
    x, control = random_matrix(6, 3), random_matrix(6, 4)
    assert mantel(x, x + 50 * control).r < 0.9
    assert mantel(x, x + 50 * control, [control]).r == pytest.approx(1)
    y, upper = random_matrix(6, 5), np.triu_indices(6, 1)
    xy, xz, yz = (
        np.corrcoef(a[upper], b[upper])[0, 1] for a, b in ((x, y), (x, control), (y, control))
    )
    partial = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
    assert mantel(x, y, [control]).r == pytest.approx(partial)


def test_undefined_pairs_leave_a_model_out() -> None:
    x, y = random_matrix(5, 6), random_matrix(5, 7)
    x[2, :] = x[:, 2] = np.nan
    test = mantel(x, y)
    kept = [0, 1, 3, 4]
    assert test == mantel(x[np.ix_(kept, kept)], y[np.ix_(kept, kept)])
    assert np.isnan(mantel(np.zeros((2, 2)), np.zeros((2, 2))).r)
    assert np.isnan(mantel(np.ones((4, 4)), random_matrix(4, 8)).p)


def test_sampled_p_is_near_the_exact_one() -> None:
    x, y = random_matrix(6, 9), random_matrix(6, 10)
    exact = mantel(x, y)
    pooled = pooled_mantel([(x, y)], ["en"])
    assert pooled.r == pytest.approx(exact.r)
    assert pooled.p == pytest.approx(exact.p, abs=0.02)
    copied = pooled_mantel([(x, y), (x, y)], ["en", "en"])
    assert (copied.r, copied.p) == pytest.approx((pooled.r, pooled.p))
    nine = random_matrix(9, 11)
    assert not mantel(nine, nine).exact
    assert mantel(nine, nine).p == pytest.approx(1 / 10_001)
    assert np.isnan(pooled_mantel([], []).r)
