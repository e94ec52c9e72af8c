"""How tokenizers cut words, for people: tables for the terminal, figures, and a page of its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from markupsafe import Markup, escape
from plotly.offline import get_plotlyjs
from rich.table import Table
from rich.text import Text

from babelscope.analyses.faithfulness.figures import COLOURS, SYMBOLS
from babelscope.analyses.tokenization.counts import MEASURES, Tokenization
from babelscope.display.numbers import number
from babelscope.display.page import render
from babelscope.display.terminal import plain
from babelscope.types import Estimate

TITLES = {name: row.summary for name, row in MEASURES.items()} | {
    "efficiency": "Renyi efficiency of the vocabulary",
    "agreement": "agreement on boundaries inside of words (F1)",
}
Grid = dict[str, dict[str, Estimate]]
"""Estimates by language, then by tokenizer (or pair of tokenizers)."""


def grids(found: Tokenization) -> dict[str, Grid]:
    """Measure -> language -> tokenizer, in reading order; the agreement last, if there are two tokenizers."""
    made: dict[str, Grid] = {}
    for one in found.measured:
        made.setdefault(one.measure, {}).setdefault(one.lang, {})[one.tokenizer] = one.estimate
    for two in found.agreed:
        made.setdefault("agreement", {}).setdefault(two.lang, {})[f"{two.first} / {two.second}"] = two.estimate
    return made


def said(one: Estimate) -> str:
    """Mean and interval; what is not known is said to be undefined."""
    if not isfinite(one.mean):
        return "undefined"
    bounds = f" ({number(one.low)}–{number(one.high)})" if isfinite(one.low) else ""
    return number(one.mean) + bounds


def tables(found: Tokenization) -> list[Table]:
    """One table per measure: languages down, tokenizers across; in a narrow terminal intervals go below their means."""
    made = []
    for name, grid in grids(found).items():
        columns = list(next(iter(grid.values())))
        drawn = Table(title=TITLES[name], title_justify="left")
        drawn.add_column("", no_wrap=True)
        for each in columns:
            drawn.add_column(Text(plain(each)), overflow="fold")
        for lang, row in grid.items():
            drawn.add_row(Text(plain(lang)), *(Text(said(row[each])) for each in columns))
        made.append(drawn)
    return made


def figure(name: str, grid: Grid) -> dict[str, Any]:
    """Languages along one axis, a mark with its interval per tokenizer: plotly's JSON, coloured by the page."""
    langs, columns = list(grid), list(next(iter(grid.values())))
    traces = [_marks(grid, column, place, len(columns)) for place, column in enumerate(columns)]
    return {
        "data": traces,
        "layout": {
            "xaxis": {
                "tickvals": list(range(len(langs))),
                "ticktext": [str(escape(lang)) for lang in langs],
                "range": [-0.6, len(langs) - 0.4],
                "showgrid": False,
                "zeroline": False,
                "fixedrange": True,
            },
            "yaxis": {"title": {"text": str(escape(TITLES[name]))}, "fixedrange": True, "nticks": 7, "rangemode": "tozero"},
            "meta": {"models": [], "floor": []},
        },
    }


def page(found: Tokenization) -> str:
    """Figures and tables in a page of its own, which loads nothing from elsewhere.

    *Laws*: the same numbers give the same text; names never become markup.
    """
    made = grids(found)
    return str(
        render(
            "tokenization.html.j2",
            sections=[(TITLES[name], figure(name, grid), grid, list(next(iter(grid.values())))) for name, grid in made.items()],
            segmenters=found.segmenters,
            limits=found.limits,
            said=said,
            plotly=Markup(get_plotlyjs().replace("</script", "<\\/script")),
        )
    )


def _marks(grid: Grid, column: str, place: int, of: int) -> dict[str, Any]:
    shift = 0.6 * ((place + 0.5) / of - 0.5)
    known = [(at, lang, row[column]) for at, (lang, row) in enumerate(grid.items()) if isfinite(row[column].mean)]
    colour = COLOURS[place % len(COLOURS)]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": str(escape(column)),
        "x": [at + shift for at, _, _ in known],
        "y": [one.mean for _, _, one in known],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": _lengths([one.high - one.mean for _, _, one in known]),
            "arrayminus": _lengths([one.mean - one.low for _, _, one in known]),
            "thickness": 2,
            "width": 0,
            "color": colour,
        },
        "marker": {"color": colour, "symbol": SYMBOLS[(place + place // len(COLOURS)) % len(SYMBOLS)], "size": 6},
        "text": [f"{escape(column)}<br>{escape(lang)}: {said(one)}<br>n = {one.n}" for _, lang, one in known],
        "hoverinfo": "text",
    }


def _lengths(values: Sequence[float]) -> list[float | None]:
    return [value if isfinite(value) else None for value in values]
