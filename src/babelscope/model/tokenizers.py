"""Tokenizers without a model: loading them, and how they segment a text."""

from __future__ import annotations

import hashlib
from typing import Any

from babelscope.errors import InputError
from babelscope.model.checkpoints import not_found, resolve
from babelscope.model.pretrained import read_tokenizer
from babelscope.model.scopes import quiet
from babelscope.model.slow_tokenizers import is_slow, spelt_tokens, tokenizer_state
from babelscope.model.tokenized import literal_specials
from babelscope.types import Segmentation

ENDLESS = 1_000_000
"""A tokenizer that does not know its model's length has a far larger `model_max_length`."""


def load_tokenizer(source: str, *, revision: str | None = None) -> Any:
    """A tokenizer, from a hub id or a folder."""
    source, revision = resolve(source, revision)
    with quiet():
        try:
            tokenizer = read_tokenizer(source, revision)
        except InputError:
            raise
        except Exception as error:  # of a damaged file: whatever its reader raises
            raise not_found(source, error) from error
    return tokenizer


def tokenize(tokenizer: Any, text: str) -> Segmentation:
    """The text's tokens without special ones, however long it is.

    *Laws*: ids and offsets are the tokenizer's own; one offset per id. Of a tokenizer that gives no
    offsets they are found by alignment.
    """
    if is_slow(tokenizer):
        spelt = spelt_tokens(tokenizer, text)
        ids, spans = tuple(spelt.ids), tuple(spelt.offsets)
        return Segmentation(text, ids, spans, tokenizer.unk_token_id)
    encoding = tokenizer(
        text, add_special_tokens=False, return_offsets_mapping=True, verbose=False,
        split_special_tokens=literal_specials(tokenizer, (text,)),
    )  # fmt: skip
    offsets = tuple((int(start), int(stop)) for start, stop in encoding["offset_mapping"])
    return Segmentation(text, tuple(encoding["input_ids"]), offsets, tokenizer.unk_token_id)


def length(tokenizer: Any, texts: tuple[str, ...]) -> int:
    """How many tokens the model would have to read, special ones included."""
    literal = literal_specials(tokenizer, texts)
    return len(tokenizer(*texts, split_special_tokens=literal, verbose=False)["input_ids"])


def only_unknown(tokenizer: Any, texts: tuple[str, ...]) -> bool:
    """Whether the tokenizer knows no token of these texts."""
    unknown = tokenizer.unk_token_id
    if unknown is None:
        return False
    ids = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
    return all(token == unknown for part in ids for token in part)


def longest(tokenizer: Any) -> int | None:
    """How many tokens the model reads at most, if the tokenizer knows."""
    known = int(tokenizer.model_max_length)
    return known if known < ENDLESS else None


def digest(tokenizer: Any) -> str:
    """SHA-256 of everything that decides how the tokenizer segments a text."""
    state = (
        tokenizer_state(tokenizer) if is_slow(tokenizer) else tokenizer.backend_tokenizer.to_str()
    )
    return hashlib.sha256(state.encode()).hexdigest()
