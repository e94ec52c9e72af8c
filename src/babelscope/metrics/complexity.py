"""How many units an explanation names: its spread, whatever the model does."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, nan

import numpy as np
from numpy.typing import NDArray

from babelscope.metrics.erased import Scores, ranked
from babelscope.model.load import Model
from babelscope.types import Encoded, Measured, Target


def complexity(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *, unit: str = "word"
) -> list[Measured]:
    """The entropy of the units' parts of the explanation, in nats; lower is simpler.

        H = - sum_u s_u ln s_u,    s_u = |a_u| / sum_v |a_v|

    *Laws*: 0 where one unit has it all, ln n where all n have alike; unchanged by factors and by the order of the units;
    undefined (NaN) where all scores are 0. The model is not asked.
    Source: Bhatt, Weller and Moura 2020, definition of complexity.
    """
    return [_entropy(row, given, unit) for row, given in zip(inputs, scores)]


def effective_units(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *, unit: str = "word"
) -> list[Measured]:
    """As how many equally important units the explanation counts; lower is simpler.

        exp(H),    H the complexity

    *Laws*: 1 where one unit has it all, n where all n have alike; the exponential of `complexity`; undefined (NaN) where
    all scores are 0.
    Source: Hill 1973, number of order 1, of the shares of Bhatt, Weller and Moura 2020.
    """
    found = [_entropy(row, given, unit) for row, given in zip(inputs, scores)]
    return [Measured(nan, one.reason) if one.reason else Measured(exp(one.value)) for one in found]


def _entropy(row: Encoded, given: NDArray[np.float64], unit: str) -> Measured:
    _, reason = ranked(row, given, unit)
    sizes = np.abs(np.asarray(given, dtype=np.float64))
    if reason or not sizes.any():
        return Measured(nan, reason or "all scores are 0")
    parts = sizes[sizes > 0] / sizes.max()
    parts = parts / parts.sum()
    return Measured(max(0.0, float(-(parts * np.log(parts)).sum())) + 0.0)
