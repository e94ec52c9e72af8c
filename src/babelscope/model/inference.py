"""Batched inference: every perturbed input reaches the model here, and only here.

Identical inputs are computed once. Inputs are sorted by length and packed into batches by token
count, across examples, so that almost nothing is padding. Results come back in the caller's order.
When memory runs out, the batch is made smaller and tried again. Everything is counted
(`InferenceState`).

*Laws*: an input's result does not depend on the other inputs of the call, on their order, on the
token budget or on the padding side (1e-5 in float32, 1e-9 in float64); the model is left as it was
found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from babelscope.model.batches import FULL, run
from babelscope.model.continuations import read_after
from babelscope.model.forward import Edit as Edit
from babelscope.model.forward import Query as Query
from babelscope.model.forward import embed, forward, outputs_of, unpadded
from babelscope.model.forward import query as query
from babelscope.model.output_layer import in_float32, label_tokens
from babelscope.model.prefixes import outputs_after, plan
from babelscope.model.targets import secant, value
from babelscope.model.transformer import Model
from babelscope.types import Target

LOGITS = 2**29
"""Bytes of the logits of continuations in one batch."""

Step = Callable[[list[Query], list[int]], list[Tensor]]


def outputs(model: Model, queries: Sequence[Query]) -> list[Tensor]:
    """The outputs in float64 on the CPU: class logits (of a language model those of the next token,
    or of the verbaliser's labels), start and end logits [2, token] for extractive question
    answering, or tag logits [token, tag]."""
    digests = [each.digest() for each in queries]
    known = {} if model.inference.cache is None else model.inference.cache.outputs
    new = {digest: each for digest, each in zip(digests, queries) if digest not in known}
    model.inference.queries += len(queries)
    model.inference.distinct += len(new)

    def step(batch: list[Query], rows: list[int]) -> list[Tensor]:
        with torch.no_grad():
            return outputs_of(model, batch, forward(model, batch))

    with model.inference_mode(), in_float32(model.hf, label_tokens(model)):
        known.update(zip(new, _outputs(model, list(new.values()), step)))
    return [known[digest] for digest in digests]


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
    budget = _budget(model, [queries[row] for row in left])
    results |= dict(zip(left, run(model, [queries[row] for row in left], budget, step)))
    return [results[row] for row in range(len(queries))]


def _budget(model: Model, queries: Sequence[Query]) -> int:
    """Tokens in a batch: fewer where the logits of continuations over the whole vocabulary would
    take more than LOGITS bytes.
    """
    budget = model.inference.budget
    tokens = max((sum(map(len, each.continuations)) for each in queries), default=0)
    if not tokens:
        return budget
    rows = max(1, LOGITS // (16 * tokens * int(model.hf.config.get_text_config().vocab_size)))
    return min(budget, rows * max(each.size for each in queries))


def gradients(
    model: Model,
    queries: Sequence[Query],
    targets: Sequence[Target],
    reduce: Callable[[int, Tensor], Any],
    against: Sequence[Query] | None = None,
) -> list[tuple[float, Any]]:
    """Per query the target's value and `reduce(row, gradient)`, with the gradient with respect to
    the (edited) word embeddings of each position, [token, dimension]: the gradient of the input,
    not of rows of the embedding matrix.

    `against` holds a reference of the same length for each query, which the model reads in the same
    call, behind the batch's own rows. Then the gradient of the value with respect to the outputs is
    its mean along the path from the reference's.
    """
    alike = _alike(queries, queries if against is None else against, targets)
    firsts = [rows[0] for rows in alike]
    model.inference.queries += len(queries)
    model.inference.distinct += len(firsts)

    def step(batch: list[Query], rows: list[int]) -> list[tuple[float, list[Any]]]:
        references = [] if against is None else [against[firsts[row]] for row in rows]
        values, table = _gradient(model, batch, references, [targets[firsts[row]] for row in rows])
        model.inference.backward += sum(len(each.ids) for each in batch)
        reduced = [
            [reduce(caller, gradient) for caller in alike[row]]
            for row, gradient in zip(rows, unpadded(table, batch))
        ]
        return list(zip(values.tolist(), reduced))

    with model.inference_mode():
        budget = _budget(model, queries) // (2 if against is None else 4)
        least = 1 if any(each.continuations for each in queries) else FULL
        done = run(model, [queries[row] for row in firsts], max(least, budget), step)
    results: list[Any] = [None] * len(queries)
    for rows, (amount, reduced) in zip(alike, done):
        for row, part in zip(rows, reduced):
            results[row] = (amount, part)
    return results


def _alike(
    queries: Sequence[Query], references: Sequence[Query], targets: Sequence[Target]
) -> list[list[int]]:
    """The rows in groups that share a query, a reference and a target: each group is computed
    once.
    """
    groups: dict[tuple[bytes, bytes, Target], list[int]] = {}
    for row, (each, reference, target) in enumerate(zip(queries, references, targets)):
        groups.setdefault((each.digest(), reference.digest(), target), []).append(row)
    return list(groups.values())


def _gradient(
    model: Model, batch: Sequence[Query], references: Sequence[Query], targets: Sequence[Target]
) -> tuple[Tensor, Tensor]:
    """The targets' values, and their gradients with respect to the padded embeddings."""
    whole = [*batch, *references]
    leaf = embed(model, whole).detach().requires_grad_(True)
    logits = outputs_of(model, whole, forward(model, whole, leaf))
    values = torch.stack([value(model, output, target) for output, target in zip(logits, targets)])
    if references:
        both = zip(logits, logits[len(batch) :], targets)
        linear = torch.stack(
            [secant(model, output, reference, target) for output, reference, target in both]
        )
    (gradient,) = torch.autograd.grad((linear if references else values).sum(), leaf)
    return values.detach(), gradient
