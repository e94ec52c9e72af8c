"""Line charts: curves with bands over layers, and reliability diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite, nan

from markupsafe import Markup

from babelscope.display.chart import Chart, line, shape, text, tick_text, ticks
from babelscope.display.extent import shortened, text_width
from babelscope.display.numbers import number

LEFT, TOP, RIGHT, BOTTOM = 40, 28, 14, 40
WIDE, TALL = 340, 280
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve with the interval of its y; `size` is that of the mark."""

    x: float
    y: float
    low: float = nan
    high: float = nan
    size: float = 0.8
    title: str = ""
    label: str = ""
    """Written beside the mark, for a scatter plot in print."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one series, joined by a line; `band` fills between the ends of intervals
    instead of drawing a bar at each point."""

    name: str
    points: tuple[Point, ...]
    band: bool = False
    joined: bool = True


def line_chart(
    title: str,
    axes: tuple[str, str],
    curves: Sequence[Curve],
    *,
    limits: tuple[float, float] | None = None,
    diagonal: bool = False,
) -> Chart:
    """Curves over a common x; `limits` are those of y unless a value lies outside, `diagonal` draws
    what a calibrated model has. A chart with a diagonal has the same limits for x.

    *Laws*: every defined point is drawn; names never become markup; of counts all ticks are whole.
    """
    points = [p for curve in curves for p in curve.points if isfinite(p.x) and isfinite(p.y)]
    ends = [end for p in points for end in (p.y, p.low, p.high) if isfinite(end)] or [0.0, 1.0]
    counted = limits is None and all(each == round(each) for each in ends)
    up = ticks(*_extended(limits, min(ends), max(ends)), 6, whole=counted)
    if min(ends) >= 0:
        up = [value for value in up if value >= 0]  # nothing but zeros: no axis below them
    xs = [p.x for p in points] or [0.0, 1.0]
    whole = all(each == round(each) for each in xs)
    across = up if diagonal else ticks(min(xs), max(xs), 6, whole=whole)

    left = max(LEFT, 8 + max(text_width(tick_text(value, up), 11) for value in up))

    def x(value: float) -> float:
        return left + (WIDE - left - RIGHT) * (value - across[0]) / (across[-1] - across[0])

    def y(value: float) -> float:
        kept = min(max(value, up[0]), up[-1])
        return TOP + (TALL - TOP - BOTTOM) * (up[-1] - kept) / (up[-1] - up[0])

    parts = [text(0, 16, shortened(title, WIDE), "b", title)]
    for value in up:
        parts.append(line(left, y(value), WIDE - RIGHT, y(value), "a" if value == 0 else "g"))
        parts.append(text(left - 6, y(value) + 4, tick_text(value, up), "f t e"))
    for value in _apart(across, WIDE - left - RIGHT):
        parts.append(text(x(value), TALL - BOTTOM + 16, tick_text(value, across), "f t m"))
    parts.append(text(left, TALL - 8, f"→ {axes[0]}   ↑ {axes[1]}", "f t"))
    if diagonal:
        parts.append(Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="a" '
                            'stroke-dasharray="3 3"/>').format(
            x(across[0]), y(up[0]), x(across[-1]), y(up[-1])))  # fmt: skip
    for at, curve in enumerate(curves):
        parts += _curve(curve, at, x, y)
    marks = [(x(p.x), y(p.y), p.label) for p in points]
    parts += [text(*place) for place in label_places(marks, left, WIDE)]
    return Chart(title, Markup("").join(parts), WIDE, TALL)


def _extended(limits: tuple[float, float] | None, least: float, most: float) -> tuple[float, float]:
    """The limits, or the ends of the values that lie outside of them by more than rounding."""
    if limits is None:
        return least, most
    low, high = limits
    return (least if least < low - ROUNDING else low, most if most > high + ROUNDING else high)


def _apart(scale: Sequence[float], room: float) -> Sequence[float]:
    """The first and every second, third, ... tick, so that their numbers do not touch."""
    widest = 6 + max(text_width(tick_text(value, scale), 11) for value in scale)
    return scale[:: max(1, ceil(widest * (len(scale) - 1) / room))]


def _curve(curve: Curve, series: int, x, y) -> list[Markup]:  # type: ignore[no-untyped-def]
    known = [p for p in curve.points if isfinite(p.x) and isfinite(p.y)]
    parts: list[Markup] = []
    if curve.band and known and all(isfinite(p.low) and isfinite(p.high) for p in known):
        there = [f"{x(p.x):.1f},{y(p.high):.1f}" for p in known]
        back = [f"{x(p.x):.1f},{y(p.low):.1f}" for p in reversed(known)]
        around = " ".join(there + back)
        parts.append(Markup('<polygon class="s{} w" points="{}"/>').format(series % 8, around))
    elif not curve.band:
        parts += [
            line(x(p.x), y(p.low), x(p.x), y(p.high), f"s{series % 8}")
            for p in known
            if isfinite(p.low)
        ]
    if curve.joined and len(known) > 1:
        joined = " ".join(f"{x(p.x):.1f},{y(p.y):.1f}" for p in known)
        parts.append(Markup('<polyline class="s{} l" points="{}"/>').format(series % 8, joined))
    for p in known:
        said = p.title or f"{curve.name}: {number(p.x, 2)}, {number(p.y)}"
        parts.append(shape(x(p.x), y(p.y), series, said, p.size))
    return parts


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
SIDES = ((6, -4, False), (-6, -4, True), (6, 11, False), (-6, 11, True))
"""Where the label of a mark may begin, or end: above and below, to the right and to the left."""
HEIGHT, RADIUS, HEADING = 10, 3.5, 18


def label_places(
    marks: Sequence[tuple[float, float, str]], first: float, last: float
) -> list[tuple[float, float, str, str]]:
    """Where the labels of marks are written, and how: each on the first side of its mark on which
    it touches no mark and no label before it. A label without such a side is left out; its mark has
    a title.

    *Laws*: no two labels overlap, and none a mark; all are between `first` and `last` and below the
    heading.
    """
    taken: list[Box] = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y, _ in marks]
    places = []
    for x, y, label in marks:
        wide = text_width(label, 11)
        for right, down, ends in SIDES if label else ():
            start = x + right - (wide if ends else 0)
            box = (start, y + down - HEIGHT, start + wide, y + down)
            outside = box[0] < first or box[2] > last or box[1] < HEADING
            if outside or any(_touch(box, each) for each in taken):
                continue
            taken.append(box)
            places.append((x + right, y + down, label, "f t e" if ends else "f t"))
            break
    return places


def _touch(one: Box, other: Box) -> bool:
    across = one[0] < other[2] and other[0] < one[2]
    return across and one[1] < other[3] and other[1] < one[3]
