"""The laws of ratios, of numbers decided by sums, and of nested units; and how often the intervals
hold the truth.
"""

from __future__ import annotations

from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.stats.intervals import estimate, hierarchical, of_sums, ratio

POSITIVE = st.floats(0.1, 10)


def names(count: int) -> list[str]:
    return [f"g{at}" for at in range(count)]


def margin(rate: float, count: int) -> float:
    """Three Monte-Carlo standard errors of a rate seen `count` times."""
    return 3 * sqrt(rate * (1 - rate) / count)


@given(
    st.lists(st.tuples(POSITIVE, POSITIVE, st.integers(0, 5)), min_size=2, max_size=20), POSITIVE
)
@settings(max_examples=60, deadline=None)
def test_a_ratio_is_of_means_and_scales(rows: list[tuple[float, float, int]], scale: float) -> None:
    values, floor = np.array([row[:2] for row in rows]).T
    groups = [f"g{row[2]}" for row in rows]
    found = ratio(values, floor, groups)
    assert found.mean == pytest.approx(values.mean() / floor.mean())
    scaled, back = ratio(scale * values, floor, groups), ratio(floor, values, groups)
    assert scaled.mean == pytest.approx(scale * found.mean)
    assert back.mean == pytest.approx(1 / found.mean)
    if len(set(groups)) > 1:
        assert found.low <= found.mean <= found.high
        assert (scaled.low, scaled.high) == (
            pytest.approx(scale * found.low),
            pytest.approx(scale * found.high),
        )
        assert (back.low, back.high) == (
            pytest.approx(1 / found.high, rel=1e-6),
            pytest.approx(1 / found.low, rel=1e-6),
        )
    itself = ratio(values, values, groups)
    assert itself.mean == pytest.approx(1)
    if len(set(groups)) > 1:
        assert (itself.low, itself.high) == (pytest.approx(1), pytest.approx(1))


def test_a_floor_near_zero_has_no_interval() -> None:
    floor = np.array([1.0, -0.9, 0.8, -0.7, 0.1])
    found = ratio(np.ones(5), floor, names(5))
    assert found.mean == pytest.approx(5 / floor.sum())
    assert isnan(found.low)
    assert isnan(found.high)
    assert isnan(ratio(np.ones(5), -np.ones(5), names(5)).mean)
    lacking = ratio([1.0, nan, 3.0], [[1.0, 3.0], [1.0, 1.0], [nan, 1.0]], names(3))
    assert (lacking.mean, lacking.n, lacking.undefined) == (0.5, 1, 2)


def test_an_estimate_is_a_quotient_of_sums() -> None:
    values = np.random.default_rng(0).normal(size=12)
    groups = np.repeat(names(4), 3).tolist()
    found = of_sums(
        np.column_stack([values, np.ones(12)]), groups, lambda sums: sums[:, 0] / sums[:, 1]
    )
    assert found == estimate(values.tolist(), groups)


@pytest.mark.parametrize("draws", [1, 5, 20])
def test_random_against_random_covers_one(draws: int) -> None:
    """Random scores divided by the mean of other random draws of the same instances: the true ratio
    is 1. 300 repetitions of 60 instances in 30 groups whose level differs (translations share
    it)."""
    rng = np.random.default_rng(draws)
    groups = np.repeat(names(30), 2).tolist()
    hits = 0
    for _ in range(300):
        level = np.repeat(rng.gamma(4, 0.1, 30), 2)
        values, floor = (
            level * rng.gamma(5, 0.2, 60),
            level[:, None] * rng.gamma(5, 0.2, (60, draws)),
        )
        found = ratio(values, floor, groups)
        hits += found.low <= 1 <= found.high
    assert 0.95 - margin(0.95, 300) <= hits / 300 <= 0.96 + margin(0.96, 300)


