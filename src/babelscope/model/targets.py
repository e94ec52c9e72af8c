"""What is explained: which output of the model, and as which quantity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import torch
from torch import Tensor

from babelscope.errors import InputError
from babelscope.model.transformer import Model
from babelscope.types import Aim, AnyTarget, Encoded, Target

QUANTITIES = ("logit", "probability", "log_probability", "log_odds", "contrast")
UNIT = "unit"
"""The value divided by itself: 1, with the gradient of its logarithm. The initial relevance of 1 of
relevance propagation.
"""
CLOSEST = 1e-12
"""How near to 0 and 1 a function's probability is read: their log-odds would be infinite."""
EDGES = ("both", "start", "end")


def value(model: Model, output: Tensor, target: Target) -> Tensor:
    """The explained scalar.

        logit        z_c
        probability  p_c, the softmax (or sigmoid, for independent labels) of z at c
        log_probability  log p_c
        log_odds     log p_c - log(1 - p_c)
        contrast     z_c - z_d

    c is the class (`index`), d the other one (`contrast`); for a tag z is the output at the token
    that bears it (`end`). For extractive question answering each is the sum over the answer's start
    and end position (for `probability` the product p_start p_end, the model's own joint probability
    of the span), or of one of the two alone. For an answer each is the sum over its tokens, and
    `log_probability` the log-probability of the sequence. A probability's gradient vanishes where
    the model is sure, therefore the logit is the default; of a verbalizer's labels, whose logits
    all rise and fall with the model's wish to say any such word, the log-odds.

    *Laws*: log_odds equals the logit difference for two classes; log_probability of an answer is
    the sum of those of its tokens, and the logarithm of its probability; the gradient is the
    central difference of the value; for a method that is linear in the value, the scores of a
    contrast are the difference of the two logits' scores.
    """
    if target.quantity not in (*QUANTITIES, UNIT):
        raise InputError(f"quantity {target.quantity!r} is not one of: {', '.join(QUANTITIES)}")
    rows = model.functions.read(output, target)
    logits = torch.stack([row[index] for row, index in rows])
    if target.contrast >= 0:
        logits = logits - torch.stack([row[target.contrast] for row, _ in rows])
    if target.quantity in ("logit", "contrast"):
        return logits.sum()
    if target.quantity == UNIT:
        return (logits / torch.where(logits == 0, 1e-12, logits).detach()).sum()
    if model.activation == "none":
        raise InputError(
            f"{model.name} gives scores without probabilities; explain the logit, which is the "
            "score, or a contrast"
        )
    if target.quantity == "log_odds" and model.activation == "softmax" and len(rows) == 1:
        return _log_odds(*rows[0])
    log = torch.stack([_log(model, row)[index] for row, index in rows]).sum()
    if target.quantity in ("probability", "log_probability"):
        return log.exp() if target.quantity == "probability" else log
    return (
        log - torch.log(-torch.expm1(log))
        if model.activation == "softmax"
        else rows[0][0][target.index]
    )


def _log_odds(row: Tensor, index: int) -> Tensor:
    """z_c - log sum_{k != c} exp z_k, which is finite also where p_c rounds to 1."""
    others = torch.cat((row[:index], row[index + 1 :]))
    return row[index] - torch.logsumexp(others, dim=0)


