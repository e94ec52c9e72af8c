"""Ratios to random of the released definitions, with all their deviations, all but one, and none."""

from __future__ import annotations

from typing import Any

import numpy as np

from babelscope.data.examples import examples
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.metrics.released import DEVIATIONS
from babelscope.model.load import Model, load
from babelscope.training.models import obtain
from babelscope.training.spec import ModelSpec

METRICS = ("released_sufficiency", "released_comprehensiveness")
COLUMNS = {"released": DEVIATIONS} | {
    f"without {name}": tuple(each for each in DEVIATIONS if each != name) for name in DEVIATIONS
} | {"defined": ()}  # fmt: skip


def model_of(named: Any) -> Model:
    if named.train is None:
        return load(str(named.source))
    return obtain(ModelSpec(name=named.name, train=named.train), named.data, 0, "en")


def ratios(spec: Any, named: Any) -> list[dict[str, Any]]:
    """The ratio to random of every method, with all deviations, all but one, and none."""
    model, texts = model_of(named), examples(named.data, "en")
    chance = [explain(model, texts, "random", part=named.part, seed=at)
              for at in range(spec.samples)]  # fmt: skip
    listed = []
    for metric in METRICS:
        cells: dict[str, list[float]] = {method: [] for method in spec.methods}
        for on in COLUMNS.values():
            null = np.mean([mean(model, each, metric, null_on(on)) for each in chance])
            for method in spec.methods:
                sign = "abs" if method in spec.absolute else "signed"
                scored = explain(model, texts, method, part=named.part)
                used = on if method in spec.summed else null_on(on)
                cells[method].append(mean(model, scored, metric, used, sign) / null)
        listed += [{"model": named.name, "metric": metric, "method": method, "cells": each}
                   for method, each in cells.items()]  # fmt: skip
    return listed


def null_on(on: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in on if each != "occurrences")


def mean(
    model: Model, scored: Any, metric: str, on: tuple[str, ...], sign: str = "signed"
) -> float:
    settings = {"deviations": on, "sign": sign}
    measured = [each.value for each in measure(model, scored, metric, options=settings)]
    return float(np.nanmean(measured))
