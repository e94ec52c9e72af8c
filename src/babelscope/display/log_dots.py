"""Dot plots along a logarithmic scale: values that differ by factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor, isfinite, log10, nan

from babelscope.display.chart import WIDTH, Chart
from babelscope.display.dots import Mark, Row, Scale, plotted
from babelscope.display.numbers import rounded

MOST = 6
"""Ticks of a scale; with fewer powers of ten than this, 2 and 5 times these are ticks too."""


def log_dot_plot(
    title: str, axis: str, rows: Sequence[Row], *, width: float = WIDTH, small: bool = False
) -> Chart:
    """Positive values across, names down: equal factors are equally far apart.

        x(v) = log10(v)

    *Laws*: every positive mark is drawn inside of the chart, in the order of the values; what is
    not positive has no place there and is not drawn.
    """
    placed = [
        replace(row, marks=tuple(_log(mark) for mark in row.marks), control=None) for row in rows
    ]
    ends = [
        end
        for row in placed
        for mark in row.marks
        if mark is not None
        for end in (mark.value, mark.low, mark.high)
        if isfinite(end)
    ]
    ticks = log_ticks(min(ends, default=0.0), max(ends, default=0.0))
    scale = Scale(tuple(ticks), tuple(rounded(10.0**tick, 1) for tick in ticks))
    return plotted(title, "" if small else axis, placed, scale, width)


def log_ticks(low: float, high: float) -> list[float]:
    """Logarithms of round numbers, from at most the low to at least the high end: every power of
    ten, or every second, third, ...; where these are few, the factors 1, 2 and 5 of them.

    The ticks are evenly spaced but for the factors, which are within 3 % of being so.
    """
    first, last = floor(low + 1e-9), ceil(high - 1e-9)
    last = max(last, first + 1)
    if last - first <= 2:
        fine = [power + log10(factor) for power in range(first, last) for factor in (1, 2, 5)]
        fine.append(float(last))
        below = max(at for at, tick in enumerate(fine) if tick <= low + 1e-9)
        above = min(at for at, tick in enumerate(fine) if tick >= high - 1e-9)
        return fine[min(below, len(fine) - 2) : max(above, below + 1) + 1]
    step = ceil((last - first) / MOST)
    return [float(power) for power in range(first, last + step, step)]


def _log(mark: Mark | None) -> Mark | None:
    if mark is None:
        return None
    return Mark(_power(mark.value), _power(mark.low), _power(mark.high), mark.title)


def _power(value: float) -> float:
    return log10(value) if value > 0 else nan
