"""Head statistics as charts: a grid of layers by heads for every relation, heads that pass
ringed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from babelscope.display.chart import Chart, Figure, figure_html, figure_svg
from babelscope.display.colours import chart_style
from babelscope.display.heat import small_map
from babelscope.display.numbers import compact, items
from babelscope.display.page import render
from babelscope.model.head_masks import HeadMask
from babelscope.model.head_statistics import HeadStatistics, accuracy, syntactic, thresholds

NOTE = "Each cell is a head: the share of pairs, or of tokens, for which its arg-max is as named."
RINGED = "above the threshold"

Counted = tuple[HeadStatistics, HeadMask]
"""The statistics of one language, and the mask that is derived from them."""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One grid: its name, a line about it, a share per head, and which of them pass."""

    name: str
    about: str
    shares: NDArray[np.float64]
    passed: NDArray[np.bool_]


def panels(statistics: HeadStatistics, mask: HeadMask) -> list[Panel]:
    """One per relation, then fixed offsets, sinks and the mask itself."""
    shares, limits = accuracy(statistics), thresholds(statistics, mask.margin)
    passed = syntactic(statistics, mask.margin)
    listed = []
    for at, name in enumerate(statistics.relations):
        limit = limits[:, at]
        known = np.isfinite(limit).any()
        least = f"threshold {compact(float(np.nanmax(limit)))}" if known else "no threshold"
        about = f"{int(statistics.pairs[:, at].max()):,} pairs, {least}"
        listed.append(Panel(name, about, shares[:, :, at], passed[:, :, at]))
    nothing = np.zeros(statistics.shape, dtype=bool)
    keep, offsets = np.array(mask.keep, dtype=bool), statistics.positional
    above = f"one distance, threshold {compact(mask.positional)}"
    return [
        *listed,
        Panel("fixed offset", above, offsets, offsets > mask.positional),
        Panel("sink", "first or last token; listed only", statistics.sink, nothing),
        Panel(
            "kept", f"{items(mask.count, 'head')} in the mask {mask.kind}", keep.astype(float), keep
        ),
    ]


def head_figure(statistics: HeadStatistics, mask: HeadMask) -> Figure:
    """The grids of one language.

    *Laws*: the same statistics give the same figure; every defined share is written in its cell;
    names never become markup.
    """
    listed = panels(statistics, mask)
    title = f"{statistics.model} · {statistics.lang} · {statistics.sentences:,} sentences"
    rows = [
        {"lang": statistics.lang, "grid": panel.name, "layer": layer, "head": head,
         "share": float(panel.shares[layer, head]), "passes": bool(panel.passed[layer, head])}
        for panel in listed
        for layer, head in np.ndindex(*panel.shares.shape)
    ]  # fmt: skip
    charts = tuple(_chart(panel, statistics.lang) for panel in listed)
    name = f"heads-{statistics.lang}"
    return Figure(name, title, charts, ringed=RINGED, note=NOTE, rows=tuple(rows))


def _chart(panel: Panel, lang: str) -> Chart:
    return small_map(
        f"{panel.name} ({lang})", panel.about, panel.shares.tolist(), axes=("head", "layer"),
        ringed=panel.passed.tolist(), written=panel.name != "kept",
    )  # fmt: skip


def whole_figure(languages: Sequence[Counted]) -> Figure:
    """The grids of all languages in one figure."""
    figures = [head_figure(*each) for each in languages]
    return Figure(
        "heads", f"What the attention heads of {languages[0][0].model} point at",
        tuple(chart for figure in figures for chart in figure.charts), ringed=RINGED, note=NOTE,
        rows=tuple(row for figure in figures for row in figure.rows),
    )  # fmt: skip


def svg(languages: Sequence[Counted]) -> str:
    """The grids of all languages as one SVG file."""
    return figure_svg(whole_figure(languages))


def page(languages: Sequence[Counted]) -> str:
    """The figures in a page of their own, which loads nothing from elsewhere."""
    return str(
        render(
            "page.html.j2", folder=Path(__file__).parent,
            figures=[figure_html(head_figure(*each)) for each in languages],
            flags=[(statistics.lang, statistics.flags) for statistics, _ in languages],
            model=languages[0][0].model, chart_style=Markup(chart_style()),
            scripts=[str(render("script.html.j2"))],
        )
    )  # fmt: skip
