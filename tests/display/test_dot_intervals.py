"""Dot plots: what is drawn, and intervals that are far wider than all others."""

from __future__ import annotations

import re

import pytest

from babelscope.display.dots import Mark, Row, dot_plot


def drawn(*marks: Mark, reference: float | None = None) -> str:
    return dot_plot("t", "ratio", [Row("a", marks)], reference=reference).svg


INTERVAL = re.compile(r'x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)" y2="[\d.]+" class="i ')


def ends(svg: str) -> list[tuple[float, float]]:
    """Where intervals begin and end."""
    return [(float(low), float(high)) for low, high in INTERVAL.findall(svg)]


def test_a_usual_interval_is_whole() -> None:
    """Widths 0.2 and 2: ten times the median of 1.1 is more than either, whatever the values."""
    svg = drawn(Mark(1.0, 0.9, 1.1), Mark(1.05, 0.2, 2.2))
    assert "cut" not in svg
    assert len(ends(svg)) == 2


def test_a_single_interval_is_never_cut() -> None:
    assert "cut" not in drawn(Mark(1.0, 0.5, 2000.0), reference=1.0)
    assert "cut" not in drawn(Mark(1.0, 1.0, 1.0), Mark(1.0, 1.0, 1.0), Mark(1.0, 0.0, 50.0))


@pytest.mark.parametrize(
    ("low", "ticks", "arrows"), [(0.9, ["0", "8"], 1), (-900.0, ["\N{MINUS SIGN}5", "10"], 2)]
)
def test_an_outlying_interval_ends_in_arrows(low: float, ticks: list[str], arrows: int) -> None:
    """Values span 0.5, two widths are 0.2: the axis goes at most 5 beyond the values, from 0.9 or
    -4 to 6.5, and ends at the next round numbers."""
    marks = (Mark(1.0, 0.9, 1.1), Mark(1.5, 1.4, 1.6), Mark(1.2, low, 900.0))
    svg = drawn(*marks, reference=1.0)
    assert svg.count('cut"') == arrows
    written = re.findall(r'class="f t m">([^<]*)<', svg)
    assert [written[0], written[-1]] == ticks
    assert len(ends(svg)) == 3
    assert all(0 <= start < end <= 380 for start, end in ends(svg))
    assert svg.count('class="mark') == 3


def test_a_control_band_stays_inside() -> None:
    row = Row("a", (Mark(1.0, 0.9, 1.1), Mark(1.5, 1.4, 1.6)), Mark(1.2, -900.0, 900.0))
    svg = dot_plot("t", "ratio", [row]).svg
    ((start, wide),) = re.findall(r'class="k" x="([\d.-]+)" y="[\d.]+" width="([\d.]+)"', svg)
    assert float(start) >= 0
    assert float(start) + float(wide) <= 380
