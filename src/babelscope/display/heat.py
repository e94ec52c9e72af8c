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
    left = min(NAME, max(map(text_width, (*rows, axes[1])), default=0.0)) + 14
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
            parts.append(_cell(values[at][place], most, signed, left + CELL * place, y, said))
    return Chart(title, Markup("").join(parts), width, head + 18 + TALL * len(rows))


def _column(name: str, x: float, y: float, slanted: bool) -> Markup:
    if not slanted:
        return text(x, y, name, "m")
    return Markup('<text transform="translate({:.1f},{:.1f}) rotate(-30)">{}</text>').format(
        x - 6, y, shortened(name, NAME)
    )


def _cell(value: float | None, most: float, signed: bool, x: float, y: float, said: str) -> Markup:
    size = (x + 1, y + 1, CELL - 2, TALL - 2)
    if value is None or not isfinite(value):
        empty = (
            '<rect class="n" x="{:.1f}" y="{:.1f}" width="{}" height="{}"><title>{}</title></rect>'
        )
        return Markup(empty).format(*size, f"{said}: undefined")
    share = value / most
    fill = diverging(share) if signed else sequential(share)
    cell = (
        '<g class="cell"><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{}" height="{}" '
        'rx="2" fill="{}"/><text class="m" x="{:.1f}" y="{:.1f}" style="fill:{}">{}</text></g>'
    )
    label = compact(value, sign=signed)
    place = (x + CELL / 2, y + TALL / 2 + 4)
    return Markup(cell).format(
        f"{said}: {number(value)}", *size, fill, *place, ink_on(share), label
    )
