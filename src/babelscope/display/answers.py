"""The explanation of an answer as a picture: its tokens by the words of the input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup

from babelscope.display.highlight import STEPS, shade, top
from babelscope.display.numbers import items
from babelscope.display.page import render
from babelscope.types import AnswerExplanation

SIGNS = str.maketrans({"\n": "↵", "\t": "⇥", "\r": "↵"})
"""What stands for characters that cannot be seen."""


@dataclass(frozen=True, slots=True)
class Row:
    """A token of the answer, or the whole of it: its log-probability, and each word's score with
    the class of its colour.
    """

    name: str
    value: float
    cells: tuple[tuple[float, str], ...]


def answers_html(answers: Sequence[AnswerExplanation]) -> Markup:
    """For each answer a table with a row per token and a column per word of the input, coloured by
    the scores: blue raised the token's probability, orange lowered it. The last row is the whole
    answer.
    """
    return render("answers.html.j2", items=answers, rows=_rows, steps=STEPS)


def answer_html(answer: AnswerExplanation) -> str:
    """One answer, for notebooks."""
    return str(answers_html([answer]))


def answer_page(answers: Sequence[AnswerExplanation]) -> str:
    """A page of its own with the tables, without scripts."""
    heading = items(len(answers), "answer")
    return str(render("page.html.j2", heading=heading, body=answers_html(answers), scripts=()))


def _rows(answer: AnswerExplanation) -> Iterator[Row]:
    largest = max((top(scores) for scores in answer.matrix), default=0.0)
    for token, each in zip(answer.tokens, answer.by_token):
        yield _row(visible(token), each.value, each.word_scores, largest)
    whole = answer.whole
    yield _row("whole answer", whole.value, whole.word_scores, top(whole.word_scores))


def _row(name: str, value: float, scores: Sequence[float], largest: float) -> Row:
    return Row(name, value, tuple((score, _tint(score, largest)) for score in scores))


def _tint(score: float, largest: float) -> str:
    """The class of a cell's colour; an undefined score is hatched."""
    step = shade(score, largest)
    if not isfinite(score):
        return "bs-u"
    return f"bs-p bs-p{step}" if step > 0 else f"bs-n bs-n{-step}" if step < 0 else ""


def visible(token: str) -> str:
    """The token with a sign for every line break and tab, and for one of spaces only."""
    shown = token.translate(SIGNS).strip(" ")
    return shown or "␣" * len(token)


def answer_lines(answer: AnswerExplanation, shown: int = 3) -> list[str]:
    """For the terminal: each token with its log-probability and its highest words."""
    rows = zip((*answer.tokens, "whole answer"), (*answer.by_token, answer.whole))
    lines = []
    for name, each in rows:
        order = sorted(range(len(each.words)), key=lambda at: -each.word_scores[at])[:shown]
        top = ", ".join(f"{each.words[at]} {each.word_scores[at]:+.2f}" for at in order)
        lines.append(f"{name!r:>20}  log p {each.value:7.2f}  {top}")
    return lines
