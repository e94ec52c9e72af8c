"""A text and its translation with the weight that flows between their words, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from babelscope.analyses.consistency.pairs import Flow
from babelscope.analyses.consistency.score import Consistency
from babelscope.display.chart import Chart, Figure
from babelscope.display.colours import SERIES as COLOURS
from babelscope.display.extent import right_to_left, text_width
from babelscope.display.numbers import number
from babelscope.types import UnitScores

FONT, SPACE, BREAK, MARGIN, TALL = 15, 9, 34, 16, 170
"""Sizes in pixels: letters, between words, between the two texts of a pair, the border, the
ribbons' height."""
TOP, LOW = 36, 36 + TALL
"""Where the ribbons begin and end."""
SCALE = 380
"""The width of all weight together."""
LEAST = 0.002
"""Flow that is thinner is not drawn."""
LEGEND = ("supports the explained class", "opposes it")
KEY = "width: weight that flows; stronger: more similar words"
SERIES = {"for": 0, "against": 1}
"""The colours of the two signs, as everywhere."""


@dataclass(frozen=True, slots=True, eq=False)
class Ribbon:
    """Two texts, the plan between them (in `score`), and the similarity of the words that it
    joins.
    """

    source: UnitScores
    target: UnitScores
    score: Consistency
    similarity: NDArray[np.float64]

    @property
    def name(self) -> str:
        return f"{self.source.id} · {self.source.lang} → {self.target.lang}"


def make_ribbon(
    source: UnitScores,
    target: UnitScores,
    score: Consistency,
    flow: Flow,
    kept: tuple[NDArray[np.bool_], NDArray[np.bool_]],
) -> Ribbon:
    """A scored pair with its plan. Words that were left out of the comparison are not `kept`."""
    plan, similarity = np.zeros((2, len(source.units), len(target.units)))
    plan[flow.unit_s, flow.unit_t] = flow.weight
    similarity[flow.unit_s, flow.unit_t] = flow.similarity
    cells = np.ix_(*kept)
    texts = _only(source, kept[0]), _only(target, kept[1])
    shown = replace(score, plan=plan[cells], earned_s=None, earned_t=None)
    return Ribbon(*texts, shown, similarity[cells])


def ribbon_chart(ribbon: Ribbon) -> Chart:
    """Two lines of words; a ribbon's width is the flow, its colour the sign of the scores at its
    ends, its strength the similarity. Flow between words that are not similar earns nothing and is
    not drawn.

    *Laws*: the same values give the same text; words never become markup; the ribbons' widths at a
    word never exceed its weight; an Arabic or Hebrew line runs from the right.
    """
    plan = ribbon.score.plan
    if plan is None:
        raise ValueError(f"there is no plan to draw: {ribbon.score.reason}")
    sides = ((ribbon.source, plan.sum(1)), (ribbon.target, plan.sum(0)))
    boxes = [_boxes(row, weights) for row, weights in sides]
    width = max(length for _, length in boxes) + 2 * MARGIN
    lines = [_line(row, *size, width) for (row, _), size in zip(sides, boxes)]
    spelt = f"{ribbon.name} {ribbon.source.units} {ribbon.target.units}"
    name = f"g{sha256(spelt.encode('utf-8', 'replace')).hexdigest()[:8]}"
    parts = [
        _gradients(name),
        *_flows(ribbon, plan, lines, name),
        *_words(ribbon.source, lines[0], sides[0][1], (TOP - 18, TOP - 6)),
        *_words(ribbon.target, lines[1], sides[1][1], (LOW + 24, LOW + 2)),
    ]
    label = f"{ribbon.source.lang} and {ribbon.target.lang}: {caption(ribbon.score)}"
    return Chart(label, Markup("\n").join(parts), width, LOW + 36)


def ribbon_figure(ribbon: Ribbon) -> Figure:
    """The chart with its title and legend; its rows are the flow."""
    chart, plan = ribbon_chart(ribbon), ribbon.score.plan
    assert plan is not None
    rows = tuple(
        {"source": ribbon.source.units[i], "target": ribbon.target.units[j],
         "flow": float(plan[i, j]), "similarity": float(ribbon.similarity[i, j])}
        for i, j in np.argwhere(plan > LEAST)
    )  # fmt: skip
    note = f"{caption(ribbon.score)} · {KEY}"
    name = f"ribbon-{ribbon.source.lang}-{ribbon.target.lang}-{ribbon.source.id}"
    return Figure(name, ribbon.name, (chart,), LEGEND, note=note, rows=rows)


def caption(score: Consistency) -> str:
    """C with what it is read against."""
    names = {"C": "c", "C_unif": "c_unif", "C_perm": "c_perm", "ceil": "ceil", "lift": "lift"}
    shown = [f"{label} {number(getattr(score, name))}" for label, name in names.items()]
    return " · ".join(shown)


