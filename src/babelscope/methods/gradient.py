"""Attributions from the slope of the explained value by each position's word embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model import forward
from babelscope.model.load import Model
from babelscope.types import Encoded, Explained, Target

BASELINES = ("pad", "mask", "zero", "mean")
MOST_NODES = 2048
"""Gradient evaluations for one text, at most."""

Piece = tuple[float, float]
"""A part of the path from the baseline (0) to the input (1)."""
Point = tuple[int, float]
"""A row and a place on its path."""


def gradient_norm(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """The length of the gradient at each position.

        a_t = || dF / de_t ||_2        e_t the word embedding at position t, before positions and layer norm

    *Laws*: never negative; 0 at a token that the model ignores; the gradient is the central difference of F.
    Source: Simonyan, Vedaldi and Zisserman 2014; Li et al. 2016.
    """

    def reduce(row: int, slope: Tensor) -> Tensor:
        lengths: Tensor = slope.double().norm(dim=-1).cpu()
        return lengths

    return _from_gradients(model, inputs, targets, reduce)


def input_x_gradient(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """The gradient at each position times its embedding.

        a_t = e_t . dF / de_t

    The gradient belongs to the position, not to a row of the embedding matrix: two occurrences of a word have their own
    scores, and other texts of the batch have no part in them. Signed; a ranking by |a_t| is a view of the metric.

    *Laws*: for F linear in the embeddings, the sum is F(x) - F(0); independent of the rest of the batch.
    Source: Shrikumar et al. 2016; Denil et al. 2014.
    """

    def reduce(row: int, slope: Tensor) -> Tensor:
        embedded = model.embeddings(torch.from_numpy(inputs[row].ids).to(model.device)).detach()
        product: Tensor = (slope.double() * embedded.double()).sum(dim=-1).cpu()
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
    """The gradient integrated along the straight path from a baseline, times the way.

        a_t = (e_t - b_t) . integral_0^1 dF(b + s (e - b)) / de_t ds  =~  (e_t - b_t) . sum_j w_j dF(b + s_j (e - b)) / de_t

    b_t the baseline's embedding at content positions (pad, mask: that token's; zero: the zero vector; mean: the mean of
    the embedding matrix) and e_t itself at special tokens and fixed parts; s_j, w_j the nodes and weights of Clenshaw and
    Curtis. Position ids, token types and the attention mask are those of the input along the whole path.

    Completeness holds on every piece [u, v] of the path, so the error of a piece is known: | sum_t a_t - (F(v) - F(u)) |.
    The path starts as one piece of `nodes` steps. The pieces with the largest errors are refined until the errors together
    are below the tolerance: by doubling their steps, which keeps every node that is there, and where this does not help by
    halving the piece. Smooth texts stop at once; a kink is closed in upon.

    *Laws*: completeness, | sum_t a_t - (F(x) - F(b)) | <= tolerance (a text that does not get there by 2048 nodes is
    flagged with its gap); for F linear in the embeddings and the zero baseline it equals input x gradient; a token equal
    to the baseline scores 0.
    *Left open by the paper*: the baseline (pad by default) and the rule; the gap is absolute, in units of F.
    Source: Sundararajan, Taly and Yan 2017, eqs. 1 and 3; Clenshaw and Curtis 1960.
    """
    if baseline not in BASELINES:
        raise InputError(f"baseline {baseline!r} is not one of: {', '.join(BASELINES)}")
    if nodes < 1 or not tolerance > 0:
        raise InputError(f"nodes must be at least 1 and tolerance above 0; {nodes} and {tolerance} given")
    ways = [_way(model, row, baseline) for row in inputs]
    paths = [_Path({(0.0, 1.0): nodes}) for _ in inputs]
    waiting = list(range(len(inputs)))
    while waiting:
        points = [(row, share) for row in waiting for share in paths[row].missing()]
        for (row, share), found in zip(points, _slopes(model, inputs, targets, ways, points, baseline)):
            paths[row].known[share] = found
        waiting = [row for row in waiting if paths[row].refine(nodes, tolerance)]
    results = []
    for encoded, path in zip(inputs, paths):
        total = torch.stack([path.part(piece)[0] for piece in path.steps]).sum(dim=0)
        gap = abs(float(total.sum()) - (path.known[1.0][0] - path.known[0.0][0]))
        flags = (f"completeness gap {gap:.2g} at {len(path.known)} nodes",) if gap > tolerance else ()
        results.append(Explained(total.numpy()[encoded.content], path.known[0.0][0], flags))
    return results


@dataclass(slots=True)
class _Path:
    """What is known about one text's path: the steps of each piece, and at each place the value and the gradient . way."""

    steps: dict[Piece, int]
    known: dict[float, tuple[float, Tensor]] = field(default_factory=dict)

    def missing(self) -> list[float]:
        wanted = dict.fromkeys(share for piece in self.steps for share in self._nodes(piece))
        return [share for share in wanted if share not in self.known]

    def part(self, piece: Piece, steps: int | None = None) -> tuple[Tensor, float]:
        """The integral over a piece, [token], and its error; also with fewer steps, whose nodes are known as well."""
        (a, b), (_, weights) = piece, clenshaw_curtis(steps or self.steps[piece])
        slopes = torch.stack([self.known[share][1] for share in self._nodes(piece, steps)])
        integral = (torch.from_numpy((b - a) * weights / 2)[:, None] * slopes).sum(dim=0)
        return integral, abs(float(integral.sum()) - (self.known[b][0] - self.known[a][0]))

    def refine(self, nodes: int, tolerance: float) -> bool:
        """Whether nodes are wanted in addition: not if the errors together are small or the nodes used up.

        A piece has its steps doubled once, and once more if that lowered its error eightfold; else it is halved.
        """
        gaps = {piece: self.part(piece)[1] for piece in self.steps}
        worst = [piece for piece, gap in gaps.items() if gap >= max(gaps.values()) / 4]
        if sum(gaps.values()) <= tolerance or len(self.known) + 2 * nodes * len(worst) > MOST_NODES:
            return False
        for a, b in worst:
            steps = self.steps[a, b]
            if steps == nodes or (steps == 2 * nodes and 8 * gaps[a, b] <= self.part((a, b), nodes)[1]):
                self.steps[a, b] = 2 * steps
            else:
                del self.steps[a, b]
                self.steps |= {(a, (a + b) / 2): nodes, ((a + b) / 2, b): nodes}
        return True

    def _nodes(self, piece: Piece, steps: int | None = None) -> list[float]:
        (a, b), (nodes, _) = piece, clenshaw_curtis(steps or self.steps[piece])
        return [a + (b - a) * float(1 + node) / 2 for node in nodes]


