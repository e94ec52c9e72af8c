"""Words coloured by a number each."""

from __future__ import annotations

import re
from math import nan

from babelscope.display.chart import Figure, figure_svg
from babelscope.display.words import WIDE, word_chart

WORDS = ["a", "<b>", "long-winded", "…"] * 20
VALUES = [1.0, -2.0, nan, 0.0] * 20


def test_every_word_is_drawn_inside_and_none_becomes_markup() -> None:
    chart = word_chart("scores & marks", WORDS, VALUES)
    svg = figure_svg(Figure("words", "A review", (chart,)))
    assert svg.count("long-winded") == 20
    assert svg.count("&lt;b&gt;") == 20
    assert "<b>" not in svg
    assert "scores &amp; marks" in svg
    boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="19"', svg)
    assert len(boxes) == len(WORDS)
    for x, y, wide in boxes:
        assert float(x) + float(wide) <= WIDE + 24
        assert float(y) + 19 <= chart.height
    assert len({y for _, y, _ in boxes}) > 1, "several lines"


def test_the_largest_in_size_has_the_full_colour_and_undefined_is_grey() -> None:
    chart = word_chart("t", ["up", "down", "none"], [1.0, -2.0, nan])
    colours = re.findall(r'rx="3" fill="(#[0-9a-f]{6})"', str(chart.marks))
    assert colours[1] == "#8f3400", "the end of the scale below 0"
    assert colours[2] == "#b9bfc8"
    assert word_chart("t", [], []).height > 0
