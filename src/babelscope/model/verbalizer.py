"""Verbalizers: the words with which a language model continues a text, as tokens and as labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from babelscope.errors import InputError

if TYPE_CHECKING:
    from babelscope.model.load import Model


def token(model: Model, word: str) -> int:
    """The token of a word as it would follow a text: with a space before it, else as it is written;
    else the entry of the vocabulary that is spelt so."""
    unknown = model.tokenizer.unk_token_id
    for text in (f" {word}", word):
        ids = model.tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(ids) == 1 and ids[0] != unknown:
            return int(ids[0])
    entry = model.tokenizer.convert_tokens_to_ids(word)
    if entry is not None and entry != unknown:
        return int(entry)
    pieces = " ".join(model.tokenizer.convert_ids_to_tokens(ids))
    raise InputError(
        f"{word!r} is not a single token of {model.name} ({pieces}); choose a word that is"
    )


def verbalizer(
    model: Model, words: Mapping[str, str | Sequence[str]]
) -> dict[str, tuple[int, ...]]:
    """Per label the tokens of its word or words."""
    if not model.generates:
        raise InputError(
            f"{model.name} ({model.task}) has classes of its own; a verbalizer is for language "
            "models"
        )
    if len(words) < 2:
        raise InputError(f"a verbalizer compares at least two labels; {len(words)} given")
    label_tokens = {
        label: tuple(token(model, word) for word in ([entry] if isinstance(entry, str) else entry))
        for label, entry in words.items()
    }
    tokens = [token_id for ids in label_tokens.values() for token_id in ids]
    if len(set(tokens)) < len(tokens) or not all(label_tokens.values()):
        raise InputError(f"each label of a verbalizer needs words of its own; given: {dict(words)}")
    return label_tokens


def label_logits(logits: Tensor, labels: Mapping[str, tuple[int, ...]]) -> Tensor:
    """The labels' logits, from those of the next token.

        z_y = log sum_{v in V_y} exp z_v        V_y the tokens of label y

    *Laws*: the softmax over labels is the share of each label's words in the probability of all
    labels' words; with one word per label, the logits are those of the words.
    *Left open by the paper*: several words per label; their probabilities are added.
    Source: Schick and Schuetze 2021 (pattern-exploiting training), section 3.
    """
    return torch.stack([torch.logsumexp(logits[list(tokens)], dim=0) for tokens in labels.values()])
