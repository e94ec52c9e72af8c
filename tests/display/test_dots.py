"""Dot plots: labels of the axis are evenly spaced and do not touch, whatever the values."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.extent import text_width

LABEL = re.compile(r'<text x="([\d.]+)" y="[\d.]+" class="f t m">([^<]+)</text>')


def labels(values: list[float], **options: object) -> list[tuple[float, str]]:
    rows = [Row(f"a name of some length {at}", (Mark(value),)) for at, value in enumerate(values)]
    chart = dot_plot("t", "axis", rows, width=300, small=True, **options)  # type: ignore[arg-type]
    return [(float(x), said) for x, said in LABEL.findall(str(chart.marks))]


@pytest.mark.parametrize("values", [[0.0], [-0.31, 0.52], [0.00012, 0.00019], [-120.0, 4000.0]])
def test_labels_are_evenly_spaced_and_apart(values: list[float]) -> None:
    placed = labels(values, zero=True)
    assert len(placed) >= 2
    assert any(said == "0" for _, said in placed)
    gaps = [second[0] - first[0] for first, second in pairwise(placed)]
    assert max(gaps) - min(gaps) <= 0.2  # places are rounded to a tenth
    for (x, said), (after, following) in pairwise(placed):
        assert x + text_width(said, 11) / 2 < after - text_width(following, 11) / 2


def test_a_share_has_an_axis_from_0_to_1() -> None:
    # All explanations fail: the axis is not -0.5 to 0.5 around their share of 0.
    said = [label for _, label in labels([0.0, 0.0], zero=True, ends=(0.0, 1.0))]
    assert said[0] == "0"
    assert "−" not in "".join(said)


def test_the_axis_of_zeros_begins_at_0() -> None:
    """A share has no values below 0, and none is drawn there."""
    said = [text for _, text in labels([0.0, 0.0], zero=True)]
    assert said[0] == "0"
    assert len(said) > 2
    assert min(float(each.replace("−", "-")) for each in said) == 0
