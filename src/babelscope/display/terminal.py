"""Highlighted words for terminals, light or dark: every background colour has its own
foreground."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite

from rich.cells import cell_len
from rich.console import JustifyMethod
from rich.style import Style
from rich.table import Table
from rich.text import Text

from babelscope.display.highlight import quantity_text, shade, top
from babelscope.display.numbers import number, signed
from babelscope.display.shown import shown_units
from babelscope.types import Attribution

SUPPORTS = ("#d4e8f7", "#a3d1f0", "#6fb8e8", "#3f9fe0")
OPPOSES = ("#fbe3cd", "#f8c799", "#f4aa62", "#ef8d2c")
NAME = 32
"""Columns whose cells are at most this long are not wrapped: they hold names and numbers."""
UNDEFINED = Style(color="#000000", bgcolor="#9a9a9a", italic=True)
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def coloured(attribution: Attribution, unit: str = "word") -> Text:
    """A header, the highlighted words, or other units (tokens one by one), and a legend."""
    parts = [header(attribution)]
    for place, text in enumerate(attribution.texts):
        line = Text(f"{place + 1}: " if len(attribution.texts) > 1 else "", style="bold")
        parts.append(
            line.append_text(
                _tokens(attribution, place) if unit == "token" else _words(attribution, place, text)
            )
        )
    return Text("\n").join([*parts, strongest(attribution, unit), legend()])


def header(attribution: Attribution) -> Text:
    """The prediction, its probability, and what is explained by which method."""
    line = Text().append(plain(attribution.label), "bold")
    if attribution.gold is not None and attribution.gold != attribution.label:
        line.append(f" (gold: {plain(attribution.gold)})")
    line.append(f" · p({plain(attribution.target)}) = {number(attribution.probability)}")
    line.append(f" · {attribution.method} of the {quantity_text(attribution)}")
    line.append(f" · {attribution.lang} · {plain(attribution.model)}")
    if attribution.flags:
        line.append(f"\nflags: {plain('; '.join(attribution.flags))}", "italic")
    return line


def strongest(attribution: Attribution, unit: str = "word", most: int = 6) -> Text:
    """The words or units with the largest scores, in numbers: for terminals without colour."""
    words = [(word.word, word.score) for word in shown_units(attribution)]
    tokens = list(zip(attribution.tokens, attribution.scores))
    scored = tokens if unit == "token" else words
    defined = [(name, score) for name, score in scored if isfinite(score)]
    ranked = sorted(defined, key=lambda pair: -abs(pair[1]))
    listed = (f"{plain(name)} {signed(score)}" for name, score in ranked[:most])
    return Text(", ".join(listed), "dim")


def legend() -> Text:
    line = Text()
    for name, score in (("supports", 1.0), ("opposes", -1.0), ("undefined", float("nan"))):
        line.append(f" {name} ", _style(score, 1.0)).append(" ")
    return line


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table; numbers are right-aligned with three decimals."""
    cells = [list(row) for row in rows]
    shown = Table(title=Text(title), title_justify="left")
    for place, name in enumerate(columns):
        numeric = bool(cells) and all(_is_number(row[place]) for row in cells)
        short = max((len(str(row[place])) for row in cells), default=0) <= NAME
        justify: JustifyMethod = "right" if numeric else "left"
        shown.add_column(Text(name), justify=justify, no_wrap=short, overflow="fold")
    for row in cells:
        shown.add_row(*(Text(_cell_text(cell)) for cell in row))
    return shown


def fitted(shown: Table, width: int) -> Table | Text:
    """The table; where it would cut or wrap a name or a number, its rows one below the other, a
    line for each column."""
    cells = [[_text(cell) for cell in column.cells] for column in shown.columns]
    heads = [_text(column.header) for column in shown.columns]
    needed = [
        max((_widest(text, bool(column.no_wrap)) for text in (*texts, head)), default=0)
        for column, head, texts in zip(shown.columns, heads, cells)
    ]
    if sum(needed) + 3 * len(needed) + 1 <= width:
        return shown
    name = max(map(cell_len, heads), default=0)
    lines = [Text(_text(shown.title), "bold italic")] if shown.title else []
    for row in zip(*cells):
        entries = [
            f"{head}{' ' * (name - cell_len(head))}  {text}" for head, text in zip(heads, row)
        ]
        lines += [Text(), *(Text(entry) for entry in entries)]
    return Text("\n").join(lines)


def _widest(text: str, whole: bool) -> int:
    """The width of a cell that must not be broken, or of its longest word."""
    return max(map(cell_len, [text] if whole else text.split() or [""]))


def _text(cell: object) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)


def _is_number(cell: object) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def _cell_text(cell: object) -> str:
    return number(cell) if isinstance(cell, float) else plain(str(cell))


def _words(attribution: Attribution, place: int, text: str) -> Text:
    line = Text(plain(text))
    units = shown_units(attribution)
    largest = top([unit.score for unit in units])
    for unit in units:
        if unit.segment == place:
            line.stylize(_style(unit.score, largest), *unit.offsets)
    return line


def _tokens(attribution: Attribution, place: int) -> Text:
    largest = top(attribution.scores)
    shown = [
        (token, score)
        for token, score, here in zip(attribution.tokens, attribution.scores, attribution.segment)
        if here == place
    ]
    return Text(" ").join(
        Text(plain(token), style=_style(score, largest)) for token, score in shown
    )


def _style(score: float, largest: float) -> Style:
    if not isfinite(score):
        return UNDEFINED
    step = shade(score, largest, len(SUPPORTS))
    if step == 0:
        return Style.null()
    scale = SUPPORTS if step > 0 else OPPOSES
    return Style(
        color="#000000",
        bgcolor=scale[abs(step) - 1],
        bold=abs(step) == len(scale),
        underline=step < -1,
    )


def escaped(text: str) -> str:
    """Control characters and lone surrogates as JSON writes them (\\u001b), but for the ends of
    lines and tabs: for messages and for JSON, of which they stay the same values.
    """
    return _CONTROLS.sub(
        lambda match: match[0] if match[0] == "\t" else f"\\u{ord(match[0]):04x}", text
    )


def plain(text: str) -> str:
    """Control characters and lone surrogates replaced one for one: no text may control the
    terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
