"""What each correction of a published definition changes: metrics, similarity and entropy."""

from __future__ import annotations

from typing import Any

from babelscope import options
from babelscope.data.spec import DataSpec
from babelscope.model.load import load
from babelscope.training.spec import TrainSpec
from experiments.published_measures import entropies, similarities
from experiments.released_ratios import COLUMNS, ratios


class Named(options.Spec):
    name: str
    data: DataSpec
    source: str | None = None
    train: TrainSpec | None = None
    part: str = "all"


class Spec(options.Spec):
    texts: int
    samples: int
    methods: list[str]
    absolute: list[str]
    summed: list[str]
    """Gradient methods, whose released scores are summed over the occurrences of a token."""
    models: list[Named]
    states: dict[str, list[Any]]


def values(spec: Spec) -> dict[str, Any]:
    rows = [row for named in spec.models for row in ratios(spec, named)]
    model = load("demo")
    return {"columns": list(COLUMNS), "rows": rows, "states": similarities(spec, model),
            "entropy": entropies(spec, model), "texts": spec.texts, "samples": spec.samples}  # fmt: skip
