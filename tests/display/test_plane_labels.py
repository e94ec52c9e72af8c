"""Labels of a SLALOM plane: words at one place share a label, which says how many there are."""

from __future__ import annotations

import re

from babelscope.display.plane import PlanePoint, plane_chart

LABEL = re.compile(r'class="m d">([^<]*)<')


def labels(points: list[PlanePoint]) -> list[str]:
    return LABEL.findall(str(plane_chart("t", ("x", "y"), points).marks))


def test_words_apart_have_a_label_each() -> None:
    points = [PlanePoint(name, at, -at) for at, name in enumerate(("good", "bad", "room"))]
    assert labels(points) == ["good", "bad", "room"]


def test_words_that_are_one_unknown_token_share_a_label() -> None:
    unknown = [PlanePoint(letter, 0.2, -0.6, 0.1, 0.4) for letter in "abcdefgh"]
    assert labels([PlanePoint("good", 1.0, 2.0), *unknown]) == ["good", "a, b, c + 5"]
    assert labels(unknown[:3]) == ["a, b, c"]
    chart = str(plane_chart("t", ("x", "y"), unknown).marks)
    assert "a, b, c, d, e, f, g, h" in chart, "the title has all of them"
    assert chart.count("value 0.200") == len(unknown), "every word has its mark"
