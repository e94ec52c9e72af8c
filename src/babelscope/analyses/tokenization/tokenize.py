"""Texts as tokenizers segment them, with the words that they are counted by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from babelscope.analyses.tokenization.counts import Tokenization
from babelscope.analyses.tokenization.summary import summarise
from babelscope.data.segmentation import segment
from babelscope.data.texts import check_text
from babelscope.errors import InputError
from babelscope.model import tokenizers
from babelscope.types import Example, TokenizedText


def tokenize_texts(
    tokenizer: Any,
    examples: Sequence[Example],
    name: str,
    *,
    limit: int | None = None,
    task: str = "",
) -> list[TokenizedText]:
    """Every example as the tokenizer segments it.

    `limit` is the number of tokens that the model reads, where it is not what the tokenizer says.
    """
    most = limit or tokenizers.longest(tokenizer)
    rows = []
    for example in examples:
        check_text(example)
        parts = [tokenizers.tokenize(tokenizer, text) for text in example.texts]
        unknown = tokenizer.unk_token_id
        rows.append(
            TokenizedText(
                id=example.id,
                group=example.group,
                lang=example.lang,
                tokenizer=name,
                task=task,
                texts=example.texts,
                words=tuple(tuple(segment(text, example.lang)) for text in example.texts),
                ids=tuple(part.ids for part in parts),
                offsets=tuple(part.offsets for part in parts),
                unknown=-1 if unknown is None else int(unknown),
                length=tokenizers.length(tokenizer, example.texts),
                limit=-1 if most is None else most,
                vocabulary=len(tokenizer),
            )
        )
    return rows


def tokenization(
    named: Mapping[str, Any], examples: Sequence[Example], *, limit: int | None = None
) -> Tokenization:
    """How tokenizers segment the words of each language: see `summarise`."""
    for what, values in (("tokenizers", named), ("texts", examples)):
        if not values:
            raise InputError(f"there are no {what}; give at least one")
    rows = [tokenize_texts(each, examples, name, limit=limit) for name, each in named.items()]
    return summarise([row for part in rows for row in part])
