"""Figures as plotly's JSON: colours of the page are filled in by the page, which knows whether it
is light or dark.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from markupsafe import escape

from babelscope.analyses.faithfulness.summary import FLOOR, Summary
from babelscope.display.numbers import (
    number,
    spoken,
)
from babelscope.types import Estimate

COLOURS = ("#2f7fd1", "#d9730d", "#1f9e77", "#c2549d", "#8a6fd1", "#a98307", "#d1495b", "#3a98ad")
"""Each at least 3:1 against both papers."""
SYMBOLS = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "triangle-down",
    "pentagon",
    "star",
    "hexagon",
)
GAP = 0.6
"""Space between two models, in languages."""


def means(summary: Summary, metric: str) -> dict[str, Any]:
    """Languages along one axis, model after model; a mark with its interval per method, the
    floor's interval as a grey box.
    """
    slots = _slots(summary, metric)
    marked = [name for name in summary.methods if name != FLOOR]
    traces = [_floor(summary, metric, slots)] if FLOOR in summary.methods else []
    for place, method in enumerate(marked):
        shift = 0.76 * ((place + 0.5) / len(marked) - 0.5)
        traces.append(_marks(summary, metric, method, place, slots, shift))
    return {
        "data": [trace for trace in traces if trace["x"]],
        "layout": _layout(summary, metric, slots),
    }


def _slots(summary: Summary, metric: str) -> list[tuple[str, str, float]]:
    """The position of each language of each model."""
    slots: list[tuple[str, str, float]] = []
    at = 0.0
    for model in summary.models:
        for lang in summary.languages_of(model):
            if any((model, lang, method, metric) in summary.cells for method in summary.methods):
                slots.append((model, lang, at))
                at += 1.0
        at += GAP
    return slots


def _marks(
    summary: Summary,
    metric: str,
    method: str,
    place: int,
    slots: list[tuple[str, str, float]],
    shift: float,
) -> dict[str, Any]:
    known = [
        (model, lang, at)
        for model, lang, at in slots
        if (model, lang, method, metric) in summary.cells
    ]
    estimates = [summary.cells[model, lang, method, metric] for model, lang, _ in known]
    colour = COLOURS[place % len(COLOURS)]
    symbol = SYMBOLS[(place + place // len(COLOURS)) % len(SYMBOLS)]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": method,
        "x": [at + shift for _, _, at in known],
        "y": [_finite(estimate.mean) for estimate in estimates],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [_finite(estimate.high - estimate.mean) for estimate in estimates],
            "arrayminus": [_finite(estimate.mean - estimate.low) for estimate in estimates],
            "thickness": 1.8,
            "width": 0,
            "color": colour,
        },
        "marker": {"color": colour, "symbol": symbol, "size": 9},
        "text": [
            _said(method, model, lang, estimate)
            for (model, lang, _), estimate in zip(known, estimates)
        ],
        "hoverinfo": "text",
    }


def _floor(summary: Summary, metric: str, slots: list[tuple[str, str, float]]) -> dict[str, Any]:
    known = [
        (model, lang, at)
        for model, lang, at in slots
        if (model, lang, FLOOR, metric) in summary.cells
    ]
    estimates = [summary.cells[model, lang, FLOOR, metric] for model, lang, _ in known]
    return {
        "type": "bar",
        "name": f"{FLOOR} (floor)",
        "x": [at for _, _, at in known],
        "y": [_finite(estimate.high - estimate.low) for estimate in estimates],
        "base": [_finite(estimate.low) for estimate in estimates],
        "width": 0.86,
        "marker": {"color": "rgba(134,141,151,.30)"},
        "text": [
            _said(FLOOR, model, lang, estimate)
            for (model, lang, _), estimate in zip(known, estimates)
        ],
        "textposition": "none",
        "hoverinfo": "text",
    }


def _said(method: str, model: str, lang: str, estimate: Estimate) -> str:
    interval = f"{number(estimate.mean)} [{number(estimate.low)}, {number(estimate.high)}]"
    return (
        f"{escape(method)}<br>{escape(lang)} · {escape(model)}<br>{interval}<br>n = {estimate.n}, "
        f"undefined {estimate.undefined}"
    )


def _layout(summary: Summary, metric: str, slots: list[tuple[str, str, float]]) -> dict[str, Any]:
    """The axes; `meta` holds what the page draws by itself: the models' names, and the floor's
    means as lines.
    """
    arrow = {1: " ↑ higher is better", -1: " ↓ lower is better", 0: ""}[summary.sign(metric)]
    spans = {model: [at for name, _, at in slots if name == model] for model, _, _ in slots}
    floor = [(at, summary.cells.get((model, lang, FLOOR, metric))) for model, lang, at in slots]
    return {
        "xaxis": {
            "tickvals": [at for _, _, at in slots],
            "ticktext": [str(escape(lang)) for _, lang, _ in slots],
            "range": [-0.6, slots[-1][2] + 0.6] if slots else [0, 1],
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": f"{escape(spoken(metric))}{arrow}"},
            "fixedrange": True,
            "nticks": 7,
        },
        "meta": {
            "models": [
                [str(escape(name)), ats[0] - 0.5, ats[-1] + 0.5]
                for name, ats in spans.items()
                if len(spans) > 1
            ],
            "floor": [
                [at - 0.43, at + 0.43, estimate.mean]
                for at, estimate in floor
                if estimate and isfinite(estimate.mean)
            ],
        },
    }


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
