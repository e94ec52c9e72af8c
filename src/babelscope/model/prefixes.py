"""Reuse of keys and values: inputs that begin alike are read from where they differ.

Perturbed inputs of a prompt share what comes before the first changed token: the system prompt, the
examples, the template, and the unchanged words. In a causal model nothing there depends on what
follows. The shared beginning is read once per batch, and each input only from its own part on, with
the keys and values of the beginning in its cache.

The same holds of the gradients along a path that moves the text and leaves the template alone.

*Laws*: outputs and gradients are those of reading every input in full (1e-12 in float64 for GPT-2,
1e-5 where a model computes in float32); `InferenceState.reused` counts the tokens that were not
read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babelscope.model.continuations import sequences
from babelscope.model.forward import Query, outputs_of, padded
from babelscope.model.transformer import Model

WORTH = 0.25
"""The share of a batch's tokens that must be saved for the second call to pay."""
OVERHEAD = 256
"""The tokens that must be saved besides: a call costs as much as reading these, however short."""
PLAIN = frozenset({"DynamicLayer", "DynamicSlidingWindowLayer"})
"""The caches of transformers that hold keys and values of all tokens, or of the last ones."""

Group = tuple[int, list[int]]
"""The number of shared tokens, and the rows that share them."""


def plan(model: Model, queries: Sequence[Query]) -> tuple[list[Group], list[int]]:
    """Groups of rows that begin alike, each within the token budget, and the rows that are read in
    full.

    Rows are sorted by their tokens, so that neighbours share the most; a group grows unless that
    loses more than another call costs.
    """
    known = [row for row, each in enumerate(queries) if reusable(model, each)]
    keys = {row: _key(queries[row]) for row in known}
    groups: list[Group] = []
    rest = [row for row in range(len(queries)) if row not in keys]
    for shared, rows in _grown(model, queries, sorted(known, key=lambda row: keys[row]), keys):
        count = sum(len(sequences([queries[row]])) for row in rows)
        size = sum(queries[row].size for row in rows)
        if shared * (count - 1) >= max(OVERHEAD, WORTH * size):
            groups.append((shared, rows))
        else:
            rest += rows
    return groups, sorted(rest)


def reusable(model: Model, query: Query) -> bool:
    """Whether a beginning of the query can be read apart: by a decoder with a cache, in plain
    tokens.
    """
    return query.edit is None and _cached(model, query)


def _cached(model: Model, query: Query) -> bool:
    return (
        model.inference.reuse
        and not query.candidates
        and not query.decoder
        and query.types is None
        and model.generates
        and not model.is_encoder_decoder
        and {"past_key_values", "use_cache", "position_ids"} <= model.accepts
    )


def _key(query: Query) -> tuple[int, ...]:
    """Tokens, and whether they are attended to."""
    seen = np.ones(len(query.ids), np.int64) if query.attended is None else query.attended
    return tuple((2 * query.ids + seen).tolist())


def _grown(
    model: Model,
    queries: Sequence[Query],
    rows: Sequence[int],
    keys: dict[int, tuple[int, ...]],
) -> Iterator[Group]:
    group: list[int] = []
    shared = size = 0
    for row in rows:
        last = len(keys[row]) - 1  # the last token is always read: its logits are needed
        common = min(shared, last, _common(keys[group[-1]], keys[row])) if group else last
        smaller = common * len(group) + OVERHEAD < shared * (len(group) - 1)
        grown = size + queries[row].size - common
        if group and (smaller or common == 0 or grown > model.inference.budget):
            yield shared, group
            group, size, common = [], 0, last
        group.append(row)
        shared, size = common, size + queries[row].size - common
    if group:
        yield shared, group


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """The length of the common beginning."""
    differing = (at for at, pair in enumerate(zip(first, second)) if pair[0] != pair[1])
    return next(differing, min(len(first), len(second)))


def outputs_after(
    model: Model, batch: Sequence[Query], shared: int, embedded: Tensor | None = None
) -> list[Tensor] | None:
    """The outputs of queries that share their first tokens, perhaps with these embeddings of the
    others; None where the model's cache holds something else than keys and values.
    """
    read = sequences(batch)
    with torch.no_grad():
        cache = _read_beginning(model, read[0], shared)
    if cache is None:
        return None
    cache.batch_repeat_interleave(len(read))
    seen = [_attended(each) for each in read]
    places = [np.arange(model.first_position + shared, model.first_position + len(each.ids))
              for each in read]  # fmt: skip
    tails = [_tail(each, shared) for each in read]
    kept = model.functions.kept(model, batch)
    columns = list(range(shared, max(len(each.ids) for each in read))) if kept is None else kept
    keeping = {} if kept is None else {
        "logits_to_keep": torch.tensor([at - shared for at in kept], device=model.device)
    }  # fmt: skip
    text = {"input_ids": padded(model, tails, [each.ids for each in tails], 0)}
    if embedded is not None:
        text = {"inputs_embeds": embedded}
    output = model.hf(
        **text,
        attention_mask=padded(model, read, seen, 0),
        position_ids=padded(model, tails, places, 0),
        past_key_values=cache,
        use_cache=True,
        **keeping,
    )
    model.inference.reused += shared * (len(read) - 1)
    return outputs_of(model, batch, output, columns)


def fixed_beginnings(model: Model, queries: Sequence[Query]) -> list[Group]:
    """Groups of rows whose edits leave the same beginning alone, for gradient passes; 0 shared
    tokens where they are read in full.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for row, each in enumerate(queries):
        key = _key(each)[: each.fixed] if each.fixed and _cached(model, each) else ()
        groups.setdefault(key, []).append(row)
    whole = [row for key, rows in groups.items() if not _pays(len(key), len(rows)) for row in rows]
    parts = [(len(key), rows) for key, rows in groups.items() if _pays(len(key), len(rows))]
    return [*parts, *([(0, sorted(whole))] if whole else [])]


def _pays(shared: int, count: int) -> bool:
    """A gradient pass costs as much as two or three forward passes; the beginning is read once."""
    return shared * (2 * count - 1) >= OVERHEAD


def _read_beginning(model: Model, query: Query, shared: int) -> Any:
    first = model.first_position
    ids, seen = (
        torch.from_numpy(part[:shared].astype(np.int64))[None].to(model.device)
        for part in (query.ids, _attended(query))
    )
    keeping = {"logits_to_keep": 1} if "logits_to_keep" in model.accepts else {}
    cache = model.hf(
        input_ids=ids,
        attention_mask=seen,
        position_ids=torch.arange(first, first + shared, device=model.device)[None],
        use_cache=True,
        **keeping,
    ).past_key_values
    layers = {type(layer).__name__ for layer in getattr(cache, "layers", ())}
    return cache if layers and layers <= PLAIN else None


def _attended(query: Query) -> NDArray[np.int64]:
    return (np.ones(len(query.ids)) if query.attended is None else query.attended).astype(np.int64)


def _tail(query: Query, shared: int) -> Query:
    return Query(query.ids[shared:])
