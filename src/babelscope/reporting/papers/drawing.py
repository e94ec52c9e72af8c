"""From the table of a figure to its charts: dots, curves, scatter plots and heat maps.

Each takes the names of the columns to draw; a column `published` beside the values is drawn as a
series or a chart of its own, where it holds a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite, nan
from typing import Any

import pandas as pd

from babelscope.display.chart import Figure
from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.heat import heat_map
from babelscope.display.lines import Curve, Point, line_chart
from babelscope.display.numbers import number, value_range

PUBLISHED = "published"


def dots(
    frame: pd.DataFrame,
    *,
    value: str,
    rows: str,
    series: str = "",
    panels: Sequence[str] = (),
    reference: float | None = None,
) -> Figure:
    """A chart for each panel, a row for each name, a mark with its interval for each series, and
    a line at the `reference`. Several rows of the table for one mark are averaged."""
    drawn = _drawn(frame, panels, value)
    names, beside = _names(drawn, series), _published_names(drawn, series)
    charts = []
    for title, part in _panels(frame, panels, value):
        listed = []
        for name in _names(part, rows):
            chosen = part[part[rows].astype(str) == name]
            marks = [_mark(_of(chosen, series, each), value, f"{name} {each}") for each in names]
            numbers = [_published_mark(_of(chosen, series, each)) for each in beside]
            listed.append(Row(name, (*marks, *numbers)))
        charts.append(dot_plot(title, _quantity(part, value), listed, reference=reference))
    legend = [*names, *(f"{name} {PUBLISHED}".strip() for name in beside)]
    return Figure("", "", tuple(charts), _legend(legend))


def curves(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    series: str = "",
    panels: Sequence[str] = (),
    limits: tuple[float, float] | None = None,
    diagonal: bool = False,
    size: str = "",
) -> Figure:
    """A chart for each panel and a joined curve for each series; intervals from the columns `low`
    and `high`, marks as large as the column `size`."""
    shown = _drawn(frame, panels, y)
    names, beside = _names(shown, series), _published_names(shown, series)
    charts = []
    for title, part in _panels(frame, panels, y):
        drawn = [Curve(each, _points(_of(part, series, each), x, y, size)) for each in names]
        for each in beside:
            points = _points(_of(part, series, each), x, PUBLISHED)
            drawn.append(Curve(f"{each} {PUBLISHED}", points))
        axes = (_words(x), _quantity(part, y))
        charts.append(line_chart(title, axes, drawn, limits=limits, diagonal=diagonal))
    legend = [*names, *(f"{name} {PUBLISHED}".strip() for name in beside)]
    note = f"The area of a mark grows with its share of {COUNTED.get(size, size)}." if size else ""
    return Figure("", "", tuple(charts), _legend(legend), note=note)


def scatter(
    frame: pd.DataFrame,
    *,
    x: str,
    y: str,
    label: str = "",
    series: str = "",
    panels: Sequence[str] = (),
    diagonal: bool = False,
) -> Figure:
    """A chart for each panel, a mark for each row with its label beside it."""
    names = _names(_drawn(frame, panels, y), series)
    charts = []
    for title, part in _panels(frame, panels, y):
        drawn = []
        for each in names:
            points = _points(_of(part, series, each), x, y, label=label)
            drawn.append(Curve(each, points, joined=False))
        limits = _limits(part, x, y) if diagonal else None
        axes = (_words(x), _words(y))
        charts.append(line_chart(title, axes, drawn, limits=limits, diagonal=diagonal))
    return Figure("", "", tuple(charts), _legend(names))


def _limits(part: pd.DataFrame, x: str, y: str) -> tuple[float, float]:
    """The ends of both axes of a chart with a diagonal."""
    values = pd.concat([part[x], part[y]])
    return float(values.min()), float(values.max())


def heat(
    frame: pd.DataFrame,
    *,
    value: str,
    rows: str,
    columns: str,
    panels: Sequence[str] = (),
    signed: bool = False,
    whole: bool = False,
    axes: tuple[str, str] | None = None,
) -> Figure:
    """A heat map for each panel, and one of the published values beside it; `whole` divides every
    row by its sum, for the counts of a confusion matrix."""
    charts = []
    for title, part in _panels(frame, panels, value):
        for column in (value, *([PUBLISHED] if _has_published(part) else [])):
            names, across = _names(part, rows), _names(part, columns)
            cells = [[_cell(part, rows, name, columns, each, column) for each in across]
                     for name in names]  # fmt: skip
            said = f"{title} {PUBLISHED}".strip() if column == PUBLISHED else title or _words(value)
            charts.append(
                heat_map(
                    said, [_shares(line) for line in cells] if whole else cells, names, across,
                    signed=signed, axes=axes or (_axis(columns), _axis(rows)),
                )
            )  # fmt: skip
    return Figure("", "", tuple(charts))


def _quantity(part: pd.DataFrame, column: str) -> str:
    """What an axis shows: of a mean, of which metric."""
    if column == "mean" and "metric" in part and part["metric"].nunique() == 1:
        return f"mean {_words(part['metric'].iloc[0])}"
    return _words(column)


def _panels(
    frame: pd.DataFrame, names: Sequence[str], value: str
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The parts of the table that have a defined value, and their titles; by the first column, then
    the second and so on, each as its values come. Columns with one value are not in the title."""
    if not names:
        if frame[value].notna().any():
            yield "", frame
        return
    varied = [name for name in names if frame[name].nunique() > 1] or list(names[-1:])
    places = frame[list(names)].apply(lambda column: column.factorize(use_na_sentinel=False)[0])
    for at in places.groupby(list(names)).indices.values():
        part = frame.iloc[at]
        if part[value].notna().any():
            yield ", ".join(_title(name, part[name].iloc[0]) for name in varied), part


