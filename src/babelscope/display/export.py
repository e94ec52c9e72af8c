"""SVG as PNG and PDF, without a browser: libraries of the extra `figures`."""

from __future__ import annotations

from babelscope.errors import InputError

SCALE = 2
"""Pixels per unit of the SVG: sharp in print and on high-resolution screens."""
MISSING = "a {} file needs {}; install babelscope[figures], or write an .svg file"


def png(svg: str) -> bytes:
    """The SVG as a PNG, twice its size in pixels (resvg: it shapes Arabic, Hindi and Thai)."""
    try:
        import resvg_py
    except ImportError:
        raise InputError(MISSING.format(".png", "resvg_py")) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=SCALE))


def pdf(svg: str) -> bytes:
    """The SVG as a PDF with its letters as text (vl-convert).

    Its version of usvg places the vowel signs of Devanagari wrongly: for a figure with Hindi words
    take the PNG or the SVG.
    """
    try:
        import vl_convert
    except ImportError:
        raise InputError(MISSING.format(".pdf", "vl-convert-python")) from None
    return bytes(vl_convert.svg_to_pdf(svg))
