"""Charts as SVG, drawn from frozen values: the frame that all of them share, and how they are
shown in a page, saved and exported.

A chart is narrow enough for a phone; several charts of one figure wrap side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil, floor, isfinite, log10

from markupsafe import Markup

from babelscope.display.colours import SERIES, SHAPES, chart_style
from babelscope.display.extent import text_width
from babelscope.display.numbers import significant
from babelscope.display.page import render

WIDTH = 380
"""The width of a chart in pixels."""
MARGIN = 16
"""Around the charts of a file."""
WIDE = 400
"""A wider chart keeps its size on a phone and scrolls."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One drawn chart: its marks as SVG without the outer element, and its size."""

    title: str
    marks: Markup
    width: float
    height: float

    @property
    def svg(self) -> Markup:
        """The chart for a page, whose style sheet colours it."""
        return Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" class="bs-chart{4}" '
            'viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img" '
            'aria-label="{2}">{3}</svg>'
        ).format(self.width, self.height, self.title, self.marks, self.kind)

    @property
    def kind(self) -> str:
        """Whether it scrolls on a phone instead of shrinking until nobody can read it."""
        return " wide" if self.width > WIDE else ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One or more charts with one legend, and the numbers that they show."""

    name: str
    title: str
    charts: tuple[Chart, ...]
    legend: tuple[str, ...] = ()
    """The names of the series; none where there is one series or another key."""
    control: str = ""
    """What the grey bands are."""
    rows: tuple[dict[str, object], ...] = field(default=(), repr=False)
    """The numbers, one row per mark: what is saved as CSV."""
    ringed: str = ""
    """What the cells with a ring are."""
    note: str = ""
    """How the chart is read, where that is not plain; below the legend."""

    @property
    def csv(self) -> str:
        import pandas as pd  # here: listing methods draws no chart and should not wait for it

        from babelscope.display.sheets import csv_text

        return csv_text(pd.DataFrame(list(self.rows)))


def figure_html(figure: Figure) -> Markup:
    """The charts side by side as far as they fit, the legend, and buttons to save them."""
    return render("figure.html.j2", figure=figure, colours=SERIES, shapes=SHAPES, csv=figure.csv)


def figure_svg(figure: Figure) -> str:
    """The figure as a file of its own: charts in rows as far as they fit, title and legend above.

    *Laws*: the same values give the same text; names never become markup; nothing is loaded.
    """
    lines = _lines(figure.charts)
    wide = max((sum(chart.width for chart in line) for line in lines), default=WIDTH)
    wide = max(wide + 2 * MARGIN, text_width(figure.title, 15) + 2 * MARGIN)
    legend, below = _legend(figure, wide)
    wide = max(wide, legend[1])
    parts, y = [legend[0]], below
    for line in lines:
        x = float(MARGIN)
        for chart in line:
            parts.append(
                Markup('<g transform="translate({:.0f},{:.0f})">{}</g>').format(x, y, chart.marks)
            )
            x += chart.width
        y += max(chart.height for chart in line)
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" class="bs-chart" viewBox="0 0 {0:.0f} {1:.0f}"'
            ' width="{0:.0f}" height="{1:.0f}" role="img"><title>{2}</title><style>{3}</style>'
            '<rect class="paper" width="{0:.0f}" height="{1:.0f}"/>{4}</svg>\n'
        ).format(wide, y + 8, figure.title, Markup(chart_style()), Markup("\n").join(parts))
    )


def _lines(charts: Sequence[Chart]) -> list[list[Chart]]:
    """The charts in rows of at most three usual ones, and of about as many each: four charts are
    two rows of two."""
    full = _rows_of(charts, len(charts))
    return _rows_of(charts, ceil(len(charts) / len(full))) if full else full


def _rows_of(charts: Sequence[Chart], most: int) -> list[list[Chart]]:
    lines: list[list[Chart]] = []
    for chart in charts:
        wide = sum(each.width for each in lines[-1]) + chart.width if lines else 0
        if lines and wide <= 3 * WIDTH and len(lines[-1]) < most:
            lines[-1].append(chart)
        else:
            lines.append([chart])
    return lines


def _legend(figure: Figure, room: float) -> tuple[tuple[Markup, float], float]:
    """Title and key with their width, in as many lines as fit into the room, and where the charts
    begin."""
    parts, x, y, widest = [text(16, 26, figure.title, "big")], 16.0, 50.0, 0.0
    for mark, name in _keys(figure):
        wide = 20 + text_width(name, 11) + 18
        if x > 16 and x + wide > room:
            x, y = 16.0, y + 18
        parts += [mark(x, y), text(x + (16 if name in figure.legend else 20), y, name, "t")]
        x += wide
        widest = max(widest, x)
    y += 14.0 if len(parts) > 1 else -10.0
    if figure.note:
        parts.append(text(16, y + 2, figure.note, "f t"))
        widest, y = max(widest, 32 + text_width(figure.note, 11)), y + 16
    return (Markup("").join(parts), widest), y


def _keys(figure: Figure) -> Iterator[tuple[Callable[[float, float], Markup], str]]:
    """The marks of the key, as functions of their place, with what they mean."""
    for at, name in enumerate(figure.legend):
        yield partial(_mark, at), name
    if figure.control:
        yield _band, figure.control
    if figure.ringed:
        yield _ring, figure.ringed


def _mark(series: int, x: float, y: float) -> Markup:
    return shape(x + 5, y - 4, series)


def _band(x: float, y: float) -> Markup:
    band = '<rect class="k" x="{:.1f}" y="{:.1f}" width="14" height="10"/>'
    return Markup(band).format(x, y - 9)


def _ring(x: float, y: float) -> Markup:
    ring = '<rect class="r" x="{:.1f}" y="{:.1f}" width="14" height="10" rx="2"/>'
    return Markup(ring).format(x, y - 9)


def ticks(low: float, high: float, most: int = 6, *, whole: bool = False) -> list[float]:
    """Round numbers from at most the low to at least the high end; `whole` ones for counts and
    layers."""
    if not high > low:
        low, high = low - 0.5, high + 0.5
    step = 10.0 ** floor(log10((high - low) / most))
    step *= next(times for times in (1, 2, 5, 10, 20) if (high - low) / (step * times) <= most)
    step = max(1.0, step) if whole else step
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(at * step, 10) for at in range(first, last + 1)]


def tick_text(value: float, scale: Sequence[float] = ()) -> str:
    """With four significant digits, or as many as tell it from its neighbours."""
    return next(
        significant(value, digits)
        for digits in range(4, 13)
        if digits == 12 or len({significant(each, digits) for each in scale}) == len(scale)
    )


def text(x: float, y: float, content: str, kind: str = "", title: str = "") -> Markup:
    note = Markup("<title>{}</title>").format(title) if title else Markup("")
    return Markup('<text x="{:.1f}" y="{:.1f}" class="{}">{}{}</text>').format(
        x, y, kind, content, note
    )


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>').format(
        x1, y1, x2, y2, kind
    )


def shape(x: float, y: float, series: int, title: str = "", scale: float = 1.0) -> Markup:
    """The mark of a series, which tells by its shape and its colour."""
    note = Markup("<title>{}</title>").format(title) if title else Markup("")
    grown = Markup(" scale({:.1f})").format(scale) if scale != 1 else Markup("")
    place = (series + series // len(SERIES)) % len(SHAPES)
    return Markup(
        '<path class="mark s{}" transform="translate({:.1f},{:.1f}){}" d="{}">{}</path>'
    ).format(series % len(SERIES), x, y, grown, SHAPES[place], note)


def defined(value: float | None) -> bool:
    return value is not None and isfinite(value)
