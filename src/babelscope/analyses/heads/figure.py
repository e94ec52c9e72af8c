"""Head statistics as a picture: a grid of layers by heads for every relation, kept heads ringed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from babelscope.display.page import render
from babelscope.model.head_masks import HeadMask
from babelscope.model.head_statistics import HeadStatistics, accuracy, syntactic, thresholds

CELL, GAP, LEFT, TOP = 24, 26, 44, 96
"""Sizes in pixels: a cell, the space between grids, the margins."""
LIGHT, DARK = (238, 243, 249), (16, 62, 116)
"""The colours of a share of 0 and of 1."""
CAPTION = (
    "Each cell is a head: the share of pairs or tokens for which its arg-max is as named. Ringed: "
    "above",
    "the threshold. An arg-max is no proof that the head matters for what the model says.",
)

STYLE = """
.bs-heads text{font:11px system-ui,"Segoe UI","Noto Sans",sans-serif;fill:#171b21}
.bs-heads .big{font-size:15px;font-weight:600}.bs-heads .name{font-weight:600}
.bs-heads .faint{fill:#59626e}.bs-heads .number{font-size:9px;text-anchor:middle}
.bs-heads .paper{fill:#fff}.bs-heads .none{fill:#b9bfc8}
.bs-heads .ring{fill:none;stroke:#d9730d;stroke-width:2.5}
.bs-heads .middle{text-anchor:middle}.bs-heads .end{text-anchor:end}
@media(prefers-color-scheme:dark){.bs-heads text{fill:#e9ecf0}.bs-heads .faint{fill:#a2abb7}
.bs-heads .paper{fill:#14171b}.bs-heads .ring{stroke:#ff9a3d}}
"""
"""Limited to the picture: in a page, the style of an SVG applies to the whole document."""

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
        least = f"above {_short(float(np.nanmax(limit)))}" if known else "no pair"
        about = f"{least}, {int(statistics.pairs[:, at].max())} pairs"
        listed.append(Panel(name, about, shares[:, :, at], passed[:, :, at]))
    nothing = np.zeros(statistics.shape, dtype=bool)
    keep, offsets = np.array(mask.keep, dtype=bool), statistics.positional
    above = f"above {_short(mask.positional)}"
    return [
        *listed,
        Panel("fixed offset", above, offsets, offsets > mask.positional),
        Panel("sink", "listed only", statistics.sink, nothing),
        Panel("kept", f"{mask.count} heads, {mask.kind}", keep.astype(float), keep),
    ]


def svg(languages: Sequence[Counted]) -> Markup:
    """The grids of every language below one another.

    *Laws*: the same statistics give the same text; names never become markup.
    """
    first = languages[0][0]
    layers, heads = first.shape
    wide, tall = max(heads * CELL, 112) + GAP, layers * CELL + 92
    width, height = LEFT + len(panels(*languages[0])) * wide, TOP + len(languages) * tall
    title = f"What the attention heads of {first.model} point at"
    parts = [
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" class="bs-heads" viewBox="0 0 {0} {1}" '
            'width="{0}" height="{1}" role="img" aria-label="{2}">'
        ).format(width, height, title),
        Markup("<style>{}</style>").format(Markup(STYLE)),
        Markup('<rect class="paper" width="{}" height="{}"/>').format(width, height),
        _text(16, 26, title, "big"),
        *(_text(16, 45 + 15 * at, line, "faint") for at, line in enumerate(CAPTION)),
    ]
    for row, (statistics, mask) in enumerate(languages):
        parts += _row(statistics, mask, TOP + row * tall, wide)
    return Markup("\n").join([*parts, Markup("</svg>\n")])


def page(languages: Sequence[Counted]) -> str:
    """The picture in a page of its own, which loads nothing from elsewhere."""
    flags = [(statistics.lang, statistics.flags) for statistics, _ in languages]
    folder = Path(__file__).parent
    return str(render("page.html.j2", folder=folder, picture=svg(languages), flags=flags))


def _row(statistics: HeadStatistics, mask: HeadMask, top: int, wide: int) -> list[Markup]:
    about = f"{statistics.lang} · {statistics.sentences} sentences · {statistics.direction}"
    grids = [
        _grid(panel, LEFT + at * wide, top + 44, named=at == 0)
        for at, panel in enumerate(panels(statistics, mask))
    ]  # fmt: skip
    below = top + 44 + statistics.shape[0] * CELL + 13
    axes = [_text(16, below, "head", "faint"), _text(8, top + 37, "layer", "faint")]
    return [_text(16, top, about, "name"), *grids, *axes]


def _grid(panel: Panel, left: int, top: int, *, named: bool) -> Markup:
    layers, heads = panel.shares.shape
    parts = [_text(left, top - 20, panel.name, "name"), _text(left, top - 7, panel.about, "faint")]
    for layer in range(layers):
        y = top + layer * CELL
        if named:
            parts.append(_text(left - 6, y + 16, str(layer), "faint end"))
        parts += [_cell(panel, layer, head, left + head * CELL, y) for head in range(heads)]
    ring = Markup('<rect class="ring" x="{}" y="{}" width="{}" height="{}" rx="3"/>')
    for layer, head in np.argwhere(panel.passed):
        x, y = left + head * CELL + 1, top + layer * CELL + 1
        parts.append(ring.format(x, y, CELL - 3, CELL - 3))
    below, middle = top + layers * CELL + 13, left + CELL // 2
    for head in range(0, heads, 1 if heads <= 16 else 4):
        parts.append(_text(middle + head * CELL, below, str(head), "faint middle"))
    return Markup("\n").join(parts)


def _cell(panel: Panel, layer: int, head: int, x: int, y: int) -> Markup:
    value = float(panel.shares[layer, head])
    shown = f"{value:.3f}" if isfinite(value) else "undefined, no pair"
    title = f"{panel.name}, layer {layer}, head {head}: {shown}"
    size = CELL - 1
    if not isfinite(value):
        grey = '<rect class="none" x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>'
        return Markup(grey).format(x, y, size, size, title)
    shades = (round(low + (high - low) * value) for low, high in zip(LIGHT, DARK))
    fill = "#" + "".join(f"{shade:02x}" for shade in shades)
    ink = "#fff" if value > 0.45 else "#171b21"
    cell = Markup(
        '<g><title>{}</title><rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>'
        '<text class="number" x="{}" y="{}" style="fill:{}">{}</text></g>'
    )
    label = _short(value) if panel.name != "kept" else ""
    return cell.format(title, x, y, size, size, fill, x + size / 2, y + 15, ink, label)


def _text(x: int, y: int, text: str, kind: str) -> Markup:
    return Markup('<text x="{}" y="{}" class="{}">{}</text>').format(x, y, kind, escape(text))


def _short(value: float) -> str:
    """Two decimals without the leading zero."""
    return f"{value:.2f}".replace("0.", ".", 1) if value < 0.995 else "1"
