"""Where a path through the embeddings passes near a singularity of the model's first normalisation.

The first norm divides by the root of a variance (or mean square) plus a small constant. Along a
straight path that is the root of a quadratic function of the place, and between its complex zeros
the direction of the state turns: the nearer they are to the path, the faster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Complex
from torch import Tensor

from babelscope.model.batches import budget, run
from babelscope.model.forward import Query, forward, unpadded
from babelscope.model.transformer import Model

CONSTANTS = ("eps", "variance_epsilon")
"""What norms in transformers call the constant under their root."""


class _Reached(Exception):
    """The first norm was called; nothing above it is needed."""


def norm_zeros(
    model: Model, starts: Sequence[Query], ends: Sequence[Query]
) -> list[Complex[np.ndarray, " zero"]]:
    """Per pair of inputs, for every token that moves from the one to the other, the complex place
    between them (0 and 1) at which what is under the root of the first norm vanishes.

        v(s) = e + v_0 + 2 s c + s^2 v_d = 0
        at  s = -c / v_d + i sqrt((e + v_0) / v_d - (c / v_d)^2)

    v_0 the variance at the start, v_d that of the difference, c their covariance, over the
    dimensions of a token; for a norm that does not centre, mean squares; e the norm's constant,
    without which a path from the zero vector would begin at the zero itself. What lies before the
    first norm is linear in the embeddings. Nothing above it is computed.

    *Laws*: v vanishes there; empty where the model has no norm, or reads several sequences.
    """
    if any(each.continuations or each.candidates for each in (*starts, *ends)):
        return [np.zeros(0, dtype=complex) for _ in starts]
    states, constant = _norm_inputs(model, [*starts, *ends])
    return [_zeros(*both, constant) for both in zip(states, states[len(starts) :])]


def _norm_inputs(model: Model, queries: Sequence[Query]) -> tuple[list[Tensor | None], float]:
    """Per query what the first norm reads, centred if it centres, [token, dimension]; and the
    constant that the norm adds to the variance."""
    norms = [layer for layer in model.hf.modules() if "Norm" in type(layer).__name__]
    reached: list[Tensor] = []
    constants: list[float] = []

    def stop(layer: torch.nn.Module, arguments: tuple[Tensor, ...]) -> None:
        state = arguments[0].detach().double()
        centred = isinstance(layer, torch.nn.LayerNorm)
        reached.append(state - state.mean(dim=-1, keepdim=True) if centred else state)
        names = (name for name in CONSTANTS if hasattr(layer, name))
        constants.append(float(getattr(layer, next(names, ""), 0.0) or 0.0))
        raise _Reached

    def step(batch: list[Query], rows: list[int]) -> list[Tensor | None]:
        reached.clear()
        try:
            with torch.no_grad():
                forward(model, batch)
        except _Reached:
            if reached[0].dim() == 3 and len(reached[0]) == len(batch):
                return list(unpadded(reached[0], batch))
        return [None] * len(batch)

    if not norms:
        return [None] * len(queries), 0.0
    tokens = model.inference.tokens, model.inference.padding
    handles = [layer.register_forward_pre_hook(stop) for layer in norms]
    try:
        with model.inference_mode():
            states = run(model, list(queries), budget(model, queries), step)
            return states, constants[0] if constants else 0.0
    finally:
        model.inference.tokens, model.inference.padding = tokens
        for handle in handles:
            handle.remove()


def _zeros(
    first: Tensor | None, last: Tensor | None, constant: float
) -> Complex[np.ndarray, " zero"]:
    if first is None or last is None or first.shape != last.shape:
        return np.zeros(0, dtype=complex)
    difference = last - first
    start, both, length = (
        (left * right).mean(dim=-1).cpu().numpy()
        for left, right in ((first, first), (first, difference), (difference, difference))
    )
    moves = length > 1e-12 * max(1e-300, float(length.max(initial=0.0)))
    real = -both[moves] / length[moves]
    zeros: Complex[np.ndarray, " zero"] = real + 1j * np.sqrt(
        np.maximum((start[moves] + constant) / length[moves] - real**2, 0.0)
    )
    return zeros