@cache
def gauss_legendre(count: int) -> tuple[list[float], list[float]]:
    """Nodes and weights on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes.tolist(), weights.tolist()


def secant(model: Model, output: Tensor, reference: Tensor, target: Target) -> Tensor:
    """A linear function of the output whose gradient is the value's mean gradient along the
    straight path from the reference.

        m . z,    m = integral_0^1 dF(z' + s (z - z')) / dz ds

    *Laws*: m . (z - z') = F(z) - F(z'); for the logit, m picks it out; a contrast is linear
    already.
    *Left open by the paper*: DeepLIFT explains logits; this carries it to probabilities and
    log-odds. 64 Gauss-Legendre nodes.
    """
    start, end = reference.detach(), output.detach()
    mean = torch.zeros_like(end)
    for place, weight in zip(
        *gauss_legendre(1 if target.quantity in ("logit", "contrast") else 64)
    ):
        at = (start + (1 + place) / 2 * (end - start)).requires_grad_(True)
        (gradient,) = torch.autograd.grad(value(model, at, target), at)
        mean += weight / 2 * gradient
    return (mean * output).sum()


def probability(model: Model, output: Tensor, target: Target) -> float:
    """The model's own probability of the target, from float64 logits; NaN where it gives scores
    without probabilities.
    """
    if model.activation == "none":
        return math.nan
    logs = [_log(model, row)[index] for row, index in model.functions.read(output, target)]
    return float(sum(logs[1:], logs[0]).exp())


def cut_off(model: Model, target: Target, values: Iterable[float]) -> tuple[str, ...]:
    """A flag where a function's probabilities of 0 or 1 determine explained values: their log-odds
    are cut off.
    """
    if not model.row.reads_text or model.hf.outputs != "probabilities":
        return ()
    if target.quantity == "probability":
        return ()
    sizes = [abs(each) for each in values]
    count = sum(size >= -math.log(CLOSEST) - 1e-3 for size in sizes)
    if not count:
        return ()
    return (
        f"{count} of {len(sizes)} answers are a probability of 0 or 1, read as {CLOSEST:g} from "
        "there; explain the probability",
    )


def chosen(
    model: Model, encoded: Encoded, output: Tensor, aim: Aim, quantity: str | None = None
) -> Target:
    """The target that a user specified, in this input; by default as the quantity of its task."""
    quantity = model.functions.quantity(model, encoded) if quantity is None else quantity
    _refuse(model, encoded, aim, quantity)
    token = predicted(model, encoded, output).end if model.row.tags else -1
    if aim.word is not None:
        token = int((encoded.word == aim.word).argmax())
    if aim.name is None:
        target = predicted(model, encoded, output, quantity, token=token)
    elif aim.name == "gold":
        target = gold(model, encoded, quantity, token=token)
    else:
        target = named(model, encoded, aim.name, quantity, token=token)
    if aim.edge != "both":
        return replace(target, end=-1) if aim.edge == "start" else replace(target, index=-1)
    return target if quantity != "contrast" else _contrasted(model, encoded, output, target, aim)


def resolved(model: Model, target: AnyTarget, output: Tensor) -> Target:
    """The target; of a goal, what it is in this output."""
    if isinstance(target, Target):
        return target
    return chosen(model, target.encoded, output, target.aim, target.quantity)


def _contrasted(model: Model, encoded: Encoded, output: Tensor, target: Target, aim: Aim) -> Target:
    """The target with the class that is subtracted: the specified one, or the best of the
    others.
    """
    if aim.contrast is not None:
        other = model.functions.named(model, encoded, aim.contrast, target.end).index
    else:
        ((logits, index),) = model.functions.read(output, target)
        other = int(logits.index_fill(0, torch.tensor([index]), -torch.inf).argmax())
    if other == target.index:
        raise InputError(
            f"{encoded.example.id}: the contrast to {name(model, encoded, target)!r} must be "
            "another class"
        )
    return replace(target, contrast=other)


def predicted(
    model: Model, encoded: Encoded, output: Tensor, quantity: str = "logit", *, token: int = -1
) -> Target:
    """The class with the highest logit; of a tagger the tag at `token`, by default at the first
    word whose tag is not O; for extractive question answering the best span within the context,
    start <= end."""
    return replace(model.functions.predicted(model, encoded, output, token), quantity=quantity)


def gold(model: Model, encoded: Encoded, quantity: str = "logit", *, token: int = -1) -> Target:
    """The example's own class, tag or answer."""
    return replace(model.functions.gold(model, encoded, token), quantity=quantity)


def named(
    model: Model, encoded: Encoded, label: str, quantity: str = "logit", *, token: int = -1
) -> Target:
    """The class of that name; for extractive question answering the first span with that answer's
    text in the context.
    """
    return replace(model.functions.named(model, encoded, label, token), quantity=quantity)


def name(model: Model, encoded: Encoded, target: Target) -> str:
    """The target in words: the class's name, or the answer's text (of a single edge, its
    token's).
    """
    return model.functions.name(model, encoded, target)


def _refuse(model: Model, encoded: Encoded, aim: Aim, quantity: str) -> None:
    """Refuses what the model or the quantity does not have."""
    if quantity not in QUANTITIES:
        raise InputError(f"quantity {quantity!r} is not one of: {', '.join(QUANTITIES)}")
    if aim.edge not in EDGES:
        raise InputError(f"edge {aim.edge!r} is not one of: {', '.join(EDGES)}")
    if aim.contrast is not None and quantity != "contrast":
        raise InputError(
            f"a contrast class was given ({aim.contrast!r}), but the quantity is {quantity}; ask "
            "for contrast"
        )
    if aim.edge != "both" and not model.row.spans:
        raise InputError(
            f"{model.name} ({model.task}) gives no answer span, so there is no {aim.edge} of it to "
            "explain"
        )
    if aim.word is not None and not model.row.tags:
        raise InputError(f"{model.name} ({model.task}) tags no words; leave the word out")
    if aim.word is not None and not 0 <= aim.word < len(encoded.words):
        raise InputError(
            f"{encoded.example.id}: there is no word {aim.word}; words count from 0 to "
            f"{len(encoded.words) - 1}"
        )
    count = model.functions.classes(model, encoded)
    if quantity == "contrast" and count < 2:
        raise InputError(f"a contrast needs two classes; {model.name} ({model.task}) has {count}")


def _log(model: Model, row: Tensor) -> Tensor:
    if model.activation == "sigmoid":
        return torch.nn.functional.logsigmoid(row)
    return torch.log_softmax(row, dim=-1)
