"""How few queries a SLALOM needs: the published fit, the fit here on the same texts, and the design
and the fit here."""

from __future__ import annotations

from functools import partial
from typing import Any

from experiments.black_boxes import BlackBox, Boxes, black_boxes, exact_slalom, fresh_texts
from experiments.cached import cached
from experiments.public_models import missing
from experiments.query_bounds import best_design
from experiments.query_counts import Counts, compare

FACTOR = 5
"""How many times fewer queries the page asks about."""


class Spec(Boxes, Counts):
    designs: list[tuple[int, float]]
    """Units and spreads of the exact SLALOMs whose best design is computed."""
    design_steps: int


def values(spec: Spec) -> dict[str, Any]:
    identity = spec.model_dump(exclude={"designs", "design_steps"})
    rows: list[dict[str, Any]] = []
    for box in black_boxes(spec):
        box_identity = {"box": box.name, "units": box.size, "spec": identity}
        rows += cached("slalom-queries", box_identity, partial(compare, box, spec))
    return {
        "spec": spec,
        "rows": rows,
        "missing": missing(spec.models),
        "lower": [sum(row["errors"][at] < row["errors"][0] for row in rows) for at in (1, 2)],
        "wins": [sum(ratio(row, at) >= FACTOR for row in rows) for at in range(4)],
        "exact": sum(row["exact"] for row in rows),
        "barred": [sum(barred(row) for row in rows if row["exact"] == exact) for exact in (1, 0)],
        "missed": [row for row in rows if not barred(row) and ratio(row, 0) < FACTOR],
        "designs": [(*each, design_factor(spec, *each)) for each in spec.designs],
    }


def ratio(row: dict[str, Any], at: int) -> float:
    """How many times fewer queries suffice, as the page shows it; 0 if none of those tried did."""
    return round(row["queries"] / row["enough"][at], 1) if row["enough"][at] else 0.0


def barred(row: dict[str, Any]) -> bool:
    """Whether the bound excludes that many times fewer queries."""
    return bool(FACTOR * row["bound"] > row["queries"])


def design_factor(spec: Spec, size: int, spread: float) -> float:
    box: BlackBox = exact_slalom(size, spread, spec.noise)
    return best_design(box, fresh_texts(box, spec.fresh)["3"][0], steps=spec.design_steps)
