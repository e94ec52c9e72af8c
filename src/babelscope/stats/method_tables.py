"""Two tables of units by methods compared: every cell as an observation, as papers do, and every
unit as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from babelscope.stats import estimate
from babelscope.stats.corrections import holm
from babelscope.stats.units import Across, across, unit_means
from babelscope.types import Estimate


@dataclass(frozen=True, slots=True)
class TableComparison:
    """The difference of two tables, tested over cells and over units."""

    cells: float
    """p of a paired t-test that takes every cell as independent."""
    units: Across
    interval: Estimate
    """The mean difference, with an interval by unit."""
    methods: tuple[float, ...]
    """For each method p of t over units, corrected by Holm over the methods."""


def compare_tables(
    first: NDArray[np.float64], second: NDArray[np.float64], units: Sequence[str]
) -> TableComparison:
    """The cells of a unit share its texts and its models, so that a unit is one observation:

        compare_tables(multilingual, monolingual, ["sst", "agnews", "csl"])  # tasks x methods

    *Laws*: with one method, p over cells is p over units; `units` and `interval` do not depend on
    the order of the methods.
    """
    repeated = np.repeat(units, first.shape[1]).tolist()
    by_unit = unit_means((first - second).ravel(), repeated)
    return TableComparison(
        float(ttest_rel(first.ravel(), second.ravel()).pvalue),
        across(first.ravel(), second.ravel(), repeated),
        estimate(by_unit.tolist(), sorted(set(units))),
        tuple(holm([across(a, b, units).t for a, b in zip(first.T, second.T)])),
    )
