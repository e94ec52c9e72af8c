"""Character offsets for tokenizers that give none: the spelling of tokens aligned with the text.

A slow tokenizer changes the text (case, accents, punctuation, spacing) before it splits it, and
does not say where its tokens come from. Both sides are reduced to what such changes leave alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher

from babelscope.types import Span

SPACE_MARKS = "▁Ġ"
"""How vocabularies spell the space before a word."""
SUFFIXES = ("</w>", "@@")
"""Marks of a word's end, and of a piece that is not its end."""
PREFIX = "##"
QUOTES = frozenset("\"'`´‘’‚“”„«»‹›《》「」『』〈〉<>")
"""Marks that tokenizers write as one another."""
PUNCTUATION = {"。": ".", "、": ",", "…": "...", "∶": ":", "【": "[", "】": "]", "～": "~"}
LEAST = 0.8
"""The share of a text's token characters that must be found in the text."""

Folded = list[tuple[str, int]]
"""Characters, each with the place that it comes from."""


def align(text: str, pieces: Sequence[str]) -> list[Span] | None:
    """The characters of the text that each token spells; None where they cannot be found.

        align("Crème brûlée.", ["creme</w>", "bru", "lee</w>", ".</w>"])
        # [(0, 5), (6, 9), (9, 12), (12, 13)]

    *Laws*: starts and ends lie in the text and never decrease; a token that spells a part of the
    text as it is written gets that part; one that spells nothing (a lone space mark) is empty, at
    the start of the next.
    """
    by_byte = all(len(piece) == 1 for piece in pieces)
    if by_byte and "".join(pieces) == text.encode("utf-8", "surrogatepass").decode("latin-1"):
        return _bytes(text)
    bare = [bare_piece(piece) for piece in pieces]
    for marks, exact in ((True, True), (False, True), (False, False)):
        source = _folded(text, marks)
        target = [
            (letter, at) for at, piece in enumerate(bare) for letter, _ in _folded(piece, marks)
        ]
        places = _same(source, target) if exact else _similar(source, target)
        if places is not None:
            return _spans(text, len(pieces), places, marks)
    return None


def bare_piece(piece: str) -> str:
    """A token without the marks of its vocabulary."""
    for suffix in SUFFIXES:
        piece = piece.removesuffix(suffix) if piece != suffix else piece
    for mark in SPACE_MARKS:
        piece = piece.replace(mark, "")
    return piece.removeprefix(PREFIX) if piece != PREFIX else piece


def _folded(text: str, marks: bool) -> Folded:
    """Characters in lower case and compatibility form, without white space and what is invisible;
    quotation marks and dashes are all the same. Without `marks`, accents are left out.
    """
    folded: Folded = []
    for at, character in enumerate(text):
        plain = PUNCTUATION.get(character, character)
        for letter in unicodedata.normalize("NFKD", plain.lower()):
            kind = unicodedata.category(letter)
            if letter.isspace() or kind[0] == "C" or (kind == "Mn" and not marks):
                continue
            folded.append(('"' if letter in QUOTES else "-" if kind == "Pd" else letter, at))
    return folded


def _same(source: Folded, target: Folded) -> list[tuple[int, int]] | None:
    """Pairs of a token and a place in the text, in order; None where the characters differ."""
    if [letter for letter, _ in source] != [letter for letter, _ in target]:
        return None
    return [(token, place) for (_, token), (_, place) in zip(target, source)]


def _similar(source: Folded, target: Folded) -> list[tuple[int, int]] | None:
    """The same where characters were left out or put in; None where too few agree, or a token has
    none.
    """
    letters, spelt = [letter for letter, _ in source], [letter for letter, _ in target]
    blocks = SequenceMatcher(None, letters, spelt, autojunk=False).get_matching_blocks()
    places = [
        (target[block.b + step][1], source[block.a + step][1])
        for block in blocks
        for step in range(block.size)
    ]
    tokens = {token for _, token in target}
    agreed = len(places) >= LEAST * len(target) and tokens == {token for token, _ in places}
    return places if agreed else None


def _spans(text: str, count: int, places: Sequence[tuple[int, int]], marks: bool) -> list[Span]:
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for token, place in places:
        first.setdefault(token, place)
        last[token] = place
    spans: list[Span] = [(len(text), len(text))] * count
    following = max((_end(text, place, marks) for place in last.values()), default=0)
    for token in range(count - 1, -1, -1):
        if token in first:
            spans[token] = (first[token], _end(text, last[token], marks))
            following = first[token]
        else:
            spans[token] = (following, following)
    return spans


def _end(text: str, place: int, marks: bool) -> int:
    """After a character, and after the accents on it where these were left out."""
    end = place + 1
    while not marks and end < len(text) and unicodedata.category(text[end]) == "Mn":
        end += 1
    return end


def _bytes(text: str) -> list[Span]:
    """One token for each byte: it spells the character that the byte is a part of."""
    return [
        (at, at + 1)
        for at, character in enumerate(text)
        for _ in character.encode("utf-8", "surrogatepass")
    ]
