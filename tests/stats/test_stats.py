"""The laws of the estimates."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from babelscope.stats import estimate, rate

NUMBERS = st.floats(-100, 100)


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 6)), min_size=1, max_size=40))
@settings(max_examples=100, deadline=None)
def test_mean_interval_and_order(rows: list[tuple[float, int]]) -> None:
    values, groups = [value for value, _ in rows], [f"g{group}" for _, group in rows]
    one = estimate(values, groups)
    assert one.mean == pytest.approx(float(np.mean(values)), abs=1e-9)
    assert (one.n, one.groups) == (len(values), len(set(groups)))
    if len(set(groups)) > 1:
        assert one.low <= one.mean <= one.high
        again = estimate(values[::-1], groups[::-1])
        assert (again.low, again.high) == (
            pytest.approx(one.low, abs=1e-9),
            pytest.approx(one.high, abs=1e-9),
        )
    else:
        assert isnan(one.low)
        assert isnan(one.high)


def test_constant_values_have_no_width() -> None:
    one = estimate([0.25] * 10, [str(at) for at in range(10)])
    assert (one.low, one.mean, one.high) == (0.25, 0.25, 0.25)


def test_undefined_values_are_counted_not_averaged() -> None:
    one = estimate([1.0, nan, 3.0, nan], ["a", "b", "c", "d"])
    assert (one.mean, one.n, one.undefined, one.groups) == (2.0, 2, 2, 2)
    none = estimate([nan, nan], ["a", "b"])
    assert isnan(none.mean)
    assert (none.n, none.undefined, none.groups) == (0, 2, 0)


def test_without_skewness_it_is_the_t_interval_of_the_group_means() -> None:
    """Groups of two with means -3, -1, 0, 1, 3, symmetric: no skewness. scipy's t interval of
    these five means, and no other value, is the interval."""
    means = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    values = np.stack([means - 0.4, means + 0.4], axis=1).ravel().tolist()
    groups = np.repeat(list("abcde"), 2).tolist()
    one = estimate(values, groups)
    low, high = stats.ttest_1samp(means, 0.0).confidence_interval(0.95)
    assert (one.low, one.high) == (pytest.approx(low), pytest.approx(high))


def test_a_long_tail_widens_its_side_only() -> None:
    """One of ten means lies far above: the upper bound is further away than t puts it, the lower
    one is that of t; mirrored for the negated values."""
    values = np.array([0.1, 0.2, 0.0, 0.15, 0.3, 0.05, 0.12, 0.18, 0.22, 2.5])
    groups = [str(at) for at in range(10)]
    one, mirrored = estimate(values.tolist(), groups), estimate((-values).tolist(), groups)
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert one.low == pytest.approx(low)
    assert one.high > high + 0.1 * (high - low)
    assert (mirrored.low, mirrored.high) == (pytest.approx(-one.high), pytest.approx(-one.low))


def test_translations_are_left_out_together() -> None:
    """Five copies of each value in one group carry no more information than one: the interval must
    not shrink. As 150 independent values it would be narrower by sqrt(149/29), and by t."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=30)
    groups = [str(at) for at in range(30)]
    single = estimate(values.tolist(), groups)
    copied = estimate(np.repeat(values, 5).tolist(), np.repeat(groups, 5).tolist())
    independent = estimate(np.repeat(values, 5).tolist(), [str(at) for at in range(150)])
    assert copied.high - copied.low == pytest.approx(single.high - single.low, rel=1e-9)
    assert (copied.high - copied.low) / (independent.high - independent.low) == pytest.approx(
        (149 / 29) ** 0.5, rel=0.1
    )


def test_a_rate_of_single_texts_is_wilsons() -> None:
    for hits, count in ((0, 1), (0, 20), (7, 20), (20, 20), (500, 1000)):
        values = [1.0] * hits + [0.0] * (count - hits)
        groups = [str(at) for at in range(count)]
        one = rate(values, groups)
        assert 0 <= one.low <= one.mean <= one.high <= 1
        wilson = stats.binomtest(hits, count).proportion_ci(method="wilson")
        assert (one.low, one.high) == pytest.approx((wilson.low, wilson.high), abs=1e-9)
        other = rate([1 - value for value in values], groups)
        assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low))
    assert isnan(rate([], []).mean)
    assert isnan(rate([1.0, 0.0], ["a", "a"]).low), "one group of two texts says nothing"


def test_a_rate_of_groups_is_wider_and_stays_within_0_and_1() -> None:
    """20 groups of four copies of one answer are 20 answers. If one text of a group differs, the
    groups' variance decides: p = 61/80; group rates are 15 ones, one 1/4 and four zeros, so that
    se^2 = sum (rate - p)^2 / (20 * 19), m = p (1 - p) / se^2, and t has 19 degrees of freedom."""
    values, groups = np.repeat([1.0] * 15 + [0.0] * 5, 4), np.repeat(np.arange(20), 4)
    copies = rate(values.tolist(), groups.astype(str).tolist())
    wilson = stats.binomtest(15, 20).proportion_ci(method="wilson")
    assert (copies.low, copies.high) == pytest.approx((wilson.low, wilson.high), abs=1e-9)
    values[-1] = 1.0
    one = rate(values.tolist(), groups.astype(str).tolist())
    p, rates = 61 / 80, np.array([1.0] * 15 + [0.25] + [0.0] * 4)
    t, m = float(stats.t.ppf(0.975, 19)), p * (1 - p) / (((rates - p) ** 2).sum() / (20 * 19))
    middle, half = p + t**2 / (2 * m), t * np.sqrt(p * (1 - p) / m + t**2 / (4 * m**2))
    assert (one.low, one.high) == pytest.approx(
        ((middle - half) / (1 + t**2 / m), (middle + half) / (1 + t**2 / m))
    )
    # All right: nothing is known of their dependence; a group counts as one text, m = 20, and
    # the lower bound is 1 / (1 + t^2/m).
    every = rate([1.0] * 80, groups.astype(str).tolist())
    assert (every.low, every.high) == (pytest.approx(1 / (1 + t**2 / 20)), 1)
