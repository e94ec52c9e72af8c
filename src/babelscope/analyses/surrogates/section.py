"""The surrogates section: which surrogate is nearest, and what it looks like."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from babelscope.analyses import ANALYSES
from babelscope.analyses.surrogates.headline import FILE, headline
from babelscope.analyses.surrogates.tables import NAME, Tables, curve, parameters, summary
from babelscope.display.chart import Figure, figure_html
from babelscope.display.lines import Curve, Point, line_chart
from babelscope.display.numbers import number
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.display.sheets import csv_text
from babelscope.display.terminal import plain, table


def section(found: Tables) -> Section:
    """The answer, errors by model, and curves."""
    figures = tuple(each for each in (repeated_figure(found), shapley_figure(found)) if each.charts)
    listed = [(title, list(frame.columns), _cells(frame)) for title, frame in _frames(found)]
    answer = headline(found)
    body = render(
        "section.html.j2",
        folder=Path(__file__).parent,
        tables=listed,
        figures=[figure_html(each) for each in figures],
    )
    return Section(
        NAME,
        "Surrogates",
        ANALYSES[NAME].question,
        answer.sentence,
        body,
        tuple(table(plain(title), columns, rows) for title, columns, rows in listed),
        {title: frame.to_dict("records") for title, frame in _frames(found)},
        {FILE: csv_text(found.errors), "surrogate_numbers.csv": csv_text(found.rows)},
        charts=figures,
        headline=answer,
    )


def repeated_figure(found: Tables) -> Figure:
    """The log-odds of copies of one word: flat in a SLALOM, a rising line in a sum."""
    return _copies(found, "repeated", "Log-odds of copies of one word", "log-odds")


def shapley_figure(found: Tables) -> Figure:
    """Kernel SHAP's weight of a copy: falling in a SLALOM, the word's weight in a sum."""
    axis = "Kernel SHAP's mean weight of a copy"
    return _copies(found, "shapley", f"{axis} of one word", axis)


def _copies(found: Tables, part: str, title: str, axis: str) -> Figure:
    frame = curve(found, part)
    charts = []
    for (task, name), rows in frame.groupby(["task", "name"], sort=False):
        curves = [
            Curve(str(model), _points(each)) for model, each in rows.groupby("model", sort=False)
        ]
        panel = f"{name}, {task}" if frame["task"].nunique() > 1 else str(name)
        charts.append(line_chart(panel, ("copies of the word", axis), curves))
    points = tuple(
        {str(key): value for key, value in row.items()} for row in frame.to_dict("records")
    )
    names = tuple(dict.fromkeys(frame["model"].astype(str)))
    return Figure(part, title, tuple(charts), names if len(names) > 1 else (), rows=points)


def _points(frame: pd.DataFrame) -> tuple[Point, ...]:
    return tuple(Point(float(x), float(y)) for x, y in zip(frame["x"], frame["y"]))


def _frames(found: Tables) -> list[tuple[str, pd.DataFrame]]:
    lengths = curve(found, "length").rename(columns={"name": "design", "x": "length", "y": "mse"})
    return [
        ("Mean squared error of surrogates", summary(found)),
        ("Error of logits and parameters of the SLALOM", parameters(found)),
        ("Exact design and fit, by length of the text", lengths),
    ]


def _cells(frame: pd.DataFrame) -> list[Sequence[Any]]:
    return [
        [number(value) if isinstance(value, float) else str(value) for value in row]
        for row in frame.itertuples(index=False)
    ]
