"""Labels of scatter plots: none on another, none on a mark, none outside."""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.display.extent import text_width
from babelscope.display.lines import HEADING, RADIUS, Curve, Point, label_places, line_chart

FIRST, LAST = 40.0, 340.0


def boxes(places: list[tuple[float, float, str, str]]) -> list[tuple[float, float, float, float]]:
    listed = []
    for x, y, label, kind in places:
        wide = text_width(label, 11)
        start = x - wide if kind.endswith("e") else x
        listed.append((start, y - 10, start + wide, y))
    return listed


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    across = one[2] <= other[0] or other[2] <= one[0]
    return across or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("number", [1, 5, 30, 200])
def test_labels_overlap_nothing(number: int) -> None:
    rng = np.random.default_rng(number)
    marks = [
        (float(x), float(y), f"word{at}")
        for at, (x, y) in enumerate(
            zip(rng.uniform(FIRST, LAST, number), rng.uniform(28, 240, number))
        )
    ]
    placed = boxes(label_places(marks, FIRST, LAST))
    assert placed
    for at, box in enumerate(placed):
        assert box[0] >= FIRST
        assert box[2] <= LAST
        assert box[1] >= HEADING
        assert all(apart(box, other) for other in placed[:at])
        assert all(
            apart(box, (x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS)) for x, y, _ in marks
        )


def test_marks_far_apart_have_all_their_labels_above_to_the_right() -> None:
    marks = [(60.0, 100.0, "en"), (200.0, 100.0, "hi"), (100.0, 200.0, "")]
    assert label_places(marks, FIRST, LAST) == [
        (66.0, 96.0, "en", "f t"), (206.0, 96.0, "hi", "f t"),
    ]  # fmt: skip


def test_at_the_right_edge_a_label_is_to_the_left() -> None:
    assert label_places([(338.0, 100.0, "en")], FIRST, LAST) == [(332.0, 96.0, "en", "f t e")]
    # and at the top below its mark
    assert label_places([(60.0, 20.0, "en")], FIRST, LAST) == [(66.0, 31.0, "en", "f t")]


def test_a_label_that_does_not_fit_is_left_out_and_its_mark_is_drawn() -> None:
    points = tuple(Point(0.5, 0.5, label=name) for name in ("en", "hi", "zh", "es", "fr", "de"))
    chart = line_chart("t", ("x", "y"), [Curve("a", points, joined=False)])
    assert chart.marks.count('class="mark') == 6
    shown = sum(f">{point.label}</text>" in chart.marks for point in points)
    assert shown == 4, "one on each side"
