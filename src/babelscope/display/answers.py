"""The explanation of an answer as a picture: its tokens by the words of the input."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite

from babelscope.display.colours import diverging, ink_on
from babelscope.display.numbers import number
from babelscope.display.page import policy
from babelscope.types import AnswerExplanation

STYLE = (
    "border-collapse:collapse;font:13px sans-serif",
    "padding:2px 6px;text-align:right;white-space:pre;border:1px solid #ddd;color:#111",
)


def answer_html(answer: AnswerExplanation) -> str:
    """A table with a row per token of the answer and a column per word of the input, shaded by the
    scores: blue raised the token's probability, orange lowered it. The last row is the whole
    answer.
    """
    table, cell = STYLE
    scores = [*answer.matrix, answer.whole.word_scores]
    largest = max((abs(each) for row in answer.matrix for each in row if isfinite(each)), default=1)
    whole = max((abs(each) for each in answer.whole.word_scores if isfinite(each)), default=1)
    values = [each.value for each in (*answer.by_token, answer.whole)]
    names = [*answer.tokens, "whole answer"]
    head = "".join(f'<th style="{cell}">{escape(word)}</th>' for word in answer.words)
    body = "".join(
        _row(name, value, row, whole if row is scores[-1] else largest)
        for name, value, row in zip(names, values, scores)
    )
    return (
        f'<table style="{table}"><caption>{escape(answer.whole.method)} of the log-probability of '
        f'each token</caption><thead><tr><th style="{cell}">answer</th><th style="{cell}">log p'
        f"</th>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _row(name: str, value: float, scores: Sequence[float], largest: float) -> str:
    cell = STYLE[1]
    cells = "".join(
        f'<td style="{cell};{_colours(score / (largest or 1))}">{number(score)}</td>'
        for score in scores
    )
    first = f'<th style="{cell}">{escape(name)}</th><td style="{cell}">{number(value)}</td>'
    return f"<tr>{first}{cells}</tr>"


def _colours(share: float) -> str:
    """The colours of a cell, as in every heat map: orange below 0, blue above."""
    if not isfinite(share):
        return "background:#eee"
    kept = max(-1.0, min(1.0, share))
    return f"background:{diverging(kept)};color:{ink_on(kept)}"


def answer_page(answers: Sequence[AnswerExplanation]) -> str:
    """A page of its own with the tables, without scripts."""
    tables = "".join(
        f"<h2>{escape(' / '.join(answer.whole.texts))}</h2>{answer_html(answer)}"
        for answer in answers
    )
    return (
        '<!doctype html><html><head><meta charset="utf-8"><title>answers</title>'
        f"{policy()}</head><body>{tables}</body></html>\n"
    )


def answer_lines(answer: AnswerExplanation, shown: int = 3) -> list[str]:
    """For the terminal: each token with its log-probability and its highest words."""
    rows = zip((*answer.tokens, "whole answer"), (*answer.by_token, answer.whole))
    lines = []
    for name, each in rows:
        order = sorted(range(len(each.words)), key=lambda at: -each.word_scores[at])[:shown]
        top = ", ".join(f"{each.words[at]} {each.word_scores[at]:+.2f}" for at in order)
        lines.append(f"{name!r:>20}  log p {each.value:7.2f}  {top}")
    return lines
