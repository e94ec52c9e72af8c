"""Integrated gradients: the gradient along a path, by quadrature that knows its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from babelscope.errors import InputError
from babelscope.methods.gradient import available_baseline, displacement, on_path
from babelscope.methods.quadrature import JUMP, MOST, Integral, integrate, node_sequence
from babelscope.methods.rounding import LARGEST, spread
from babelscope.methods.stretch import Learned, Stretch, breadth, learned, stretch
from babelscope.model import inference
from babelscope.model.first_norm import norm_zeros
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.types import Encoded, Explained, Target

MOST_NODES = 2048
"""Gradient evaluations in the final sum for one text, at most."""

SAFETY = 4.0
"""A token's error is taken to be at most so many posterior standard deviations."""

GROWTH, STRIDE = 1.2, 1.5
"""The number of nodes on an interval grows by the first factor; where many more are expected to be
needed, by at most the second at once."""

LOOK = 17
"""Nodes on the whole path from which on it may be stretched anew, and with which it then begins."""

NARROW = 0.5
"""The breadth of the gradient on the path below which it is stretched anew."""

SURE = 24
"""Nodes on the whole path from which on it may be halved."""

FAR = 2
"""An interval is halved where so many times its nodes are not expected to be enough."""

Interval = tuple[float, float]
"""A part of the stretched path from the baseline (0) to the input (1)."""
WHOLE: Interval = (0.0, 1.0)
Point = tuple[int, float]
"""A row and a place on its stretched path."""


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """The integral over one interval of a path, and how far it may be off."""

    slices: Float[Tensor, "node token"]
    """The integrand at the first nodes of the sequence."""
    integral: Integral
    scores: Float[Tensor, " token"]
    errors: Float[Tensor, " token"]
    """Estimated, per token."""
    gap: float
    """Of the sum of the scores, which must be the difference of the value at the ends."""


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """What is integrated: the gradients along the path of each input, at first at `count` nodes of
    every interval."""

    model: Model
    inputs: Sequence[Encoded]
    targets: Sequence[Target]
    displacements: Sequence[Tensor]
    stretches: list[Stretch | Learned]
    baseline: str
    count: int

    def query(self, row: int, place: float) -> inference.Query:
        share = self.stretches[row].place(place)
        return on_path(self.inputs[row], self.displacements[row], share, self.baseline)


