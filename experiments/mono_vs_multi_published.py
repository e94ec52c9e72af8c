"""The published mono/multi table again, with the task as the unit: what of it holds?"""

from __future__ import annotations

from itertools import product
from typing import Any

from babelscope.stats.corrections import holm
from babelscope.stats.correlations import correlation
from babelscope.stats.rankings import friedman
from experiments import published_rest as rest
from experiments.published_ratios import ROWS, Ratios, cells, claim


class Spec(Ratios):
    families: list[str]
    differences: dict[str, list[float]]


def values(spec: Spec) -> dict[str, Any]:
    claims = [claim(spec, pairing, metric) for metric in spec.metrics for pairing in spec.pairings]
    adjusted = holm([each["tasks"].units.t for each in claims])
    tasks = [task for group in spec.languages.values() for task in group]
    difference = spec.differences
    means = ROWS[[f"{method}_comp" for method in spec.distinct]].mean(axis=1)
    return {
        "spec": spec,
        "claims": [each | {"adjusted": p} for each, p in zip(claims, adjusted)],
        "points": [
            (name, metric, correlation(difference[name], difference[metric], spec.families))
            for name, metric in product(("fertility", "splitting"), spec.metrics)
        ],
        "rankings": [
            (model, metric, friedman(cells(tasks, model, metric, spec.distinct)))
            for model, metric in product(spec.models, spec.metrics)
        ],
        "accuracy": correlation(ROWS["acc"], means, ranks=True),
        "large": rest.large(),
        "soft": rest.soft(),
        "counts": rest.counts(),
        "fertility": rest.fertility(),
    }
