"""Dot-and-interval plots: a row for each name, a mark with its interval for each series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from statistics import median

from markupsafe import Markup

from babelscope.display.chart import WIDTH, Chart, line, shape, text, tick_text, ticks
from babelscope.display.extent import shortened, text_width
from babelscope.display.numbers import estimate_text
from babelscope.types import Estimate

NAME = 150
"""The most room for names."""
RIGHT, BOTTOM = 16, 38
OUTLYING = 10
"""How many times wider than what is drawn an interval may be."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A value with its interval; NaN is not drawn."""

    value: float
    low: float = nan
    high: float = nan
    title: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One name with a mark or None for each series; `control` is drawn as a grey band."""

    name: str
    marks: tuple[Mark | None, ...]
    control: Mark | None = None


def mark(estimate: Estimate | None, title: str = "") -> Mark | None:
    """The mark of an estimate; its title ends with the numbers."""
    if estimate is None or not isfinite(estimate.mean):
        return None
    said = f"{title}: {estimate_text(estimate)}" if title else estimate_text(estimate)
    return Mark(estimate.mean, estimate.low, estimate.high, f"{said}, n = {estimate.n}")


def dot_plot(
    title: str,
    axis: str,
    rows: Sequence[Row],
    *,
    zero: bool = False,
    reference: float | None = None,
    width: float = WIDTH,
    small: bool = False,
    ends: tuple[float, ...] = (),
) -> Chart:
    """Values across, names down, the intervals as bars; `reference` draws a line at a value, `zero`
    at 0; `small` leaves out the title and the axis's name; `ends` are values that the axis has. An
    interval that would leave no room for the others (see `_room`) ends in an arrow at the chart's
    edge; its mark's title has the numbers.

    *Laws*: every defined mark is drawn, inside of the chart; names never become markup; an interval
    has an arrow where it is cut, and nowhere else.
    """
    reference = 0.0 if zero else reference
    scale = _ends(rows, reference, ends)
    drawing = Scale(tuple(scale), tuple(tick_text(value, scale) for value in scale), reference)
    return plotted(title, "" if small else axis, rows, drawing, width)


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis of a plot: its ticks, what is written below them, and where a line is drawn."""

    ticks: tuple[float, ...]
    labels: tuple[str, ...]
    reference: float | None = None


def plotted(title: str, axis: str, rows: Sequence[Row], scale: Scale, width: float) -> Chart:
    """The rows of a plot along a scale; without the name of an axis also without the title."""
    top = 30 if axis else 8
    left = min(NAME, max((text_width(row.name) for row in rows), default=0.0)) + 16
    series = max((len(row.marks) for row in rows), default=1)
    tall = max(20, 9 * series + 8)
    bottom = top + tall * len(rows)
    first, last = scale.ticks[0], scale.ticks[-1]
    right = max(RIGHT, text_width(scale.labels[-1], 11) / 2 + 2)

    def x(value: float) -> float:
        return left + (width - left - right) * (value - first) / (last - first)

    parts = [text(0, 16, shortened(title, width), "b", title)] if axis else []
    parts += _axis(scale, x, top, bottom)
    for at, row in enumerate(rows):
        parts += _row(row, top + tall * at, tall, left, x, (first, last))
    if axis:
        parts.append(text(left, bottom + 33, axis, "f t"))
    return Chart(title, Markup("").join(parts), width, bottom + (BOTTOM if axis else 20))


def _ends(
    rows: Sequence[Row], reference: float | None, limits: Sequence[float] = ()
) -> list[float]:
    marks = [mark for row in rows for mark in (*row.marks, row.control) if mark is not None]
    values = [mark.value for mark in marks if isfinite(mark.value)]
    values += [reference or 0.0] if reference is not None or not (values or limits) else []
    lows = [mark.low for mark in marks if isfinite(mark.low)]
    highs = [mark.high for mark in marks if isfinite(mark.high)]
    room = _room(values or limits, [high - low for low, high in zip(lows, highs)])
    low, high = min([*values, *limits]), max([*values, *limits])
    least = min([low, *(max(end, low - room) for end in lows)])
    most = max([high, *(min(end, high + room) for end in highs)])
    return ticks(least, most if least or most else 1.0, 5)  # of zeros alone: from 0 to 1


def _room(values: Sequence[float], widths: Sequence[float]) -> float:
    """How far the axis goes beyond the outermost values: ten times what they span, or what half of
    the intervals are wide. Only single intervals that are far wider than others are cut.
    """
    span = max(max(values) - min(values), median(widths) if widths else 0.0)
    return OUTLYING * span if span > 0 else inf


def _axis(  # type: ignore[no-untyped-def]
    scale: Scale, x, top: float, bottom: float
) -> list[Markup]:
    parts = [line(x(value), top, x(value), bottom, "g") for value in scale.ticks]
    for value, label in _labelled(scale, x(scale.ticks[1]) - x(scale.ticks[0])):
        parts.append(text(x(value), bottom + 16, label, "f t m"))
    if scale.reference is not None:
        parts.append(line(x(scale.reference), top, x(scale.reference), bottom, "a"))
    return parts


def _labelled(scale: Scale, apart: float) -> list[tuple[float, str]]:
    """The ticks that are labelled: all, or every second, third, ... from 0 or the first one, so
    that labels are evenly spaced and do not touch."""
    widest = max(text_width(label, 11) for label in scale.labels) + 6
    size = len(scale.ticks)
    every = next(step for step in range(1, size + 1) if step * apart >= widest or step == size)
    start = scale.ticks.index(0.0) if 0.0 in scale.ticks else 0
    labelled = enumerate(zip(scale.ticks, scale.labels))
    return [tick for at, tick in labelled if (at - start) % every == 0]


def _interval(  # type: ignore[no-untyped-def]
    mark: Mark, y: float, x, ends: tuple[float, float], kind: str
) -> list[Markup]:
    """A bar from end to end; an arrow where it leaves the chart."""
    low, high = max(mark.low, ends[0]), min(mark.high, ends[1])
    arrow = Markup('<path class="{} cut" d="M{:.1f},{:.1f}l{},-4v8Z"/>')
    parts = [line(x(low), y, x(high), y, f"i {kind}")]
    parts += [arrow.format(kind, x(low) - 5, y, 6)] if low > mark.low else []
    parts += [arrow.format(kind, x(high) + 5, y, -6)] if high < mark.high else []
    return parts


def _row(  # type: ignore[no-untyped-def]
    row: Row, top: float, tall: float, left: float, x, ends: tuple[float, float]
) -> list[Markup]:
    name = shortened(row.name, NAME)
    parts = [text(left - 10, top + tall / 2 + 4, name, "e", row.name if name != row.name else "")]
    if row.control is not None and isfinite(row.control.value):
        low, high = row.control.low, row.control.high
        low, high = (low, high) if isfinite(low) else (row.control.value, row.control.value)
        low, high = max(low, ends[0]), min(high, ends[1])
        band = Markup(
            '<rect class="k" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">'
            "<title>{}</title></rect>"
        )
        wide = max(2.0, x(high) - x(low))
        parts.append(band.format(x(low), top + 2, wide, tall - 4, row.control.title))
    for at, mark in enumerate(row.marks):
        if mark is None or not isfinite(mark.value):
            continue
        y = top + 4 + (tall - 8) * (at + 0.5) / len(row.marks)
        if isfinite(mark.low):
            parts += _interval(mark, y, x, ends, f"s{at % 8}")
        parts.append(shape(x(mark.value), y, at, mark.title))
    return parts
