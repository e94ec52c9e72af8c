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
    top = 8 if small else 30
    left = min(NAME, max((text_width(row.name) for row in rows), default=0.0)) + 16
    series = max((len(row.marks) for row in rows), default=1)
    tall = max(20, 9 * series + 8)
    bottom = top + tall * len(rows)
    reference = 0.0 if zero else reference
    scale = _ends(rows, reference, ends)

    def x(value: float) -> float:
        return left + (width - left - RIGHT) * (value - scale[0]) / (scale[-1] - scale[0])

    parts = [] if small else [text(0, 16, shortened(title, width), "b", title)]
    parts += _axis(scale, x, top, bottom, reference)
    for at, row in enumerate(rows):
        parts += _row(row, top + tall * at, tall, left, x, (scale[0], scale[-1]))
    if not small:
        parts.append(text(left, bottom + 33, axis, "f t"))
    return Chart(title, Markup("").join(parts), width, bottom + (20 if small else BOTTOM))


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
    scale: Sequence[float], x, top: float, bottom: float, reference: float | None
) -> list[Markup]:
    parts = [line(x(value), top, x(value), bottom, "g") for value in scale]
    for value in _labelled(scale, x(scale[1]) - x(scale[0])):
        parts.append(text(x(value), bottom + 16, tick_text(value, scale), "f t m"))
    if reference is not None:
        parts.append(line(x(reference), top, x(reference), bottom, "a"))
    return parts


def _labelled(scale: Sequence[float], apart: float) -> list[float]:
    """The ticks that are labelled: all, or every second, third, ... from 0 or the first one, so
    that labels are evenly spaced and do not touch."""
    widest = max(text_width(tick_text(value, scale), 11) for value in scale) + 6
    every = next(
        step for step in range(1, len(scale) + 1) if step * apart >= widest or step == len(scale)
    )
    start = scale.index(0.0) if 0.0 in scale else 0
    return [value for at, value in enumerate(scale) if (at - start) % every == 0]


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
