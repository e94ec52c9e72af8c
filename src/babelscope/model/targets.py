"""What is explained: which output of the model, and as which quantity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from babelscope.errors import InputError, Undefined
from babelscope.model.load import Model
from babelscope.model.verbalizer import token as token_of
from babelscope.types import Aim, Encoded, Span, Target

QUANTITIES = ("logit", "probability", "log_odds", "contrast")
UNIT = "unit"
"""The value divided by what it is: 1, with the slope of its logarithm. Relevance of 1 to begin with, for propagation."""
EDGES = ("both", "start", "end")


def value(model: Model, output: Tensor, target: Target) -> Tensor:
    """The explained scalar.

        logit        z_c
        probability  p_c, the softmax (or sigmoid, for independent labels) of z at c
        log_odds     log p_c - log(1 - p_c)
        contrast     z_c - z_d

    c is the class (`index`), d the other one (`contrast`); for a tag z is the output at the token that bears it (`end`).
    For reading comprehension each is the sum over the answer's start and end position (for `probability` the product
    p_start p_end, the model's own joint probability of the span), or of one of the two alone. A probability's gradient
    vanishes where the model is sure, therefore the logit is the default.

    *Laws*: log_odds equals the logit difference for two classes; the gradient is the central difference of the value;
    for a method that is linear in the value, the scores of a contrast are the difference of the two logits' scores.
    """
    if target.quantity not in (*QUANTITIES, UNIT):
        raise InputError(f"quantity {target.quantity!r} is not one of: {', '.join(QUANTITIES)}")
    rows = _rows(model, output, target)
    logits = torch.stack([row[index] for row, index in rows])
    if target.contrast >= 0:
        logits = logits - torch.stack([row[target.contrast] for row, _ in rows])
    if target.quantity in ("logit", "contrast"):
        return logits.sum()
    if target.quantity == UNIT:
        return (logits / torch.where(logits == 0, 1e-12, logits).detach()).sum()
    log = torch.stack([_log(model, row)[index] for row, index in rows]).sum()
    if target.quantity == "probability":
        return log.exp()
    return log - torch.log(-torch.expm1(log)) if model.activation == "softmax" else rows[0][0][target.index]


def secant(model: Model, output: Tensor, reference: Tensor, target: Target) -> Tensor:
    """A linear function of the output whose slope is the value's mean slope on the straight way from the reference.

        m . z,    m = integral_0^1 dF(z' + s (z - z')) / dz ds

    *Laws*: m . (z - z') = F(z) - F(z'); for the logit, m picks it out; a contrast is linear already.
    *Left open by the paper*: DeepLIFT explains logits; this carries it to probabilities and log-odds. 64 Gauss-Legendre nodes.
    """
    start, end = reference.detach(), output.detach()
    mean = torch.zeros_like(end)
    for place, weight in zip(*np.polynomial.legendre.leggauss(1 if target.quantity in ("logit", "contrast") else 64)):
        at = (start + (1 + place) / 2 * (end - start)).requires_grad_(True)
        (slope,) = torch.autograd.grad(value(model, at, target), at)
        mean += weight / 2 * slope
    return (mean * output).sum()


def probability(model: Model, output: Tensor, target: Target) -> float:
    """The model's own probability of the target, from float64 logits."""
    logs = [_log(model, row)[index] for row, index in _rows(model, output, target)]
    return float(sum(logs[1:], logs[0]).exp())


def chosen(model: Model, encoded: Encoded, output: Tensor, aim: Aim, quantity: str = "logit") -> Target:
    """The target that a person asked for, in this input."""
    _refuse(model, encoded, aim, quantity)
    token = _bearer(model, encoded, output, aim.word) if model.task == "token-classification" else -1
    if aim.name is None:
        found = predicted(model, encoded, output, quantity, token=token)
    elif aim.name == "gold":
        found = gold(model, encoded, quantity, token=token)
    else:
        found = named(model, encoded, aim.name, quantity, token=token)
    if aim.edge != "both":
        return replace(found, end=-1) if aim.edge == "start" else replace(found, index=-1)
    if quantity != "contrast":
        return found
    if aim.contrast is not None:
        other = _class(model, aim.contrast)
    else:
        row = (output if token < 0 else output[token]).clone()
        row[found.index] = -torch.inf
        other = int(row.argmax())
    if other == found.index:
        raise InputError(f"{encoded.example.id}: the contrast to {name(model, encoded, found)!r} must be another class")
    return replace(found, contrast=other)


