"""The costs section: seconds and tokens of an explanation by method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from babelscope.analyses import ANALYSES
from babelscope.analyses.costs.headline import FILE, TEXTS, headline, mark
from babelscope.analyses.costs.tables import NAME, Tables
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart, Figure, figure_html
from babelscope.display.dots import Row
from babelscope.display.log_dots import log_dot_plot
from babelscope.display.numbers import items, rounded
from babelscope.display.page import render
from babelscope.display.section import Section
from babelscope.display.sheets import csv_text
from babelscope.display.terminal import table

TITLE = "Cost of an explanation"
SHOWN = [
    "task", "model", "lang", "method", "texts", "seconds", "times", "tokens", "backward", "queries",
    "length",
]  # fmt: skip
DIGITS = {"seconds": 2, "times": 2, "tokens": 1, "backward": 1, "queries": 1, "length": 1}
"""Significant digits in the table, at least those of the whole number."""
QUANTITIES = {"seconds": "seconds per text", "tokens": "tokens that the model reads per text"}


def section(tables: Tables) -> Section:
    """The answer, the figure, and the table folded."""
    answer = headline(tables)
    figure = cost_figure(tables.costs)
    columns, rows = _cells(tables.costs)
    body = render(
        "section.html.j2",
        folder=Path(__file__).parent,
        figure=figure_html(figure),
        title=TITLE,
        columns=columns,
        rows=rows,
        machines=machines(tables.costs),
    )
    return Section(
        NAME,
        "Costs",
        ANALYSES[NAME].question,
        answer.sentence,
        body,
        (table(TITLE, columns, rows),),
        tables.costs.to_dict("records"),
        {FILE: csv_text(tables.costs), TEXTS: csv_text(tables.rows)},
        charts=(figure,),
        headline=answer,
    )


def cost_figure(costs: pd.DataFrame) -> Figure:
    """Seconds and tokens by method, for every task and language; a series for each model."""
    models = list(dict.fromkeys(costs["model"]))
    charts = [
        _chart(part, models, column, " · ".join((*_named(costs, place), words)))
        for place, part in costs.groupby(["task", "lang"], sort=False)
        for column, words in QUANTITIES.items()
    ]
    rows = costs[["task", "model", "lang", "method", *QUANTITIES, "low", "high"]]
    return Figure(
        "costs", "What an explanation costs, on a logarithmic scale", tuple(charts),
        tuple(map(str, models)) if len(models) > 1 else (),
        rows=tuple({str(key): value for key, value in row.items()}
                   for row in rows.to_dict("records")),
        note="Bars reach from the cheapest text to the dearest.",
    )  # fmt: skip


def _named(costs: pd.DataFrame, place: Any) -> list[str]:
    """The task and the language, as far as there are several."""
    task, lang = place
    names = {"task": str(task), "lang": language_name(str(lang))}
    return [name for column, name in names.items() if costs[column].nunique() > 1]


def _chart(part: pd.DataFrame, models: Sequence[str], column: str, title: str) -> Chart:
    """Methods by their mean, the dearest first."""
    order = part.groupby("method", sort=False)["seconds"].mean().sort_values(ascending=False)
    drawn = []
    for method in order.index:
        rows = {row["model"]: row for row in part[part["method"] == method].to_dict("records")}
        marks = tuple(mark(rows[name], column) if name in rows else None for name in models)
        drawn.append(Row(str(method), marks))
    return log_dot_plot(title, column, drawn)


def machines(costs: pd.DataFrame) -> list[str]:
    """Where the seconds were measured: the device and its threads."""
    places = costs[["device", "threads"]].drop_duplicates().itertuples(index=False)
    return [f"{device}, {items(int(threads), 'thread')}" for device, threads in places]


def _cells(costs: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """The columns of the table that people read, and its cells; a column in which all rows of
    several are alike (the only task, the only language) is left out."""
    alike = [name for name in ("task", "model", "lang") if costs[name].nunique() == 1]
    columns = [name for name in SHOWN if name not in alike or len(costs) == 1]
    rows = [[_cell(row[name], name) for name in columns] for row in costs.to_dict("records")]
    return columns, rows


def _cell(value: Any, column: str) -> str:
    return rounded(value, DIGITS[column]) if column in DIGITS else str(value)
