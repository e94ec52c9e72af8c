"""Whether the offsets of an explanation are right, by means of the tokenizer alone."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from transformers.convert_slow_tokenizer import bytes_to_unicode

from babelscope.types.explanations import tokenless_words

BYTES = {letter: byte for byte, letter in bytes_to_unicode().items()}
"""Byte-level tokenizers write every byte as one letter."""


def offset_faults(attribution: Any, tokenizer: Any, limit: int) -> list[str]:
    """What is wrong with the offsets of tokens and words, one line each.

    Padding and mask tokens that a text spells are text.
    """
    text = attribution.texts[0]
    blanks = (tokenizer.pad_token, tokenizer.mask_token)
    encoding = tokenizer(
        text, truncation=True, max_length=limit, return_offsets_mapping=True,
        split_special_tokens=any(blank in text for blank in blanks if blank),
    )  # fmt: skip
    faults = []
    if list(attribution.input.ids) != encoding["input_ids"]:
        faults.append("the token ids are not the tokenizer's own")
    elif list(attribution.input.offsets) != [tuple(span) for span in encoding["offset_mapping"]]:
        faults.append("the offsets are not the tokenizer's own")
    content = [
        span
        for span, explained in zip(attribution.input.offsets, attribution.input.content)
        if explained
    ]
    if list(attribution.offsets) != content:
        faults.append("the offsets of the explained tokens are not those of the input")
    for token, (start, stop) in zip(attribution.tokens, attribution.offsets):
        if not 0 <= start <= stop <= len(text):
            faults.append(f"{token!r} lies at {start} to {stop} of {len(text)} characters")
        elif token != tokenizer.unk_token and not _reads(token, text[start:stop]):
            faults.append(f"{token!r} is said to be {text[start:stop]!r}")
    return faults + _word_faults(attribution, text)


def _word_faults(attribution: Any, text: str) -> list[str]:
    """Words are where they say, in order and disjoint; a token shares a character with its word;
    every character of a token is in a word, listed or named as one without a token of its own.
    """
    faults, end = [], 0
    for word, (start, stop) in zip(attribution.words, attribution.word_offsets):
        if text[start:stop] != word or start < end or not word.strip():
            faults.append(f"the word {word!r} is not at {start} to {stop}")
        end = stop
    listed = _covered(text, attribution.word_offsets)
    for token, (start, stop), word in zip(
        attribution.tokens, attribution.offsets, attribution.word_index
    ):
        if not 0 <= word < len(attribution.words):
            faults.append(f"{token!r} belongs to word {word} of {len(attribution.words)}")
            continue
        left, right = attribution.word_offsets[word]
        if any(listed[start:stop]) and not text[max(start, left) : min(stop, right)].strip():
            faults.append(f"{token!r} at {start} to {stop} shares nothing with its word")
    return faults + _lost_characters(attribution, text)


def _lost_characters(attribution: Any, text: str) -> list[str]:
    """Characters of tokens that are in no word at all."""
    shared = [(word.start, word.end) for word in tokenless_words(attribution)]
    named = _covered(text, (*attribution.word_offsets, *shared))
    read = _covered(text, attribution.offsets)
    lost = [at for at, (seen, known) in enumerate(zip(read, named)) if seen and not known]
    return [f"{len(lost)} characters of tokens are in no word: {lost[:3]}"] if lost else []


def _covered(text: str, spans: Iterable[tuple[int, int]]) -> list[bool]:
    """Of every character whether it lies in one of the spans and is no space."""
    covered = [False] * len(text)
    for start, stop in set(spans):
        covered[start:stop] = [True] * (stop - start)
    return [inside and not letter.isspace() for inside, letter in zip(covered, text)]


def _reads(token: str, span: str) -> bool:
    """Whether a token can be what a tokenizer makes of these characters: equal up to marks, spaces
    and compatibility forms, or a part where a character has several tokens.
    """
    if all(letter in BYTES for letter in token):
        raw = bytes(BYTES[letter] for letter in token)
        if raw.strip() in span.encode("utf-8", "surrogatepass"):
            return True
    left, right = _plain(token.removeprefix("##").replace("▁", " ")), _plain(span)
    return left in right or right in left


def _plain(text: str) -> str:
    """Letters, digits and symbols only, decomposed."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in decomposed if unicodedata.category(letter)[0] in "LNPS")
