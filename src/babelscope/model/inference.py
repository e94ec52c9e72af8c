"""Batched inference: every perturbed input reaches the model here, and only here.

Identical inputs are computed once. Inputs are sorted by length and packed into batches by token
count, across examples, so that almost nothing is padding. Results come back in the caller's order.
When memory runs out, the batch is made smaller and tried again. Classifiers that read the first
position compute the end of their last layer there alone (`first_position`). Everything is counted
(`InferenceState`).

*Laws*: an input's result does not depend on the other inputs of the call, on their order, on the
token budget or on the padding side (1e-5 in float32, 1e-9 in float64); the model is left as it was
found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from babelscope.model.batches import budget, run
from babelscope.model.continuations import read_after
from babelscope.model.first_position import first_position_only
from babelscope.model.forward import Edit as Edit
from babelscope.model.forward import Query as Query
from babelscope.model.forward import forward, outputs_of
from babelscope.model.forward import query as query
from babelscope.model.gradients import gradients as gradients
from babelscope.model.gradients import multipliers as multipliers
from babelscope.model.output_layer import in_float32, label_tokens
from babelscope.model.prefixes import outputs_after, plan
from babelscope.model.transformer import Model

Step = Callable[[list[Query], list[int]], list[Tensor]]


def outputs(model: Model, queries: Sequence[Query]) -> list[Tensor]:
    """The outputs in float64 on the CPU: class logits (of a language model those of the next token,
    or of the verbaliser's labels), start and end logits [2, token] for extractive question
    answering, or tag logits [token, tag]."""
    digests = [each.digest() for each in queries]
    cache = model.inference.cache
    stored = {} if cache is None else cache.outputs
    known = {digest: stored[digest] for digest in digests if digest in stored}
    new = {digest: each for digest, each in zip(digests, queries) if digest not in known}
    model.inference.queries += len(queries)
    model.inference.distinct += len(new)

    if new:
        known |= _computed(model, new)
    return [known[digest] for digest in digests]


def _computed(model: Model, queries: Mapping[bytes, Query]) -> dict[bytes, Tensor]:
    """The outputs of distinct queries, which the cache keeps."""

    def step(batch: list[Query], rows: list[int]) -> list[Tensor]:
        with torch.no_grad():
            return outputs_of(model, batch, forward(model, batch))

    with (
        model.inference_mode(),
        in_float32(model.hf, label_tokens(model)),
        first_position_only(model),
    ):
        computed = dict(zip(queries, _outputs(model, list(queries.values()), step)))
    model.inference.remember(computed)
    return computed


def _outputs(model: Model, queries: list[Query], step: Step) -> list[Tensor]:
    """The outputs of distinct queries: those that begin alike together, the others packed by
    length.
    """
    groups, rest = plan(model, queries)
    results: dict[int, Tensor] = {}
    for shared, rows in groups:
        batch = [queries[row] for row in rows]
        try:
            with torch.no_grad():
                outputs = outputs_after(model, batch, shared)
        except (torch.OutOfMemoryError, MemoryError):
            outputs = None
        if outputs is None:
            rest += rows
            continue
        results |= dict(zip(rows, outputs))
        count = sum(len(read_after(each)) for each in batch)
        model.inference.tokens += sum(each.size for each in batch) - shared * (count - 1)
        model.inference.report_progress(len(results), len(queries))
    left = sorted(rest)
    alone = [queries[row] for row in left]
    results |= dict(zip(left, run(model, alone, budget(model, alone), step)))
    return [results[row] for row in range(len(queries))]
