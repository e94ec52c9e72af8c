"""Yelp-HAT: which words of a review its readers marked (Sen et al., ACL 2020)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path

from babelscope.data.corpora.tables import POLARITY
from babelscope.data.formats.lines import comma_separated
from babelscope.data.formats.problems import Problem, sound
from babelscope.data.spans import whitespace
from babelscope.types import Example

_SPAN = re.compile(r"<span([^>]*)>(.*?)</span>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def consensus(file: Path, lang: str, prefix: str, *, votes: int = 2) -> Iterator[Example]:
    """A review with the words that at least `votes` of its annotators marked (most reviews have three)."""
    return sound(_consensus(file, lang, prefix, votes))


def annotators(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """Each annotator's own map, from the HTML they left behind; maps of one review follow one another and share its group."""
    return sound(_annotators(file, lang, prefix))


def _consensus(file: Path, lang: str, prefix: str, votes: int) -> Iterator[Example | Problem]:
    number = 0
    for one in comma_separated(file):
        number += 1
        if isinstance(one, Problem):
            yield one
            continue
        line, row = one
        wrong = _misfit(row, ("label", "text", "human_attention"))
        if wrong:
            yield Problem(str(file), line, *wrong)
            continue
        words = whitespace(row["text"])
        counts = row["human_attention"].split()
        if len(counts) != len(words) or not all(count.isdecimal() for count in counts):
            yield Problem(
                str(file), line, "human_attention", f"{len(counts)} counts", f"one number for each of {len(words)} words"
            )
            continue
        marks = tuple(int(count) >= votes for count in counts)
        group = f"{prefix}-{number}"
        yield Example(f"{group}-{lang}", (row["text"],), lang, group, POLARITY[row["label"]], (words,), (marks,))


def _annotators(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    review, number, reader = "", 0, 0
    for one in comma_separated(file):
        if isinstance(one, Problem):
            yield one
            continue
        line, row = one
        wrong = _misfit(row, ("Input.label", "Input.text", "Answer.html_output"))
        if wrong:
            yield Problem(str(file), line, *wrong)
            continue
        text = row["Input.text"]
        number, reader = (number, reader + 1) if text == review else (number + 1, 1)
        review = text
        words = whitespace(text)
        shown = [(inside, unescape(_TAG.sub("", word)).strip()) for inside, word in _SPAN.findall(row["Answer.html_output"])]
        shown = [(inside, word) for inside, word in shown if word]
        if [word for _, word in shown] != [text[start:end] for start, end in words]:
            yield Problem(str(file), line, "Answer.html_output", f"{len(shown)} words", f"the {len(words)} words of the text")
            continue
        marks = tuple('class="active"' in inside for inside, _ in shown)
        group = f"{prefix}-{number}"
        label = POLARITY[row["Input.label"]]
        yield Example(f"{group}-{lang}-{reader}", (text,), lang, group, label, (words,), (marks,))


def _misfit(row: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str, str] | None:
    """Field, found and expected of what is wrong with a row; the first name is the label's."""
    for name in names:
        if name not in row:
            return name, f"the columns {', '.join(row)}", f"a column {name}"
    if row[names[0]] not in POLARITY:
        return names[0], repr(row[names[0]]), f"one of {', '.join(POLARITY)}"
    return None if row[names[1]].strip() else (names[1], "nothing", "a text")
