"""Attributions from what each token contributes to each layer, or to the output."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from babelscope.methods.attention import _explained, read
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.model.tasks.generation import verbalized
from babelscope.propagation import decomposition, zeroing
from babelscope.types import Encoded, Explained, Target


def value_zeroing(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]
) -> list[Explained]:
    """How far a layer's output turns when the value vector of one token is zero, multiplied through
    the layers.

        J = C[L] ... C[1],    C[l, i, j] = rownorm(1 - cos(y[l, i], y[l, i | v_j = 0]))
        a_t = J[q, t]

    y[l, i] the output of layer l at position i, feed-forward block included; v_j the value vectors
    of token j in all heads of that layer, whose attention weights stay as they are; q as in
    `attention`.

    *Laws*: in [0, 1]; the sum over all positions is 1; C[l, i, j] is 0 where i does not attend to
    j; independent of the target. The residual path is part of y, so no identity is added.
    *Left open by the paper*: a row of zeros is undefined.
    Source: Mohebbi et al. 2023 (arXiv 2301.12971); rollout without the identity, as in the authors'
    code.
    """
    return _multiplied(
        model, inputs, targets, zeroing.distances(model, [inference.query(row) for row in inputs])
    )


def alti(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """How much closer a token's part brings a layer's attention output to its final value,
    multiplied through the layers.

        J = C[L] ... C[1],    C[l] = rownorm(max(0, |y_i| - |y_i - T_i(x_j)|));    a_t = J[q, t]

    y_i the output of layer l's attention block at position i, with the residual path and the norm
    that follows them, if one does; T_i(x_j) the part of y_i that comes from the layer's input x_j,
    attention weights and norm statistics held fixed; |.| the sum of absolute values; q as in
    `attention`.

    *Laws*: in [0, 1]; the sum over all positions is 1; J is lower triangular for a decoder;
    independent of the target; without biases behind the values, sum_j T_i(x_j) = y_i.
    *Left open by the paper*: decoders, whose norm comes before attention: there y_i is the sum
    alone. The bias of the values is in T_i(x_j), other biases are in y_i only.
    Source: Ferrando, Gállego and Costa-jussà 2022 (ALTI, arXiv 2203.04212); the value's bias as in
    the authors' code.
    """

    def nearer(
        part: Float[Tensor, "part token dim"], whole: Float[Tensor, "token dim"]
    ) -> Float[Tensor, "part token"]:
        return (whole.abs().sum(dim=-1) - (whole - part).abs().sum(dim=-1)).clamp(min=0)

    queries = [inference.query(row) for row in inputs]
    return _multiplied(model, inputs, targets, decomposition.layerwise(model, queries, nearer))


def globenc(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """How long a token's part of a layer's output is, multiplied through the layers.

        J = C[L] ... C[1],    C[l] = rownorm(||E_i(x_j)||);    a_t = J[q, t]

        E_i(x_j) = D_i(T_i(x_j))        T as in alti

    D_i the path from the attention block to the layer's output beside the feed-forward block: the
    second residual path and, where a norm follows it, that norm with the statistics of its whole
    input, the feed-forward block's output included. ||.|| the Euclidean length; q as in
    `attention`.

    *Laws*: in [0, 1]; the sum over all positions is 1; J is lower triangular for a decoder;
    independent of the target.
    *Left open by the paper*: decoders, whose norm is inside the feed-forward block's branch: there
    E = T.
    Source: Modarressi et al. 2022 (GlobEnc), N_ENC as in the authors' code; rollout without the
    identity.
    """

    def length(
        part: Float[Tensor, "part token dim"], whole: Float[Tensor, "token dim"]
    ) -> Float[Tensor, "part token"]:
        return part.pow(2).sum(dim=-1).sqrt()

    queries = [inference.query(row) for row in inputs]
    return _multiplied(
        model, inputs, targets, decomposition.layerwise(model, queries, length, whole_layer=True)
    )


def decompx(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Each token's part of the output, carried through all layers without ever being added up.

        a_t = sum_c dF/dz_c Z[t, c],    z_c = sum_t Z[t, c]

    z the outputs, Z their parts. At the first layer's input a token's part is the vector at its
    position. Attention weights and norm statistics are held fixed, an activation f(x) is
    multiplication by f(x) / x. A bias b is distributed over the tokens in proportion to |b . P_t|,
    P_t the part of token t after the operation; biases within the attention block are distributed
    together, after its residual sum.

    *Laws*: signed; for a logit the scores of all tokens, special ones included, sum to it; without
    biases they are the relevances of cp_lrp at the first layer's input.
    *Left open by the paper*: shares are equal where all products |b . P_t| are 0; in gated layers
    the gate is a weight; a probability is expanded to first order. All layers are treated alike,
    while the authors' code assigns the value bias of the first to each token itself. Memory grows
    with the square of the tokens.
    Source: Modarressi et al. 2023 (DecompX), with the defaults of the authors' code: activations
    linearised through the origin, biases by absolute products.
    """

    def reduce(row: int, parts: Tensor, output: Tensor) -> Float[Tensor, " token"]:
        leaf = output.clone().requires_grad_(True)
        logits = verbalized(model, leaf)
        (gradient,) = torch.autograd.grad(value(model, logits, targets[row]), leaf)
        return (parts * gradient).flatten(start_dim=1).sum(dim=1)

    return _explained(
        inputs, decomposition.outputs(model, [inference.query(row) for row in inputs], reduce)
    )


def _multiplied(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], matrices: Sequence[Tensor]
) -> list[Explained]:
    return _explained(
        inputs,
        [read(model, target, multiplied(layers)) for target, layers in zip(targets, matrices)],
    )


def multiplied(layers: Float[Tensor, "layer token token"]) -> Float[Tensor, "token token"]:
    """The layers' matrices with rows normalised, multiplied from the first to the last. A row of
    zeros is undefined: NaN."""
    product = torch.eye(layers.shape[-1], dtype=layers.dtype)
    for layer in layers:
        product = (layer / layer.sum(dim=-1, keepdim=True)) @ product
    return product
