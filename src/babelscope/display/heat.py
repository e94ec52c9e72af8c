"""Heat maps: a number in every cell, coloured by its share of the largest."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup

from babelscope.display.chart import Chart, text
from babelscope.display.colours import diverging, ink_on, sequential
from babelscope.display.extent import shortened, text_width
from babelscope.display.numbers import compact, number

NAME = 130
CELL, TALL = 48, 30
SMALL = (28, 22)
"""A cell of a grid with many."""

Box = tuple[float, float, int, int]
"""Left, top, width and height of a cell."""
Values = Sequence[Sequence[float | None]]


def heat_map(
    title: str,
    values: Values,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    signed: bool = False,
    axes: tuple[str, str] = ("tested in", "fine-tuned on"),
) -> Chart:
    """A cell for each pair with its number in it; an undefined one is empty. Unsigned values are
    shares of 1, signed ones of the largest in size.

    *Laws*: every defined value is written in its cell; names never become markup.
    """
    known = [abs(each) for row in values for each in row if each is not None and isfinite(each)]
    most = (max(known, default=1.0) or 1.0) if signed else max(1.0, max(known, default=1.0))
    left = min(NAME, max(map(text_width, (*rows, f"{axes[1]} ↓")), default=0.0)) + 14
    names = [text_width(name) for name in columns]
    slanted = max(names, default=0.0) > CELL - 4
    head = 52 + (0.5 * min(NAME, max(names, default=0.0)) if slanted else 0)
    width = max(left + CELL * len(columns) + (60 if slanted else 12), text_width(title) + 4)
    parts = [text(0, 16, title, "b"), text(left, 34, f"{axes[0]} →", "f t"),
             text(left - 10, 34, f"{axes[1]} ↓", "f t e")]  # fmt: skip
    for at, name in enumerate(columns):
        x = left + CELL * (at + 0.5)
        parts.append(_column(name, x, head, slanted))
    for at, name in enumerate(rows):
        y = head + 6 + TALL * at
        shown = shortened(name, NAME)
        parts.append(text(left - 10, y + TALL / 2 + 4, shown, "e", name if shown != name else ""))
        for place, column in enumerate(columns):
            said = f"{axes[1]} {name}, {axes[0]} {column}"
            box = (left + CELL * place, y, CELL, TALL)
            parts.append(_cell(values[at][place], most, signed, box, said))
    return Chart(title, Markup("").join(parts), width, head + 18 + TALL * len(rows))


def _column(name: str, x: float, y: float, slanted: bool) -> Markup:
    if not slanted:
        return text(x, y, name, "m")
    return Markup('<text transform="translate({:.1f},{:.1f}) rotate(-30)">{}</text>').format(
        x - 6, y, shortened(name, NAME)
    )


def small_map(
    title: str,
    about: str,
    values: Values,
    *,
    axes: tuple[str, str],
    ringed: Sequence[Sequence[bool]],
    written: bool = True,
) -> Chart:
    """A grid of small cells of shares whose rows and columns are numbered from 0; `about` is a
    line below the title, a `ringed` cell has a ring, and `written` puts the numbers into the cells.

    *Laws*: as `heat_map`; every ringed cell has its ring.
    """
    rows, columns = len(values), len(values[0]) if values else 0
    left, head = max(16.0, text_width(str(rows), 11)) + 10, 52.0
    width = max(left + SMALL[0] * columns + 4, text_width(title) + 4, text_width(about, 11) + 4)
    parts = [text(0, 14, title, "b"), text(0, 30, about, "f t"),
             text(left, 47, f"{axes[0]} →", "f t"), text(left - 8, 47, "↓", "f t e")]  # fmt: skip
    bottom = head + SMALL[1] * rows
    for place in range(0, columns, 1 if columns <= 16 else 4):
        parts.append(text(left + SMALL[0] * (place + 0.5), bottom + 14, str(place), "f t m"))
    rings = []
    for at, row in enumerate(values):
        y = head + SMALL[1] * at
        parts.append(text(left - 6, y + SMALL[1] / 2 + 4, str(at), "f t e"))
        for place, value in enumerate(row):
            box = (left + SMALL[0] * place, y, *SMALL)
            said = f"{title}, {axes[1]} {at}, {axes[0]} {place}"
            parts.append(_cell(value, 1.0, False, box, said, "m c" if written else ""))
            rings += [_ring(box)] if ringed[at][place] else []
    return Chart(title, Markup("").join([*parts, *rings]), width, bottom + 24)


def _ring(box: Box) -> Markup:
    x, y, wide, tall = box
    ring = '<rect class="r" x="{:.1f}" y="{:.1f}" width="{}" height="{}" rx="2"/>'
    return Markup(ring).format(x + 1.5, y + 1.5, wide - 3, tall - 3)


def _cell(
    value: float | None, most: float, signed: bool, box: Box, said: str, kind: str = "m"
) -> Markup:
    x, y, wide, tall = box
    size = (x + 1, y + 1, wide - 2, tall - 2)
    if value is None or not isfinite(value):
        empty = (
            '<rect class="n" x="{:.1f}" y="{:.1f}" width="{}" height="{}"><title>{}</title></rect>'
        )
        return Markup(empty).format(*size, f"{said}: undefined")
    share = value / most
    fill = diverging(share) if signed else sequential(share)
    label = ""
    if kind:
        number_in = '<text class="{}" x="{:.1f}" y="{:.1f}" style="fill:{}">{}</text>'
        place = (x + wide / 2, y + tall / 2 + 4)
        label = Markup(number_in).format(kind, *place, ink_on(share), compact(value, sign=signed))
    cell = (
        '<g class="cell"><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{}" height="{}" '
        'rx="2" fill="{}"/>{}</g>'
    )
    return Markup(cell).format(f"{said}: {number(value)}", *size, fill, label)