def test_a_fixed_denominator_would_be_too_sure() -> None:
    """The same, but with the floor's mean taken as known: the interval ignores the noise of a
    single draw and misses 1.
    """
    rng = np.random.default_rng(40)
    groups = names(60)
    hits = 0
    for _ in range(300):
        values, floor = rng.gamma(5, 0.2, 60), rng.gamma(5, 0.2, 60)
        found = estimate((values / floor.mean()).tolist(), groups)
        hits += found.low <= 1 <= found.high
    assert hits / 300 < 0.93 - margin(0.93, 300)


def test_groups_cover_where_values_do_not() -> None:
    """Five translations of 30 sentences that share most of their value: by group the interval
    covers, one by one not.
    """
    rng = np.random.default_rng(41)
    groups = np.repeat(names(30), 5).tolist()
    grouped = alone = 0
    for _ in range(300):
        values = (np.repeat(rng.normal(size=30), 5) + 0.3 * rng.normal(size=150)).tolist()
        one, two = estimate(values, groups), estimate(values, names(150))
        grouped += one.low <= 0 <= one.high
        alone += two.low <= 0 <= two.high
    assert 0.95 - margin(0.95, 300) <= grouped / 300 <= 0.96 + margin(0.96, 300)
    assert alone / 300 < 0.75


@given(
    st.lists(
        st.tuples(st.floats(-9, 9), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=25
    )
)
@settings(max_examples=40, deadline=None)
def test_nested_means(rows: list[tuple[float, int, int]]) -> None:
    values = [row[0] for row in rows]
    tasks, seeds = [f"t{row[1]}" for row in rows], [f"s{row[2]}" for row in rows]
    found = hierarchical(values, [tasks, seeds])
    by_hand = []
    for task in sorted(set(tasks)):
        inner = {seed for seed, mine in zip(seeds, tasks) if mine == task}
        each = [
            np.mean([v for v, t, s in zip(values, tasks, seeds) if (t, s) == (task, seed)])
            for seed in inner
        ]
        by_hand.append(np.mean(each))
    assert found.mean == pytest.approx(np.mean(by_hand), abs=1e-9)
    again = hierarchical(values[::-1], [tasks[::-1], seeds[::-1]])
    if len(set(tasks)) == 1:
        assert isnan(found.low)
    else:
        assert found.low <= found.mean <= found.high
        assert (again.low, again.high) == (
            pytest.approx(found.low, abs=1e-9),
            pytest.approx(found.high, abs=1e-9),
        )


def test_a_nested_constant_and_a_single_level() -> None:
    one = hierarchical([0.5] * 8, [["a", "b"] * 4, names(8)])
    assert (one.low, one.mean, one.high) == (0.5, 0.5, 0.5)
    values = np.random.default_rng(1).normal(size=40).tolist()
    flat, nested = estimate(values, names(40)), hierarchical(values, [names(40)])
    assert nested.mean == pytest.approx(flat.mean)
    assert (nested.low, nested.high) == (pytest.approx(flat.low), pytest.approx(flat.high))
    lacking = hierarchical([1.0, nan, 3.0], [names(3)])
    assert (lacking.mean, lacking.n, lacking.undefined) == (2, 2, 1)


def test_nested_units_cover_where_pooled_values_do_not() -> None:
    """15 tasks with an effect of their own, 2 seeds each, 5 instances each."""
    rng = np.random.default_rng(42)
    tasks, seeds = np.repeat(names(15), 10).tolist(), np.tile(np.repeat(["0", "1"], 5), 15).tolist()
    nested = pooled = 0
    for _ in range(150):
        values = (
            np.repeat(rng.normal(size=15), 10)
            + np.repeat(0.3 * rng.normal(size=30), 5)
            + 0.7 * rng.normal(size=150)
        )
        one = hierarchical(values.tolist(), [tasks, seeds, names(150)])
        two = estimate(values.tolist(), names(150))
        nested += one.low <= 0 <= one.high
        pooled += two.low <= 0 <= two.high
    assert 0.95 - margin(0.95, 150) <= nested / 150 <= 0.96 + margin(0.96, 150)
    assert pooled / 150 < 0.6
