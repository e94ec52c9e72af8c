"""Dot plots with intervals as SVG: one row per name, one column per panel; light and dark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup, escape

from babelscope.display.numbers import estimate_text, number
from babelscope.types import Estimate

STYLE = """
text{font:12px system-ui,"Segoe UI","Noto Sans",sans-serif;fill:#171b21}
.big{font-size:15px;font-weight:600}.name{font-weight:600}.faint{fill:#59626e}.paper{fill:#fff}.middle{text-anchor:middle}.end{text-anchor:end}
.axis{stroke:#868d97}.grid{stroke:#e6e9ed}.ink{fill:#59626e}
@media(prefers-color-scheme:dark){text{fill:#e9ecf0}.faint{fill:#a2abb7}.paper{fill:#14171b}.grid{stroke:#2a3039}.ink{fill:#a2abb7}}
"""
LEFT, TOP, ROW, PANEL, GAP = 150, 76, 22, 230, 44
"""Widths and heights: margin for names, head, row, panel, space between panels."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A column of marks: a title, an estimate or None per row, and whether there is a line at 0."""

    title: str
    marks: Sequence[Estimate | None]
    zero: bool = False


def rows_svg(
    title: str, about: str, names: Sequence[str], panels: Sequence[Panel], colour: str = "#2f7fd1"
) -> Markup:
    """One row per name, one column per panel.

    *Laws*: the same numbers give the same text; names never become markup; every defined mark is
    drawn.
    """
    wide, tall = LEFT + len(panels) * (PANEL + GAP), TOP + ROW * len(names) + 34
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" '
        'height="{1}" role="img">'
    )
    parts = [
        Markup(head).format(wide, tall),
        Markup("<title>{}</title><style>{}</style>").format(title, Markup(STYLE)),
        Markup('<rect class="paper" width="{}" height="{}"/>').format(wide, tall),
        text(16, 26, title, "big"),
        text(16, 45, about, "faint"),
    ]
    for at, name in enumerate(names):
        y = TOP + ROW * (at + 0.5)
        parts += [text(LEFT - 14, y + 4, name, "end"), line(LEFT, y, wide - GAP, y, "grid")]
    for place, panel in enumerate(panels):
        parts += _panel(panel, LEFT + place * (PANEL + GAP), len(names), colour)
    return Markup("\n").join([*parts, Markup("</svg>\n")])


def _panel(panel: Panel, left: int, rows: int, colour: str) -> list[Markup]:
    known = [mark for mark in panel.marks if mark is not None and isfinite(mark.mean)]
    ends = [end for mark in known for end in (mark.mean, mark.low, mark.high) if isfinite(end)] + [
        0.0
    ] * panel.zero
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = 0.06 * (high - low) or 0.5
    low, high = low - room, high + room

    def x(value: float) -> float:
        return left + PANEL * (value - low) / (high - low)

    bottom = TOP + ROW * rows
    parts = [text(left + PANEL / 2, TOP - 12, panel.title, "name middle")]
    for value in (low + room, high - room):
        parts.append(text(x(value), bottom + 18, number(value), "faint middle"))
    if panel.zero:
        parts.append(line(x(0), TOP, x(0), bottom, "axis"))
    bar = Markup(
        '<line x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="1.8"/>'
    )
    dot = Markup(
        '<circle class="mark" cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>{}</title></circle>'
    )
    for at, mark in enumerate(panel.marks):
        if mark is None or not isfinite(mark.mean):
            continue
        y = TOP + ROW * (at + 0.5)
        if isfinite(mark.low):
            parts.append(bar.format(x(mark.low), x(mark.high), y, y, colour))
        parts.append(dot.format(x(mark.mean), y, colour, estimate_text(mark)))
    return parts


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>').format(
        x1, y1, x2, y2, kind
    )


def text(x: float, y: float, content: str, kind: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" class="{}">{}</text>').format(
        x, y, kind, escape(content)
    )
