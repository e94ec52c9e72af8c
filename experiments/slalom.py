"""Surrogates of transformers: which describes them, how few queries a SLALOM needs, and what it
recovers."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.slalom_fits import against_published_fit, by_length, recovery
from experiments.slalom_surrogates import Comparison, compare, repeated


class Spec(Comparison):
    copies: list[int]
    sizes: list[int]
    queries: list[int]
    tried: list[int]
    lengths: list[int]
    recovered: int


def values(spec: Spec) -> dict[str, Any]:
    rows = compare(spec)
    curves = {row["name"]: repeated(row["models"], "perfect", spec.copies) for row in rows}
    second = next(row["models"][0] for row in rows if row["name"] == "bert 2")
    return {
        "spec": spec,
        "rows": rows,
        "curves": [(name, curve, np.ptp(curve) / abs(curve[0])) for name, curve in curves.items()],
        "fits": [
            row
            for size in spec.sizes
            for row in against_published_fit(size, spec.queries, spec.tried)
        ],
        "lengths": by_length(second, spec.lengths),
        "recovery": [recovery(name, spec.recovered) for name in ("bert", "gpt2")],
    }
