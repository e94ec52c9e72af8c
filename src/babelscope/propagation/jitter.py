"""How far scores move when the weights change in their last digit: whether an explanation is one of
the model or of its rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch

from babelscope.model.load import Model
from babelscope.random import keyed
from babelscope.types import Explained

JITTER = 6e-8
"""A relative change of the weights: half of the last digit of float32."""
REPEATS = 2
"""How often the weights are changed; the largest movement counts. Of five unstable explanations of
a 12-layer BERT one change shows three, two show all."""
UNSTABLE = 0.01
"""The share of the largest score by which the scores of a stable explanation move at most."""


def with_sensitivity(model: Model, compute: Callable[[], Sequence[Explained]]) -> list[Explained]:
    """The explanations with their sensitivity to the last digit of the weights, and a flag where
    they are not stable.

        s = max over k, t of | a_t(w_k) - a_t(w) | / max_t | a_t(w) |,    w_k = w (1 + 6e-8 u_k)

    u_k is -1 or 1 for every weight, keyed to k and the parameter's name. Flagged where s > 1 %.

    *Laws*: 0 for scores that do not depend on the weights; the same alone as in a batch; the
    weights are restored to the bit.
    Source: this project.
    """
    explanations = list(compute())
    movements = []
    for number in range(REPEATS):
        with jittered(model, number):
            movements.append([_moved(*each) for each in zip(explanations, compute(), strict=True)])
    return [
        _stated(explanation, float(max(column)))
        for explanation, *column in zip(explanations, *movements)
    ]


@contextmanager
def jittered(model: Model, number: int) -> Iterator[None]:
    """Within, every weight is changed in its last digit; the weights are restored on exit."""
    originals = [(weight, weight.data) for weight in model.hf.parameters()]
    with model.inference.without_cache():  # what is in it was computed with other weights
        try:
            for name, weight in model.hf.named_parameters():
                weight.data = weight.data * (1 + JITTER * _signs(weight.data, name, number))
            yield
        finally:
            for weight, before in originals:
                weight.data = before


def _signs(weight: torch.Tensor, name: str, number: int) -> torch.Tensor:
    seed = int(keyed("jitter", number, name).integers(2**63))
    generator = torch.Generator().manual_seed(seed)
    signs = torch.randint(0, 2, weight.shape, generator=generator, dtype=torch.int8)
    return (2 * signs - 1).to(weight)


def _moved(explanation: Explained, other: Explained) -> float:
    size = float(np.abs(explanation.scores).max(initial=0.0))
    change = float(np.abs(np.asarray(other.scores) - explanation.scores).max(initial=0.0))
    return change / size if size else float(change > 0)


def _stated(explanation: Explained, sensitivity: float) -> Explained:
    flag = (
        f"not stable: a change of the weights by {JITTER:.0e} of their size moves the scores by "
        f"{sensitivity:.2g} of the largest"
    )
    return replace(
        explanation,
        flags=(*explanation.flags, *((flag,) if not sensitivity <= UNSTABLE else ())),
        details={**explanation.details, "sensitivity": sensitivity},
    )
