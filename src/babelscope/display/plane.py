"""The plane of a surrogate model: every word at its value (x) and its importance (y)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, nan

from markupsafe import Markup

from babelscope.display.chart import Chart, Figure, figure_svg, line, shape, text, tick_text, ticks
from babelscope.display.extent import shortened, text_width
from babelscope.display.numbers import number
from babelscope.errors import InputError
from babelscope.types import Attribution

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 400, 330, 40, 26, 16, 46
FONT, LONGEST, LISTED = 13, 140, 3
"""The size of a word, the most room that it takes, and the most words that share one label."""
LEGEND = ("supports the explained class", "opposes it")

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """A unit of the text with its two numbers and their standard deviations (NaN where unknown)."""

    name: str
    value: float
    importance: float
    value_sd: float = nan
    importance_sd: float = nan

    @property
    def title(self) -> str:
        return (
            f"{self.name}: value {_plus_minus(self.value, self.value_sd)}, importance "
            f"{_plus_minus(self.importance, self.importance_sd)}"
        )


def has_plane(attribution: Attribution) -> bool:
    """Whether the explanation carries a value and an importance for its tokens."""
    return (
        any(value is not None for value in attribution.details.get("value", ()))
        and "importance" in attribution.details
    )


def plane_figure(attribution: Attribution) -> Figure:
    """Each distinct unit once at its value and its importance, with bars of one standard deviation.

    *Laws*: every unit with both numbers is drawn and named once, those at the same place by one
    label; names never become markup.
    """
    if not has_plane(attribution):
        raise InputError(
            f"{attribution.id}: an explanation by {attribution.method} has no value and "
            "importance to plot; explain with slalom"
        )
    points = plane_points(attribution)
    axes = (
        f"value: {attribution.quantity} of {attribution.target} for the word alone",
        "importance: its weight among the other words",
    )
    title = f"value and importance of the words of {attribution.id}"
    rows = tuple(asdict(point) for point in points)
    return Figure("plane", title, (plane_chart(title, axes, points),), LEGEND, rows=rows)


def plane_svg(attribution: Attribution) -> str:
    """The plane as a file of its own."""
    return figure_svg(plane_figure(attribution))


def plane_points(attribution: Attribution) -> list[PlanePoint]:
    """Every distinct unit of the text; a unit without both numbers is left out."""
    names: dict[int, str] = {}
    first: dict[int, int] = {}
    for token, place in enumerate(attribution.details["unit_position"]):
        start, end = attribution.offsets[token]
        spelt = attribution.texts[attribution.segment[token]][start:end].strip()
        names[place] = names.get(place, "") + (spelt or attribution.tokens[token])
        first.setdefault(place, token)
    points = {}
    for place, token in first.items():
        numbers = [
            nan if each is None else float(each)
            for each in (
                attribution.details[name][token]
                for name in ("value", "importance", "value_sd", "importance_sd")
            )
        ]
        if isfinite(numbers[0]) and isfinite(numbers[1]):
            points[names[place], attribution.segment[token]] = PlanePoint(names[place], *numbers)
    return list(points.values())


def plane_chart(title: str, axes: tuple[str, str], points: Sequence[PlanePoint]) -> Chart:
    """Points with their names, each name where it covers the fewest others."""
    across = _axis([(point.value, point.value_sd) for point in points])
    upward = _axis([(point.importance, point.importance_sd) for point in points])

    def x(value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - across[0]) / (across[-1] - across[0])

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (upward[-1] - value) / (upward[-1] - upward[0])

    low = HEIGHT - BOTTOM
    parts = [text(LEFT, 14, f"↑ {axes[1]}", "f t"), text(LEFT, HEIGHT - 8, f"→ {axes[0]}", "f t")]
    for tick in across:
        parts.append(line(x(tick), TOP, x(tick), low, "a" if tick == 0 else "g"))
        parts.append(text(x(tick), low + 16, tick_text(tick), "f t m"))
    for tick in upward:
        parts.append(line(LEFT, y(tick), WIDTH - RIGHT, y(tick), "a" if tick == 0 else "g"))
        parts.append(text(LEFT - 6, y(tick) + 4, tick_text(tick), "f t e"))
    places = [(x(point.value), y(point.importance)) for point in points]
    for point, (across_at, up_at) in zip(points, places):
        series = 0 if point.value >= 0 else 1
        for wide, tall in ((point.value_sd, 0.0), (0.0, point.importance_sd)):
            if isfinite(wide) and isfinite(tall):
                left, right = x(point.value - wide), x(point.value + wide)
                bottom, top = y(point.importance - tall), y(point.importance + tall)
                parts.append(line(left, bottom, right, top, f"s{series}"))
        parts.append(shape(across_at, up_at, series, point.title))
    parts += _names([point.name for point in points], places)
    return Chart(title, Markup("").join(parts), WIDTH, HEIGHT)


def _axis(values: Sequence[tuple[float, float]]) -> list[float]:
    """Ticks at round numbers, over all bars and 0."""
    ends = [value + side * (sd if isfinite(sd) else 0) for value, sd in values for side in (-1, 1)]
    return ticks(min([*ends, 0.0]), max([*ends, 0.0]), 7)


def _names(names: Sequence[str], places: Sequence[tuple[float, float]]) -> list[Markup]:
    """Each name beside its mark: of eight places the one that covers the least of what is drawn.
    Words at the same place, as those that are one unknown token to the model, share a label; its
    title has all of them.
    """
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in places]
    shared: dict[tuple[float, float], list[str]] = {}
    for name, place in zip(names, places):
        shared.setdefault(place, []).append(name)
    parts = []
    for (x, y), words in shared.items():
        name, rest = ", ".join(words), len(words) - LISTED
        first = name if rest <= 0 else f"{', '.join(words[:LISTED])} + {rest}"
        shown = shortened(first, LONGEST, FONT)
        wide = text_width(shown, FONT)
        box = min(_boxes(x, y, wide), key=lambda each: sum(_overlap(each, old) for old in taken))
        taken.append(box)
        parts.append(text((box[0] + box[2]) / 2, box[3] - 4, shown, "m d", name))
    return parts


def _boxes(x: float, y: float, wide: float) -> list[Box]:
    """Where a name may be: right, left, above and below of its mark, inside of the chart."""
    boxes = []
    for down in (-7, 16, 4, -20, 29):
        for left in (x + 7, x - 7 - wide, x - wide / 2):
            if down == 4 and left == x - wide / 2:
                continue  # on the mark itself
            kept = min(max(left, 2.0), WIDTH - wide - 2)
            boxes.append((kept, y + down - 11, kept + wide, y + down + 4))
    inside = [box for box in boxes if box[1] > TOP - 14 and box[3] < HEIGHT - BOTTOM + 4]
    return inside or boxes


def _overlap(box: Box, other: Box) -> float:
    wide = min(box[2], other[2]) - max(box[0], other[0])
    tall = min(box[3], other[3]) - max(box[1], other[1])
    return max(0.0, wide) * max(0.0, tall)


def _plus_minus(value: float, sd: float) -> str:
    return f"{number(value)} ± {number(sd)}" if isfinite(sd) else number(value)
