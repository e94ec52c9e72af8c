"""A text and its translation with the weight that flows between their words: SVG, by itself or in a page."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from babelscope.analyses.consistency.score import Consistency
from babelscope.display.numbers import number
from babelscope.types import UnitScores

FONT, SPACE, BREAK, MARGIN, TALL = 15, 9, 34, 16, 170
"""Sizes in pixels: letters, between words, between the two texts of a pair, the border, the ribbons' height."""
SCALE = 380
"""The width of all weight together."""
LEAST = 0.002
"""Flow that is thinner is not drawn."""

STYLE = """
text{font:15px system-ui,"Segoe UI","Noto Sans","Noto Sans Arabic","Noto Sans Devanagari","Noto Sans CJK SC",sans-serif}
text{fill:#171b21;unicode-bidi:plaintext;text-anchor:middle}
.note{font-size:12px;fill:#59626e;text-anchor:start}.paper{fill:#fff}.for{fill:#2f7fd1}.against{fill:#d9730d}.none{fill:#8b939e}
.c-for{stop-color:#2f7fd1}.c-against{stop-color:#d9730d}
@media(prefers-color-scheme:dark){text{fill:#e9ecf0}.note{fill:#a2abb7}.paper{fill:#14171b}
.for{fill:#4f9be6}.against{fill:#ef8d2c}.c-for{stop-color:#4f9be6}.c-against{stop-color:#ef8d2c}}
"""


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of words: the middle of each from the left, and whether the line reads from right to left."""

    middles: tuple[float, ...]
    rightward: bool


def svg(one: UnitScores, two: UnitScores, found: Consistency, similarity: NDArray[np.float64]) -> Markup:
    """Two lines of words; a ribbon's width is the flow, its colour the sign of the scores at its ends, its strength the
    similarity. Flow between words that are not similar earns nothing and is not drawn.

    *Laws*: the same values give the same text; words never become markup; the ribbons' widths at a word never exceed its
    weight; an Arabic or Hebrew line runs from the right.
    """
    if found.plan is None:
        raise ValueError(f"there is no plan to draw: {found.reason}")
    sides = ((one, found.plan.sum(1)), (two, found.plan.sum(0)))
    lines = [_line(row, weights) for row, weights in sides]
    width = max(length for _, length in lines) + 2 * MARGIN
    placed = [_placed(row, boxes, length, width) for (row, _), (boxes, length) in zip(sides, lines)]
    top, low = 64, 64 + TALL
    parts = [
        Markup('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1}" width="{0:.0f}" height="{1}" role="img" '
               'aria-label="{2}">').format(width, low + 62, f"{one.lang} and {two.lang}: {caption(found)}"),
        Markup("<style>{}</style>").format(Markup(STYLE)), _gradients(),
        Markup('<rect class="paper" width="{:.0f}" height="{}"/>').format(width, low + 62),
        *_ribbons((one, two), placed, found.plan, similarity, (top, low)),
        *_words(one, placed[0], sides[0][1], top - 18, top - 6), *_words(two, placed[1], sides[1][1], low + 24, low + 2),
        _note(18, f"{one.lang} → {two.lang} · {caption(found)}"), _note(low + 52, KEY),
    ]  # fmt: skip
    return Markup("\n").join([*parts, Markup("</svg>\n")])


KEY = "width: weight that flows · blue: supports, orange: opposes · stronger: more similar words"


def caption(found: Consistency) -> str:
    """C with what it is read against."""
    names = ("c", "c_unif", "c_perm", "ceil", "lift")
    shown = [f"{name.replace('c_', 'C_') if name != 'c' else 'C'} {number(getattr(found, name))}" for name in names]
    return " · ".join(shown)


def rightward(units: Sequence[str]) -> bool:
    """Whether most of the letters that have a direction run from right to left."""
    kinds = [unicodedata.bidirectional(sign) for unit in units for sign in unit]
    return sum(kind in ("R", "AL") for kind in kinds) > sum(kind == "L" for kind in kinds)


def breadth(word: str) -> float:
    """About how wide a word is, in pixels: wide for Chinese, Japanese and Korean, nothing for marks on letters."""
    total = 0.0
    for sign in word:
        if unicodedata.east_asian_width(sign) in ("W", "F"):
            total += 1.0
        elif unicodedata.category(sign) not in ("Mn", "Me", "Cf"):
            total += 0.72 if sign.isupper() else 0.58
    return FONT * total


def _line(row: UnitScores, weights: NDArray[np.float64]) -> tuple[list[float], float]:
    """The width of every word's box, and of all of them with the spaces between."""
    boxes = [max(breadth(word), SCALE * weight) for word, weight in zip(row.units, weights)]
    return boxes, sum(boxes) + sum(_space(row, place) for place in range(1, len(boxes)))


