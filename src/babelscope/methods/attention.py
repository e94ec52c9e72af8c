"""Attributions from attention weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from torch import Tensor

from babelscope.model import forward
from babelscope.model.load import Model
from babelscope.types import Encoded, Explained, Target


def attention(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """What the position that the head reads attends to in the last layer.

        a_t = 1/H sum_h A[L, h, q, t]

    A the attention weights after the softmax, L the last layer, q the position that is read out: the first token for an
    encoder, the last for a decoder; for reading comprehension the mean over the answer's start and end.

    *Laws*: in [0, 1]; the sum over all positions, special ones included, is 1. Unsigned: a word's score is the maximum.
    *Left open by the paper*: nothing but the read-out position of decoders and span heads.
    Source: Jain and Wallace 2019; Zhao and Aletras 2024, "alpha".
    """

    def reduce(row: int, weights: Float[Tensor, "layer head token token"]) -> Float[Tensor, " token"]:
        mean = weights[-1].double().mean(dim=0)
        target = targets[row]
        if model.task == "question-answering":
            return (mean[target.index] + mean[target.end]).cpu() / 2
        return mean[-1 if model.reads_last_token else 0].cpu()

    found = forward.attentions(model, [forward.query(row) for row in inputs], reduce)
    return [Explained(np.asarray(part.numpy()[row.content])) for row, part in zip(inputs, found)]
