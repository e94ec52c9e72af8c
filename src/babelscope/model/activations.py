"""Activations of a model: attention weights, hidden states, gradients with respect to them, logits
at every token.

Each function passes the activations of one input to `reduce` and keeps only its result: the
attention weights of a whole corpus would not fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model.batches import FULL, run
from babelscope.model.forward import Query, embed, forward, outputs_of, unpadded
from babelscope.model.load import Model
from babelscope.model.memory import fitting, weight_bytes
from babelscope.model.plain import has_plain_batches, plain_forward
from babelscope.model.targets import resolved, value
from babelscope.types import AnyTarget, Target

Step = Callable[[list[Query], list[int]], list[Any]]


class Activations(NamedTuple):
    """Of one input: the model's output, the input and output of every layer, and the attention
    weights.
    """

    output: Tensor
    states: Float[Tensor, "state token dim"]
    """The word embeddings as the first layer reads them, then the output of every layer."""
    weights: Float[Tensor, "layer head token token"] | None
    """None where the model returns none."""


class ActivationGradients(NamedTuple):
    """Of one input: attention weights and hidden states, and the gradients of the explained value
    with respect to them.
    """

    weights: Float[Tensor, "layer head token token"]
    weight_gradients: Float[Tensor, "layer head token token"]
    states: Float[Tensor, "layer token dim"]
    """The input of every layer."""
    state_gradients: Float[Tensor, "layer token dim"]
    target: Target
    """What was explained."""


def attentions(
    model: Model, queries: Sequence[Query], reduce: Callable[[int, Tensor], Any]
) -> list[Any]:
    """Per query `reduce(row, weights)` of the attention weights [layer, head, query token, key
    token].
    """

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        with torch.no_grad():
            layers = _weights(model, forward(model, batch, output_attentions=True))
        weights = torch.stack(layers).transpose(0, 1)
        return [
            reduce(row, _square(matrices, each))
            for row, matrices, each in zip(rows, weights, batch)
        ]

    return _run(model, queries, _room(model, queries, 2), step, weights=True)


def activations(
    model: Model, queries: Sequence[Query], reduce: Callable[[int, Activations], Any]
) -> list[Any]:
    """Per query `reduce(row, activations)`, without gradients."""
    if model.is_encoder_decoder:
        raise UnsupportedModel(
            f"{model.name} has an encoder and a decoder; hidden states are read from a single "
            "stack of layers"
        )
    visible = not model.unseen_attention

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        with torch.no_grad():
            output = forward(model, batch, output_attentions=visible, output_hidden_states=True)
        logits, states = (
            outputs_of(model, batch, output),
            torch.stack(tuple(output.hidden_states)).transpose(0, 1),
        )
        weights = torch.stack(_weights(model, output)).transpose(0, 1) if visible else None
        reduced = []
        for place, (row, each) in enumerate(zip(rows, batch)):
            matrices = None if weights is None else _square(weights[place], each).double()
            inner = states[place, :, : len(each.ids)].double()
            reduced.append(reduce(row, Activations(logits[place], inner, matrices)))
        return reduced

    budget = _room(model, queries, 2) if visible else model.inference.budget
    return _run(model, queries, budget, step, weights=visible)


def activations_with_gradients(
    model: Model,
    queries: Sequence[Query],
    targets: Sequence[AnyTarget],
    reduce: Callable[[int, ActivationGradients], Any],
) -> list[Any]:
    """Per query `reduce(row, activations)`: attention weights and hidden states with the target's
    gradients. Goals and the model's own call as in `inference.gradients`.
    """
    plain = has_plain_batches(model, queries)

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        leaf = embed(model, batch).detach().requires_grad_(True)
        call = partial(plain_forward, kept=model.functions.kept(model, batch)) if plain else forward
        output = call(model, batch, leaf, output_attentions=True, output_hidden_states=True)
        layers = _weights(model, output)
        states, count = output.hidden_states[: len(layers)], len(layers)
        logits = outputs_of(model, batch, output)
        model.inference.remember(
            {each.digest(): z.detach() for each, z in zip(batch, logits) if each.edit is None}
        )
        goals = [resolved(model, targets[row], each) for row, each in zip(rows, logits)]
        values = torch.stack([value(model, *each) for each in zip(logits, goals)])
        gradients = torch.autograd.grad(
            values.sum(), [*layers, *states], allow_unused=True, materialize_grads=True
        )
        model.inference.backward += sum(len(each.ids) for each in batch)
        stacked = [
            torch.stack(tuple(part)).transpose(0, 1)
            for part in (layers, gradients[:count], states, gradients[count:])
        ]
        reduced = []
        for place, (row, each) in enumerate(zip(rows, batch)):
            weights, by_weights, inner, by_inner = (
                part[place].detach().double() for part in stacked
            )
            weights, by_weights = _square(weights, each), _square(by_weights, each)
            inner, by_inner = inner[:, : len(each.ids)], by_inner[:, : len(each.ids)]
            tables = (weights, by_weights, inner, by_inner)
            reduced.append(reduce(row, ActivationGradients(*tables, goals[place])))
        return reduced

    return _run(model, queries, _room(model, queries, 6), step, weights=True)


def token_logits(
    model: Model, queries: Sequence[Query], reduce: Callable[[int, Tensor], Any]
) -> list[Any]:
    """Per query `reduce(row, logits)` of a masked language model's logits [token, vocabulary]."""

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        with torch.no_grad():
            logits = forward(model, batch).logits
        return [reduce(row, table) for row, table in zip(rows, unpadded(logits, batch))]

    return _run(model, queries, max(1, min(FULL, model.inference.budget)), step)


