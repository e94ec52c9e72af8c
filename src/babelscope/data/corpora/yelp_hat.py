"""Yelp-HAT: the words of a review that its annotators marked (Sen et al., ACL 2020)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path

from babelscope.data.corpora.row import Corpus
from babelscope.data.formats.csv import comma_separated
from babelscope.data.formats.labelled import POLARITY
from babelscope.data.formats.problems import Problem, sound
from babelscope.data.spans import whitespace
from babelscope.types import Example

_SPAN = re.compile(r"<span([^>]*)>(.*?)</span>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def consensus(file: Path, lang: str, prefix: str, *, votes: int = 2) -> Iterator[Example]:
    """A review with the words that at least `votes` of its annotators marked (most reviews have
    three).
    """
    return sound(_consensus(file, lang, prefix, votes))


def annotators(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """Each annotator's own map, from the HTML they left behind; maps of one review follow one
    another and share its group.
    """
    return sound(_annotators(file, lang, prefix))


def unanimous(file: Path, lang: str, prefix: str) -> Iterator[Example]:
    """A review with the words that every one of its annotators marked, as in Leemann et al. 2024
    (SLALOM); annotators whose page does not hold the text are left out.
    """
    return sound(_unanimous(file, lang, prefix))


def _unanimous(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    merged: Example | None = None
    for item in _annotators(file, lang, prefix):
        if isinstance(item, Problem):
            yield item
            continue
        if merged is not None and merged.group == item.group:
            (before,), (marks,) = merged.rationale or ((),), item.rationale or ((),)
            both = tuple(first and second for first, second in zip(before, marks))
            merged = replace(merged, rationale=(both,))
            continue
        if merged is not None:
            yield merged
        merged = replace(item, id=f"{item.group}-{lang}")
    if merged is not None:
        yield merged


def _consensus(file: Path, lang: str, prefix: str, votes: int) -> Iterator[Example | Problem]:
    number = 0
    for item in comma_separated(file):
        number += 1
        if isinstance(item, Problem):
            yield item
            continue
        line, row = item
        fault = _fault(row, ("label", "text", "human_attention"))
        if fault:
            yield Problem(str(file), line, *fault)
            continue
        words = whitespace(row["text"])
        counts = row["human_attention"].split()
        if len(counts) != len(words) or not all(count.isdecimal() for count in counts):
            expected = f"one number for each of {len(words)} words"
            yield Problem(str(file), line, "human_attention", f"{len(counts)} counts", expected)
            continue
        marks = tuple(int(count) >= votes for count in counts)
        group, label = f"{prefix}-{number}", POLARITY[row["label"]]
        yield Example(
            f"{group}-{lang}",
            (row["text"],),
            lang,
            group,
            label,
            words=(words,),
            rationale=(marks,),
        )


def _annotators(file: Path, lang: str, prefix: str) -> Iterator[Example | Problem]:
    review, number, reader = "", 0, 0
    for item in comma_separated(file):
        if isinstance(item, Problem):
            yield item
            continue
        line, row = item
        fault = _fault(row, ("Input.label", "Input.text", "Answer.html_output"))
        if fault:
            yield Problem(str(file), line, *fault)
            continue
        text = row["Input.text"]
        number, reader = (number, reader + 1) if text == review else (number + 1, 1)
        review = text
        words, shown = whitespace(text), _shown(row["Answer.html_output"])
        if [word for _, word in shown] != [text[start:end] for start, end in words]:
            expected = f"the {len(words)} words of the text"
            yield Problem(str(file), line, "Answer.html_output", f"{len(shown)} words", expected)
            continue
        marks = tuple(active for active, _ in shown)
        group, label = f"{prefix}-{number}", POLARITY[row["Input.label"]]
        name = f"{group}-{lang}-{reader}"
        yield Example(name, (text,), lang, group, label, words=(words,), rationale=(marks,))


def _shown(html: str) -> list[tuple[bool, str]]:
    """The words of an annotator's page, each with whether it was marked."""
    spans = [(inside, unescape(_TAG.sub("", word)).strip()) for inside, word in _SPAN.findall(html)]
    return [('class="active"' in inside, word) for inside, word in spans if word]


def _fault(row: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str, str] | None:
    """Field, found and expected of what is wrong with a row; the first name is the label's."""
    for name in names:
        if name not in row:
            return name, f"the columns {', '.join(row)}", f"a column {name}"
    if row[names[0]] not in POLARITY:
        return names[0], repr(row[names[0]]), f"one of {', '.join(POLARITY)}"
    return None if row[names[1]].strip() else (names[1], "nothing", "a text")


ROW = Corpus(
    name="yelp-hat",
    task="sentiment",
    summary="Reviews with the words that at least two readers marked",
    licence="not stated; Yelp's terms",
    source="https://github.com/cansusen/Human-Attention-for-Text-Classification",
    languages=("en",),
    splits=(
        "part1_50words",
        "part3",
        "part4",
        "part5",
        "part6_100words",
        "part7",
        "part8_200words",
    ),
    folder="yelp-hat",
    files=("processed_data/ham_{split}.csv",),
    read=consensus,
    labels=("negative", "positive"),
)

READERS = replace(
    ROW,
    name="yelp-hat-readers",
    summary="The same reviews with each reader's own marks",
    files=("raw_data/ham_{split}.csv",),
    read=annotators,
)

UNANIMOUS = replace(
    READERS,
    name="yelp-hat-all",
    summary="The same reviews with the words that all readers marked",
    read=unanimous,
)
