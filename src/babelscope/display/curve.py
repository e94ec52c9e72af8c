"""A specification curve: all effects in ascending order, and the choices behind each below."""

from __future__ import annotations

from math import isfinite

import pandas as pd
from markupsafe import Markup

from babelscope.display.chart import Chart, Figure, figure_svg, line, shape, text
from babelscope.display.numbers import number, percent
from babelscope.stats.specifications import Curve

LEFT, TOP, STEP, TALL, ROW = 210, 30, 9, 200, 15
"""Margin for names, head, width of a specification, height of the curve, height of a choice."""
BELOW, BOTH, ABOVE = 1, None, 0
"""The series (orange, grey, blue) by the sign of the whole interval."""
LEGEND = ("whole interval above 0", "whole interval below 0")


def curve_figure(kinds: pd.DataFrame, curve: Curve, title: str) -> Figure:
    """`kinds` has a row per specification and a column per choice that was varied.

    *Laws*: the same numbers give the same figure; names never become markup; every defined
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
    wide = LEFT + STEP * len(order) + 24
    tall = TOP + TALL + 34 + ROW * len(choices) + 8 * len(kinds.columns)
    parts = [*_effects(curve, order, wide), *_choices(kinds, choices, order)]
    chart = Chart(title, Markup("\n").join(parts), wide, tall)
    rows = tuple(
        {**{str(name): str(kinds[name].iloc[at]) for name in kinds.columns},
         "effect": curve.effects[at].mean, "low": curve.effects[at].low,
         "high": curve.effects[at].high}
        for at in order
    )  # fmt: skip
    note = _summary(curve, len(order))
    return Figure("specifications", title, (chart,), LEGEND, note=note, rows=rows)


def curve_svg(kinds: pd.DataFrame, curve: Curve, title: str) -> str:
    """The curve as a file of its own."""
    return figure_svg(curve_figure(kinds, curve, title))


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

    parts = [line(LEFT, y(0), wide - 16, y(0), "a"), text(LEFT - 8, y(0) + 4, "0", "f t e")]
    for value in (low, high):
        if abs(y(value) - y(0)) > 14:
            parts.append(text(LEFT - 8, y(value) + 4, number(value), "f t e"))
    for place, (mean, least, most) in enumerate(effects):
        x = LEFT + STEP * (place + 0.5)
        series = ABOVE if least > 0 else BELOW if most < 0 else BOTH
        kind = "a" if series is None else f"s{series}"
        label = f"{number(mean)} [{number(least)}, {number(most)}]"
        parts.append(line(x, y(least), x, y(most), kind))
        parts.append(_dot(x, y(mean), series, label))
    return parts


def _dot(x: float, y: float, series: int | None, label: str) -> Markup:
    if series is not None:
        return shape(x, y, series, label, 0.7)
    dot = '<circle class="mark v" cx="{:.1f}" cy="{:.1f}" r="2.6"><title>{}</title></circle>'
    return Markup(dot).format(x, y, label)


def _choices(kinds: pd.DataFrame, choices: list[tuple[str, str]], order: list[int]) -> list[Markup]:
    """A row of ticks per choice: which specifications made it."""
    parts: list[Markup] = []
    y, before = TOP + TALL + 26.0, ""
    for column, name in choices:
        y += 8 if column != before else 0
        if column != before:
            parts.append(text(0, y + 4, column, "b"))
        before = column
        parts.append(text(LEFT - 8, y + 4, name.replace("_", " "), "f t e"))
        names = kinds[column].astype(str).tolist()
        tick = Markup('<rect x="{:.1f}" y="{:.1f}" width="2" height="9" class="v"/>')
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
