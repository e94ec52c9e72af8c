"""The laws of the estimates."""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.stats import RESAMPLES, estimate

NUMBERS = st.floats(-100, 100)


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 6)), min_size=1, max_size=40))
@settings(max_examples=100, deadline=None)
def test_mean_interval_and_order(rows: list[tuple[float, int]]) -> None:
    values, groups = [value for value, _ in rows], [f"g{group}" for _, group in rows]
    one = estimate(values, groups)
    assert one.mean == pytest.approx(float(np.mean(values)), abs=1e-9)
    assert one.n == len(values)
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
    assert (one.mean, one.n, one.undefined) == (2.0, 2, 2)
    none = estimate([nan, nan], ["a", "b"])
    assert isnan(none.mean)
    assert (none.n, none.undefined) == (0, 2)


def test_translations_are_drawn_together() -> None:
    """Five copies of each value in one group carry no more information than one: the interval must
    not shrink. Resampled as 150 independent values it would be narrower by sqrt(5)."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=30)
    groups = [str(at) for at in range(30)]
    single = estimate(values.tolist(), groups)
    copied = estimate(np.repeat(values, 5).tolist(), np.repeat(groups, 5).tolist())
    independent = estimate(np.repeat(values, 5).tolist(), [str(at) for at in range(150)])
    assert copied.high - copied.low == pytest.approx(single.high - single.low, rel=1e-9)
    assert (copied.high - copied.low) / (independent.high - independent.low) == pytest.approx(
        5**0.5, rel=0.1
    )


def test_the_interval_covers_at_about_its_level() -> None:
    """400 samples of 40 normal values: the share of intervals that hold the true mean 0. A
    percentile bootstrap of 40 values covers about .94; three Monte-Carlo standard errors of .95 at
    400 are .033."""
    rng = np.random.default_rng(1)
    groups = [str(at) for at in range(40)]
    found = [estimate(rng.normal(size=40).tolist(), groups) for _ in range(400)]
    covered = sum(one.low <= 0 <= one.high for one in found) / len(found)
    assert 0.905 <= covered <= 0.983
    assert RESAMPLES == 2000
