"""Head statistics: what every attention head attends to in sentences whose trees are known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from jaxtyping import Float
from torch import Tensor

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model import activations, inference
from babelscope.model.encode import encode
from babelscope.model.head_counts import Counts, Sentence, Size, count, reach, sentence
from babelscope.model.head_masks import HeadMask, load_mask
from babelscope.model.head_statistics import RELATIONS, HeadStatistics, resolve_relations, share
from babelscope.model.load import Model
from babelscope.types import Encoded, Example

CHUNK = 128
"""Sentences whose counts are in memory at a time."""


def head_statistics(
    model: Model,
    examples: Sequence[Example],
    *,
    relations: Sequence[str] = RELATIONS,
    direction: str = "dep->head",
    subtypes: str = "strip",
    progress: Callable[[int, int], None] | None = None,
) -> HeadStatistics:
    """What every attention head of the model attends to, in sentences of one language with their
    trees.

        acc[l, h, k] = share of pairs (w, head(w)) of relation k in which argmax_j A[l, h, first(w),
        j] is a token of head(w) baseline[l, k] = max over d of the share of pairs of relation k
        with position(w) - position(head(w)) = d positional[l, h] = max over d of the share of
        tokens i with argmax_j A[l, h, i, j] - i = d sink[l, h] = share of words' tokens i with
        argmax_j A[l, h, i, j] the first token or a special one

    A are the attention weights, first(w) the first token of a word. Direction "head->dep" asks the
    head's first token for the dependent; in "either" a pair is a hit if one of the two is, and
    baseline is the share of the commonest |d|. Pairs that a layer cannot see (a causal model looks
    back only) count in neither share. An arg-max below 1.5 times the uniform weight is a miss
    everywhere. `subtypes` "strip" reads nsubj:pass as nsubj, "exact" does not; dobj is obj.

    *Laws*: a planted previous-token head and a planted syntactic head are found, and random
    attention is not; permuting heads permutes all; splitting words into more tokens changes no
    accuracy; batches, padding and the order of sentences change nothing.
    *Left open by the paper*: words are those of the treebank, aligned by index; what "either"
    means; that the uniform weight is over the tokens that a query can see; that several languages
    are refused, since their distances differ. Source: arXiv 2401.09972, section 3 and eq. 7; Voita
    et al. 2019.
    """
    resolved = resolve_relations(tuple(relations), direction, subtypes)
    lang = _language(examples)
    rows = encode(model, examples, task=False)
    sentences = [sentence(row, resolved, subtypes) for row in rows]
    total = _total(model, rows, sentences, direction, len(resolved), progress)
    return HeadStatistics(
        model=model.name,
        lang=lang,
        corpus=fingerprint(examples),
        sentences=len(rows),
        tokens=total.tokens,
        relations=resolved,
        direction=direction,
        subtypes=subtypes,
        hits=total.hits,
        pairs=total.pairs,
        known=np.bincount(
            np.concatenate([tree.pairs[:, 2] for tree in sentences]), minlength=len(resolved)
        ),
        dropped=np.sum([tree.dropped for tree in sentences], axis=0),
        baseline=share(total.distances.max(axis=-1), total.pairs),
        positional=share(total.offsets.max(axis=-1), np.array(total.tokens)),
        offset=total.offsets.argmax(axis=-1) - total.offsets.shape[-1] // 2,
        sink=share(total.sinks, np.array(total.queries)),
    )


def _total(
    model: Model,
    rows: Sequence[Encoded],
    sentences: Sequence[Sentence],
    direction: str,
    relations: int,
    progress: Callable[[int, int], None] | None,
) -> Counts:
    queries = [inference.query(row) for row in rows]
    size = Size(
        max(len(row.ids) for row in rows),
        max(int(tree.word.max()) for tree in sentences) + 1,
        relations,
    )
    (seen,) = activations.attentions(
        model, [max(queries, key=lambda query: len(query.ids))], lambda _, weights: reach(weights)
    )
    total: Counts | None = None
    for start in range(0, len(rows), CHUNK):
        chunk = sentences[start : start + CHUNK]

        def reduce(
            row: int,
            weights: Float[Tensor, "layer head token token"],
            chunk: Sequence[Sentence] = chunk,
        ) -> Counts:
            return count(weights, chunk[row], seen, direction, size)

        for each in activations.attentions(model, queries[start : start + CHUNK], reduce):
            total = each if total is None else total.plus(each)
        if progress is not None:
            progress(min(start + CHUNK, len(rows)), len(rows))
    assert total is not None
    return total


def _language(examples: Sequence[Example]) -> str:
    """The one language of the sentences, all of which must have trees."""
    if not examples:
        raise InputError("head statistics need sentences with trees; there are none")
    for example in examples:
        if example.words is None or example.heads is None or example.relations is None:
            raise InputError(
                f"{example.id} has no tree (words, heads and relations); head statistics need one: "
                "name a treebank"
            )
    langs = sorted({example.lang for example in examples})
    if len(langs) > 1:
        raise InputError(
            f"head statistics are of one language, {', '.join(langs)} were given; compute them for "
            "each"
        )
    return langs[0]


def fingerprint(examples: Sequence[Example]) -> str:
    """SHA-256 of the sentences and trees, whatever their order and ids."""
    rows = (
        json.dumps([row.lang, row.texts, row.words, row.heads, row.relations]) for row in examples
    )
    digests = sorted(hashlib.sha256(text.encode()).hexdigest() for text in rows)
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def head_grid(model: Model) -> tuple[int, int]:
    """The number of layers, and of (query) heads in each."""
    config = model.hf.config.get_text_config()
    layers, heads = (
        getattr(config, name, None) for name in ("num_hidden_layers", "num_attention_heads")
    )
    if not isinstance(layers, int) or not isinstance(heads, int):
        raise UnsupportedModel(
            f"{type(model.hf).__name__} has no number of layers and heads in its config"
        )
    return layers, heads


def fitting(mask: HeadMask, model: Model, name: str = "the head mask") -> HeadMask:
    """The mask, if it is of as many layers and heads as the model."""
    if mask.shape != head_grid(model):
        has, is_for = (
            f"{layers} layers of {heads} heads" for layers, heads in (head_grid(model), mask.shape)
        )
        raise InputError(
            f"{name} is for {is_for} (of {mask.model}), but {model.name} has {has}; make one for "
            "this model"
        )
    return mask


def read_mask(path_or_text: str | Path, model: Model) -> dict[int, list[float]]:
    """Layer -> 1 or 0 per head, from a mask's file or its JSON; a mask that does not fit the model
    is refused.
    """
    text = str(path_or_text)
    name = "the head mask" if text.lstrip().startswith("{") else text
    mask = fitting(load_mask(path_or_text), model, name)
    return {layer: [float(head) for head in heads] for layer, heads in enumerate(mask.keep)}
