"""How many units an explanation points at: its spread, whatever the model does."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, nan

import numpy as np
from numpy.typing import NDArray

from babelscope.metrics.erased import Scores, ranked
from babelscope.model.load import Model
from babelscope.types import Encoded, Measured, Target


def complexity(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
) -> list[Measured]:
    """The entropy of the units' shares of the explanation, in nats; lower is simpler.

        H = - sum_u s_u ln s_u,    s_u = |a_u| / sum_v |a_v|

    *Laws*: 0 where one unit has the whole share, ln n where all n have equal shares; unchanged by
    factors and by the order of the units; undefined (NaN) where all scores are 0. The model is not
    queried.
    Source: Bhatt, Weller and Moura 2020, definition of complexity.
    """
    return [_entropy(row, attributed, unit) for row, attributed in zip(inputs, scores)]


def effective_units(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
) -> list[Measured]:
    """The number of equally important units with the same entropy; lower is simpler.

        exp(H),    H the complexity

    *Laws*: 1 where one unit has the whole share, n where all n have equal shares; the exponential
    of `complexity`; undefined (NaN) where all scores are 0.
    Source: Hill 1973, number of order 1, of the shares of Bhatt, Weller and Moura 2020.
    """
    entropies = [_entropy(row, attributed, unit) for row, attributed in zip(inputs, scores)]
    return [
        Measured(nan, entropy.reason) if entropy.reason else Measured(exp(entropy.value))
        for entropy in entropies
    ]


def _entropy(row: Encoded, attributed: NDArray[np.float64], unit: str) -> Measured:
    _, reason = ranked(row, attributed, unit)
    sizes = np.abs(np.asarray(attributed, dtype=np.float64))
    if reason or not sizes.any():
        return Measured(nan, reason or "all scores are 0")
    parts = sizes[sizes > 0] / sizes.max()
    parts = parts / parts.sum()
    return Measured(max(0.0, float(-(parts * np.log(parts)).sum())) + 0.0)
