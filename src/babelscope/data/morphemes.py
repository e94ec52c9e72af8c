"""Morphemes of words where a segmentation is known: from MSeg in Universal Dependencies, or from a
list of segmented words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import sound
from babelscope.data.units import unit_spans
from babelscope.errors import InputError
from babelscope.types import Example, Span

MORPHEME = "morpheme"
SEPARATORS = ("-", "+", " ", "|")
"""What may stand between the morphemes of a word."""


def with_morphemes(
    examples: Iterable[Example], segmentations: Mapping[str, tuple[str, ...]]
) -> list[Example]:
    """The examples with the morphemes of their words as units.

        rows = with_morphemes(rows, read_morphemes("tr.tsv"))
        babelscope.explain(model, rows, "occlusion", unit="morpheme")

    A word that is not listed, in its own case or in lower case, is one morpheme.

    *Laws*: morphemes are ordered, disjoint and cover every word; those of a word are parts of it.
    """
    return [_with_morphemes(example, segmentations) for example in examples]


def read_morphemes(path: str | Path) -> dict[str, tuple[str, ...]]:
    """Segmented words from a file with a word and its morphemes in a line, separated by a tab; the
    morphemes by a blank, a hyphen, + or |.
    """
    words: dict[str, tuple[str, ...]] = {}
    for number, line in sound(lines(Path(path))):
        word, tab, rest = line.rstrip("\r\n").partition("\t")
        if not line.strip():
            continue
        parts = split_morphemes(word, rest)
        if not tab or parts is None:
            raise InputError(
                f"{path}, line {number}: {line.strip()[:60]!r} is not a word, a tab and its "
                "morphemes; the morphemes must spell the word"
            )
        words[word] = parts
    if not words:
        raise InputError(f"{path} holds no segmented word")
    return words


def split_morphemes(word: str, segmented: str) -> tuple[str, ...] | None:
    """The morphemes of a word as they are written with one of the separators between them; None
    where they do not spell the word.
    """
    for separator in SEPARATORS:
        parts = tuple(part for part in segmented.split(separator) if part)
        if "".join(parts) == word:
            return parts
    return None


def word_parts(text: str, span: Span, segmented: str | None) -> list[Span]:
    """The characters of a word's morphemes; the whole word where these are not known or do not
    spell it.
    """
    start, end = span
    parts = split_morphemes(text[start:end], segmented) if segmented else None
    return _spans(start, parts or (text[start:end],))


def _with_morphemes(example: Example, known: Mapping[str, tuple[str, ...]]) -> Example:
    spans = tuple(
        tuple(part for span in words for part in _listed(text, span, known))
        for text, words in zip(example.texts, unit_spans(example, "word"))
    )
    others = tuple(each for each in example.units if each[0] != MORPHEME)
    return replace(example, units=(*others, (MORPHEME, spans)))


def _listed(text: str, span: Span, known: Mapping[str, tuple[str, ...]]) -> list[Span]:
    start, end = span
    word = text[start:end]
    parts = known.get(word) or known.get(word.lower()) or (word,)
    lengths_agree = sum(map(len, parts)) == len(word)  # lower case may have other lengths
    return _spans(start, parts if lengths_agree else (word,))


def _spans(start: int, parts: Iterable[str]) -> list[Span]:
    spans = []
    for part in parts:
        spans.append((start, start + len(part)))
        start += len(part)
    return spans