def forward_copies(
    model: Model, queries: Sequence[Query], look: Callable[[int, Callable[[int], Any]], Any]
) -> list[Any]:
    """Per query `look(row, call)`, where `call(n)` is the model's own output for n copies of that
    query, unpadded.

    For methods that inspect the layers while the model runs and change them differently in each
    copy.
    """

    def step(batch: list[Query], rows: list[int]) -> list[Any]:
        def call(count: int) -> Any:
            model.inference.tokens += (count - 1) * len(batch[0].ids)
            return forward(model, batch * count)

        return [look(rows[0], call)]

    return _run(model, queries, 1, step)


def position_groups(model: Model, tokens: int) -> list[Int[Tensor, " position"]]:
    """The positions of a text in groups, such that a copy of the text per position of a group stays
    within the budget.
    """
    size = max(1, model.inference.budget // tokens)
    return [
        torch.arange(start, min(start + size, tokens), device=model.device)
        for start in range(0, tokens, size)
    ]


def _run(
    model: Model, queries: Sequence[Query], budget: int, step: Step, *, weights: bool = False
) -> list[Any]:
    """`step` over batches, counted, with attention weights that can be read where they
    are needed.
    """
    if any(each.continuations for each in queries):
        raise UnsupportedModel(
            f"{model.name} predicts several tokens after one input, at several positions, and this "
            "method reads one; use a gradient or erasure method, or label words of one token"
        )
    if any(each.candidates for each in queries):
        raise UnsupportedModel(
            f"{model.name} ({model.task}) reads several sequences for one input, whose states are "
            "no single table; use a gradient or erasure method"
        )
    model.inference.queries += len(queries)
    model.inference.distinct += len(queries)
    with model.inference_mode(), model.visible_attention() if weights else nullcontext():
        return run(model, list(queries), budget, step)


def _room(model: Model, queries: Sequence[Query], times: int) -> int:
    """Tokens in a batch whose attention weights are held in memory `times` times; refuses an input
    that does not fit alone.
    """
    if not hasattr(model.hf.config.get_text_config(), "num_attention_heads"):
        raise UnsupportedModel(f"{type(model.hf).__name__} has no attention weights")
    longest = max((len(each.ids) for each in queries), default=1)
    fits = fitting(model, longest, times * weight_bytes(model, longest), "the attention weights")
    return min(max(FULL, model.inference.budget // 4), fits * longest)


def _weights(model: Model, output: Any) -> tuple[Tensor, ...]:
    layers = tuple(output.attentions or ())
    if not layers or any(layer is None for layer in layers):
        raise UnsupportedModel(
            f"{type(model.hf).__name__} returned no attention weights; use a gradient or erasure "
            "method instead"
        )
    return layers


def _square(weights: Tensor, query: Query) -> Tensor:
    """The attention weights between the query's own tokens."""
    return weights[:, :, : len(query.ids), : len(query.ids)]
