"""Which surrogate is nearest to a model? Of how many models that learnt something a SLALOM is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from babelscope.analyses.surrogates.tables import CONSTANT, SURROGATES, Tables, summary
from babelscope.display.chart import Chart
from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.numbers import items, number
from babelscope.display.section import Answer, Reference

FILE = "surrogates.csv"
SHOWN = 8
"""Models in the small chart."""
SUMS = tuple(name for name in SURROGATES if name != "SLALOM")
"""The surrogates that add up words."""


def headline(tables: Tables) -> Answer:
    """Yes where a SLALOM is nearest to every model that learnt something, no where to none."""
    learnt = tables.errors[tables.errors["learnt"] == "yes"]
    if learnt.empty:
        text = Markup("No model has learnt its language: all answers are alike.")
        return Answer("undecided", text, chart=_variances(tables))
    nearest = int((learnt["nearest"] == "SLALOM").sum())
    text = Markup("A SLALOM is nearer to {} of {} than surrogates that add up words.").format(
        nearest, items(len(learnt), "model")
    )
    constant = len(tables.errors) - len(learnt)
    if constant:
        text += Markup(" Further models, which have learnt nothing: {}.").format(constant)
    references = (
        Reference(FILE, {"nearest": "SLALOM"}, "", nearest),
        Reference(FILE, {"learnt": "yes"}, "", len(learnt)),
        Reference(FILE, {"learnt": "no"}, "", constant),
    )
    verdict = "yes" if nearest == len(learnt) else "partly" if nearest else "no"
    return Answer(verdict, text, references, _errors(tables))


def _errors(tables: Tables) -> Chart:
    """The error of the SLALOM by model and task, and the smallest of those that add up words; the
    bars are standard errors over seeds."""
    frame = summary(tables)
    several = frame["task"].nunique() > 1
    rows = []
    for (task, model), part in frame[frame["seeds"] > 0].groupby(["task", "model"], sort=False):
        name = f"{model}, {task}" if several else str(model)
        errors = {str(row["surrogate"]): row for row in part.to_dict("records")}
        best = min(SUMS, key=lambda surrogate: errors[surrogate]["mse"])
        rows.append(Row(name, (_mark(errors["SLALOM"], name),), _mark(errors[best], name)))
    title = "mean squared error of a SLALOM by model; grey: the best surrogate that adds up words"
    return dot_plot(title, "error", rows[:SHOWN], zero=True, width=300, small=True)


def _mark(row: Mapping[Any, Any], model: str) -> Mark:
    mean, error, seeds = float(row["mse"]), float(row["standard_error"]), int(row["seeds"])
    spread = f" ± {number(error)} over {seeds} seeds" if seeds > 1 else ""
    said = f"{model}, {row['surrogate']}: {number(mean)}{spread}"
    return Mark(mean, mean - error, mean + error, said)


def _variances(tables: Tables) -> Chart:
    """How much the log-odds of every model vary, and how much they would have to."""
    rows = [
        Row(str(row["model"]), (Mark(float(row["variance"]), title=number(row["variance"])),))
        for row in tables.errors.to_dict("records")
    ]
    title = "variance of the log-odds by model; the line: below it a model has learnt nothing"
    return dot_plot(title, "variance", rows[:SHOWN], reference=CONSTANT, width=300, small=True)
