"""How much of a score is the rounding of half precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Target

COPIES = 8
"""Changed copies of a text: the standard deviation of the value is known to about a quarter."""
GRADIENTS = 2
"""Changed copies of a text where each of them gives the scores of all tokens."""
SHARE = 1 / 16
"""Of the entries of the embeddings that are changed: few, so that almost all of the movement is
that of the rounding errors behind them."""
LARGEST = 0.05
"""The share of the scores' standard deviation that rounding may be. On Gemma 3 270M the word scores
deviate from those of float32 by about twice the estimate, because the weights are rounded too and
the tokens of a word share the error of the text's value; the correlation is then about 0.995."""


def rounding_errors(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]
) -> list[float]:
    """Per input the standard deviation of the explained value over equivalent roundings; 0 for a
    model that is not in half precision.

        s = sd over k of F(e + u_k)

    u_k changes one in sixteen of the entries of the content's word embeddings e by one unit in
    the last place, up or down, keyed to k and the input. That changes the input by less than
    storing it in half precision did, and every rounding error behind it is another one.

    *Laws*: 0 in float32 and above, without a query; alone as in a batch; about the standard
    deviation of the differences from float32.
    Source: this project; the method is stochastic arithmetic (Vignes 1993) with few samples.
    """
    if not model.in_half or model.row.reads_text:
        return [0.0] * len(inputs)
    queries = [_changed(row, copy) for row in inputs for copy in range(COPIES)]
    outputs = inference.outputs(model, queries)
    repeated = [target for target in targets for _ in range(COPIES)]
    values = [float(value(model, *each)) for each in zip(outputs, repeated)]
    deviations = np.reshape(values, (len(inputs), COPIES)).std(axis=1, ddof=1)
    return [float(each) for each in deviations]


def changed_copies(model: Model, inputs: Sequence[Encoded]) -> list[tuple[int, inference.Query]]:
    """Copies of the inputs as in `rounding_errors`, each with the number of its input; none for a
    model that is not in half precision."""
    if not model.in_half:
        return []
    return [
        (number, _changed(row, copy)) for number, row in enumerate(inputs)
        for copy in range(GRADIENTS)
    ]  # fmt: skip


def movement(copies: Sequence[NDArray[np.float64]]) -> float:
    """The standard deviation of a score over changed copies, from the mean variance over the
    tokens; 0 without copies."""
    return float(np.sqrt(np.var(copies, axis=0, ddof=1).mean())) if copies else 0.0


def spread(scores: NDArray[np.float64]) -> float:
    """What an error of the scores is compared with: their standard deviation, of a single score
    its size."""
    defined = scores[np.isfinite(scores)]
    return float(defined.std() if len(defined) > 1 else np.abs(defined).sum())


def rounding_flag(model: Model, error: float, scores: NDArray[np.float64]) -> tuple[str, ...]:
    """A flag where rounding is more than a twentieth of the scores' standard deviation, of a
    single score more than a twentieth of it."""
    deviation = spread(scores)
    if not error > LARGEST * deviation:
        return ()
    name = str(model.embeddings.weight.dtype).removeprefix("torch.")
    return (
        f"rounding in {name} moves each score by about {error:.2g}, and their standard deviation "
        f"is {deviation:.2g}: load the model in float32",
    )


def _changed(row: Encoded, copy: int) -> inference.Query:
    return replace(
        inference.query(row),
        edit=lambda embedded: embedded * _factors(row, embedded, copy),
        key=f"rounding {copy} {row.content.tobytes().hex()} {row.example.lang} {row.example.id}",
    )


def _factors(row: Encoded, embedded: Float[Tensor, "token dim"], copy: int) -> Tensor:
    """1, and at some entries of the content the next number above or the one but next below."""
    step = torch.finfo(embedded.dtype).eps
    factors = np.ones(tuple(embedded.shape))
    generator = keyed("rounding", *identity(row), copy)
    shape = factors[row.content].shape
    chosen = generator.random(shape) < SHARE
    signs = generator.choice((-1, 1), shape)
    factors[row.content] += step * chosen * signs
    return torch.from_numpy(factors).to(embedded)
