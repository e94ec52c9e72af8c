"""The best way to send the weight of one text's units to those of another."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from babelscope.errors import BabelscopeError, InputError

STEPS = 1_000_000
"""Of the network simplex; thousands are enough for the longest texts."""
ROUNDING = 1e-9

SourceWeights = Float[np.ndarray, " source"]
TargetWeights = Float[np.ndarray, " target"]
Similarity = Float[np.ndarray, "source target"]
Plan = Float[np.ndarray, "source target"]


def transport(
    source: SourceWeights, target: TargetWeights, similarity: Similarity
) -> tuple[float, Plan]:
    """The most similarity that weight can earn by flowing from one side to the other, and the plan.

        value = max over plan >= 0 of sum_ij plan_ij similarity_ij
                with sum_j plan_ij <= source_i and sum_i plan_ij <= target_j

    Flow is allowed, never forced: what is dissimilar may stay where it is. `source` and `target`
    are weights >= 0 whose totals may differ. Negative similarities never carry flow, so they are
    clipped to 0; then all weight of the lighter side can flow without loss, and the problem is a
    balanced transport with the cost 1 - similarity, solved exactly by the network simplex of POT.
    The heavier side's surplus goes to a dummy unit of similarity 0.

    *Laws*: equals the linear programme above as SciPy solves it; the margins of the plan are the
    weights, where the totals agree; symmetric under exchange of the sides; weightless units and
    their order change nothing; a unit split in two of the same row changes nothing; monotone in
    every similarity; jointly concave in the two weights; 0 where no similarity is positive.

    Source: the consistency of token attributions, as defined by its authors with inequality
    constraints; the equality with balanced transport is ours (docs/consistency.md).
    """
    plan = np.zeros(similarity.shape)
    rows, columns = np.flatnonzero(source), np.flatnonzero(target)
    if not len(rows) or not len(columns):
        return 0.0, plan
    _check(source[rows], target[columns], similarity[np.ix_(rows, columns)])
    kept = np.clip(similarity[np.ix_(rows, columns)], 0.0, 1.0)
    flow = _flow(source[rows], target[columns], kept)
    plan[np.ix_(rows, columns)] = flow
    return float((flow * kept).sum()), plan


def transport_value(source: SourceWeights, target: TargetWeights, similarity: Similarity) -> float:
    """The value of `transport` without its plan, for many weights on one similarity in [0, 1].

    *Law*: the value of `transport`.
    """
    rows, columns = source > 0, target > 0
    if not rows.all() or not columns.all():
        source, target = source[rows], target[columns]
        similarity = similarity[np.ix_(rows, columns)]
    if not len(source) or not len(target):
        return 0.0
    return float(np.vdot(_flow(source, target, similarity), similarity))


def _flow(source: SourceWeights, target: TargetWeights, similarity: Similarity) -> Plan:
    """The plan for positive weights and similarities in [0, 1]."""
    left, right = source.astype(np.float64), target.astype(np.float64)
    costs = 1.0 - similarity
    m, n = costs.shape
    total, other = float(left.sum()), float(right.sum())
    if total - other > ROUNDING:
        right, costs = np.append(right, total - other), np.hstack([costs, np.ones((m, 1))])
    elif other - total > ROUNDING:
        left, costs = np.append(left, other - total), np.vstack([costs, np.ones((1, n))])
        total = other
    shares = left / left.sum(), right / right.sum()
    options = {"numItermax": STEPS, "log": True, "center_dual": False, "check_marginals": False}
    plan, log = _simplex()(*shares, costs, **options)
    if log["warning"] is not None:
        raise BabelscopeError(f"the transport of {m} x {n} units was not solved: {log['warning']}")
    return np.asarray(plan[:m, :n] * total)


def _check(source: SourceWeights, target: TargetWeights, similarity: Similarity) -> None:
    sides = (("source weights", source), ("target weights", target), ("similarities", similarity))
    for name, values in sides:
        if not np.isfinite(values).all():
            bad = values[~np.isfinite(values)][0]
            raise InputError(f"the {name} must be finite numbers; found {bad}")
    if (source < 0).any() or (target < 0).any():
        raise InputError("weights must not be negative; normalise the scores first (see NORMS)")
    if similarity.max() > 1 + ROUNDING:
        raise InputError(f"similarities must be at most 1; found {similarity.max():.3g}")


@cache
def _simplex() -> Callable[..., tuple[Any, dict[str, Any]]]:
    """POT's solver. POT would import torch for its other back ends: seconds, and memory in every
    process."""
    name = "POT_BACKEND_DISABLE_PYTORCH"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        from ot import emd
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before
    return emd  # type: ignore[no-any-return]
