"""Attributions from attention weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from babelscope.model import activations, inference
from babelscope.model.activations import ActivationGradients
from babelscope.model.load import Model
from babelscope.types import AnyTarget, Encoded, Explained, Target


def attention(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]
) -> list[Explained]:
    """What the position that the prediction head reads attends to in the last layer.

        a_t = 1/H sum_h A[L, h, q, t]

    A the attention weights after the softmax, L the last layer, q the position that the prediction
    head reads: the first token for an encoder, the last for a decoder; for extractive question
    answering the mean over the answer's start and end.

    *Laws*: in [0, 1]; the sum over all positions, special ones included, is 1. Unsigned: a word's
    score is the maximum.
    *Left open by the paper*: the position q of decoders and span heads.
    Source: Jain and Wallace 2019; Zhao and Aletras 2024, "alpha".
    """

    def reduce(
        row: int, weights: Float[Tensor, "layer head token token"]
    ) -> Float[Tensor, " token"]:
        return read(model, targets[row], weights[-1].double().mean(dim=0).cpu())

    scores = activations.attentions(model, [inference.query(row) for row in inputs], reduce)
    return _explained(inputs, scores)


def scaled_attention(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """Last-layer attention times the gradient of the explained value with respect to it.

        a_t = 1/H sum_h A[L, h, q, t] dF / dA[L, h, q, t]

    *Laws*: signed; 0 where attention is 0; the gradient is not constant: with detached weights the
    scores would be the weights.
    *Left open by the paper*: whether heads are averaged before the product or after; after, here.
    Source: Serrano and Smith 2019; Zhao and Aletras 2024, "alpha grad alpha".
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        return read(
            model, inside.target, (inside.weights[-1] * inside.weight_gradients[-1]).mean(dim=0)
        )

    return _from_interiors(model, inputs, targets, reduce)


def rollout(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Attention multiplied through the layers, with the residual path beside it.

        J = B[L] ... B[1],    B[l] = rownorm(1/H sum_h A[l, h] + I);    a_t = J[q, t]

    *Laws*: in [0, 1]; the sum over all positions is 1; J is lower triangular for a decoder;
    independent of the target.
    Source: Abnar and Zuidema 2020, eq. 1.
    """

    def reduce(
        row: int, weights: Float[Tensor, "layer head token token"]
    ) -> Float[Tensor, " token"]:
        return read(model, targets[row], rolled(weights.double().mean(dim=1).cpu()))

    return _explained(
        inputs, activations.attentions(model, [inference.query(row) for row in inputs], reduce)
    )


def generic_attention(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """Relevance of tokens for one another, updated layer by layer with attention that pulls the
    value up.

        R[0] = I,    R[l] = R[l - 1] + C[l] R[l - 1],    a_t = R[L][q, t]
        C[l] = 1/H sum_h max(0, A[l, h] dF / dA[l, h])

    *Laws*: never negative.
    Source: Chefer, Gur and Wolf 2021b (GAE), eqs. 5 and 6.
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        relevance = torch.eye(
            inside.weights.shape[-1], dtype=torch.float64, device=inside.weights.device
        )
        for layer in (inside.weights * inside.weight_gradients).clamp(min=0).mean(dim=1):
            relevance = relevance + layer @ relevance
        return read(model, inside.target, relevance)

    return _from_interiors(model, inputs, targets, reduce)


def grads(model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]) -> list[Explained]:
    """The gradient with respect to last-layer attention, averaged over heads and over the attending
    positions.

        a_t = max(0, 1/(H T) sum_h sum_i dF / dA[L, h, i, t])

    *Laws*: never negative.
    Source: the Grad-CAM baseline of Chefer, Gur and Wolf 2021a and Qiang et al. 2022 ("Grads").
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        return inside.weight_gradients[-1].mean(dim=(0, 1)).clamp(min=0)

    return _from_interiors(model, inputs, targets, reduce)


def attgrads(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """Last-layer attention with each head weighted by its mean gradient.

        M = max(0, 1/H sum_h w_h A[L, h]),    w_h = mean_ij dF / dA[L, h, i, j]
        a_t = (M[q, t] - min M) / (max M - min M)

    *Laws*: in [0, 1]; all 0 if M is constant.
    Source: the attention Grad-CAM baseline of Chefer, Gur and Wolf 2021a and Qiang et al. 2022
    ("AttGrads").
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        shares = inside.weight_gradients[-1].mean(dim=(1, 2), keepdim=True)
        matrix = (shares * inside.weights[-1]).mean(dim=0).clamp(min=0)
        spread = matrix.max() - matrix.min()
        return read(
            model,
            inside.target,
            (matrix - matrix.min()) / spread if spread > 0 else torch.zeros_like(matrix),
        )

    return _from_interiors(model, inputs, targets, reduce)


def cat(model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]) -> list[Explained]:
    """Hidden state times gradient, summed over the layers.

        a_t = sum_l H[l, t] . dF / dH[l, t]        H[l] the input of layer l

    *Laws*: signed; the term of the first layer is input x gradient after the embedding layer.
    Source: Qiang et al. 2022 (AttCAT), the ablation without attention.
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        return (inside.states * inside.state_gradients).sum(dim=(0, 2))

    return _from_interiors(model, inputs, targets, reduce)


def attcat(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """Hidden state times gradient times the attention that the token receives, summed over the
    layers.

        a_t = sum_l (H[l, t] . dF / dH[l, t]) 1/(H T) sum_h sum_i A[l, h, i, t]

    *Laws*: signed; 0 at a token that no position attends to.
    Source: Qiang et al. 2022 (AttCAT), eqs. 6 to 8.
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        attended = inside.weights.mean(dim=(1, 2))
        return ((inside.states * inside.state_gradients).sum(dim=-1) * attended).sum(dim=0)

    return _from_interiors(model, inputs, targets, reduce)


def rolled(layers: Float[Tensor, "layer token token"]) -> Float[Tensor, "token token"]:
    """The layers' matrices with the identity added and rows normalised, multiplied from the first
    to the last."""
    identity = torch.eye(layers.shape[-1], dtype=layers.dtype, device=layers.device)
    product = identity
    for layer in layers:
        mixed = layer + identity
        product = (mixed / mixed.sum(dim=-1, keepdim=True)) @ product
    return product


def read_out(model: Model, target: Target) -> tuple[int, ...]:
    """The positions that the prediction head reads: the first token, the last for a decoder, the
    answer's ends for a span, the token that bears a tag."""
    return model.functions.read_out(model, target)


def read(
    model: Model, target: Target, matrix: Float[Tensor, "token token"]
) -> Float[Tensor, " token"]:
    """The row of the position that the prediction head reads; the mean of the rows where it reads
    several."""
    return matrix[list(read_out(model, target))].mean(dim=0)


def _from_interiors(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[AnyTarget],
    reduce: Callable[[int, ActivationGradients], Tensor],
) -> list[Explained]:
    return _explained(
        inputs,
        activations.activations_with_gradients(
            model, [inference.query(row) for row in inputs], targets, reduce
        ),
    )


def _explained(inputs: Sequence[Encoded], scores: Sequence[Tensor]) -> list[Explained]:
    return [
        Explained(np.asarray(values.cpu().numpy()[row.content]))
        for row, values in zip(inputs, scores)
    ]