Work = tuple[int, Interval, int]
"""An interval of a row, and the number of nodes that it is to be integrated with."""


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
    vector, also for pad where the tokenizer has no such token, with a flag; mean: the mean of the
    embedding matrix) and e_t itself at special tokens and fixed parts; s_j, w_j the nodes and
    weights of a rule on [0, 1]. Position ids, token types and the attention mask are those of the
    input along the whole path.

    The path is stretched where the first norm of the model turns the state quickly (`Stretch`,
    `norm_zeros`): nodes are placed there before anything is evaluated. Two errors are known. Of the
    sum: completeness holds on each interval [u, v] of the path, so that it is
    | sum_t a_t - (F(v) - F(u)) |. Of each token: four standard deviations of the integral given the
    gradients so far and the known sum (`integrate`), times the same factor for all tokens where
    the sum was off by more than two of its own. The path starts as one interval with `nodes` nodes
    and gets a fifth more, keeping the old ones, until both errors are below the tolerance.

    Where that would take long, nodes are given up for better ones. A path of 17 nodes or more on
    which the gradient is large on less than half (`breadth`) is stretched anew by the gradients so
    far (`Learned`), once, and begun again with 17. An interval is halved where its values are those
    of a jump, or where twice its nodes are not expected to be enough; the whole path only from 24
    nodes on. The intervals of the largest errors come first, of the sum, then of the tokens.
    Smooth texts stop early; near a kink of F the intervals become short.

    *Laws*: completeness, | sum_t a_t - (F(x) - F(b)) | <= tolerance, and every token's estimated
    error is at most the tolerance (a text that does not reach both with 2048 nodes is flagged with
    both); whatever the tolerance, scores are flagged where the largest token's error is above 5 %
    of their standard deviation; for F linear in the embeddings and the zero baseline it equals
    input x gradient; a token equal to the baseline scores 0. Both errors are in the details:
    `completeness_gap`, `token_error`.
    *Left open by the paper*: the baseline (pad by default) and the rule; errors are absolute, in
    units of F, and estimates: a single token with a kink or jump between nodes can be off by more.
    Source: Sundararajan, Taly and Yan 2017, eqs. 1 and 3; O'Hagan 1991 for the quadrature;
    Piessens et al. 1983 (QUADPACK) for the halving.
    """
    if not 2 <= nodes <= MOST or not tolerance > 0:
        raise InputError(
            f"nodes must be 2 to {MOST} and tolerance above 0, not {nodes} and {tolerance}"
        )
    baseline, substituted = available_baseline(model, baseline)
    displacements = [displacement(model, row, baseline) for row in inputs]
    ends = [
        [on_path(*each, share, baseline) for each in zip(inputs, displacements)]
        for share in (0.0, 1.0)
    ]
    stretches: list[Stretch | Learned] = [stretch(zeros) for zeros in norm_zeros(model, *ends)]
    paths = _Paths(model, inputs, targets, displacements, stretches, baseline, nodes)
    values: dict[Point, float] = {}
    pieces: list[dict[Interval, _Piece]] = [{} for _ in inputs]
    waiting: list[Work] = [(row, WHOLE, nodes) for row in range(len(inputs))]
    while waiting:
        values |= _values(paths, waiting, values)
        integrals = _integrals(paths, waiting, pieces, values)
        for (row, interval, _), piece in zip(waiting, integrals):
            pieces[row][interval] = piece
        waiting = [
            (row, interval, count)
            for row, intervals in enumerate(pieces)
            for interval, count in _refine(paths, row, intervals, tolerance)
        ]
    results = []
    for row, (encoded, intervals) in enumerate(zip(inputs, pieces)):
        limits = values[row, 0.0], values[row, 1.0]
        results.append(_explained(encoded, [*intervals.values()], limits, tolerance))
    return [replace(result, flags=(*substituted, *result.flags)) for result in results]


def _explained(
    row: Encoded,
    pieces: Sequence[_Piece],
    ends: tuple[float, float],
    tolerance: float,
) -> Explained:
    """The scores with both errors, and a flag where one is above the tolerance or that of a token
    is large beside the scores."""
    scores = torch.stack([piece.scores for piece in pieces]).sum(dim=0)
    gap = abs(float(scores.sum()) - (ends[1] - ends[0]))
    error = float(torch.stack([piece.errors for piece in pieces]).sum(dim=0).max())
    evaluations = sum(len(piece.slices) for piece in pieces)
    content = scores.numpy()[row.content]
    reached, deviation = max(gap, error) <= tolerance, spread(content)
    stated = f"completeness gap {gap:.2g}, largest token error {error:.2g} at {evaluations} nodes"
    if large := error > LARGEST * deviation:
        stated += f", and the scores' standard deviation is {deviation:.2g}"
        stated += ": set a lower tolerance" if reached else ""
    return Explained(
        content,
        ends[0],
        (stated,) if large or not reached else (),
        {"completeness_gap": gap, "token_error": error},
    )


def _refine(
    paths: _Paths, row: int, intervals: dict[Interval, _Piece], tolerance: float
) -> list[tuple[Interval, int]]:
    """The worst intervals with more nodes, or removed and as halves; none if both errors are small
    or the nodes are used up. Worst by the gap while the sum is off, then by the tokens' errors:
    where the nodes do not suffice for both, the scores at least add up."""
    pieces = intervals.values()
    gap = sum(piece.gap for piece in pieces)
    error = float(torch.stack([piece.errors for piece in pieces]).sum(dim=0).max())
    sizes = {
        interval: piece.gap if gap > tolerance else float(piece.errors.max())
        for interval, piece in intervals.items()
    }
    most = max(sizes.values())
    worst = [interval for interval, size in sizes.items() if size >= most / 4]
    used = sum(len(piece.slices) for piece in pieces)
    if max(gap, error) <= tolerance or used + 2 * paths.count * len(worst) > MOST_NODES:
        return []
    if _learns(paths, row, intervals, tolerance):
        return [(WHOLE, LOOK)]
    work: list[tuple[Interval, int]] = []
    for interval in worst:
        count = _count(intervals[interval], interval, tolerance / len(intervals))
        if count:
            work.append((interval, count))
            continue
        del intervals[interval]
        middle = sum(interval) / 2
        halves = (interval[0], middle), (middle, interval[1])
        work += [(half, paths.count) for half in halves]
    return work


def _learns(paths: _Paths, row: int, intervals: dict[Interval, _Piece], tolerance: float) -> bool:
    """Whether the path is stretched anew by the gradients so far and begun again: once, where they
    are large on a narrow part and half as many nodes again are not expected to be enough."""
    base, piece = paths.stretches[row], intervals.get(WHOLE)
    if piece is None or isinstance(base, Learned) or len(piece.slices) < LOOK:
        return False
    count, wanted = len(piece.slices), tolerance / max(float(piece.errors.max()), piece.gap)
    if piece.integral.fall(count, min(MOST, round(STRIDE * count))) <= wanted:
        return False
    places, values = (1 + node_sequence()[:count]) / 2, piece.slices.numpy()
    if breadth(places, values) >= NARROW:
        return False
    paths.stretches[row] = learned(base, places, values)
    del intervals[WHOLE]
    return True


def _count(piece: _Piece, interval: Interval, tolerance: float) -> int:
    """The next number of nodes of an interval; 0 where it is to be halved."""
    count, integral = len(piece.slices), piece.integral
    more = max(count + 2, round(GROWTH * count))
    if interval == WHOLE and count < SURE:
        return more
    wanted = tolerance / max(float(piece.errors.max()), piece.gap)
    far = integral.fall(count, min(MOST, FAR * count)) > wanted
    if far or more > MOST or integral.smoothness == JUMP:
        return 0
    while integral.fall(count, more) > wanted and round(GROWTH * more) <= min(MOST, STRIDE * count):
        more = round(GROWTH * more)
    return more


def _values(
    paths: _Paths, waiting: Sequence[Work], known: dict[Point, float]
) -> dict[Point, float]:
    """The explained value at the ends of the intervals, where it is not known yet."""
    ends = {(row, place) for row, interval, _ in waiting for place in interval}
    points = sorted(ends - known.keys())
    outputs = inference.outputs(paths.model, [paths.query(*point) for point in points])
    return {
        (row, place): float(value(paths.model, output, paths.targets[row]))
        for (row, place), output in zip(points, outputs)
    }


def _slices(paths: _Paths, points: Sequence[Point]) -> list[Float[Tensor, " token"]]:
    """The integrand at places of stretched paths: the gradient times the displacement, summed over
    dimensions, times the slope of the stretch."""

    def reduce(at: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        row, place = points[at]
        product = gradient.double() * paths.displacements[row].double()
        return (product.sum(dim=-1) * paths.stretches[row].slope(place)).cpu()

    queries = [paths.query(*point) for point in points]
    aims = [paths.targets[row] for row, _ in points]
    return [part for _, part in inference.gradients(paths.model, queries, aims, reduce)]


def _integrals(
    paths: _Paths,
    waiting: Sequence[Work],
    pieces: Sequence[dict[Interval, _Piece]],
    values: dict[Point, float],
) -> list[_Piece]:
    """Per interval the integral with its errors; former nodes are not evaluated again."""
    points: list[Point] = []
    for row, (a, b), count in waiting:
        known = pieces[row].get((a, b))
        places = node_sequence()[0 if known is None else len(known.slices) : count]
        points += [(row, a + (b - a) * float(1 + place) / 2) for place in places]
    parts = iter(_slices(paths, points))
    integrals = []
    for row, (a, b), count in waiting:
        former = pieces[row].get((a, b))
        old = [] if former is None else [*former.slices]
        slices = torch.stack([*old, *(next(parts) for _ in range(count - len(old)))])
        integrals.append(_piece(slices, b - a, values[row, b] - values[row, a]))
    return integrals


def _piece(slices: Float[Tensor, "node token"], length: float, difference: float) -> _Piece:
    """The integral over an interval of that length, at whose ends the value differs by so much."""
    integral = integrate(slices.numpy(), difference / length)
    scores, deviations = length * integral.scores, length * integral.deviations
    expected = float(np.sqrt((integral.before**2).sum()))
    factor = SAFETY * max(1.0, abs(integral.lacking) / (2 * expected)) if expected else SAFETY
    errors = torch.from_numpy(factor * deviations)
    gap = abs(float(scores.sum()) - difference)
    return _Piece(slices, integral, torch.from_numpy(scores), errors, gap)
