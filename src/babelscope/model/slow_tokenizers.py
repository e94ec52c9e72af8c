"""Tokenizers of transformers that are written in Python and know no character offsets (XLM, Marian,
M2M100): ids from their own call, offsets by alignment.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from babelscope.errors import InputError
from babelscope.model.alignment import align
from babelscope.types import Span

FAILED = "its tokens cannot be aligned with the text, so that their words are not known"


@dataclass(frozen=True, slots=True)
class SlowEncoding:
    """The fields of an `Encoding` of the tokenizers library that are read here."""

    ids: list[int]
    type_ids: list[int]
    offsets: list[Span]
    tokens: list[str]
    sequence_ids: list[int | None]
    special_tokens_mask: list[int]


def is_slow(tokenizer: Any) -> bool:
    """Whether the tokenizer gives no offsets itself."""
    return not getattr(tokenizer, "is_fast", False)


def slow_encodings(
    tokenizer: Any,
    texts: Sequence[str],
    *,
    limit: int,
    strategy: str,
    stride: int | None = None,
    literal: bool = False,
) -> tuple[int, list[SlowEncoding], bool]:
    """The number of tokens without truncation; the truncated sequence, or with `stride` its
    overlapping windows; whether tokens have types.

    *Law*: the ids are those of the tokenizer's own call, or it is refused.
    """
    parts = [spelt_tokens(tokenizer, text, literal=literal) for text in texts]
    whole = tokenizer(*texts, split_special_tokens=literal, verbose=False)
    count = len(whole["input_ids"])
    places = [list(range(len(part.ids))) for part in parts]
    _check_ids(tokenizer, _encoding(tokenizer, parts, places).ids, whole["input_ids"])
    types = "token_type_ids" in whole
    excess = max(0, count - limit)
    if not excess:
        return count, [_encoding(tokenizer, parts, places)], types
    if stride is not None:
        windows = _windows(places[-1], excess, stride)
        return count, [_encoding(tokenizer, parts, [*places[:-1], each]) for each in windows], types
    short = tokenizer.truncate_sequences(
        *places, num_tokens_to_remove=excess, truncation_strategy=strategy, stride=0
    )
    encoding = _encoding(tokenizer, parts, [each for each in short[:2] if each is not None])
    expected = tokenizer(
        *texts, split_special_tokens=literal, truncation=strategy, max_length=limit, verbose=False
    )
    _check_ids(tokenizer, encoding.ids, expected["input_ids"])
    return count, [encoding], types


@dataclass(frozen=True, slots=True)
class SpeltTokens:
    """The tokens of a text without special ones: ids, spellings, characters."""

    ids: list[int]
    tokens: list[str]
    offsets: list[Span]


def spelt_tokens(
    tokenizer: Any, text: str, *, literal: bool = False, target: bool = False
) -> SpeltTokens:
    """A text's tokens; `target`: as the decoder of a translation model spells it."""
    switched = target and hasattr(tokenizer, "_switch_to_target_mode")
    try:
        if switched:
            tokenizer._switch_to_target_mode()
        tokens = tokenizer.tokenize(text, split_special_tokens=literal)
        ids = tokenizer.convert_tokens_to_ids(tokens)
    finally:
        if switched:
            tokenizer._switch_to_input_mode()
    offsets = align(text, tokens)
    if offsets is None:
        raise InputError(FAILED)
    return SpeltTokens(ids, tokens, offsets)


def tokenizer_state(tokenizer: Any) -> str:
    """Everything that decides how a slow tokenizer splits a text, as JSON: class, vocabulary,
    merges, settings, SentencePiece models.
    """
    settings = {
        name: getattr(tokenizer, name, None)
        for name in sorted(inspect.signature(type(tokenizer).__init__).parameters)
        if isinstance(getattr(tokenizer, name, None), (bool, str))
        and not name.endswith(("_file", "_spm", "vocab"))
    }
    models = [
        hashlib.sha256(value.serialized_model_proto()).hexdigest()
        for _, value in sorted(vars(tokenizer).items())
        if hasattr(value, "serialized_model_proto")
    ]
    merges = [" ".join(pair) for pair in getattr(tokenizer, "bpe_ranks", {})]
    vocabulary = sorted(tokenizer.get_vocab().items())
    return json.dumps([type(tokenizer).__name__, settings, models, merges, vocabulary])


def _encoding(
    tokenizer: Any, parts: Sequence[SpeltTokens], places: Sequence[Sequence[int]]
) -> SlowEncoding:
    """The sequence with its special tokens, whose places are known from placeholders: numbers below
    0 for the tokens of the texts.
    """
    flat = [(text, at) for text, each in enumerate(places) for at in each]
    marks = iter(range(-1, -1 - len(flat), -1))
    built = tokenizer.build_inputs_with_special_tokens(*[[next(marks) for _ in each]
                                                         for each in places])  # fmt: skip
    origin = [flat[-1 - mark] if mark < 0 else None for mark in built]
    ids = [
        mark if place is None else parts[place[0]].ids[place[1]]
        for mark, place in zip(built, origin)
    ]
    names = tokenizer.convert_ids_to_tokens([mark for mark in built if mark >= 0])
    specials = iter(names)
    return SlowEncoding(
        ids,
        _types(tokenizer, [len(each) for each in places], len(ids)),
        [(0, 0) if place is None else parts[place[0]].offsets[place[1]] for place in origin],
        [next(specials) if place is None else parts[place[0]].tokens[place[1]] for place in origin],
        [None if place is None else place[0] for place in origin],
        [int(place is None) for place in origin],
    )


def _types(tokenizer: Any, lengths: Sequence[int], count: int) -> list[int]:
    types = tokenizer.create_token_type_ids_from_sequences(*([0] * length for length in lengths))
    return list(types) if len(types) == count else [0] * count


def _windows(places: Sequence[int], excess: int, stride: int) -> list[Sequence[int]]:
    """Parts of the last text that share `stride` tokens with the next."""
    room = len(places) - excess
    if room <= stride:
        raise InputError("the fixed text alone is too long")
    starts = range(0, max(1, len(places) - stride), room - stride)
    return [places[start : start + room] for start in starts]


def _check_ids(tokenizer: Any, ids: Sequence[int], own: Sequence[int]) -> None:
    if list(ids) != list(own):
        raise InputError(
            f"{type(tokenizer).__name__} adds special tokens in a way that is not understood here"
        )
