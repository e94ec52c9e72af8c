"""Head statistics as a row of the store, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from babelscope.model.head_statistics import HeadStatistics
from babelscope.types import StoredHeadStatistics

KIND = "head_statistics"
PLAIN = ("model", "lang", "corpus", "sentences", "tokens", "relations", "direction", "subtypes")
AXES = {
    "hits": ("layers", "heads", "relations"),
    "pairs": ("layers", "relations"),
    "known": ("relations",),
    "dropped": ("relations",),
    "baseline": ("layers", "relations"),
    "positional": ("layers", "heads"),
    "offset": ("layers", "heads"),
    "sink": ("layers", "heads"),
}
"""The arrays of the statistics and their axes."""


def flatten(statistics: HeadStatistics, task: str, fingerprint: str) -> StoredHeadStatistics:
    """The row of the store.

    *Law*: `restore` returns the same statistics, to the bit.
    """
    layers, heads = statistics.shape
    return StoredHeadStatistics(
        **{name: getattr(statistics, name) for name in PLAIN},
        **{name: getattr(statistics, name).reshape(-1) for name in AXES},
        task=task,
        fingerprint=fingerprint,
        layers=layers,
        heads=heads,
    )


def restore(row: Mapping[str, Any]) -> HeadStatistics:
    """The statistics of a stored row."""
    sizes = {"layers": row["layers"], "heads": row["heads"], "relations": len(row["relations"])}
    arrays: dict[str, Any] = {}
    for name, axes in AXES.items():
        arrays[name] = np.array(row[name]).reshape([sizes[axis] for axis in axes])
    plain = {name: row[name] for name in PLAIN} | {"relations": tuple(row["relations"])}
    return HeadStatistics(**plain, **arrays)
