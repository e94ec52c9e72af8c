"""What is explained: which output of the model, and as which quantity."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from babelscope.errors import InputError, Undefined
from babelscope.model.load import Model
from babelscope.types import Encoded, Target

QUANTITIES = ("logit", "probability", "log_odds")
UNIT = "unit"
"""The value divided by what it is: 1, with the slope of its logarithm. Relevance of 1 to begin with, for propagation."""


def value(model: Model, output: Tensor, target: Target) -> Tensor:
    """The explained scalar.

        logit        z_c
        probability  p_c, the softmax (or sigmoid, for independent labels) of z at c
        log_odds     log p_c - log(1 - p_c)

    For reading comprehension each is the sum over the answer's start and end position (for `probability` the product
    p_start p_end, the model's own joint probability of the span). A probability's gradient vanishes where the model is
    sure, therefore the logit is the default.

    *Laws*: log_odds equals the logit difference for two classes; the gradient is the central difference of the value.
    """
    if target.quantity not in (*QUANTITIES, UNIT):
        raise InputError(f"quantity {target.quantity!r} is not one of: {', '.join(QUANTITIES)}")
    rows = [(output[0], target.index), (output[1], target.end)] if output.dim() == 2 else [(output, target.index)]
    for row, index in rows:
        if not 0 <= index < len(row):
            raise Undefined(f"the target's position {index} is outside of the input")
    logits = torch.stack([row[index] for row, index in rows])
    if target.quantity == "logit":
        return logits.sum()
    if target.quantity == UNIT:
        return (logits / torch.where(logits == 0, 1e-12, logits).detach()).sum()
    logs = [(_log(model, row), index) for row, index in rows]
    log = torch.stack([row[index] for row, index in logs]).sum()
    if target.quantity == "probability":
        return log.exp()
    return log - torch.log(-torch.expm1(log)) if len(rows) == 2 or model.activation == "softmax" else output[target.index]


def secant(model: Model, output: Tensor, reference: Tensor, target: Target) -> Tensor:
    """A linear function of the output whose slope is the value's mean slope on the straight way from the reference.

        m . z,    m = integral_0^1 dF(z' + s (z - z')) / dz ds

    *Laws*: m . (z - z') = F(z) - F(z'); for the logit, m picks it out.
    *Left open by the paper*: DeepLIFT explains logits; this carries it to probabilities and log-odds. 64 Gauss-Legendre nodes.
    """
    start, end = reference.detach(), output.detach()
    mean = torch.zeros_like(end)
    for place, weight in zip(*np.polynomial.legendre.leggauss(1 if target.quantity == "logit" else 64)):
        at = (start + (1 + place) / 2 * (end - start)).requires_grad_(True)
        (slope,) = torch.autograd.grad(value(model, at, target), at)
        mean += weight / 2 * slope
    return (mean * output).sum()


def probability(model: Model, output: Tensor, target: Target) -> float:
    """The model's own probability of the target, from float64 logits."""
    return float(value(model, output, Target(target.index, target.end, "probability")))


def predicted(model: Model, encoded: Encoded, output: Tensor, quantity: str = "logit") -> Target:
    """The class with the highest logit; for reading comprehension the best span within the context, start <= end."""
    if output.dim() == 1:
        return Target(int(output.argmax()), quantity=quantity)
    context = torch.from_numpy(encoded.segment == encoded.segment.max())
    inside = torch.where(context, 0.0, -torch.inf)
    pairs = (output[0] + inside)[:, None] + (output[1] + inside)[None, :]
    best = int(pairs.masked_fill(~torch.ones_like(pairs, dtype=torch.bool).triu(), -torch.inf).argmax())
    return Target(best // len(inside), best % len(inside), quantity)


def named(model: Model, encoded: Encoded, label: str, quantity: str = "logit") -> Target:
    """The class of that name; for reading comprehension the span of tokens of that answer text in the context."""
    if model.task != "question-answering":
        return Target(model.label_index(label), quantity=quantity)
    start = encoded.example.texts[-1].find(label)
    if start < 0 or not label:
        raise InputError(f"{encoded.example.id}: the answer {label!r} does not stand in the context")
    end = start + len(label)
    inside = [
        token
        for token, (first, last) in enumerate(encoded.offsets)
        if encoded.segment[token] == encoded.segment.max() and first < end and last > start
    ]
    if not inside:
        raise InputError(f"{encoded.example.id}: the answer {label!r} was truncated away; explain it in windows")
    return Target(inside[0], inside[-1], quantity)


def name(model: Model, encoded: Encoded, target: Target) -> str:
    """The target in words: the class's name, or the answer's text."""
    if model.task != "question-answering":
        return model.labels[target.index]
    start, end = encoded.offsets[target.index][0], encoded.offsets[target.end][1]
    return encoded.example.texts[-1][start:end]


def _log(model: Model, row: Tensor) -> Tensor:
    if model.activation == "sigmoid":
        return torch.nn.functional.logsigmoid(row)
    return torch.log_softmax(row, dim=-1)
