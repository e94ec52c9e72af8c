"""How tokenizers split words, as one SVG: a panel per measure, languages along it, a mark with its
interval per tokenizer.
"""

from __future__ import annotations

from math import floor, isfinite, log10

from markupsafe import Markup, escape

from babelscope.analyses.faithfulness.figures import COLOURS
from babelscope.analyses.tokenization.counts import Tokenization
from babelscope.analyses.tokenization.grids import TITLES, Grid, grids, with_interval
from babelscope.display.numbers import significant

WIDE, TALL, LEFT, TOP, LANG = 2, 170, 56, 64, 34
"""Panels side by side, a panel's height, the margins, the width of a language; in pixels but for
the first.
"""
GAP = 58
"""Below a panel: its languages and the next one's title."""

STYLE = """
text{font:11px system-ui,"Segoe UI","Noto Sans",sans-serif;fill:#171b21}
.big{font-size:15px;font-weight:600}.name{font-weight:600}.faint{fill:#59626e}.paper{fill:#fff}.middle{text-anchor:middle}.end{text-anchor:end}
.grid{stroke:#e6e9ed}
@media(prefers-color-scheme:dark){text{fill:#e9ecf0}.faint{fill:#a2abb7}.paper{fill:#14171b}.grid{stroke:#2a3039}}
"""


def svg(tokenization: Tokenization) -> Markup:
    """All measures of one call.

    *Laws*: the same numbers give the same text; names never become markup; nothing lies outside
    of the picture.
    """
    panels = {name: grid for name, grid in grids(tokenization).items() if name != "agreement"}
    langs, columns = (
        next(iter(panels.values())),
        list(next(iter(next(iter(panels.values())).values()))),
    )
    panel = LEFT + max(300, LANG * len(langs)) + 20
    down = -(-len(panels) // WIDE)
    top = TOP + 18 * len(columns)
    width, height = WIDE * panel, top + down * (TALL + GAP)
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" '
        'height="{1}" role="img">'
    )
    parts = [
        Markup(head).format(width, height),
        Markup("<style>{}</style>").format(Markup(STYLE)),
        Markup('<rect class="paper" width="{}" height="{}"/>').format(width, height),
        _text(16, 26, "How words are split", "big"),
        _text(16, 43, "Marks with 95 % intervals by cluster of dependent texts.", "faint"),
    ]
    for place, name in enumerate(columns):
        parts.append(_dot(20, TOP + 18 * place, COLOURS[place % len(COLOURS)]))
        parts.append(_text(30, TOP + 4 + 18 * place, name, ""))
    for place, (name, grid) in enumerate(panels.items()):
        across, below = place % WIDE, place // WIDE
        parts.append(
            _panel(
                name,
                grid,
                columns,
                LEFT + across * panel,
                top + below * (TALL + GAP) + 30,
                panel - LEFT - 20,
            )
        )
    return Markup("\n").join([*parts, Markup("</svg>\n")])


def _panel(name: str, grid: Grid, columns: list[str], left: int, top: int, wide: int) -> Markup:
    tall = TALL - 30
    known = [
        estimate for row in grid.values() for estimate in row.values() if isfinite(estimate.mean)
    ]
    largest = _round(
        max(
            [estimate.high if isfinite(estimate.high) else estimate.mean for estimate in known]
            or [0.0]
        )
    )
    parts = [_text(left - 40, top - 14, TITLES[name], "name")]
    for share in (0, 0.5, 1):
        y = top + tall * (1 - share)
        parts.append(
            Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
                left, left + wide, y, y
            )
        )
        parts.append(_text(left - 6, y + 4, significant(largest * share), "faint end"))
    for at, (lang, row) in enumerate(grid.items()):
        x = left + wide * (at + 0.5) / len(grid)
        parts.append(_text(x, top + tall + 16, lang, "faint middle"))
        for place, column in enumerate(columns):
            estimate = row[column]
            if not isfinite(estimate.mean):
                continue
            here = x + 0.6 * wide / len(grid) * ((place + 0.5) / len(columns) - 0.5)
            mean, low, high = (
                top + tall * (1 - each / largest)
                for each in (estimate.mean, estimate.low, estimate.high)
            )
            title = Markup("<title>{}</title>").format(
                f"{column}, {lang}: {with_interval(estimate)}"
            )
            colour = COLOURS[place % len(COLOURS)]
            bar = Markup(
                '<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}" stroke="{3}" '
                'stroke-width="1.6"/>'
            )
            line = bar.format(here, low, high, colour) if isfinite(estimate.low) else Markup("")
            parts.append(Markup("<g>{}{}{}</g>").format(title, line, _dot(here, mean, colour)))
    return Markup("\n").join(parts)


def _round(value: float) -> float:
    """The next number that an axis may end at."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return next(unit * step for step in (1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10) if unit * step >= value)


def _dot(x: float, y: float, colour: str) -> Markup:
    return Markup('<circle cx="{:.1f}" cy="{:.1f}" r="2.6" fill="{}"/>').format(x, y, colour)


def _text(x: float, y: float, text: str, kind: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" class="{}">{}</text>').format(
        x, y, kind, escape(text)
    )
