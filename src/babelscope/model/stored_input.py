"""The input of an explanation as values that are stored with it, and the reverse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from babelscope.errors import InputError
from babelscope.types import Attribution, Encoded, Example, ModelInput, Span, Units
from babelscope.types.explanations import tokenless_words


def model_input(row: Encoded) -> ModelInput:
    """The whole input, in values that are stored with an explanation."""
    return ModelInput(
        ids=tuple(row.ids.tolist()),
        types=None if row.types is None else tuple(row.types.tolist()),
        content=tuple(row.content.tolist()),
        segment=tuple(row.segment.tolist()),
        offsets=tuple((start, end) for start, end in row.offsets.tolist()),
        tokens=row.tokens,
        decoder=row.decoder,
        part=row.part,
        window=row.window,
        truncated_from=row.truncated_from,
        candidates=row.candidates,
        continuations=row.continuations,
    )


def encoded_input(attribution: Attribution) -> Encoded:
    """The input that was explained, with the explanation's own words, from what the explanation
    keeps and nothing else.

    *Law*: it equals what `encode` gave, array by array, whatever the tokenizer has become since.
    """
    read = attribution.input
    if read is None:
        raise InputError(
            f"{attribution.id}: the explanation keeps no tokens: it is of a function, not of a "
            "transformer"
        )
    word = np.full(len(read.ids), -1, dtype=np.int64)
    word[np.array(read.content, dtype=bool)] = attribution.word_index
    return Encoded(
        example=_example(attribution),
        ids=np.array(read.ids, dtype=np.int64),
        types=None if read.types is None else np.array(read.types, dtype=np.int64),
        content=np.array(read.content, dtype=bool),
        word=word,
        segment=np.array(read.segment, dtype=np.int64),
        offsets=np.array(read.offsets, dtype=np.int64).reshape(-1, 2),
        tokens=read.tokens,
        words=attribution.words,
        word_offsets=attribution.word_offsets,
        word_segment=attribution.word_segment,
        decoder=read.decoder,
        part=read.part,
        window=read.window,
        truncated_from=read.truncated_from,
        candidates=read.candidates,
        continuations=read.continuations,
        tokenless=tokenless_words(attribution),
        units=_units(attribution, read),
    )


def _units(attribution: Attribution, read: ModelInput) -> Units | None:
    units = attribution.units
    if units is None:
        return None
    index = np.full(len(read.ids), -1, dtype=np.int64)
    index[np.array(read.content, dtype=bool)] = units.index
    return Units(units.name, index, units.texts, units.offsets, units.segment)


def _example(attribution: Attribution) -> Example:
    """The example with its gold label and rationale, as the explanation stores them."""
    row = Example(
        attribution.id, attribution.texts, attribution.lang, attribution.group, attribution.gold
    )
    if attribution.rationale is None:
        return row
    words: list[list[Span]] = [[] for _ in attribution.texts]
    marks: list[list[bool]] = [[] for _ in attribution.texts]
    for text, span, mark in zip(
        attribution.word_segment, attribution.word_offsets, attribution.rationale
    ):
        words[text].append(span)
        marks[text].append(mark)
    return replace(row, words=tuple(map(tuple, words)), rationale=tuple(map(tuple, marks)))