@cache
def clenshaw_curtis(steps: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights on [-1, 1].

        x_j = sin(pi (j - n / 2) / n),    w_j = c_j / n (1 - sum_{k=1}^{n/2} b_k / (4 k^2 - 1) cos(2 pi j k / n))

    n the steps, j from 0 to n, c_j = 1 at the ends and else 2, b_k = 1 at k = n / 2 and else 2.

    *Laws*: exact for polynomials up to degree n; the nodes of n are among those of 2 n, to the bit.
    Source: Clenshaw and Curtis 1960; Trefethen 2008 (for smooth functions as good as Gauss-Legendre, which is not nested).
    """
    j, k = np.arange(steps + 1), np.arange(1, steps // 2 + 1)
    ends, middle = np.where(j % steps == 0, 1.0, 2.0), np.where(2 * k == steps, 1.0, 2.0)
    waves = np.cos(2 * np.pi * np.outer(j, k) / steps) * middle / (4.0 * k**2 - 1)
    return np.sin(np.pi * (2 * j - steps) / (2 * steps)), ends / steps * (1 - waves.sum(axis=1))


def baseline_vector(model: Model, baseline: str) -> Tensor:
    """The embedding that stands for "no information"."""
    table = model.embeddings.weight.detach()
    if baseline == "zero":
        return torch.zeros_like(table[0])
    if baseline == "mean":
        middle: Tensor = table.mean(dim=0)
        return middle
    token = getattr(model.tokenizer, f"{baseline}_token_id")
    if token is None:
        raise UnsupportedModel(f"{model.name} has no {baseline} token for a baseline; use zero or mean")
    embedded: Tensor = model.embeddings(torch.tensor([token], device=model.device))[0].detach()
    return embedded


def _way(model: Model, row: Encoded, baseline: str) -> Tensor:
    """e - b at every position, 0 where the token is fixed."""
    embedded = model.embeddings(torch.from_numpy(row.ids).to(model.device)).detach()
    content = torch.from_numpy(row.content).to(model.device)
    way: Tensor = (embedded - baseline_vector(model, baseline)) * content[:, None]
    return way


def _on_path(row: Encoded, way: Tensor, share: float, baseline: str) -> forward.Query:
    key = f"path {baseline} {share!r} {row.content.tobytes().hex()}"
    return forward.Query(row.ids, row.types, edit=lambda embedded: embedded - (1.0 - share) * way, key=key)


def _slopes(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], ways: Sequence[Tensor], points: Sequence[Point],
    baseline: str,
) -> list[tuple[float, Tensor]]:  # fmt: skip
    """Per place on a path, the value and the gradient times the way, summed over dimensions: [token]."""
    queries = [_on_path(inputs[row], ways[row], share, baseline) for row, share in points]

    def reduce(at: int, slope: Tensor) -> Tensor:
        return (slope.double() * ways[points[at][0]].double()).sum(dim=-1).cpu()

    return forward.gradients(model, queries, [targets[row] for row, _ in points], reduce)


def _from_gradients(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], reduce: Callable[[int, Tensor], Tensor]
) -> list[Explained]:
    found = forward.gradients(model, [forward.query(row) for row in inputs], targets, reduce)
    return [Explained(part.numpy()[row.content]) for row, (_, part) in zip(inputs, found)]
