"""Head statistics as a picture: one grid of layers by heads per relation, kept heads ringed. SVG, by itself or in a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from babelscope.display.numbers import compact, number
from babelscope.display.page import render
from babelscope.model.head_masks import HeadMask
from babelscope.model.head_statistics import HeadStatistics, accuracy, syntactic, thresholds

CELL, GAP, LEFT, TOP = 24, 26, 44, 96
"""Sizes in pixels: a cell, the space between grids, the margins."""
LIGHT, DARK = (238, 243, 249), (16, 62, 116)
"""The colours of a share of 0 and of 1."""

STYLE = """
text{font:11px system-ui,"Segoe UI","Noto Sans",sans-serif;fill:#171b21}
.big{font-size:15px;font-weight:600}.name{font-weight:600}.faint{fill:#59626e}.number{font-size:9px;text-anchor:middle}.paper{fill:#fff}.none{fill:#b9bfc8}
.ring{fill:none;stroke:#d9730d;stroke-width:2.5}.middle{text-anchor:middle}.end{text-anchor:end}
@media(prefers-color-scheme:dark){text{fill:#e9ecf0}.faint{fill:#a2abb7}.paper{fill:#14171b}.ring{stroke:#ff9a3d}}
"""


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One grid: its name, a line about it, a share per head, and which of them pass."""

    name: str
    told: str
    shares: NDArray[np.float64]
    passed: NDArray[np.bool_]


def panels(statistics: HeadStatistics, mask: HeadMask) -> list[Panel]:
    """One per relation, then fixed offsets, sinks and the mask itself."""
    found, limits = accuracy(statistics), thresholds(statistics, mask.margin)
    passed = syntactic(statistics, mask.margin)
    made = []
    for place, name in enumerate(statistics.relations):
        limit = limits[:, place]
        least = f"above {_short(float(np.nanmax(limit)))}" if np.isfinite(limit).any() else "no pair"
        told = f"{least}, {int(statistics.pairs[:, place].max())} pairs"
        made.append(Panel(name, told, found[:, :, place], passed[:, :, place]))
    nothing = np.zeros(statistics.shape, dtype=bool)
    pos = statistics.positional > mask.positional
    made.append(Panel("fixed offset", f"above {_short(mask.positional)}", statistics.positional, pos))
    made.append(Panel("sink", "listed only", statistics.sink, nothing))
    keep = np.array(mask.keep, dtype=bool)
    return [*made, Panel("kept", f"{mask.count} heads, {mask.kind}", keep.astype(float), keep)]


def svg(found: Sequence[tuple[HeadStatistics, HeadMask]]) -> Markup:
    """The grids of every language below one another.

    *Laws*: the same statistics give the same text; names never become markup.
    """
    layers, heads = found[0][0].shape
    each = len(panels(*found[0]))
    wide, tall = max(heads * CELL, 112) + GAP, layers * CELL + 92
    width, height = LEFT + each * wide, TOP + len(found) * tall
    parts = [
        Markup('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img">').format(
            width, height
        ),
        Markup("<style>{}</style>").format(Markup(STYLE)),
        Markup('<rect class="paper" width="{}" height="{}"/>').format(width, height),
        _text(16, 26, f"What the attention heads of {found[0][0].model} point at", "big"),
        _text(
            16,
            45,
            "Each cell is a head: the share of pairs or tokens for which its arg-max is as named. Ringed: above",
            "faint",
        ),
        _text(16, 60, "the threshold. An arg-max is no proof that the head matters for what the model says.", "faint"),
    ]
    for row, (statistics, mask) in enumerate(found):
        top = TOP + row * tall
        about = f"{statistics.lang} · {statistics.sentences} sentences · {statistics.direction}"
        parts.append(_text(16, top, about, "name"))
        for place, panel in enumerate(panels(statistics, mask)):
            parts.append(_grid(panel, LEFT + place * wide, top + 44, place == 0))
        parts.append(_text(16, top + 44 + layers * CELL + 13, "head", "faint"))
        parts.append(_text(8, top + 37, "layer", "faint"))
    return Markup("\n").join([*parts, Markup("</svg>\n")])


def page(found: Sequence[tuple[HeadStatistics, HeadMask]]) -> str:
    """The picture in a page of its own, which loads nothing from elsewhere."""
    return str(render("heads.html.j2", picture=svg(found), flags=[(one.lang, one.flags) for one, _ in found]))


def _grid(panel: Panel, left: int, top: int, named: bool) -> Markup:
    layers, heads = panel.shares.shape
    parts = [_text(left, top - 20, panel.name, "name"), _text(left, top - 7, panel.told, "faint")]
    for layer in range(layers):
        y = top + layer * CELL
        if named:
            parts.append(_text(left - 6, y + 16, str(layer), "faint end"))
        parts += [_cell(panel, layer, head, left + head * CELL, y) for head in range(heads)]
    for layer, head in np.argwhere(panel.passed):
        ring = Markup('<rect class="ring" x="{}" y="{}" width="{}" height="{}" rx="3"/>')
        parts.append(ring.format(left + head * CELL + 1, top + layer * CELL + 1, CELL - 3, CELL - 3))
    step = 1 if heads <= 16 else 4
    numbers = [
        _text(left + h * CELL + CELL // 2, top + layers * CELL + 13, str(h), "faint middle") for h in range(0, heads, step)
    ]
    return Markup("\n").join([*parts, *numbers])


def _cell(panel: Panel, layer: int, head: int, x: int, y: int) -> Markup:
    value = float(panel.shares[layer, head])
    told = f"{panel.name}, layer {layer}, head {head}: {number(value) if isfinite(value) else 'undefined, no pair'}"
    size = CELL - 1
    if not isfinite(value):
        grey = Markup('<rect class="none" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>')
        return grey.format(x, y, size, size, told)
    shade = "#" + "".join(f"{round(low + (high - low) * value):02x}" for low, high in zip(LIGHT, DARK))
    ink = "#fff" if value > 0.45 else "#171b21"
    drawn = Markup(
        '<g><title>{}</title><rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>'
        '<text class="number" x="{}" y="{}" style="fill:{}">{}</text></g>'
    )
    shown = _short(value) if panel.name != "kept" else ""
    return drawn.format(told, x, y, size, size, shade, x + size / 2, y + 15, ink, shown)


def _text(x: int, y: int, text: str, kind: str) -> Markup:
    return Markup('<text x="{}" y="{}" class="{}">{}</text>').format(x, y, kind, escape(text))


def _short(value: float) -> str:
    """Two decimals without the leading zero."""
    return compact(value) if value < 0.995 else "1"
