"""Verbalizers: the words with which a language model continues a text, as tokens and as labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from babelscope.errors import InputError

if TYPE_CHECKING:
    from babelscope.model.load import Model

Words = Mapping[str, tuple[tuple[int, ...], ...]]
"""Per label its words, each as the ids of its tokens."""


def token(model: Model, word: str) -> int:
    """The token of a word as it would follow a text: with a space before it, else as it is written;
    else the entry of the vocabulary that is spelt so."""
    ids = tokens(model, word)
    if len(ids) == 1 and ids[0] != model.tokenizer.unk_token_id:
        return ids[0]
    pieces = " ".join(model.tokenizer.convert_ids_to_tokens(list(ids)))
    raise InputError(
        f"{word!r} is not a single token of {model.name} ({pieces}); choose a word that is"
    )


def tokens(model: Model, word: str) -> tuple[int, ...]:
    """The tokens of a word as it would follow a text: one token if there is one for it, with or
    without a space before it, else the several tokens of the word with a space.
    """
    unknown = model.tokenizer.unk_token_id
    for text in (f" {word}", word):
        ids = model.tokenizer(text, add_special_tokens=False)["input_ids"]
        if len(ids) == 1 and ids[0] != unknown:
            return (int(ids[0]),)
    entry = model.tokenizer.convert_tokens_to_ids(word)
    if entry is not None and entry != unknown:
        return (int(entry),)
    spaced = model.tokenizer(f" {word}", add_special_tokens=False)["input_ids"]
    return tuple(int(each) for each in spaced)


def verbalizer(
    model: Model,
    words: Mapping[str, str | Sequence[str]],
    tokenize: Callable[[Model, str], tuple[int, ...]] = tokens,
) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Per label the tokens of its word or words."""
    if not model.generates:
        raise InputError(
            f"{model.name} ({model.task}) has classes of its own; a verbalizer is for language "
            "models"
        )
    if len(words) < 2:
        raise InputError(f"a verbalizer compares at least two labels; {len(words)} given")
    label_tokens = {
        label: tuple(
            tokenize(model, word) for word in ([entry] if isinstance(entry, str) else entry)
        )
        for label, entry in words.items()
    }
    ids = [each for entries in label_tokens.values() for each in entries]
    if len(set(ids)) < len(ids) or not all(label_tokens.values()) or not all(ids):
        raise InputError(f"each label of a verbalizer needs words of its own; given: {dict(words)}")
    _refuse_unknown(model, words, label_tokens)
    return label_tokens


def _refuse_unknown(
    model: Model, words: Mapping[str, str | Sequence[str]], label_tokens: Words
) -> None:
    unknown = model.tokenizer.unk_token_id
    for label, entries in label_tokens.items():
        if any(unknown in ids for ids in entries if unknown is not None):
            raise InputError(
                f"the words of label {label!r}, {words[label]!r}, have tokens that are unknown to "
                f"{model.name}; choose others"
            )


def continuations(labels: Words) -> tuple[tuple[int, ...], ...]:
    """The words of all labels, where one of them has several tokens; none where the logits of the
    next token tell.
    """
    words = tuple(ids for entries in labels.values() for ids in entries)
    return words if any(len(ids) > 1 for ids in words) else ()


def label_logits(logits: Tensor, labels: Words) -> Tensor:
    """The labels' logits, from those of the next token.

        z_y = log sum_{v in V_y} exp z_v        V_y the tokens of label y

    *Laws*: the softmax over labels is the share of each label's words in the probability of all
    labels' words; with one word per label, the logits are those of the words.
    *Left open by the paper*: several words per label; their probabilities are added.
    Source: Schick and Schuetze 2021 (pattern-exploiting training), section 3.
    """
    return _label_sums(
        {ids: logits[ids[0]] for entries in labels.values() for ids in entries}, labels
    )


def label_log_probabilities(likelihoods: Sequence[Tensor], labels: Words) -> Tensor:
    """The labels' logits, from the log-probabilities of their words, in the order of
    `continuations`.

        z_y = log sum_{w in W_y} exp l_w,    l_w = sum_t log p(w_t | prompt, w_<t)

    W_y the words of label y, w_t the tokens of a word.

    *Laws*: the softmax over labels is the share of each label's words in the probability of all
    labels' words; with words of one token, it is that of `label_logits`.
    *Left open by the papers*: likelihoods are not divided by the number of tokens, so that a label
    with a longer word is not favoured over its probability.
    Source: Brown et al. 2020, section 2.4.
    """
    words = [ids for entries in labels.values() for ids in entries]
    return _label_sums(dict(zip(words, likelihoods)), labels)


def _label_sums(values: Mapping[tuple[int, ...], Tensor], labels: Words) -> Tensor:
    return torch.stack(
        [
            torch.logsumexp(torch.stack([values[ids] for ids in entries]), dim=0)
            for entries in labels.values()
        ]
    )
