"""The figures of the trade-offs as plotly's JSON: heat maps, curves over layers, reliability
diagrams, confusion matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from markupsafe import escape

from babelscope.analyses.faithfulness.figures import COLOURS
from babelscope.display.numbers import compact

RISING = [[0, "#f7f9fc"], [0.55, "#b3d0ee"], [0.7, "#4f87c4"], [1, "#0b3d78"]]
"""From nothing to much; pale or dark, so that the numbers can be read."""
SIGNED = [
    [0, "#8f3400"],
    [0.2, "#c9661f"],
    [0.28, "#f6cba5"],
    [0.5, "#f5f5f5"],
    [0.72, "#b3d0ee"],
    [0.8, "#4f87c4"],
    [1, "#0b3d78"],
]
"""Orange below 0, blue above."""
CURVES = {
    "to_base": "fine-tuned to base",
    "between_sources": "between source languages",
    "between_seeds": "between seeds (noise floor)",
}
Figure = dict[str, Any]


def heat_map(
    values: Sequence[Sequence[float | None]], rows: Sequence[str], columns: Sequence[str], *,
    signed: bool = False, axes: tuple[str, str] = ("tested in", "fine-tuned on"),
) -> Figure:  # fmt: skip
    """One cell per pair with its number in it; undefined cells stay empty."""
    known = [each for line in values for each in line if each is not None and isfinite(each)]
    most = max((abs(each) for each in known), default=1.0) or 1.0
    low, high = (-most, most) if signed else (0.0, 1.0)
    trace = {
        "type": "heatmap",
        "z": [[_known(each) for each in line] for line in values],
        "x": [_tag(name) for name in columns],
        "y": [_tag(name) for name in rows],
        "zmin": low,
        "zmax": high,
        "colorscale": SIGNED if signed else RISING,
        "text": [[_label(each, signed) for each in line] for line in values],
        "texttemplate": "%{text}",
        "hovertemplate": f"{axes[1]} %{{y}}<br>{axes[0]} %{{x}}<br>%{{z:.3f}}<extra></extra>",
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
    }
    return {
        "data": [trace],
        "layout": {
            "xaxis": {"type": "category", "title": {"text": axes[0]}, "side": "top"},
            "yaxis": {"type": "category", "title": {"text": axes[1]}, "autorange": "reversed"},
            "height": 110 + 34 * len(rows),
            "meta": {"least": 46 * len(columns) + 90, "most": 90 * len(columns) + 110},
        },
    }


def layer_curves(row: Mapping[str, Any]) -> Figure:
    """Similarity by layer, a line with its band per comparison; the exchanged texts' as dots at the
    bottom."""
    traces: list[dict[str, Any]] = []
    for place, (name, title) in enumerate(CURVES.items()):
        if name in row:
            traces += _band(row[name], title, COLOURS[place])
    exchanged = [_known(each) for each in row["exchanged"]]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "texts exchanged (null)",
            "x": list(range(len(exchanged))),
            "y": exchanged,
        }
        | {"marker": {"color": "#868d97", "size": 5}}
    )
    return {
        "data": traces,
        "layout": {
            "title": {"text": _tag(row["lang"])},
            "xaxis": {"title": {"text": "layer"}, "dtick": 1 if len(exchanged) < 15 else 2},
            "yaxis": {"title": {"text": "debiased CKA"}, "range": [-0.1, 1.05]},
            "height": 300,
            "meta": {"least": 300},
        },
    }


def _band(
    points: Sequence[Sequence[float | None]], title: str, colour: str
) -> list[dict[str, Any]]:
    layers = list(range(len(points)))
    value, low, high = ([_known(point[at]) for point in points] for at in range(3))
    traces: list[dict[str, Any]] = []
    if all(each is not None for each in (*low, *high)):
        around = {
            "x": [*layers, *reversed(layers)],
            "y": [*high, *reversed(low)],
            "fill": "toself",
            "fillcolor": f"{colour}40",
        }
        traces.append(
            {"type": "scatter", "mode": "none", **around, "hoverinfo": "skip", "showlegend": False}
        )
    line = {
        "mode": "lines+markers",
        "name": title,
        "x": layers,
        "y": value,
        "line": {"color": colour, "width": 2},
    }
    return [
        *traces,
        {
            "type": "scatter",
            **line,
            "marker": {"size": 5, "color": colour},
            "hovertemplate": "layer %{x}: %{y:.3f}",
        },
    ]


def reliability_diagram(
    title: str, lines: Sequence[tuple[str, Sequence[Mapping[str, float]]]]
) -> Figure:
    """Accuracy against mean confidence per bin with Wilson intervals, sizes by the number of
    examples."""
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [0, 1],
        "y": [0, 1],
        "line": {"color": "#868d97", "dash": "dot", "width": 1},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    colours = [COLOURS[place % len(COLOURS)] for place in range(len(lines))]
    axis = {"range": [0, 1.03], "constrain": "domain"}
    return {
        "data": [diagonal, *(_bins(*line, colour) for line, colour in zip(lines, colours))],
        "layout": {
            "title": {"text": str(escape(title))},
            "xaxis": {**axis, "title": {"text": "confidence"}},
            "yaxis": {**axis, "title": {"text": "accuracy"}},
            "height": 340,
            "meta": {"least": 320},
        },
    }


def _bins(name: str, points: Sequence[Mapping[str, float]], colour: str) -> dict[str, Any]:
    total = sum(point["n"] for point in points) or 1
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": _tag(name),
        "x": [point["confidence"] for point in points],
        "y": [point["accuracy"] for point in points],
        "error_y": {
            "type": "data", "symmetric": False, "width": 0, "thickness": 1.2, "color": colour,
            "array": [point["high"] - point["accuracy"] for point in points],
            "arrayminus": [point["accuracy"] - point["low"] for point in points],
        },
        "line": {"color": colour, "width": 1},
        "marker": {"color": colour,
                   "size": [4 + 18 * (point["n"] / total) ** 0.5 for point in points]},
        "text": [f"{_tag(name)}: {point['n']} examples" for point in points],
        "hovertemplate": "%{text}<br>confidence %{x:.3f}, accuracy %{y:.3f}<extra></extra>",
    }  # fmt: skip


def confusion_matrix(title: str, counts: Sequence[Sequence[int]], labels: Sequence[str]) -> Figure:
    """Shares of every gold class (rows) by predicted class (columns)."""
    shares = [
        [each / (sum(line) or 1) for each in line] if sum(line) else [None] * len(line)
        for line in counts
    ]
    figure = heat_map(shares, labels, labels, axes=("predicted", "gold"))
    figure["layout"]["title"] = {"text": str(escape(title))}
    figure["layout"]["xaxis"]["side"] = "bottom"
    figure["layout"]["height"] += 60
    figure["layout"]["meta"] = {"least": 60 * len(labels) + 110}
    return figure


def _label(value: float | None, signed: bool) -> str:
    return "" if _known(value) is None else compact(value, sign=signed)


def _known(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _tag(name: str) -> str:
    return str(escape(name))
