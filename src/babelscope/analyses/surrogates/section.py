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
    figures = (repeated_figure(found),)
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
    frame = curve(found, "repeated")
    charts = []
    for (task, name), part in frame.groupby(["task", "name"], sort=False):
        curves = [
            Curve(str(model), _points(each)) for model, each in part.groupby("model", sort=False)
        ]
        title = f"{name}, {task}" if frame["task"].nunique() > 1 else str(name)
        charts.append(line_chart(title, ("copies of the word", "log-odds"), curves))
    rows = tuple(
        {str(key): value for key, value in row.items()} for row in frame.to_dict("records")
    )
    names = tuple(dict.fromkeys(frame["model"].astype(str)))
    return Figure("repeated", "Log-odds of copies of one word", tuple(charts),
                  names if len(names) > 1 else (), rows=rows)  # fmt: skip


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
