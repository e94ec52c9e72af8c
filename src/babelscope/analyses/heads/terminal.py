"""Head statistics in a terminal: what the heads were measured on, and which are kept for what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from babelscope.analyses.heads.grids import (
    Grid,
    ablation_grid,
    agreement_grid,
    kinds_grid,
    passing,
    relations_grid,
)
from babelscope.analyses.heads.tables import LanguageHeads, ModelHeads
from babelscope.display.terminal import plain, table
from babelscope.model.head_statistics import syntactic

SYNTACTIC = Style(color="#000000", bgcolor="#a3d1f0", bold=True)
POSITIONAL = Style(color="#000000", bgcolor="#f8c799", bold=True)
BOTH = Style(color="#000000", bgcolor="#d3b5f0", bold=True)
SAMPLED = Style(color="#000000", bgcolor="#c9ced6")
MOST = 16
"""Heads of a layer that are side by side; more would not fit into a terminal."""


def terminal(models: Sequence[ModelHeads]) -> tuple[RenderableType, ...]:
    """The tables of every language, what the colours mean, the comparisons, and the flags."""
    shown: list[RenderableType] = []
    for model in models:
        for language in model.languages:
            relations = _table(relations_grid(language))
            shown += [relations, heads_table(language), curve_table(language)]
    shown.append(legend())
    for model in models:
        if len(model.languages[0].masks) > 1:
            shown.append(_table(kinds_grid(model)))
        if model.ablations:
            shown.append(_table(ablation_grid(model)))
        if model.agreements:
            shown.append(_table(agreement_grid(model)))
    statistics = [language.statistics for model in models for language in model.languages]
    flags = [f"{each.lang}: {flag}" for each in statistics for flag in each.flags]
    return (*shown, *(Text(plain(flag)) for flag in flags))


def heads_table(language: LanguageHeads) -> Table:
    """Layers by heads, from 0: what a head is kept for; the others with a dot, or as sinks."""
    mask, (layers, heads) = language.mask, language.statistics.shape
    title = f"{language.lang} · {mask.count} of {layers * heads} heads kept ({mask.kind})"
    grid = Table(title=title, title_justify="left", min_width=len(title))
    grid.add_column("layer", justify="right")
    for head in range(min(heads, MOST)):
        grid.add_column(f"{head}", justify="center")
    passed = syntactic(language.statistics, mask.margin)
    for layer in range(layers):
        cells = [_cell(language, passed[layer, head], layer, head) for head in range(heads)]
        for start in range(0, heads, MOST):
            name = str(layer) if start == 0 else f"+{start}"
            grid.add_row(name, *cells[start : start + MOST])
    return grid


def _cell(language: LanguageHeads, passed: np.ndarray, layer: int, head: int) -> Text:
    statistics, mask = language.statistics, language.mask
    positional = bool(statistics.positional[layer, head] > mask.positional)
    names = [name for name, passes in zip(statistics.relations, passed) if passes]
    if positional:
        names.append(f"{statistics.offset[layer, head]:+d}")
    if mask.keep[layer][head]:
        text = "kept" if mask.kind == "all" else " ".join(names) or "sampled"
        return Text(f" {text} ", _style(bool(passed.any()), positional))
    if names:
        return Text(" ".join(names), "strike dim")
    return Text("sink" if statistics.sink[layer, head] > mask.positional else "·", "dim")


def _style(relation: bool, positional: bool) -> Style:
    if relation and positional:
        return BOTH
    return POSITIONAL if positional else SYNTACTIC if relation else SAMPLED


def legend() -> Text:
    """What the colours of the heads mean."""
    line = Text()
    styles = (
        ("relation found", SYNTACTIC),
        ("fixed offset", POSITIONAL),
        ("both", BOTH),
        ("sampled", SAMPLED),
    )
    for name, style in styles:
        line.append(f" {name} ", style).append(" ")
    return line.append("sink: points at the first or a special token; not kept for that", "dim")


def curve_table(language: LanguageHeads) -> Table:
    """How many heads pass as each threshold varies."""
    grid = Table(title="heads that pass, by threshold", title_justify="left", show_header=False)
    for least, count in (("margin", "synt"), ("positional", "pos")):
        curve = passing(language, least, count)
        grid.add_row(least, *(f"{value:g}" for value in curve), style="dim")
        grid.add_row("heads", *(str(number) for number in curve.values()), end_section=True)
    return grid


def _table(grid: Grid) -> Table:
    return table(plain(grid.title), grid.columns, grid.rows)
