"""Attributions from the maximum flow through attention."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, maximum_flow
from torch import Tensor

from babelscope.methods.attention import _explained, read_out
from babelscope.model import activations, inference
from babelscope.model.load import Model
from babelscope.types import Encoded, Explained, Target

UNIT = 2**30
"""A capacity of 1 as an integer: the flow is found in 32-bit integers."""


def attention_flow(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]
) -> list[Explained]:
    """The maximum flow from the position that the prediction head reads to each token, with
    attention weights as capacities.

        a_t = maximum flow from (L, q) to (0, t),    capacity of (l, i) -> (l - 1, j):  B[l, i, j]

        B[l] = rownorm(1/H sum_h A[l, h] + I)

    A the attention weights, L the number of layers, H the number of heads; q as in `attention`; for
    extractive question answering the mean over the answer's start and end.

    *Laws*: in [0, 1]; never less than rollout, and equal to it in a model of one layer; independent
    of the target.
    *Left open by the paper*: the arithmetic. The cut that limits the flow is found with capacities
    rounded to 2^-30, and its capacity is summed unrounded, so that the score is exact unless two
    cuts differ by less than the rounding. The time grows with about the cube of the tokens; a text
    of 80 takes about a second at twelve layers.
    Source: Abnar and Zuidema 2020, "attention flow".
    """

    def reduce(
        row: int, weights: Float[Tensor, "layer head token token"]
    ) -> Float[Tensor, " token"]:
        mixed = weights.double().mean(dim=1).cpu() + torch.eye(
            weights.shape[-1], dtype=torch.float64
        )
        layers = (mixed / mixed.sum(dim=-1, keepdim=True)).numpy()
        places = [place % layers.shape[-1] for place in read_out(model, targets[row])]
        return torch.from_numpy(np.mean([flows(layers, place) for place in places], axis=0))

    return _explained(
        inputs, activations.attentions(model, [inference.query(row) for row in inputs], reduce)
    )


def flows(layers: NDArray[np.float64], start: int) -> NDArray[np.float64]:
    """The maximum flow from a position after the last layer to every token before the first."""
    depth, tokens, _ = layers.shape
    above = np.repeat(np.arange(depth)[:, None] + 1, tokens**2, axis=1).ravel() * tokens
    tails, heads = (side.ravel() for side in np.indices((tokens, tokens)))
    sources, sinks = above + np.tile(tails, depth), above - tokens + np.tile(heads, depth)
    capacities = layers.ravel()
    whole = np.rint(capacities * UNIT).astype(np.int32)
    edges = csr_matrix((whole, (sources, sinks)), shape=((depth + 1) * tokens,) * 2)
    scores = []
    for token in range(tokens):
        flow = maximum_flow(edges, depth * tokens + start, token).flow
        reached = np.zeros(edges.shape[0], dtype=bool)
        residual = (
            edges - flow
        )  # residual capacities, also against the edges: what flows can be sent back
        residual.data = np.maximum(residual.data, 0)
        residual.eliminate_zeros()
        reached[
            breadth_first_order(residual, depth * tokens + start, return_predecessors=False)
        ] = True
        scores.append(capacities[reached[sources] & ~reached[sinks]].sum())
    return np.array(scores)
