"""SVG as PNG and PDF, without a browser: libraries of the extra `figures`."""

from __future__ import annotations

from babelscope.display.colours import FONT
from babelscope.errors import InputError

SCALE = 2
"""Pixels per unit of the SVG: sharp in print and on high-resolution screens."""
PRINT_FONT = f'"Liberation Sans",Arial,Helvetica,"DejaVu Sans",{FONT}'
"""Families with the minus sign and the arrows first: these programs take a whole text from another
font, in any style, where the first family lacks one of its letters."""
MISSING = "a {} file needs {}; install babelscope[figures], or write an .svg file"


def png(svg: str) -> bytes:
    """The SVG as a PNG, twice its size in pixels (resvg: it shapes Arabic, Hindi and Thai)."""
    try:
        import resvg_py
    except ImportError:
        raise InputError(MISSING.format(".png", "resvg_py")) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=_for_print(svg), zoom=SCALE))


def pdf(svg: str) -> bytes:
    """The SVG as a PDF with its letters as text (vl-convert).

    Its version of usvg places the vowel signs of Devanagari wrongly: for a figure with Hindi words
    take the PNG or the SVG.
    """
    try:
        import vl_convert
    except ImportError:
        raise InputError(MISSING.format(".pdf", "vl-convert-python")) from None
    return bytes(vl_convert.svg_to_pdf(_for_print(svg)))


def _for_print(svg: str) -> str:
    return svg.replace(FONT, PRINT_FONT)
