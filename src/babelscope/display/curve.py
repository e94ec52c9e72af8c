"""A specification curve as SVG: all answers from the lowest to the highest, and below how each was asked for."""

from __future__ import annotations

from math import isfinite

import pandas as pd
from markupsafe import Markup

from babelscope.display.marks import STYLE, line, text
from babelscope.display.numbers import (
    number,
)
from babelscope.stats.specifications import Curve

LEFT, TOP, STEP, TALL, ROW = 250, 74, 9, 200, 15
"""The margin for names, the head, the width of a specification, the height of the curve, the height of a choice."""
COLOURS = {-1: "#d9730d", 0: "#868d97", 1: "#2f7fd1"}
"""Surely below 0, undecided, surely above."""


def curve_svg(kinds: pd.DataFrame, curve: Curve, title: str) -> Markup:
    """`kinds` has a row per specification and a column per choice that was varied.

    *Laws*: the same numbers give the same text; names never become markup; every defined specification has one mark.
    """
    order = sorted((at for at, one in enumerate(curve.effects) if one.n), key=lambda at: curve.effects[at].mean)
    choices = [(str(column), str(name)) for column in kinds.columns for name in dict.fromkeys(kinds[column])]
    wide = max(LEFT + STEP * len(order) + 24, 860)
    tall = TOP + TALL + 34 + ROW * len(choices) + 8 * len(kinds.columns)
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img">'
    told = (
        f"{len(order)} specifications, median {number(curve.median)}; {curve.below:.0%} below 0 "
        f"({curve.significant_below:.0%} with their whole interval), {curve.above:.0%} above "
        f"({curve.significant_above:.0%} with their whole interval); joint p = {curve.p:.3f}"
    )
    parts = [
        Markup(head).format(wide, tall),
        Markup("<title>{}</title><style>{}</style>").format(title, Markup(STYLE)),
        Markup('<rect class="paper" width="{}" height="{}"/>').format(wide, tall),
        text(16, 26, title, "big"),
        text(16, 45, told, "faint"),
        *_effects(curve, order, wide),
        *_choices(kinds, choices, order),
    ]
    return Markup("\n").join([*parts, Markup("</svg>\n")])


def _effects(curve: Curve, order: list[int], wide: int) -> list[Markup]:
    known = [(curve.effects[at].mean, *_ends(curve, at)) for at in order]
    low, high = min((one[1] for one in known), default=0.0), max((one[2] for one in known), default=0.0)
    low, high = min(low, 0.0), max(high, 1e-6)

    def y(value: float) -> float:
        return TOP + TALL * (high - value) / (high - low)

    parts = [line(LEFT, y(0), wide - 16, y(0), "axis"), text(LEFT - 8, y(0) + 4, "0", "faint end")]
    for value in (low, high):
        if abs(y(value) - y(0)) > 14:
            parts.append(text(LEFT - 8, y(value) + 4, number(value), "faint end"))
    for place, (mean, least, most) in enumerate(known):
        x, side = LEFT + STEP * (place + 0.5), 1 if least > 0 else -1 if most < 0 else 0
        mark = Markup('<circle class="mark" cx="{:.1f}" cy="{:.1f}" r="2.6" fill="{}"><title>{}</title></circle>')
        told = f"{number(mean)} [{number(least)}, {number(most)}]"
        stroke = Markup('<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}" stroke="{3}" opacity=".55"/>')
        parts += [stroke.format(x, y(least), y(most), COLOURS[side]), mark.format(x, y(mean), COLOURS[side], told)]
    return parts


def _choices(kinds: pd.DataFrame, choices: list[tuple[str, str]], order: list[int]) -> list[Markup]:
    """A row of ticks per choice: which specifications made it."""
    parts: list[Markup] = []
    y, before = TOP + TALL + 26.0, ""
    for column, name in choices:
        y += 8 if column != before else 0
        if column != before:
            parts.append(text(16, y + 4, column, "name"))
        before = column
        parts.append(text(LEFT - 8, y + 4, name.replace("_", " "), "faint end"))
        made = kinds[column].astype(str).tolist()
        tick = Markup('<rect x="{:.1f}" y="{:.1f}" width="2" height="9" class="ink"/>')
        parts += [tick.format(LEFT + STEP * (at + 0.5) - 1, y - 4) for at, row in enumerate(order) if made[row] == name]
        y += ROW
    return parts


def _ends(curve: Curve, at: int) -> tuple[float, float]:
    one = curve.effects[at]
    return (one.low, one.high) if isfinite(one.low) else (one.mean, one.mean)
