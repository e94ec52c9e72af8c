"""Logarithmic scales: round ticks around the values, and marks within them."""

from __future__ import annotations

import re
from itertools import pairwise
from math import inf, log10, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelscope.display.dots import Mark, Row
from babelscope.display.extent import text_width
from babelscope.display.log_dots import log_dot_plot, log_ticks
from babelscope.display.numbers import rounded

MARK = re.compile(r'class="mark s0" transform="translate\(([\d.]+),')
LABEL = re.compile(r'<text x="([\d.]+)" y="[\d.]+" class="f t m">([^<]+)</text>')
POSITIVE = st.floats(1e-6, 1e7)


@given(st.lists(POSITIVE, min_size=1, max_size=6))
def test_marks_are_inside_and_in_the_order_of_the_values(values: list[float]) -> None:
    rows = [Row(str(at), (Mark(value),)) for at, value in enumerate(values)]
    chart = log_dot_plot("t", "seconds", rows, width=300, small=True)
    places = [float(x) for x in MARK.findall(str(chart.marks))]
    assert len(places) == len(values)
    assert all(0 <= place <= 300 for place in places)
    ordered = [place for _, place in sorted(zip(values, places))]
    assert all(first <= second for first, second in pairwise(ordered))
    for x, label in LABEL.findall(str(chart.marks)):
        assert float(x) + text_width(label, 11) / 2 <= 300, "the last label is not cut"


@given(POSITIVE, POSITIVE)
def test_ticks_are_round_and_around_the_values(first: float, second: float) -> None:
    low, high = sorted((log10(first), log10(second)))
    ticks = log_ticks(low, high)
    assert ticks[0] <= low + 1e-6
    assert ticks[-1] >= high - 1e-6
    assert 2 <= len(ticks) <= 8
    assert all(before < after for before, after in pairwise(ticks))
    for tick in ticks:
        power = 10**tick
        assert min(abs(power / (times * 10.0**p) - 1)
                   for times in (1, 2, 5) for p in range(-8, 10)) < 1e-9  # fmt: skip


def test_ticks_by_hand() -> None:
    # 0.04 to 2.8: 0.01, 0.1, 1, 10; 3 to 6: 2, 5, 10
    assert log_ticks(log10(0.04), log10(2.8)) == [-2.0, -1.0, 0.0, 1.0]
    assert [round(10**tick) for tick in log_ticks(log10(3), log10(6))] == [2, 5, 10]
    assert [rounded(10**tick, 1) for tick in log_ticks(-6, 6)][:3] == ["0.000001", "0.0001", "0.01"]


@pytest.mark.parametrize("value", [0.0, -1.0, nan])
def test_what_is_not_positive_is_not_drawn(value: float) -> None:
    rows = [Row("a", (Mark(value),)), Row("b", (Mark(3.0, 0.0, 9.0),)), Row("c", (None,))]
    assert len(MARK.findall(str(log_dot_plot("t", "x", rows).marks))) == 1
    assert MARK.findall(str(log_dot_plot("t", "x", rows[:1]).marks)) == []


def test_rounded_numbers_have_no_exponent() -> None:
    values = (0.000412, 0.0496, 0.8, 1.04, 16.4, 62124.4, 0.0, -3.14159, None, inf)
    assert [rounded(value) for value in values] == [
        "0.00041", "0.050", "0.80", "1.0", "16", "62,124", "0", "−3.1", "–", "–",
    ]  # fmt: skip
    assert [rounded(value, 1) for value in (1.0, 19.5, 0.04)] == ["1", "20", "0.04"]
