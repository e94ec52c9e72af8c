"""Whether a model forgot the task in a language, or only its head does not fit there."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.analyses.tradeoffs.grid import Grid, correct
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.analyses.tradeoffs.probing_table import probe_hits
from babelscope.analyses.tradeoffs.provenance import SINGLE
from babelscope.analyses.tradeoffs.records import Records


def forgetting_table(records: Records, table: Grid) -> list[dict[str, Any]]:
    """Of every model in every source language: what a fresh probe no longer finds, and what only
    the head misses.

        forgotten[s, t] = probe_base(t -> t) - probe_tuned(t -> t)
        misfit[s, t] = probe_tuned(t -> t) - A[s, t]

    Probes read the last layer; A is the accuracy of the first seed. Intervals are by cluster.
    """
    base, rows = records.base, []
    first = {
        model.source: model for model in records.of_kind(SINGLE) if model.seed == table.seeds[0]
    }
    for target, place in zip(table.sources, table.diagonal):
        if base is None or place < 0 or not records.has_probes(base, target):
            continue
        before = probe_hits(records, base, target)[target]
        for row, source in enumerate(table.sources):
            if records.has_probes(first[source], target):
                after = probe_hits(records, first[source], target)[target]
                hits = correct(table)[0, row, place, table.places(target)]
                parts = _intervals(table, target, [before, after, hits])
                rows.append({"source": source, "target": target} | parts)
    return rows


def _intervals(table: Grid, target: str, hits: list[NDArray[np.float64]]) -> dict[str, list[float]]:
    clusters = [table.clusters[at] for at in table.places(target)]
    three = np.stack([each[None] for each in hits])[None]
    interval = intervals(three, clusters, _steps)
    return {
        name: [float(edge[at]) for edge in interval]
        for at, name in enumerate(("forgotten", "misfit"))
    }


def _steps(a: Float[np.ndarray, "*draw 3 1"]) -> Float[np.ndarray, "*draw 2"]:
    """From three accuracies, one below the other: the first less the second, the second less the
    third."""
    return np.stack([a[..., 0, 0] - a[..., 1, 0], a[..., 1, 0] - a[..., 2, 0]], axis=-1)
