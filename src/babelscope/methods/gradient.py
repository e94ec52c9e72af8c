"""Attributions from the gradient of the explained value with respect to each position's word
embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.types import Encoded, Explained, Target

BASELINES = ("pad", "mask", "zero", "mean")
MOST_NODES = 2048
"""Gradient evaluations in the final sum for one text, at most."""

Interval = tuple[float, float]
"""A part of the path from the baseline (0) to the input (1)."""
Point = tuple[int, float]
"""A row and a place on its path."""


def gradient_norm(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]
) -> list[Explained]:
    """The length of the gradient at each position.

        a_t = || dF / de_t ||_2

    e_t the word embedding at position t, before position embeddings and layer norm.

    *Laws*: never negative; 0 at a token that the model ignores; the gradient is the central
    difference of F.
    Source: Simonyan, Vedaldi and Zisserman 2014; Li et al. 2016.
    """

    def reduce(row: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        lengths: Tensor = gradient.double().norm(dim=-1).cpu()
        return lengths

    return _from_gradients(model, inputs, targets, reduce)


def input_x_gradient(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]
) -> list[Explained]:
    """The gradient at each position times its embedding.

        a_t = e_t . dF / de_t

    The gradient is taken at the position, not at a row of the embedding matrix: two occurrences of
    a word have separate scores, and other texts of the batch do not influence them. Signed; ranking
    by |a_t| is left to the metric.

    *Laws*: for F linear in the embeddings, the sum is F(x) - F(0); independent of the rest of the
    batch.
    Source: Shrikumar et al. 2016; Denil et al. 2014.
    """

    def reduce(row: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        embedded = model.embeddings(torch.from_numpy(inputs[row].ids).to(model.device)).detach()
        product: Tensor = (gradient.double() * embedded.double()).sum(dim=-1).cpu()
        return product

    return _from_gradients(model, inputs, targets, reduce)


def integrated_gradients(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    baseline: str = "pad",
    nodes: int = 8,
    tolerance: float = 1e-3,
) -> list[Explained]:
    """The gradient integrated along the straight path from a baseline, times the displacement.

        a_t = (e_t - b_t) . integral_0^1 dF(b + s (e - b)) / de_t ds
            =~ (e_t - b_t) . sum_j w_j dF(b + s_j (e - b)) / de_t

    b_t the baseline's embedding at content positions (pad, mask: that token's; zero: the zero
    vector; mean: the mean of the embedding matrix) and e_t itself at special tokens and fixed
    parts; s_j, w_j Gauss-Legendre nodes on [0, 1]. Position ids, token types and the attention mask
    are those of the input along the whole path.

    Completeness holds on every interval [u, v] of the path, so its error is known: | sum_t a_t -
    (F(v) - F(u)) |. The path starts as one interval of `nodes` nodes; the intervals with the
    largest errors are halved, which doubles their nodes, until the sum of the errors is below the
    tolerance. Smooth texts stop at once; near a kink the intervals become short.

    *Laws*: completeness, | sum_t a_t - (F(x) - F(b)) | <= tolerance (a text that does not reach it
    with 2048 nodes is flagged with its gap); for F linear in the embeddings and the zero baseline
    it equals input x gradient; a token equal to the baseline scores 0. The gap bounds the error of
    the sum; where F has kinks (a ReLU head) a single score can be off by a few times as much.
    *Left open by the paper*: the baseline (pad by default) and the rule; the gap is absolute, in
    units of F.
    Source: Sundararajan, Taly and Yan 2017, eqs. 1 and 3.
    """
    if baseline not in BASELINES:
        raise InputError(f"baseline {baseline!r} is not one of: {', '.join(BASELINES)}")
    if nodes < 1 or not tolerance > 0:
        raise InputError(
            f"nodes must be at least 1 and tolerance above 0, not {nodes} and {tolerance}"
        )
    displacements = [displacement(model, row, baseline) for row in inputs]
    values: dict[Point, float] = {}
    parts: list[dict[Interval, tuple[Tensor, float]]] = [{} for _ in inputs]
    waiting = [(row, (0.0, 1.0)) for row in range(len(inputs))]
    while waiting:
        ends = [(row, share) for row, interval in waiting for share in interval]
        ends = [point for point in ends if point not in values]
        values |= _values(model, inputs, targets, displacements, ends, baseline)
        for (row, (a, b)), part in zip(
            waiting, _integrals(model, inputs, targets, displacements, waiting, nodes, baseline)
        ):
            gap = abs(float(part.sum()) - (values[row, b] - values[row, a]))
            parts[row][a, b] = (part, gap)
        waiting = [
            (row, half)
            for row, intervals in enumerate(parts)
            for half in _split(intervals, nodes, tolerance)
        ]
    results = []
    for row, (encoded, intervals) in enumerate(zip(inputs, parts)):
        total = torch.stack([part for part, _ in intervals.values()]).sum(dim=0)
        gap = abs(float(total.sum()) - (values[row, 1.0] - values[row, 0.0]))
        flags = (
            (f"completeness gap {gap:.2g} at {nodes * len(intervals)} nodes",)
            if gap > tolerance
            else ()
        )
        results.append(Explained(total.numpy()[encoded.content], values[row, 0.0], flags))
    return results


def baseline_vector(model: Model, baseline: str) -> Float[Tensor, " dim"]:
    """The embedding that stands for "no information"."""
    table = model.embeddings.weight.detach()
    if baseline == "zero":
        return torch.zeros_like(table[0])
    if baseline == "mean":
        middle: Tensor = table.mean(dim=0)
        return middle
    token = getattr(model.tokenizer, f"{baseline}_token_id")
    if token is None:
        raise UnsupportedModel(
            f"{model.name} has no {baseline} token for a baseline; use zero or mean"
        )
    embedded: Tensor = model.embeddings(torch.tensor([token], device=model.device))[0].detach()
    return embedded


def displacement(model: Model, row: Encoded, baseline: str) -> Float[Tensor, "token dim"]:
    """e - b at every position, the embedding less its baseline; 0 where the token is fixed."""
    embedded = model.embeddings(torch.from_numpy(row.ids).to(model.device)).detach()
    content = torch.from_numpy(row.content).to(model.device)
    difference: Tensor = (embedded - baseline_vector(model, baseline)) * content[:, None]
    return difference


def on_path(
    row: Encoded, displacement: Float[Tensor, "token dim"], share: float, baseline: str
) -> inference.Query:
    key = f"path {baseline} {share!r} {row.content.tobytes().hex()}"
    return replace(
        inference.query(row),
        edit=lambda embedded: embedded - (1.0 - share) * displacement,
        key=key,
    )


def _split(
    intervals: dict[Interval, tuple[Tensor, float]], nodes: int, tolerance: float
) -> list[Interval]:
    """Removes the worst intervals and returns their halves; none if the sum of the gaps is small or
    the nodes are used up."""
    gaps = {interval: gap for interval, (_, gap) in intervals.items()}
    worst = [interval for interval, gap in gaps.items() if gap >= max(gaps.values()) / 4]
    if sum(gaps.values()) <= tolerance or nodes * (len(intervals) + len(worst)) > MOST_NODES:
        return []
    for interval in worst:
        del intervals[interval]
    return [half for a, b in worst for half in ((a, (a + b) / 2), ((a + b) / 2, b))]


def _values(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    displacements: Sequence[Tensor],
    points: Sequence[Point],
    baseline: str,
) -> dict[Point, float]:
    queries = [on_path(inputs[row], displacements[row], share, baseline) for row, share in points]
    outputs = inference.outputs(model, queries)
    return {
        (row, share): float(value(model, output, targets[row]))
        for (row, share), output in zip(points, outputs)
    }


def _integrals(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    displacements: Sequence[Tensor],
    intervals: Sequence[tuple[int, Interval]],
    nodes: int,
    baseline: str,
) -> list[Tensor]:
    """Per interval of a path, the integral of the gradient times the displacement, summed over
    dimensions: [token]."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    queries = [
        on_path(inputs[row], displacements[row], a + (b - a) * float(1 + s) / 2, baseline)
        for row, (a, b) in intervals
        for s in points
    ]

    def reduce(at: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        return (
            (gradient.double() * displacements[intervals[at // nodes][0]].double())
            .sum(dim=-1)
            .cpu()
        )

    parts = inference.gradients(
        model, queries, [targets[row] for row, _ in intervals for _ in points], reduce
    )
    totals = []
    for at, (_, (a, b)) in enumerate(intervals):
        slices = torch.stack([part for _, part in parts[at * nodes : (at + 1) * nodes]])
        totals.append((torch.from_numpy((b - a) * weights / 2)[:, None] * slices).sum(dim=0))
    return totals


def _from_gradients(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    reduce: Callable[[int, Tensor], Tensor],
) -> list[Explained]:
    gradients = inference.gradients(
        model, [inference.query(row) for row in inputs], targets, reduce
    )
    return [Explained(part.numpy()[row.content]) for row, (_, part) in zip(inputs, gradients)]
