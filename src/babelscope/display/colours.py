"""The colours of all charts and highlighted words: safe for colour-blind readers, light and dark.

Signed values run from orange over grey to blue, unsigned ones from pale to teal, and series have
eight colours with a shape each, so that no chart depends on colour alone.
"""

from __future__ import annotations

from math import isfinite

INK, FAINT, PAPER, GRID, AXIS = "#171b21", "#59626e", "#ffffff", "#e6e9ed", "#868d97"
DARK_INK, DARK_FAINT, DARK_PAPER, DARK_GRID = "#e9ecf0", "#a2abb7", "#14171b", "#2a3039"
SERIES = ("#2f7fd1", "#d9730d", "#1f9e77", "#c2549d", "#8a6fd1", "#a98307", "#d1495b", "#3a98ad")
"""Each at least 3:1 against both papers."""
SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z",
    "M0,-5L5,0L0,5L-5,0Z",
    "M-3.6,-3.6H3.6V3.6H-3.6Z",
    "M0,-4.6L4.6,3.6H-4.6Z",
    "M0,4.6L4.6,-3.6H-4.6Z",
    "M-1.5,-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
    "M-4.5,-2L0,-4.8L4.5,-2V2L0,4.8L-4.5,2Z",
    "M-5,-2H5V2H-5Z",
)
"""Circle, diamond, square, two triangles, cross, hexagon, bar: around the origin."""
BELOW, NEUTRAL, ABOVE = (0x8F, 0x34, 0x00), (0xF5, 0xF5, 0xF5), (0x0B, 0x3D, 0x78)
LEAST, MOST = (0xF1, 0xF8, 0xF6), (0x00, 0x4D, 0x40)
FONT = (
    'system-ui,"Segoe UI","Noto Sans","Noto Sans Arabic","Noto Sans Devanagari",'
    '"Noto Sans CJK SC","Noto Sans Thai",sans-serif'
)

Colour = tuple[int, int, int]


def diverging(share: float) -> str:
    """The colour of a signed value as a share (-1 to 1) of the largest: orange to blue."""
    return _mixed(NEUTRAL, ABOVE if share >= 0 else BELOW, abs(share))


def sequential(share: float) -> str:
    """The colour of an unsigned value as a share (0 to 1) of the largest: pale to dark teal."""
    return _mixed(LEAST, MOST, share)


def ink_on(share: float) -> str:
    """Dark letters on a pale cell, light ones on a dark cell."""
    return "#ffffff" if isfinite(share) and abs(share) > 0.5 else INK


def chart_style() -> str:
    """The style of every chart, limited to charts: in a page, the style of an SVG applies to the
    whole document. Colours are literal, so that programs without CSS variables render them too."""
    series = "".join(
        f".bs-chart .s{at}{{fill:{colour};stroke:{colour}}}" for at, colour in enumerate(SERIES)
    )
    return (
        f"{series}"  # first: a line or a band of a series overrides its fill or stroke
        f".bs-chart text{{font:12px {FONT};fill:{INK};unicode-bidi:plaintext}}"
        f".bs-chart .paper{{fill:{PAPER}}}.bs-chart .f{{fill:{FAINT}}}"
        ".bs-chart .t{font-size:11px}.bs-chart .m{text-anchor:middle}.bs-chart .e{text-anchor:end}"
        ".bs-chart .b{font-weight:600}.bs-chart .big{font-size:15px;font-weight:600}"
        f".bs-chart .g{{stroke:{GRID}}}.bs-chart .a{{stroke:{AXIS}}}"
        ".bs-chart .k{fill:#868d97;fill-opacity:.28}.bs-chart .l{fill:none;stroke-width:2}"
        f".bs-chart .n{{fill:{AXIS};fill-opacity:.35}}.bs-chart .i{{stroke-width:2}}"
        ".bs-chart .w{fill-opacity:.2;stroke:none}.bs-chart .o{fill-opacity:.85;stroke:none}"
        ".bs-chart .c{font-size:10px}.bs-chart .d{font-size:13px}.bs-chart .h{font-size:15px}"
        ".bs-chart .r{fill:none;stroke:#d9730d;stroke-width:2.5}"
        f".bs-chart .v{{fill:{FAINT}}}"
        f"@media(prefers-color-scheme:dark){{.bs-chart text{{fill:{DARK_INK}}}"
        f".bs-chart .f{{fill:{DARK_FAINT}}}.bs-chart .paper{{fill:{DARK_PAPER}}}"
        f".bs-chart .g{{stroke:{DARK_GRID}}}.bs-chart .v{{fill:{DARK_FAINT}}}}}"
    )


def _mixed(start: Colour, end: Colour, share: float) -> str:
    """The colour between two, with more contrast in the middle than a straight line has."""
    part = min(1.0, max(0.0, share)) ** 0.85
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(start, end))
