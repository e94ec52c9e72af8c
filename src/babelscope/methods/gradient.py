"""Attributions from the gradient of the explained value with respect to each position's word
embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods.rounding import changed_copies, movement, rounding_flag
from babelscope.model import inference
from babelscope.model.erase import pads
from babelscope.model.load import Model
from babelscope.types import AnyTarget, Encoded, Explained

BASELINES = ("pad", "mask", "zero", "mean")


def gradient_norm(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """The length of the gradient at each position.

        a_t = || dF / de_t ||_2

    e_t the word embedding at position t, before position embeddings and layer norm.

    *Laws*: never negative; 0 at a token that the model ignores; the gradient is the central
    difference of F.
    Source: Simonyan, Vedaldi and Zisserman 2014; Li et al. 2016.
    """

    def reduce(row: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        lengths: Tensor = gradient.double().norm(dim=-1).cpu()
        return lengths

    return _from_gradients(model, inputs, targets, reduce)


def input_x_gradient(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """The gradient at each position times its embedding.

        a_t = e_t . dF / de_t

    The gradient is taken at the position, not at a row of the embedding matrix: two occurrences of
    a word have separate scores, and other texts of the batch do not influence them. Signed; ranking
    by |a_t| is left to the metric.

    *Laws*: for F linear in the embeddings, the sum is F(x) - F(0); independent of the rest of the
    batch.
    Source: Shrikumar et al. 2016; Denil et al. 2014.
    """

    def reduce(row: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        embedded = model.embeddings(torch.from_numpy(inputs[row].ids).to(model.device)).detach()
        product: Tensor = (gradient.double() * embedded.double()).sum(dim=-1).cpu()
        return product

    return _from_gradients(model, inputs, targets, reduce)


def available_baseline(model: Model, baseline: str) -> tuple[str, tuple[str, ...]]:
    """The baseline, and the zero vector with a flag where it is padding and the tokenizer has
    none, or in a prompt one that means something else."""
    if baseline not in BASELINES:
        raise InputError(f"baseline {baseline!r} is not one of: {', '.join(BASELINES)}")
    if baseline == "pad" and model.tokenizer.pad_token_id is None:
        return "zero", ("no padding token: the baseline is the zero vector",)
    if baseline == "pad" and model.prompt is not None and not pads(model):
        return "zero", ("the padding token also ends texts: the baseline is the zero vector",)
    return baseline, ()


def baseline_vector(model: Model, baseline: str) -> Float[Tensor, " dim"]:
    """The embedding that stands for "no information"."""
    table = model.embeddings.weight.detach()
    if baseline == "zero":
        return torch.zeros_like(table[0])
    if baseline == "mean":
        middle: Tensor = table.mean(dim=0)
        return middle
    token = getattr(model.tokenizer, f"{baseline}_token_id")
    if token is None:
        raise UnsupportedModel(
            f"{model.name} has no {baseline} token for a baseline; use zero or mean"
        )
    embedded: Tensor = model.embeddings(torch.tensor([token], device=model.device))[0].detach()
    return embedded


def displacement(model: Model, row: Encoded, baseline: str) -> Float[Tensor, "token dim"]:
    """e - b at every position, the embedding less its baseline; 0 where the token is fixed."""
    embedded = model.embeddings(torch.from_numpy(row.ids).to(model.device)).detach()
    content = torch.from_numpy(row.content).to(model.device)
    difference: Tensor = (embedded - baseline_vector(model, baseline)) * content[:, None]
    return difference


def on_path(
    row: Encoded, displacement: Float[Tensor, "token dim"], share: float, baseline: str
) -> inference.Query:
    """The input with that share of its displacement from the baseline; all of it is the input."""
    if share == 1.0:
        return inference.query(row)
    key = f"path {baseline} {share!r} {row.content.tobytes().hex()}"
    return replace(
        inference.query(row),
        edit=lambda embedded: embedded - (1.0 - share) * displacement,
        key=key,
        fixed=int(np.argmax(row.content)),
    )


def _from_gradients(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[AnyTarget],
    reduce: Callable[[int, Tensor], Tensor],
) -> list[Explained]:
    """The reduced gradients of the content tokens; in half precision with a flag where rounding
    moves them."""
    plain = [(row, inference.query(encoded)) for row, encoded in enumerate(inputs)]

    def scores(queries: Sequence[tuple[int, inference.Query]]) -> list[NDArray[np.float64]]:
        gradients = inference.gradients(
            model,
            [each for _, each in queries],
            [targets[row] for row, _ in queries],
            lambda at, part: reduce(queries[at][0], part),
        )
        return [
            part.numpy()[inputs[row].content] for (row, _), (_, part) in zip(queries, gradients)
        ]

    # In a call of their own: a batch of other inputs rounds differently
    copies = changed_copies(model, inputs)
    moved = scores(copies) if copies else []
    changed = [
        [part for (of, _), part in zip(copies, moved) if of == row] for row in range(len(inputs))
    ]
    return [
        Explained(each, flags=rounding_flag(model, movement(others), each))
        for each, others in zip(scores(plain), changed)
    ]
