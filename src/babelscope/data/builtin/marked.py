"""Marked strings: how a realiser hands over words, spaces and the gold rationale in one readable line.

Words are separated by spaces, also in Chinese and before punctuation; a word that decides the label starts with `*`:

    "The room was *not *clean ."   ->   "The room was not clean."  with `not` and `clean` marked
    "房间 并 *不 *干净 。"           ->   "房间并不干净。"
"""

from __future__ import annotations

from unicodedata import normalize

from babelscope.types import Span

CLOSING = frozenset(".,;:!?،؛؟।。，！？")
"""Words that are written without a space before them."""

Text = tuple[str, tuple[Span, ...], tuple[bool, ...]]


def mark(phrase: str, deciding: bool = True) -> str:
    """Star every word of the phrase, or leave it alone."""
    return " ".join("*" + word for word in phrase.split()) if deciding else phrase


def capitalised(sentence: str) -> str:
    """The sentence with its first letter in upper case, behind a star if there is one."""
    sentence = sentence.lstrip()
    at = 1 if sentence.startswith("*") else 0
    return sentence[:at] + sentence[at : at + 1].upper() + sentence[at + 1 :]


def typeset(marked: str, spaced: bool) -> Text:
    """The text in NFC, the character span of each word, and whether the word is marked.

    *Laws*: spans ascend without overlap and cover every character that is not a space.
    """
    text, spans, marks = "", [], []
    for token in marked.split():
        word = normalize("NFC", token.removeprefix("*"))
        if text and spaced and word not in CLOSING:
            text += " "
        spans.append((len(text), len(text) + len(word)))
        marks.append(token.startswith("*"))
        text += word
    return text, tuple(spans), tuple(marks)
