"""Kernel SHAP's weight of a repeated word, by the number of copies (figure 6 of the SLALOM paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from babelscope.data.synthetic import LINEAR
from babelscope.display.chart import Figure, figure_svg
from babelscope.display.lines import Curve, Point, line_chart


def picture(copies: Sequence[int], weights: Mapping[str, Sequence[float]]) -> str:
    """A curve for each model, and the true weight."""
    curves = {"truth": [LINEAR["perfect"][0]] * len(copies), **weights}
    lines = [
        Curve(name, tuple(Point(float(x), float(y)) for x, y in zip(copies, values)))
        for name, values in curves.items()
    ]
    chart = line_chart("perfect", ("copies of the word", "mean weight of a copy"), lines)
    title = "Kernel SHAP's weight of a repeated word"
    return figure_svg(Figure("additive", title, (chart,), tuple(curves)))
