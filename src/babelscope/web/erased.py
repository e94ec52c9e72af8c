"""Inputs with words erased, as inputs of their own: predicted and explained like any other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from babelscope.errors import InputError
from babelscope.model.erase import default_operator, erase
from babelscope.model.load import Model
from babelscope.types import Encoded

OPERATORS = ("mask", "pad", "unk", "delete")
"""Ways to erase whose result is again a sequence of tokens."""


def operators(model: Model) -> list[str]:
    """Those that the model has, the default of metrics first."""
    known = [
        name
        for name in OPERATORS
        if name == "delete" or getattr(model.tokenizer, f"{name}_token_id") is not None
    ]
    default = default_operator(model)
    return sorted(known, key=lambda name: name != default)


def erased_input(
    model: Model, encoded: Encoded, words: Collection[int], operator: str | None
) -> Encoded:
    """The input without these words: their tokens are replaced or removed, and no longer content.

    *Laws*: erasing no word gives the input itself; the model reads what `erase` gives.
    """
    if not words:
        return encoded
    unknown = sorted(set(words) - set(range(len(encoded.words))))
    if unknown:
        raise InputError(
            f"there is no word {unknown[0]}; words count from 0 to {len(encoded.words) - 1}"
        )
    gone = np.isin(encoded.word, list(words)) & encoded.content
    operator = operator or operators(model)[0]
    query = erase(model, encoded, gone, operator)
    content = encoded.content & ~gone
    if query is None or not content.any():
        raise InputError("every word is erased; keep at least one")
    kept = ~gone if operator == "delete" else np.ones(len(gone), dtype=bool)
    rest = [place for place in range(len(encoded.words)) if place not in words]
    number = np.full(len(encoded.words) + 1, -1, dtype=np.int64)
    number[rest] = np.arange(len(rest))
    return replace(
        encoded,
        ids=query.ids,
        types=query.types,
        content=content[kept],
        word=np.where(content, number[encoded.word], -1)[kept],
        segment=np.where(content, encoded.segment, -1)[kept],
        offsets=encoded.offsets[kept],
        tokens=tuple(token for token, keep in zip(encoded.tokens, kept) if keep),
        words=tuple(encoded.words[place] for place in rest),
        word_offsets=tuple(encoded.word_offsets[place] for place in rest),
        word_segment=tuple(encoded.word_segment[place] for place in rest),
        decoder=query.decoder,
        candidates=query.candidates,
    )
