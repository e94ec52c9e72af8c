"""From signed scores of units to weights that total 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from babelscope.errors import InputError, Undefined

Scores = Float[np.ndarray, " unit"]
Shares = Float[np.ndarray, "unit sign"]
"""One column of weights; or two, for and against, where signs are kept apart. All of it totals 1.
"""


@dataclass(frozen=True, slots=True)
class Norm:
    """A row of NORMS: how scores become weights, and what changes of the scores it ignores."""

    name: str
    function: Callable[[Scores], Shares]
    summary: str
    scale: bool = True
    """Scores times a positive number give the same weights."""
    flip: bool = False
    """Scores times -1 give the same weights."""


def _absolute(scores: Scores) -> Shares:
    return _shares(np.abs(scores), "all attributions are zero")


def _positive(scores: Scores) -> Shares:
    reason = "no attribution is positive" if np.any(scores) else "all attributions are zero"
    return _shares(np.maximum(scores, 0), reason)


def _square(scores: Scores) -> Shares:
    top = np.abs(scores).max()
    return _shares((scores / top) ** 2 if top > 0 else scores, "all attributions are zero")


def _minmax(scores: Scores) -> Shares:
    """A constant vector says that no unit is better than another: uniform."""
    if not np.any(scores):
        raise Undefined("all attributions are zero")
    raised = scores - scores.min()
    return _shares(raised if raised.any() else np.ones_like(scores), "")


def _softmax(scores: Scores) -> Shares:
    if not np.any(scores):
        raise Undefined("all attributions are zero")
    return _shares(np.exp(scores - scores.max()), "")


def _signed(scores: Scores) -> Shares:
    sides = np.stack([np.maximum(scores, 0), np.maximum(-scores, 0)], axis=1)
    total = sides.sum()
    if not total > 0:
        raise Undefined("all attributions are zero")
    return np.asarray(sides / total)


def _shares(parts: Scores, reason: str) -> Shares:
    total = parts.sum()
    if not total > 0:
        raise Undefined(reason)
    return np.asarray(parts / total)[:, None]


_ROWS = (
    Norm("abs", _absolute, "|r| / sum |r|: importance whatever its sign", flip=True),
    Norm("positive", _positive, "max(r, 0) / sum: only what supports the prediction"),
    Norm("square", _square, "r^2 / sum: like abs, more peaked", flip=True),
    Norm("minmax", _minmax, "(r - min) / sum: the lowest unit gets 0"),
    Norm("softmax", _softmax, "exp(r) / sum: depends on the scale of the scores", scale=False),
    Norm(
        "signed",
        _signed,
        "for and against kept apart: support may only flow to support, opposition to opposition",
    ),
)
NORMS = {row.name: row for row in _ROWS}
"""The ways to make weights of scores, by name; `abs` is the default."""


def weights(scores: Scores, norm: str = "abs") -> Shares:
    """Weights >= 0 that total 1, by one of NORMS; raises Undefined where there are none.

        weights_i = g(scores_i) / sum_k g(scores_k)
        signed: two columns, max(scores, 0) and max(-scores, 0), over sum |scores|

    *Laws*: >= 0 and total 1; times a positive number the same but for softmax; times -1 the same
    for abs and square, the columns exchanged for signed; all zero is undefined for every norm,
    nothing positive for `positive`.

    *Left open by the paper*: it says "normalised" only. `abs` is our default; `sensitivity`
    compares all.
    """
    if norm not in NORMS:
        raise InputError(f"there is no norm {norm!r}; there are: {', '.join(NORMS)}")
    if not len(scores):
        raise Undefined("there is no unit")
    if not np.isfinite(scores).all():
        raise Undefined(f"an attribution is not finite: {scores[~np.isfinite(scores)][0]}")
    return NORMS[norm].function(np.asarray(scores, dtype=np.float64))
