"""Variance components: seeds of the fine-tuning, instances, and samples of a random metric."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from jaxtyping import Float

from babelscope.errors import InputError


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one value by source, and the variance of the grand mean that follows from them.

    Estimates are unbiased and so may be below 0 where the truth is near 0; they are not truncated.
    `draw` is NaN with one draw: it is then part of `interaction`.
    """

    mean: float
    seed: float
    instance: float
    interaction: float
    draw: float
    of_mean: float


def components(values: Float[np.ndarray, "seed instance draw"]) -> Components:
    """Variance components of a balanced design of seeds, instances and draws.

        v_sid = mu + a_s + b_i + (ab)_si + e_sid,
        all independent with variances seed, instance, interaction, draw
        draw = MS_e;  interaction = (MS_ab - MS_e) / D;  seed = (MS_a - MS_ab) / (I D);  instance =
          (MS_b - MS_ab) / (S D)
        of_mean = seed / S + instance / I + interaction / (S I) + draw / (S I D)

    S, I, D count seeds, instances, draws; MS are the mean squares. Instances with an undefined
    value are dropped, so that the design stays balanced.

    *Laws*: unbiased; adding a constant changes the mean only; values that depend on the seed alone
    have all other components 0, and so for each source; scaling by c scales variances by c^2.
    Source: Searle, Casella & McCulloch 1992, the two-way crossed random model, from expected mean
    squares.
    """
    table = values[:, np.isfinite(values).all(axis=(0, 2))]
    seeds, instances, draws = table.shape
    if seeds < 2 or instances < 2 or draws < 1:
        size = f"{seeds} seeds, {instances} defined instances, {draws} draws"
        raise InputError(f"variance components need at least 2 seeds and 2 instances; found {size}")
    mean = float(table.mean())
    cells = table.mean(axis=2)
    by_seed, by_instance = cells.mean(axis=1), cells.mean(axis=0)
    residual = cells - by_seed[:, None] - by_instance[None] + mean
    ms_seed = instances * draws * float(by_seed.var(ddof=1))
    ms_instance = seeds * draws * float(by_instance.var(ddof=1))
    ms_both = draws * float((residual**2).sum()) / ((seeds - 1) * (instances - 1))
    ms_draw = float(table.var(axis=2, ddof=1).mean()) if draws > 1 else nan
    seed, instance = (
        (ms_seed - ms_both) / (instances * draws),
        (ms_instance - ms_both) / (seeds * draws),
    )
    interaction = (ms_both - ms_draw) / draws if draws > 1 else ms_both
    within = (interaction + (ms_draw / draws if draws > 1 else 0.0)) / (seeds * instances)
    return Components(
        mean, seed, instance, interaction, ms_draw, seed / seeds + instance / instances + within
    )