def _only(row: UnitScores, kept: NDArray[np.bool_]) -> UnitScores:
    places = np.flatnonzero(kept)
    return replace(
        row,
        units=tuple(row.units[at] for at in places),
        scores=tuple(row.scores[at] for at in places),
        segment=tuple(row.segment[at] for at in places),
    )


def _boxes(row: UnitScores, weights: NDArray[np.float64]) -> tuple[list[float], float]:
    """The width of every word's box, and of all of them with the spaces between."""
    boxes = [
        max(text_width(word, FONT), SCALE * weight) for word, weight in zip(row.units, weights)
    ]
    return boxes, sum(boxes) + sum(_space(row, place) for place in range(1, len(boxes)))


def _space(row: UnitScores, place: int) -> int:
    return SPACE if row.segment[place] == row.segment[place - 1] else BREAK


def _line(row: UnitScores, boxes: Sequence[float], length: float, width: float) -> list[float]:
    """The middle of every word; a line that reads from right to left begins at the right."""
    at, middles = (width - length) / 2, []
    for place, box in enumerate(boxes):
        at += _space(row, place) if place else 0.0
        middles.append(at + box / 2)
        at += box
    turned = right_to_left(row.units)
    return [width - middle for middle in middles] if turned else middles


def _flows(
    ribbon: Ribbon, plan: NDArray[np.float64], lines: Sequence[Sequence[float]], name: str
) -> list[Markup]:
    starts = ribbon_starts(plan, lines[0], lines[1])
    stops = ribbon_starts(plan.T, lines[1], lines[0]).T
    shapes = []
    for i, j in np.argwhere((plan > LEAST) & (ribbon.similarity > 0)):
        similarity = float(ribbon.similarity[i, j])
        path = _path(starts[i, j], stops[i, j], SCALE * plan[i, j])
        fill = _fill(_kind(ribbon.source.scores[i]), _kind(ribbon.target.scores[j]), name)
        words = f"{ribbon.source.units[i]} → {ribbon.target.units[j]}"
        title = f"{words}: flow {number(plan[i, j])}, similarity {number(similarity, 2)}"
        strength = 0.12 + 0.68 * min(similarity, 1.0)
        shape = Markup('<path d="{}" {} opacity="{:.2f}"><title>{}</title></path>')
        shapes.append(shape.format(path, fill, strength, title))
    return shapes


def _path(start: float, stop: float, thick: float) -> str:
    bend = (TOP + LOW) / 2
    down = f"M{start:.1f},{TOP}C{start:.1f},{bend} {stop:.1f},{bend} {stop:.1f},{LOW}"
    right, left = f"{stop + thick:.1f}", f"{start + thick:.1f}"
    return f"{down}L{right},{LOW}C{right},{bend} {left},{bend} {left},{TOP}Z"


def ribbon_starts(
    plan: NDArray[np.float64], here: Sequence[float], there: Sequence[float]
) -> NDArray[np.float64]:
    """Where each ribbon begins at its word: side by side around the middle, in the order of where
    they go."""
    order = np.argsort(there, kind="stable")
    ordered = plan[:, order]
    before = np.cumsum(ordered, axis=1) - ordered
    starts = np.empty_like(plan)
    offset = SCALE * (before - plan.sum(1, keepdims=True) / 2)
    starts[:, order] = np.asarray(here)[:, None] + offset
    return starts


def _words(
    row: UnitScores,
    middles: Sequence[float],
    weights: NDArray[np.float64],
    heights: tuple[int, int],
) -> list[Markup]:
    bar = Markup('<rect class="s{} o" x="{:.1f}" y="{}" width="{:.1f}" height="4"/>')
    text = Markup('<text class="m h mark" x="{:.1f}" y="{}" lang="{}">{}<title>{}</title></text>')
    parts = []
    for word, score, middle, weight in zip(row.units, row.scores, middles, weights):
        thick = SCALE * float(weight)
        title = f"{word}: score {number(score)}, weight {number(weight)}"
        parts.append(bar.format(SERIES[_kind(score)], middle - thick / 2, heights[1], thick))
        parts.append(text.format(middle, heights[0], row.lang, word, title))
    return parts


def _gradients(name: str) -> Markup:
    """From one sign to the other, under a name of this chart: a page may hold many."""
    pair = Markup(
        '<linearGradient id="{0}-{1}-{2}" x1="0" y1="0" x2="0" y2="1"><stop stop-color="{3}"/>'
        '<stop stop-color="{4}" offset="1"/></linearGradient>'
    )
    both = [
        pair.format(name, start, stop, COLOURS[SERIES[start]], COLOURS[SERIES[stop]])
        for start, stop in (("for", "against"), ("against", "for"))
    ]
    return Markup("<defs>{}{}</defs>").format(*both)


def _fill(start: str, stop: str, name: str) -> Markup:
    if start == stop:
        return Markup('class="mark s{} o"').format(SERIES[start])
    return Markup('class="mark" fill="url(#{}-{}-{})"').format(name, start, stop)


def _kind(score: float) -> str:
    return "for" if score >= 0 else "against"
