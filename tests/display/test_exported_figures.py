"""Figures as PNG and PDF: the fonts of scripts that the usual one lacks."""

from __future__ import annotations

from babelscope.display.export import with_fonts
from babelscope.display.heat import heat_map

MINUS = "\N{MINUS SIGN}"


def test_plain_text_is_left_alone() -> None:
    plain = '<svg><text x="1" class="m">.15</text></svg>'
    assert with_fonts(plain) == plain


def test_a_number_below_zero_has_a_font_also_beside_a_colour() -> None:
    """The numbers of a heat map have the colour of their ink as a style."""
    bare = with_fonts(f'<text x="1">{MINUS}.15</text>')
    assert bare.startswith('<text x="1" style="font-family:\'DejaVu Sans\'')
    cell = heat_map("t", [[-0.15, 0.2]], ["a"], ["b", "c"], signed=True).svg
    _, below, above = with_fonts(cell).split('class="cell"')
    assert below.count("font-family:") == 1
    assert "fill:#" in below
    assert 'style="font-family' in below
    assert "font-family:" not in above
    assert with_fonts(with_fonts(cell)) == with_fonts(cell)
