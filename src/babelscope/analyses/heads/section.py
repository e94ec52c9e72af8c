"""Head statistics in a terminal: what the heads were measured on, and which are kept for what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.style import Style
from rich.table import Table
from rich.text import Text

from babelscope.analyses.heads.agreement import Agreement, Step
from babelscope.display.numbers import number, significant
from babelscope.display.terminal import plain, table
from babelscope.model.head_masks import HeadMask
from babelscope.model.head_statistics import (
    FEW,
    HeadStatistics,
    accuracy,
    coverage,
    syntactic,
    thresholds,
)

SYNTACTIC = Style(color="#000000", bgcolor="#a3d1f0", bold=True)
POSITIONAL = Style(color="#000000", bgcolor="#f8c799", bold=True)
BOTH = Style(color="#000000", bgcolor="#d3b5f0", bold=True)
DRAWN = Style(color="#000000", bgcolor="#c9ced6")
MOST = 16
"""Heads of a layer that stand side by side; more would not fit into a terminal."""


def relations_table(statistics: HeadStatistics, margin: float) -> Table:
    """One row per relation: how many pairs, what a fixed distance would reach, what the best head reaches."""
    found, limits, seen = accuracy(statistics), thresholds(statistics, margin), coverage(statistics)
    passed = syntactic(statistics, margin)
    rows = []
    for place, name in enumerate(statistics.relations):
        pairs, best = statistics.pairs[:, place], "none"
        if pairs.any():
            layer, head = np.unravel_index(np.nanargmax(found[:, :, place]), statistics.shape)
            best = f"{layer}.{head}: {number(found[layer, head, place])}"
        count = _range(pairs) + (" few" if pairs.max(initial=0) < FEW else "")
        told = (count, int(statistics.dropped[place]), _range(seen[:, place]), _range(statistics.baseline[:, place]))
        rows.append((name, *told, _range(limits[:, place]), best, int(passed[:, :, place].sum())))
    columns = ("relation", "pairs", "dropped", "seen", "lambda", "above", "best head", "pass")
    title = f"{statistics.lang} · {statistics.sentences} sentences · {statistics.direction} · {plain(statistics.model)}"
    return table(title, columns, rows)


def heads_table(statistics: HeadStatistics, mask: HeadMask) -> Table:
    """Layers by heads, from 0: a kept head with what it was kept for; the others with a dot, or as sinks."""
    passed, pos = syntactic(statistics, mask.margin), statistics.positional > mask.positional
    layers, heads = statistics.shape
    title = f"{statistics.lang} · {mask.count} of {layers * heads} heads kept ({mask.kind})"
    made = Table(title=title, title_justify="left", min_width=len(title))
    made.add_column("layer", justify="right")
    for head in range(min(heads, MOST)):
        made.add_column(f"{head}", justify="center")
    for layer in range(layers):
        cells = [_cell(statistics, mask, passed[layer, head], pos[layer, head], layer, head) for head in range(heads)]
        for start in range(0, heads, MOST):
            made.add_row(str(layer) if start == 0 else f"+{start}", *cells[start : start + MOST])
    return made


def _cell(
    statistics: HeadStatistics, mask: HeadMask, passed: np.ndarray, pos: np.bool_, layer: int, head: int
) -> Text:  # fmt: skip
    names = [name for name, yes in zip(statistics.relations, passed) if yes]
    if pos:
        names.append(f"{statistics.offset[layer, head]:+d}")
    if mask.keep[layer][head]:
        style = BOTH if pos and passed.any() else POSITIONAL if pos else SYNTACTIC if passed.any() else DRAWN
        return Text(f" {' '.join(names) or 'drawn' if mask.kind != 'all' else 'kept'} ", style)
    if names:
        return Text(" ".join(names), "strike dim")
    return Text("sink" if statistics.sink[layer, head] > mask.positional else "·", "dim")


def legend() -> Text:
    line = Text()
    for name, style in (("relation found", SYNTACTIC), ("fixed offset", POSITIONAL), ("both", BOTH), ("drawn", DRAWN)):
        line.append(f" {name} ", style).append(" ")
    return line.append("sink: points at the first or a special token; not kept for that", "dim")


def curve_table(steps: Sequence[Step]) -> Table:
    """How many heads pass as each threshold varies."""
    synt = {step.margin: step.synt for step in steps}
    pos = {step.positional: step.pos for step in steps}
    made = Table(title="heads that pass, by threshold", title_justify="left", show_header=False)
    for name, found in (("margin", synt), ("positional", pos)):
        made.add_row(name, *(significant(least, 6) for least in found), style="dim")
        made.add_row("heads", *(str(count) for count in found.values()), end_section=True)
    return made


def transfer_table(rows: Sequence[Agreement], alike: Sequence[float]) -> Table:
    columns = ("one", "two", "kept by both", "by either", "Jaccard", "kappa", "likeness")
    told = [(*row[:4], *(_defined(value) for value in (row.jaccard, row.kappa, rank))) for row, rank in zip(rows, alike)]
    return table("do the languages keep the same heads?", columns, told)


def _defined(value: float) -> str:
    return number(value) if value == value else "none"


def _range(values: np.ndarray) -> str:
    """One number where the layers agree, else the least and the largest."""
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    if not len(known):
        return "undefined"
    shown = [number(each) if values.dtype.kind == "f" else str(each) for each in (known.min(), known.max())]
    return shown[0] if shown[0] == shown[1] else f"{shown[0]} to {shown[1]}"
