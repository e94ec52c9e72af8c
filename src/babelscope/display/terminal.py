"""Coloured words for terminals, light or dark: every tint brings its own foreground."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite

from rich.style import Style
from rich.table import Table
from rich.text import Text

from babelscope.display.highlight import quantity_text, shade, top
from babelscope.types import Attribution

SUPPORTS = ("#d4e8f7", "#a3d1f0", "#6fb8e8", "#3f9fe0")
OPPOSES = ("#fbe3cd", "#f8c799", "#f4aa62", "#ef8d2c")
NAME = 32
"""Columns whose cells are no longer are never broken: they hold names and numbers."""
UNDEFINED = Style(color="#000000", bgcolor="#9a9a9a", italic=True)
_CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def coloured(one: Attribution, unit: str = "word") -> Text:
    """A header, the tinted words (or tokens, one by one) and a legend."""
    parts = [header(one)]
    for place, text in enumerate(one.texts):
        line = Text(f"{place + 1}: " if len(one.texts) > 1 else "", style="bold")
        parts.append(line.append_text(_words(one, place, text) if unit == "word" else _tokens(one, place)))
    return Text("\n").join([*parts, strongest(one, unit), legend()])


def header(one: Attribution) -> Text:
    """What is predicted, how surely, and what is explained by which method."""
    line = Text().append(plain(one.label), "bold")
    if one.gold is not None and one.gold != one.label:
        line.append(f" (gold: {plain(one.gold)})")
    line.append(f" · p({plain(one.target)}) = {one.probability:.3f}")
    line.append(f" · {one.method} of the {quantity_text(one)} · {one.lang} · {plain(one.model)}")
    return line.append(f"\nflags: {plain('; '.join(one.flags))}", "italic") if one.flags else line


def strongest(one: Attribution, unit: str = "word", most: int = 6) -> Text:
    """The words with the largest scores in numbers: all that is left where a terminal shows no colour."""
    names, scores = (one.words, one.word_scores) if unit == "word" else (one.tokens, one.scores)
    ranked = sorted((place for place in range(len(scores)) if isfinite(scores[place])), key=lambda place: -abs(scores[place]))
    return Text(", ".join(f"{plain(names[place])} {scores[place]:+.3f}" for place in ranked[:most]), "dim")


def legend() -> Text:
    line = Text()
    for name, score in (("supports", 1.0), ("opposes", -1.0), ("undefined", float("nan"))):
        line.append(f" {name} ", _style(score, 1.0)).append(" ")
    return line


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A plain table for summaries; numbers to the right with three decimals."""
    kept = [list(row) for row in rows]
    made = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        numeric = all(isinstance(row[place], (int, float)) and not isinstance(row[place], bool) for row in kept)
        short = max((len(str(row[place])) for row in kept), default=0) <= NAME
        made.add_column(name, justify="right" if numeric and kept else "left", no_wrap=short, overflow="fold")
    for row in kept:
        made.add_row(*(Text(f"{cell:.3f}" if isinstance(cell, float) else plain(str(cell))) for cell in row))
    return made


def _words(one: Attribution, place: int, text: str) -> Text:
    line = Text(plain(text))
    largest = top(one.word_scores)
    for (start, end), score, here in zip(one.word_offsets, one.word_scores, one.word_segment):
        if here == place:
            line.stylize(_style(score, largest), start, end)
    return line


def _tokens(one: Attribution, place: int) -> Text:
    largest = top(one.scores)
    shown = [(token, score) for token, score, here in zip(one.tokens, one.scores, one.segment) if here == place]
    return Text(" ").join(Text(plain(token), style=_style(score, largest)) for token, score in shown)


def _style(score: float, largest: float) -> Style:
    if not isfinite(score):
        return UNDEFINED
    step = shade(score, largest, len(SUPPORTS))
    if step == 0:
        return Style.null()
    scale = SUPPORTS if step > 0 else OPPOSES
    return Style(color="#000000", bgcolor=scale[abs(step) - 1], bold=abs(step) == len(scale), underline=step < -1)


def plain(text: str) -> str:
    """Control characters and lone surrogates as a visible sign, one for one: a text must not steer the terminal."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