def _space(row: UnitScores, place: int) -> float:
    return SPACE if row.segment[place] == row.segment[place - 1] else BREAK


def _placed(row: UnitScores, boxes: Sequence[float], length: float, width: float) -> Placed:
    at, middles = (width - length) / 2, []
    for place, box in enumerate(boxes):
        at += _space(row, place) if place else 0.0
        middles.append(at + box / 2)
        at += box
    turned = rightward(row.units)
    return Placed(tuple(width - middle for middle in middles) if turned else tuple(middles), turned)


def _ribbons(
    rows: tuple[UnitScores, UnitScores], placed: Sequence[Placed], plan: NDArray[np.float64],
    similarity: NDArray[np.float64], ends: tuple[int, int],
) -> list[Markup]:  # fmt: skip
    starts = _starts(plan, placed[0].middles, placed[1].middles)
    stops = _starts(plan.T, placed[1].middles, placed[0].middles).T
    made = []
    top, low = ends
    for i, j in np.argwhere((plan > LEAST) & (similarity > 0)):
        a, b, thick = starts[i, j], stops[i, j], SCALE * plan[i, j]
        bend = (top + low) / 2
        path = (f"M{a:.1f},{top}C{a:.1f},{bend} {b:.1f},{bend} {b:.1f},{low}L{b + thick:.1f},{low}"
                f"C{b + thick:.1f},{bend} {a + thick:.1f},{bend} {a + thick:.1f},{top}Z")  # fmt: skip
        kinds = _kind(rows[0].scores[i]), _kind(rows[1].scores[j])
        fill = Markup('class="{}"').format(kinds[0]) if kinds[0] == kinds[1] else Markup('fill="url(#{}-{})"').format(*kinds)
        told = f"{rows[0].units[i]} → {rows[1].units[j]}: flow {number(plan[i, j])}, similarity {number(similarity[i, j], 2)}"
        strength = 0.12 + 0.68 * min(float(similarity[i, j]), 1.0)
        shape = Markup('<path d="{}" {} opacity="{:.2f}"><title>{}</title></path>')
        made.append(shape.format(path, fill, strength, told))
    return made


def _starts(plan: NDArray[np.float64], here: Sequence[float], there: Sequence[float]) -> NDArray[np.float64]:
    """Where each ribbon begins at its word: side by side around the middle, in the order of where they go."""
    order = np.argsort(there, kind="stable")
    sorted_ = plan[:, order]
    before = np.cumsum(sorted_, axis=1) - sorted_
    found = np.empty_like(plan)
    found[:, order] = np.asarray(here)[:, None] + SCALE * (before - plan.sum(1, keepdims=True) / 2)
    return found


def _words(row: UnitScores, placed: Placed, weights: NDArray[np.float64], y: int, bar: int) -> list[Markup]:
    made = []
    for word, score, middle, weight in zip(row.units, row.scores, placed.middles, weights):
        thick = SCALE * float(weight)
        made.append(Markup('<rect class="{}" x="{:.1f}" y="{}" width="{:.1f}" height="4"/>').format(
            _kind(score), middle - thick / 2, bar, thick))  # fmt: skip
        text = Markup('<text x="{:.1f}" y="{}" lang="{}">{}<title>{}</title></text>')
        made.append(text.format(middle, y, row.lang, word, f"{word}: score {number(score)}, weight {number(weight)}"))
    return made


def _gradients() -> Markup:
    pair = Markup('<linearGradient id="{0}-{1}" x1="0" y1="0" x2="0" y2="1"><stop class="c-{0}"/>'
                  '<stop class="c-{1}" offset="1"/></linearGradient>')  # fmt: skip
    return Markup("<defs>{}{}</defs>").format(pair.format("for", "against"), pair.format("against", "for"))


def _kind(score: float) -> str:
    return "for" if score >= 0 else "against"


def _note(y: int, text: str) -> Markup:
    return Markup('<text class="note" x="{}" y="{}">{}</text>').format(MARGIN, y, text)