def _drawn(frame: pd.DataFrame, names: Sequence[str], value: str) -> pd.DataFrame:
    """The rows of the panels that are drawn, without series that have nothing in any of them."""
    parts = [part for _, part in _panels(frame, names, value)]
    shown = pd.concat(parts) if parts else frame.iloc[:0]
    known = shown[value].notna()
    return shown[known | shown[PUBLISHED].notna() if PUBLISHED in shown else known]


PLACES = {"source": "fine-tuned on", "target": "tested in"}
"""What the two languages of a cell are called."""
POOLED = {"mean": "mean of tokens", "first": "first token", "last": "last token"}
"""What the states of a text's tokens become."""


def _axis(column: str) -> str:
    return PLACES.get(column, _words(column))


def _title(column: str, value: Any) -> str:
    if column == "pooling":
        return POOLED.get(str(value), str(value))
    said = PLACES.get(column, "")
    said = "" if value == "base" else said
    return (
        f"{said} {_words(value)}".strip() if isinstance(value, str) else f"{_words(column)} {value}"
    )


def _names(frame: pd.DataFrame, column: str) -> list[str]:
    return list(dict.fromkeys(frame[column].astype(str))) if column else [""]


def _of(frame: pd.DataFrame, column: str, name: str) -> pd.DataFrame:
    return frame[frame[column].astype(str) == name] if column else frame


def _has_published(frame: pd.DataFrame) -> bool:
    return PUBLISHED in frame and bool(frame[PUBLISHED].notna().any())


def _published_names(frame: pd.DataFrame, series: str) -> list[str]:
    """The series that have a published value."""
    return [each for each in _names(frame, series) if _has_published(_of(frame, series, each))]


def _mark(part: pd.DataFrame, value: str, name: str) -> Mark | None:
    known = part[part[value].notna()] if len(part) else part
    if known.empty:
        return None
    mean = float(known[value].mean())
    bounded = len(known) == 1 and {"low", "high"} <= set(known)
    low, high = (float(known[each].iloc[0]) for each in ("low", "high")) if bounded else (nan, nan)
    said = f"{name.strip()}: {number(mean)}"
    return Mark(mean, low, high, f"{said} [{value_range(low, high)}]" if isfinite(low) else said)


def _published_mark(part: pd.DataFrame) -> Mark | None:
    known = part[PUBLISHED].dropna()
    mean = float(known.mean()) if len(known) else nan
    return Mark(mean, title=f"{PUBLISHED}: {number(mean)}") if isfinite(mean) else None


def _points(
    part: pd.DataFrame, x: str, y: str, size: str = "", label: str = ""
) -> tuple[Point, ...]:
    total = float(part[size].sum()) if size else 0.0
    bounds = {"low", "high"} <= set(part) and y != PUBLISHED
    return tuple(
        Point(
            float(row[x]), float(row[y]),
            float(row["low"]) if bounds else nan, float(row["high"]) if bounds else nan,
            0.6 + 1.6 * (float(row[size]) / total) ** 0.5 if total else 0.7,
            label=str(row[label]) if label else "",
        )
        for _, row in part.iterrows()
    )  # fmt: skip


def _cell(
    part: pd.DataFrame, rows: str, name: str, columns: str, across: str, value: str
) -> float | None:
    chosen = part[(part[rows].astype(str) == name) & (part[columns].astype(str) == across)]
    known = chosen[value].dropna()
    return float(known.mean()) if len(known) else None


def _shares(line: Sequence[float | None]) -> list[float | None]:
    total = sum(each or 0.0 for each in line)
    return [None if each is None or not total else each / total for each in line]


def _legend(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names) if len(names) > 1 else ()


COUNTED = {"n": "the texts"}
"""What a column of counts counts."""
WORDS = {
    "aopc": "AOPC", "lodds": "LOdds", "mse": "mean squared error", "c": "consistency C",
    "log_odds": "log-odds", "model_log_odds": "log-odds of the model",
    "surrogate_log_odds": "log-odds of the surrogate", "part": "part of the heads that pass",
    "heads": "syntactic heads", "margin": "margin of the threshold",
}  # fmt: skip
"""What columns and metrics are called in print."""


def _words(name: str) -> str:
    return WORDS.get(name, name.replace("_", " "))
