"""Gradient passes: per input the gradient of the explained value with respect to its embeddings.

One pass gives the output, the target where that is what the model predicts, its value and its
gradient. Inputs as they were tokenized are read in the model's own call, where it reads batches
(`model.plain`); within `caching` their outputs are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from math import nan
from typing import Any, NamedTuple

import torch
from torch import Tensor

from babelscope.model.batches import FULL, budget, run
from babelscope.model.first_position import first_position_only
from babelscope.model.forward import Query, embed, forward, outputs_of, unpadded
from babelscope.model.output_layer import in_float32, label_tokens
from babelscope.model.plain import has_plain_batches, plain_forward
from babelscope.model.prefixes import fixed_beginnings, outputs_after
from babelscope.model.targets import resolved, secant, value
from babelscope.model.transformer import Model
from babelscope.types import AnyTarget

Reduce = Callable[[int, Tensor], Any]


class Multiplied(NamedTuple):
    """Of one query: the target's value, what was kept of its gradient, and the value of the
    reference (NaN without one).
    """

    value: float
    reduced: Any
    reference: float


def gradients(
    model: Model, queries: Sequence[Query], targets: Sequence[AnyTarget], reduce: Reduce
) -> list[tuple[float, Any]]:
    """Per query the target's value and `reduce(row, gradient)`, with the gradient with respect to
    the (edited) word embeddings of each position, [token, dimension]: the gradient of the input,
    not of rows of the embedding matrix. A `Goal` becomes a target when the output is there.
    """
    return [each[:2] for each in _gradients(model, queries, targets, reduce, None)]


def multipliers(
    model: Model,
    queries: Sequence[Query],
    references: Sequence[Query],
    targets: Sequence[AnyTarget],
    reduce: Reduce,
) -> list[Multiplied]:
    """The same with a reference for each query, an edit of the same ids, which the model reads in
    the same call, behind the batch's own rows: the gradient of the value with respect to the
    outputs is its mean along the path from the reference's.
    """
    return _gradients(model, queries, targets, reduce, references)


def _gradients(
    model: Model,
    queries: Sequence[Query],
    targets: Sequence[AnyTarget],
    reduce: Reduce,
    against: Sequence[Query] | None,
) -> list[Multiplied]:
    alike = _alike(queries, queries if against is None else against, targets)
    firsts = [rows[0] for rows in alike]
    distinct = [queries[row] for row in firsts]
    model.inference.queries += len(queries)
    model.inference.distinct += len(firsts)
    plain = has_plain_batches(model, queries)

    def step(
        shared: int, members: list[int], batch: list[Query], rows: list[int]
    ) -> list[tuple[float, list[Any], float]]:
        places = [members[row] for row in rows]
        references = [] if against is None else [against[firsts[at]] for at in places]
        aims = [targets[firsts[at]] for at in places]
        values, table, far = _gradient(model, batch, references, aims, plain, shared)
        model.inference.backward += sum(len(each.ids) for each in batch)
        reduced = [
            [reduce(caller, gradient) for caller in alike[at]]
            for at, gradient in zip(places, unpadded(table, batch))
        ]
        return list(zip(values.tolist(), reduced, far))

    with (
        model.inference_mode(),
        in_float32(model.hf, label_tokens(model)),
        nullcontext() if plain else first_position_only(model),
    ):
        tokens = budget(model, queries) // (2 if against is None else 4)
        least = 1 if any(each.continuations for each in queries) else FULL
        done: dict[int, Any] = {}
        groups = [(0, [*range(len(distinct))])]
        if against is None:
            groups = fixed_beginnings(model, distinct)
        for shared, members in groups:
            part = [distinct[at] for at in members]
            done |= zip(
                members, run(model, part, max(least, tokens), partial(step, shared, members))
            )
    results: list[Any] = [None] * len(queries)
    for at, rows in enumerate(alike):
        amount, reduced, reference = done[at]
        for row, part in zip(rows, reduced):
            results[row] = Multiplied(amount, part, reference)
    return results


def _alike(
    queries: Sequence[Query], references: Sequence[Query], targets: Sequence[AnyTarget]
) -> list[list[int]]:
    """The rows in groups that share a query, a reference and a target: each group is computed
    once.
    """
    groups: dict[tuple[bytes, bytes, AnyTarget], list[int]] = {}
    for row, (each, reference, target) in enumerate(zip(queries, references, targets)):
        groups.setdefault((each.digest(), reference.digest(), target), []).append(row)
    return list(groups.values())


def _gradient(
    model: Model,
    batch: Sequence[Query],
    references: Sequence[Query],
    aims: Sequence[AnyTarget],
    plain: bool,
    shared: int,
) -> tuple[Tensor, Tensor, list[float]]:
    """The targets' values, their gradients with respect to the padded embeddings (0 at a shared
    beginning), and the values of the references."""
    whole = [*batch, *references]
    leaf = embed(model, whole).detach().requires_grad_(True)
    logits = _logits(model, whole, leaf, plain, shared)
    tokenized = [(each, output) for each, output in zip(batch, logits) if each.edit is None]
    model.inference.remember({each.digest(): output.detach() for each, output in tokenized})
    targets = [resolved(model, aim, output) for aim, output in zip(aims, logits)]
    values = torch.stack([value(model, output, target) for output, target in zip(logits, targets)])
    if references:
        both = [*zip(logits, logits[len(batch) :], targets)]
        linear = torch.stack([secant(model, *each) for each in both])
        far = [float(value(model, reference, target).detach()) for _, reference, target in both]
    (gradient,) = torch.autograd.grad((linear if references else values).sum(), leaf)
    return values.detach(), gradient, far if references else [nan] * len(batch)


def _logits(
    model: Model, whole: Sequence[Query], leaf: Tensor, plain: bool, shared: int
) -> list[Tensor]:
    """The outputs from these embeddings, of which the shared beginning is read once."""
    outputs = outputs_after(model, whole, shared, leaf[:, shared:]) if shared else None
    if outputs is None:
        kept = model.functions.kept(model, whole)
        answer = (
            plain_forward(model, whole, leaf, kept=kept) if plain else forward(model, whole, leaf)
        )
        return outputs_of(model, whole, answer)
    model.inference.backward -= shared * len(whole)
    model.inference.tokens -= shared * (len(leaf) - 1)
    return outputs
