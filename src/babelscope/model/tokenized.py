"""Token sequences with the text and characters that each token comes from, before words
are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from babelscope.model.slow_tokenizers import is_slow, spelt_tokens
from babelscope.types import Span

if TYPE_CHECKING:
    from babelscope.model.load import Model

_spelt_tokens_count: ContextVar[bool] = ContextVar("special tokens in texts", default=False)


@dataclass(frozen=True, slots=True)
class Tokenized:
    """One entry per token in each field; `segment` is the text that the token belongs to, -1 for
    special tokens.
    """

    ids: tuple[int, ...]
    types: tuple[int, ...] | None
    offsets: tuple[Span, ...]
    tokens: tuple[str, ...]
    segment: tuple[int, ...]

    def followed_by(self, other: Tokenized) -> Tokenized:
        types = None if self.types is None else self.types + (other.types or (0,) * len(other.ids))
        return Tokenized(
            self.ids + other.ids,
            types,
            self.offsets + other.offsets,
            self.tokens + other.tokens,
            self.segment + other.segment,
        )


def from_encoding(model: Model, encoding: Any, *, types: bool) -> Tokenized:
    """The sequence of an encoding of the tokenizers library; special tokens are those that it added
    and those that occur in the text.
    """
    alone = zip(encoding.sequence_ids, encoding.special_tokens_mask)
    segment = np.array(
        [-1 if special or text is None else text for text, special in alone], dtype=np.int64
    )
    special = [
        known for known in model.tokenizer.all_special_ids if known != model.tokenizer.unk_token_id
    ]
    segment[np.isin(encoding.ids, special)] = -1
    return Tokenized(
        tuple(encoding.ids),
        tuple(encoding.type_ids) if types else None,
        tuple(encoding.offsets),
        tuple(encoding.tokens),
        tuple(segment.tolist()),
    )


def literal_specials(tokenizer: Any, texts: Sequence[str]) -> bool:
    """Whether a text spells the padding or the mask token, which is text then and not that token.

    Markers that have a meaning in a text (of turns in a chat, of its end) stay what they are, also
    where the tokenizer pads with one of them. Within `special_tokens_in_texts` it is the token."""
    if _spelt_tokens_count.get():
        return False
    meaningful = {tokenizer.bos_token, tokenizer.eos_token, tokenizer.sep_token}
    blanks = {tokenizer.pad_token, tokenizer.mask_token} - meaningful - {None}
    return any(blank in text for text in texts for blank in blanks)


@contextmanager
def special_tokens_in_texts() -> Iterator[None]:
    """Within it, a padding or mask token that a text spells is that token, as in a plain call of
    the tokenizer: for texts from which words were erased on purpose, to train on.
    """
    before = _spelt_tokens_count.set(True)
    try:
        yield
    finally:
        _spelt_tokens_count.reset(before)


def tokenize_alone(model: Model, text: str, *, segment: int) -> Tokenized:
    """A text without the special tokens that the tokenizer would add."""
    literal = literal_specials(model.tokenizer, (text,))
    encoding = (
        spelt_tokens(model.tokenizer, text, literal=literal, target=model.is_encoder_decoder)
        if is_slow(model.tokenizer)
        else model.tokenizer(
            text, add_special_tokens=False, split_special_tokens=literal
        ).encodings[0]
    )
    special = {
        known for known in model.tokenizer.all_special_ids if known != model.tokenizer.unk_token_id
    }
    segments = tuple(-1 if token in special else segment for token in encoding.ids)
    return Tokenized(
        tuple(encoding.ids), None, tuple(encoding.offsets), tuple(encoding.tokens), segments
    )


def decoder_start(model: Model) -> Tokenized | None:
    """The token that the decoder of an encoder-decoder reads first; None for other models."""
    if not model.is_encoder_decoder:
        return None
    start = model.decoder_start
    return Tokenized(
        (start,), None, ((0, 0),), (model.tokenizer.convert_ids_to_tokens(start),), (-1,)
    )
