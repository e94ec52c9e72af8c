"""The figure of a metric: languages down, a mark with its interval for each method, and the
interval of random scores as a grey band; one chart for each model.
"""

from __future__ import annotations

from babelscope.analyses.faithfulness.summary import FLOOR, Summary
from babelscope.data.languages import language_name
from babelscope.display.chart import Figure
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.display.numbers import spoken

ARROWS = {1: ", higher is better →", -1: ", ← lower is better", 0: ""}


def means(summary: Summary, metric: str) -> Figure:
    """Every mean of a metric with its interval."""
    methods = [name for name in summary.methods if name != FLOOR]
    axis = f"{spoken(metric)}{ARROWS[summary.sign(metric)]}"
    charts = []
    for model in summary.models:
        rows = _rows(summary, model, metric, methods)
        if rows:
            charts.append(dot_plot(model, axis, rows))
    control = f"{FLOOR} scores (control)" if FLOOR in summary.methods else ""
    values = tuple(
        {
            "model": model, "lang": lang, "method": method, "mean": mean.mean, "low": mean.low,
            "high": mean.high, "n": mean.n,
        }
        for (model, lang, method, name), mean in summary.cells.items()
        if name == metric
    )  # fmt: skip
    title = f"{spoken(metric)} by language and method"
    return Figure(metric, title, tuple(charts), tuple(methods), control, rows=values)


def _rows(summary: Summary, model: str, metric: str, methods: list[str]) -> list[Row]:
    rows = []
    for lang in summary.languages_of(model):
        cells = {name: summary.cells.get((model, lang, name, metric)) for name in summary.methods}
        if any(cells.values()):
            name = language_name(lang)
            marks = tuple(mark(cells[method], f"{method}, {name}") for method in methods)
            rows.append(Row(name, marks, mark(cells.get(FLOOR), f"{FLOOR} scores, {name}")))
    return rows
