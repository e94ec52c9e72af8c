"""Highlighted text: the text as it was written, each word coloured by its score."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from typing import Any

from markupsafe import Markup, escape

from babelscope.display.chart import figure_html
from babelscope.display.colours import chart_style
from babelscope.display.numbers import items as counted
from babelscope.display.numbers import significant
from babelscope.display.page import render
from babelscope.display.plane import has_plane, plane_figure
from babelscope.display.shown import shown_units
from babelscope.types import Attribution, Span
from babelscope.types.explanations import WordScore

STEPS = 10
"""Shades of each colour; the style sheet lists them."""
UNSIGNED = frozenset(
    (
        "alti", "attention", "attention_flow", "attgrads", "generic_attention", "globenc",
        "gradient_norm", "grads", "inverse_frequency", "masked_lrp", "partial_lrp", "position",
        "released_masked_lrp", "rollout", "transatt", "value_zeroing",
    )
)  # fmt: skip
"""The methods whose scores say how much a word matters, not in which direction: their words have a
colour of their own."""


def explanations_html(items: Sequence[Attribution]) -> str:
    """A fragment that carries its own style, for notebooks."""
    return str(render("explanations.html.j2", items=items, **_helpers()))


def attribution_html(attribution: Attribution) -> str:
    """One explanation, for notebooks."""
    return explanations_html([attribution])


def page_html(items: Sequence[Attribution]) -> str:
    """The same explanations as a page of their own; only planes bring a script, to save them."""
    scripts = [str(render("script.html.j2"))] if any(map(has_plane, items)) else []
    body = Markup(explanations_html(items))
    heading = counted(len(items), "explanation")
    return str(render("page.html.j2", heading=heading, body=body, scripts=scripts))


def _helpers() -> dict[str, Any]:
    return {
        "texts_html": texts_html, "steps": STEPS, "unsigned_in": unsigned_in,
        "chart_style": Markup(chart_style()),
    }  # fmt: skip


def unsigned_in(items: Sequence[Attribution]) -> bool:
    """Whether the legend needs the colour of scores without a sign."""
    return not all(map(has_sign, items))


def texts_html(attribution: Attribution) -> Markup:
    """The texts of an explanation, one paragraph each, numbered if there are two; then its
    plane."""
    paragraphs = []
    for place in range(len(attribution.texts)):
        label = Markup('<span class="bs-place" dir="ltr" lang="en">text {}</span>').format(
            place + 1
        )
        words = (
            words_html(attribution, place)
            if len(attribution.texts) == 1
            else label + words_html(attribution, place)
        )
        paragraphs.append(
            Markup('<p class="bs-text" dir="auto" lang="{}">{}</p>').format(attribution.lang, words)
        )
    if has_plane(attribution):
        paragraphs.append(
            Markup("<details><summary>value and importance</summary>{}</details>").format(
                figure_html(plane_figure(attribution))
            )
        )
    return Markup("").join(paragraphs)


def words_html(attribution: Attribution, place: int = 0) -> Markup:
    """The running text with its words, or other units, highlighted.

        shade = ceil(10 |s| / max_j |s_j|), the maximum over both texts of a pair

    Text that was truncated is greyed out; a word without a score is hatched, with the reason as its
    title. A word is never split: letters keep joining.

    *Law*: without its tags it is the text, to the character.
    """
    text = attribution.texts[place]
    units, signed = shown_units(attribution), has_sign(attribution)
    largest = top([unit.score for unit in units])
    parts: list[Markup] = []
    at = 0
    for word in units:
        start, end = _within(word.offsets, at, len(text))
        if word.segment == place and start < end:
            parts += [escape(text[at:start]), _word(text[start:end], word, largest, signed)]
            at = end
    rest = escape(text[at:])
    if (
        rest.strip()
        and attribution.input is not None
        and attribution.input.truncated_from is not None
    ):
        rest = Markup(
            '<span class="bs-cut" title="truncated: the model did not read this">{}</span>'
        ).format(rest)
    return Markup("").join([*parts, rest])


def quantity_text(attribution: Attribution) -> str:
    """The explained quantity in words: a contrast with the class that it subtracts."""
    return (
        attribution.quantity
        if attribution.contrast is None
        else f"{attribution.quantity} to {attribution.contrast}"
    )


def has_sign(attribution: Attribution) -> bool:
    """Whether a score tells support from opposition."""
    return attribution.method.partition("[")[0] not in UNSIGNED


def top(scores: Sequence[float]) -> float:
    """The largest magnitude of the defined scores; 0 if there is none."""
    return max((abs(score) for score in scores if isfinite(score)), default=0.0)


def shade(score: float, largest: float, steps: int = STEPS) -> int:
    """How strongly a word is coloured, from 0 to `steps`; negative where it opposes."""
    if not isfinite(score) or largest <= 0:
        return 0
    step = ceil(steps * (abs(score) / largest) - 1e-9)
    return min(steps, step) if score > 0 else -min(steps, step)


def _word(text: str, word: WordScore, largest: float, signed: bool) -> Markup:
    if not isfinite(word.score):
        return Markup('<span class="bs-u" title="{}">{}</span>').format(word.reason, text)
    step = shade(word.score, largest)
    tint = f"bs-p bs-p{step}" if step > 0 else f"bs-n bs-n{-step}" if step < 0 else "bs-z"
    tint = tint if signed or not step else f"bs-q bs-q{abs(step)}"
    return Markup('<span class="{}" title="{}">{}</span>').format(
        tint, significant(word.score, sign=signed), text
    )


def _within(span: Span, least: int, most: int) -> Span:
    """The span clipped to what earlier words left of the text."""
    return max(span[0], least), min(span[1], most)
