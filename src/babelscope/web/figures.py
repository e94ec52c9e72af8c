"""A figure of the chart kit for the explorer's page."""

from __future__ import annotations

from typing import Any

from babelscope.display.chart import Figure, figure_svg


def describe_figure(figure: Figure) -> dict[str, Any]:
    """The charts for the page, whose style sheet colours them; the file that is saved; the numbers.

    *Law*: names are escaped in both, so that they never become markup.
    """
    return {
        "name": figure.name,
        "title": figure.title,
        "charts": [str(chart.svg) for chart in figure.charts],
        "legend": list(figure.legend),
        "control": figure.control,
        "note": figure.note,
        "svg": figure_svg(figure),
        "csv": figure.csv,
    }
