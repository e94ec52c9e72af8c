"""The figures of the trade-offs: heat maps, curves over layers, reliability diagrams, confusion
matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

from babelscope.display.chart import Chart, Figure
from babelscope.display.dots import Mark, Row, dot_plot
from babelscope.display.heat import heat_map
from babelscope.display.lines import Curve, Point, line_chart
from babelscope.display.numbers import number

CURVES = {
    "to_base": "fine-tuned to base",
    "between_sources": "between source languages",
    "between_seeds": "between seeds (noise floor)",
}
NULL = "texts exchanged (null)"


def matrix(
    title: str,
    values: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    signed: bool = False,
    axes: tuple[str, str] = ("tested in", "fine-tuned on"),
) -> Figure:
    """One cell per pair with its number in it; undefined cells stay empty."""
    chart = heat_map(title, values, rows, columns, signed=signed, axes=axes)
    return Figure(_slug(title), title, (chart,), rows=tuple(_cells(values, rows, columns, axes)))


def layer_curves(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Similarity by layer, a chart for each language; the exchanged texts' as marks without a
    line."""
    names = [name for name in CURVES if any(name in row for row in rows)]
    charts, values = [], []
    for row in rows:
        curves = [_layers(row.get(name, ()), CURVES[name]) for name in names]
        null = [Point(at, _known(each), size=0.6, title=f"{NULL}, layer {at}: {number(each)}")
                for at, each in enumerate(row["exchanged"])]  # fmt: skip
        curves.append(Curve(NULL, tuple(null), joined=False))
        title, axes = str(row["lang"]), ("layer", "debiased CKA")
        charts.append(line_chart(title, axes, curves, limits=(-0.1, 1.0)))
        values += [
            {"lang": row["lang"], "comparison": curve.name, "layer": point.x, "value": point.y,
             "low": point.low, "high": point.high}
            for curve in curves for point in curve.points
        ]  # fmt: skip
    legend = (*(CURVES[name] for name in names), NULL)
    return Figure("activations", "similarity by layer", tuple(charts), legend, rows=tuple(values))


def entropy_curves(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Entropy in nats by layer, a chart for each model, a series for each language."""
    langs = list(dict.fromkeys(lang for row in rows for lang in row["layers"]))
    charts, values = [], []
    for row in rows:
        curves = []
        for lang in langs:
            layers = [_known(each) for each in row["layers"].get(lang, ())]
            curves.append(Curve(lang, tuple(Point(at, each) for at, each in enumerate(layers))))
            values += [
                {"model": row["model"], "lang": lang, "layer": at, "nats": each}
                for at, each in enumerate(layers)
            ]
        charts.append(line_chart(_model(row["model"]), ("layer", "nats"), curves))
    title = "attention entropy by layer"
    return Figure("entropy", title, tuple(charts), tuple(langs), rows=tuple(values))


def entropy_maps(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Entropy in nats of every head, a chart for each model in its own language."""
    charts, values = [], []
    for row in rows:
        for lang, layers in row["heads"].items():
            down, across = ([str(at) for at in range(len(part))] for part in (layers, layers[0]))
            title = f"{_model(row['model'])}, tested in {lang}"
            charts.append(heat_map(title, layers, down, across, axes=("head", "layer")))
            cells = _cells(layers, down, across, ("head", "layer"))
            values += [{"model": row["model"], "lang": lang, **cell} for cell in cells]
    title = "attention entropy by layer and head, in nats"
    return Figure("entropy-heads", title, tuple(charts), rows=tuple(values))


def recall_plot(rows: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> Figure:
    """Recall of every class, a chart for each model, a series for each language."""
    targets = list(dict.fromkeys(row["target"] for row in rows))
    charts, values = [], []
    for source in dict.fromkeys(row["source"] for row in rows):
        by_target = {row["target"]: row["recall"] for row in rows if row["source"] == source}
        listed = [
            Row(label, tuple(_recall(by_target.get(each), at, label, each) for each in targets))
            for at, label in enumerate(labels)
        ]
        charts.append(dot_plot(f"fine-tuned on {source}", "recall", listed))
        values += [
            {"source": source, "target": target, "class": label, "recall": value}
            for target, numbers in by_target.items()
            for label, value in zip(labels, numbers)
        ]
    return Figure("recall", "recall by class", tuple(charts), tuple(targets), rows=tuple(values))


def _recall(values: Sequence[float | None] | None, at: int, label: str, lang: str) -> Mark | None:
    value = _known(values[at]) if values is not None else nan
    return Mark(value, title=f"{label} in {lang}: {number(value)}") if isfinite(value) else None


def _model(name: str) -> str:
    return name if name == "base" else f"fine-tuned on {name}"


def reliability_diagrams(
    sources: Sequence[tuple[str, Sequence[tuple[str, Sequence[Mapping[str, float]]]]]],
) -> Figure:
    """Accuracy against mean confidence per bin, sizes by the number of examples; a chart for each
    model, a series for each language."""
    names = list(dict.fromkeys(name for _, lines in sources for name, _ in lines))
    charts, values = [], []
    for source, lines in sources:
        known = dict(lines)
        curves = [_bins(name, known.get(name, ())) for name in names]
        title, axes = f"fine-tuned on {source}", ("confidence", "accuracy")
        charts.append(line_chart(title, axes, curves, limits=(0.0, 1.0), diagonal=True))
        values += [
            {"source": source, "target": name, **point} for name, line in lines for point in line
        ]
    title = "accuracy by confidence"
    return Figure("reliability", title, tuple(charts), tuple(names), rows=tuple(values))


def confusion_matrices(
    pairs: Sequence[tuple[str, Sequence[Sequence[int]]]], labels: Sequence[str]
) -> Figure:
    """Shares of every gold class (rows) by predicted class (columns)."""
    charts: list[Chart] = []
    values: list[dict[str, object]] = []
    for title, counts in pairs:
        shares = [
            [each / sum(line) for each in line] if sum(line) else [None] * len(line)
            for line in counts
        ]
        charts.append(heat_map(title, shares, labels, labels, axes=("predicted", "gold")))
        values += [
            {"matrix": title, **row}
            for row in _cells(shares, labels, labels, ("predicted", "gold"))
        ]
    return Figure("confusions", "confusion matrices", tuple(charts), rows=tuple(values))


def _layers(points: Sequence[Sequence[float | None]], title: str) -> Curve:
    listed = []
    for at, point in enumerate(points):
        value, low, high = (_known(each) for each in point)
        said = f"{title}, layer {at}: {number(value)}"
        listed.append(Point(at, value, low, high, 0.6, said))
    return Curve(title, tuple(listed), band=True)


def _bins(name: str, points: Sequence[Mapping[str, float]]) -> Curve:
    total = sum(point["n"] for point in points) or 1
    listed = [
        Point(
            point["confidence"], point["accuracy"], point["low"], point["high"],
            0.6 + 1.6 * (point["n"] / total) ** 0.5,
            f"{name}: confidence {number(point['confidence'])}, accuracy "
            f"{number(point['accuracy'])}, {point['n']} examples",
        )
        for point in points
    ]  # fmt: skip
    return Curve(name, tuple(listed))


def _cells(
    values: Sequence[Sequence[float | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    axes: tuple[str, str],
) -> list[dict[str, object]]:
    return [
        {axes[1]: row, axes[0]: column, "value": values[at][place]}
        for at, row in enumerate(rows)
        for place, column in enumerate(columns)
    ]


def _known(value: float | None) -> float:
    return value if value is not None and isfinite(value) else nan


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")