def predicted(model: Model, encoded: Encoded, output: Tensor, quantity: str = "logit", *, token: int = -1) -> Target:
    """The class with the highest logit; of a tagger the tag at `token`, by default at the first word whose tag is not O;
    for reading comprehension the best span within the context, start <= end."""
    if model.task == "token-classification":
        place = token if token >= 0 else _bearer(model, encoded, output, None)
        return Target(int(output[place].argmax()), place, quantity)
    if model.task != "question-answering":
        return Target(int(output.argmax()), quantity=quantity)
    width = output.shape[1]
    context = torch.from_numpy(encoded.segment == encoded.segment.max())[:width]
    inside = torch.where(context, 0.0, -torch.inf)
    pairs = (output[0] + inside)[:, None] + (output[1] + inside)[None, :]
    best = int(pairs.masked_fill(~torch.ones_like(pairs, dtype=torch.bool).triu(), -torch.inf).argmax())
    return Target(best // width, best % width, quantity)


def gold(model: Model, encoded: Encoded, quantity: str = "logit", *, token: int = -1) -> Target:
    """The example's own class, tag or answer. An answer is where the example says it stands, not where its text first
    occurs; a tagger's label holds one tag per word, separated by spaces."""
    example = encoded.example
    if model.task == "question-answering" and example.answer is not None:
        return _span(encoded, example.answer, quantity)
    if example.label is None:
        raise InputError(f"{example.id}: the target is its gold label, but it has none")
    if model.task != "token-classification":
        return named(model, encoded, example.label, quantity)
    tags = example.label.split()
    if len(tags) != len(encoded.words):
        raise InputError(f"{example.id}: the label has {len(tags)} tags, separated by spaces, for {len(encoded.words)} words")
    return named(model, encoded, tags[int(encoded.word[token])], quantity, token=token)


def named(model: Model, encoded: Encoded, label: str, quantity: str = "logit", *, token: int = -1) -> Target:
    """The class of that name; for reading comprehension the first span of tokens of that answer text in the context."""
    if model.task != "question-answering":
        return Target(_class(model, label), token, quantity)
    start = encoded.example.texts[-1].find(label)
    if start < 0 or not label:
        raise InputError(f"{encoded.example.id}: the answer {label!r} does not stand in the context")
    return _span(encoded, (start, start + len(label)), quantity)


def name(model: Model, encoded: Encoded, target: Target) -> str:
    """The target in words: the class's name, or the answer's text (of a single edge, its token's)."""
    if model.task != "question-answering":
        return model.labels[target.index]
    edges = [edge for edge in (target.index, target.end) if edge >= 0]
    return encoded.example.texts[-1][encoded.offsets[edges[0]][0] : encoded.offsets[edges[-1]][1]]


def _refuse(model: Model, encoded: Encoded, aim: Aim, quantity: str) -> None:
    """What does not go together is refused in one line."""
    if quantity not in QUANTITIES:
        raise InputError(f"quantity {quantity!r} is not one of: {', '.join(QUANTITIES)}")
    if aim.edge not in EDGES:
        raise InputError(f"edge {aim.edge!r} is not one of: {', '.join(EDGES)}")
    if aim.contrast is not None and quantity != "contrast":
        raise InputError(f"a contrast class was given ({aim.contrast!r}), but the quantity is {quantity}; ask for contrast")
    if aim.edge != "both" and model.task != "question-answering":
        raise InputError(f"{model.name} ({model.task}) gives no answer span, so there is no {aim.edge} of it to explain")
    if aim.word is not None and model.task != "token-classification":
        raise InputError(f"{model.name} ({model.task}) tags no words; leave the word out")
    if aim.word is not None and not 0 <= aim.word < len(encoded.words):
        raise InputError(f"{encoded.example.id}: there is no word {aim.word}; words count from 0 to {len(encoded.words) - 1}")
    if quantity == "contrast" and (model.task == "question-answering" or len(model.labels) < 2):
        raise InputError(f"a contrast needs two classes; {model.name} ({model.task}) has {len(model.labels)}")


def _rows(model: Model, output: Tensor, target: Target) -> list[tuple[Tensor, int]]:
    """The rows of logits that the target reads, and where in each."""
    if model.task == "question-answering":
        places = [(output[side], place) for side, place in enumerate((target.index, target.end)) if place != -1]
    elif model.task == "token-classification":
        if not 0 <= target.end < len(output):
            raise Undefined(f"the target's position {target.end} is outside of the input")
        places = [(output[target.end], target.index)]
    else:
        places = [(output, target.index)]
    for row, index in places:
        if not 0 <= index < len(row):
            raise Undefined(f"the target's position {index} is outside of the input")
    if not places:
        raise Undefined("the target names neither the start nor the end of an answer")
    return places


def _bearer(model: Model, encoded: Encoded, output: Tensor, word: int | None) -> int:
    """The first token of the word; by default of the first word whose predicted tag is not O, or of the first word."""
    firsts = [int((encoded.word == each).argmax()) for each in range(len(encoded.words))]
    if word is not None:
        return firsts[word]
    return next((token for token in firsts if model.labels[int(output[token].argmax())] != "O"), firsts[0])


def _class(model: Model, label: str) -> int:
    """The class of that name; of a language model the token that the word would be, going on with the text."""
    return token_of(model, label) if model.generates and not model.verbalizer else model.label_index(label)


def _span(encoded: Encoded, answer: Span, quantity: str) -> Target:
    """The tokens of the context that overlap the answer's characters."""
    start, end = answer
    inside = [
        token
        for token, (first, last) in enumerate(encoded.offsets)
        if encoded.segment[token] == encoded.segment.max() and first < end and last > start
    ]
    if not inside:
        text = encoded.example.texts[-1][start:end]
        raise InputError(f"{encoded.example.id}: the answer {text!r} was truncated away; explain it in windows")
    return Target(inside[0], inside[-1], quantity)


def _log(model: Model, row: Tensor) -> Tensor:
    if model.activation == "sigmoid":
        return torch.nn.functional.logsigmoid(row)
    return torch.log_softmax(row, dim=-1)
