"""SVG as PNG and PDF, without a browser: libraries of the extra `figures`."""

from __future__ import annotations

import re

from babelscope.errors import InputError

SCALE = 2
"""Pixels per unit of the SVG: sharp in print and on high-resolution screens."""
MISSING = "a {} file needs {}; install babelscope[figures], or write an .svg file"


FAMILIES = (
    ("\u0590-\u05ff", "'Noto Sans Hebrew','DejaVu Sans'"),
    ("\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc", "'Noto Sans Arabic','Noto Naskh Arabic'"),
    ("\u0900-\u097f", "'Noto Sans Devanagari'"),
    ("\u0e00-\u0e7f", "'Noto Sans Thai'"),
    ("\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af", "'Noto Sans CJK SC'"),
    ("\u2190-\u21ff\u2212", "'DejaVu Sans','Liberation Sans'"),
)
"""The fonts of scripts that the usual one lacks. The libraries below take the first font that has a
letter, whatever its weight and slant, so that a title with an arrow, and a number below zero,
became italic."""


def with_fonts(svg: str) -> str:
    """The SVG with a font named for every text of another script.

    *Law*: nothing but the style of such texts changes.
    """

    def named(match: re.Match[str]) -> str:
        attributes, content = match[1], match[2]
        for signs, family in FAMILIES:
            if re.search(f"[{signs}]", content):
                return f"<text{_styled(attributes, family)}>{content}"
        return match[0]

    return re.sub(r"<text\b([^>]*)>([^<]*)", named, svg)


def _styled(attributes: str, family: str) -> str:
    """The attributes with a font among their style; one that is named already is kept."""
    font = f"font-family:{family}"
    if "font-family" in attributes:
        return attributes
    if ' style="' in attributes:
        return attributes.replace(' style="', f' style="{font};', 1)
    return f'{attributes} style="{font}"'


def png(svg: str) -> bytes:
    """The SVG as a PNG, twice its size in pixels (resvg: it shapes Arabic, Hindi and Thai)."""
    try:
        import resvg_py
    except ImportError:
        raise InputError(MISSING.format(".png", "resvg_py")) from None
    return bytes(resvg_py.svg_to_bytes(svg_string=with_fonts(svg), zoom=SCALE))


def pdf(svg: str) -> bytes:
    """The SVG as a PDF with its letters as text (vl-convert).

    Its version of usvg places the vowel signs of Devanagari wrongly: for a figure with Hindi words
    take the PNG or the SVG.
    """
    try:
        import vl_convert
    except ImportError:
        raise InputError(MISSING.format(".pdf", "vl-convert-python")) from None
    return bytes(vl_convert.svg_to_pdf(with_fonts(svg)))
