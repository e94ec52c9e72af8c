"""A specification curve as SVG: all effects in ascending order, and the choices behind each
below."""

from __future__ import annotations

from math import isfinite

import pandas as pd
from markupsafe import Markup

from babelscope.display.marks import STYLE, line, text
from babelscope.display.numbers import number, percent
from babelscope.stats.specifications import Curve

LEFT, TOP, STEP, TALL, ROW = 250, 74, 9, 200, 15
"""Margin for names, head, width of a specification, height of the curve, height of a choice."""
COLOURS = {-1: "#d9730d", 0: "#868d97", 1: "#2f7fd1"}
"""By the sign of the whole interval: below 0, both, above 0."""


def curve_svg(kinds: pd.DataFrame, curve: Curve, title: str) -> Markup:
    """`kinds` has a row per specification and a column per choice that was varied.

    *Laws*: the same numbers give the same text; names never become markup; every defined
    specification has one mark.
    """
    order = sorted(
        (at for at, effect in enumerate(curve.effects) if effect.n),
        key=lambda at: curve.effects[at].mean,
    )
    choices = [
        (str(column), str(name))
        for column in kinds.columns
        for name in dict.fromkeys(kinds[column])
    ]
    wide = max(LEFT + STEP * len(order) + 24, 860)
    tall = TOP + TALL + 34 + ROW * len(choices) + 8 * len(kinds.columns)
    head = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" '
        'height="{1}" role="img">'
    )
    parts = [
        Markup(head).format(wide, tall),
        Markup("<title>{}</title><style>{}</style>").format(title, Markup(STYLE)),
        Markup('<rect class="paper" width="{}" height="{}"/>').format(wide, tall),
        text(16, 26, title, "big"),
        text(16, 45, _summary(curve, len(order)), "faint"),
        *_effects(curve, order, wide),
        *_choices(kinds, choices, order),
    ]
    return Markup("\n").join([*parts, Markup("</svg>\n")])


def _summary(curve: Curve, count: int) -> str:
    whole = "with their whole interval"
    below = f"{percent(curve.below)} below 0 ({percent(curve.significant_below)} {whole})"
    above = f"{percent(curve.above)} above ({percent(curve.significant_above)} {whole})"
    median, p = number(curve.median), number(curve.p)
    return f"{count} specifications, median {median}; {below}, {above}; joint p = {p}"


def _effects(curve: Curve, order: list[int], wide: int) -> list[Markup]:
    effects = [(curve.effects[at].mean, *_ends(curve, at)) for at in order]
    low, high = (
        min((effect[1] for effect in effects), default=0.0),
        max((effect[2] for effect in effects), default=0.0),
    )
    low, high = min(low, 0.0), max(high, 1e-6)

    def y(value: float) -> float:
        return TOP + TALL * (high - value) / (high - low)

    parts = [line(LEFT, y(0), wide - 16, y(0), "axis"), text(LEFT - 8, y(0) + 4, "0", "faint end")]
    for value in (low, high):
        if abs(y(value) - y(0)) > 14:
            parts.append(text(LEFT - 8, y(value) + 4, number(value), "faint end"))
    for place, (mean, least, most) in enumerate(effects):
        x, side = LEFT + STEP * (place + 0.5), 1 if least > 0 else -1 if most < 0 else 0
        mark = Markup(
            '<circle class="mark" cx="{:.1f}" cy="{:.1f}" r="2.6" '
            'fill="{}"><title>{}</title></circle>'
        )
        label = f"{number(mean)} [{number(least)}, {number(most)}]"
        stroke = Markup(
            '<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}" stroke="{3}" opacity=".55"/>'
        )
        parts += [
            stroke.format(x, y(least), y(most), COLOURS[side]),
            mark.format(x, y(mean), COLOURS[side], label),
        ]
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
        names = kinds[column].astype(str).tolist()
        tick = Markup('<rect x="{:.1f}" y="{:.1f}" width="2" height="9" class="ink"/>')
        parts += [
            tick.format(LEFT + STEP * (at + 0.5) - 1, y - 4)
            for at, row in enumerate(order)
            if names[row] == name
        ]
        y += ROW
    return parts


def _ends(curve: Curve, at: int) -> tuple[float, float]:
    effect = curve.effects[at]
    return (effect.low, effect.high) if isfinite(effect.low) else (effect.mean, effect.mean)
