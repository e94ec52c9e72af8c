"""The published mono/multi table again, with the task as the unit: what of it holds?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from babelscope import options
from babelscope.stats.corrections import holm
from babelscope.stats.correlations import correlation
from babelscope.stats.method_tables import compare_tables
from babelscope.stats.rankings import friedman
from experiments.files import HERE

ROWS = pd.read_csv(HERE / "mono-vs-multi-published.csv", comment="#").set_index(["model", "dataset"])  # fmt: skip


class Spec(options.Spec):
    methods: dict[str, str]
    distinct: list[str]
    models: dict[str, str]
    pairings: list[tuple[str, str]]
    metrics: dict[str, str]
    languages: dict[str, list[str]]
    paired_input: list[str]
    families: list[str]
    differences: dict[str, list[float]]


def cells(tasks: list[str], model: str, metric: str, methods: list[str]) -> np.ndarray:
    return ROWS.loc[model].loc[tasks, [f"{each}_{metric}" for each in methods]].to_numpy(float)


def claim(spec: Spec, pairing: tuple[str, str], metric: str) -> dict[str, Any]:
    """One pairing by one metric: the published test and ours."""
    lang = {task: name for name, tasks in spec.languages.items() for task in tasks}
    single = [task for task in lang if task not in spec.paired_input]
    every = [cells([*lang], model, metric, [*spec.methods]) for model in pairing]
    logs, short = ([np.log(cells(tasks, model, metric, spec.distinct)) for model in pairing] for tasks in ([*lang], single))  # fmt: skip
    return {
        "name": f"{' - '.join(spec.models[model] for model in pairing)}, {spec.metrics[metric]}",
        "tasks": compare_tables(*every, [*lang]),
        "languages": compare_tables(*every, [*lang.values()]).units,
        "distinct": compare_tables(*logs, [*lang]).units,
        "single": compare_tables(*short, single).units,
    }


def values(spec: Spec) -> dict[str, Any]:
    claims = [claim(spec, pairing, metric) for metric in spec.metrics for pairing in spec.pairings]
    adjusted = holm([each["tasks"].units.t for each in claims])
    tasks = [task for group in spec.languages.values() for task in group]
    return {
        "spec": spec, "claims": [each | {"adjusted": p} for each, p in zip(claims, adjusted)],
        "points": [(measure, metric, correlation(spec.differences[measure], spec.differences[metric], spec.families)) for measure in ("fertility", "splitting") for metric in spec.metrics],
        "rankings": [(model, metric, friedman(cells(tasks, model, metric, spec.distinct))) for model in spec.models for metric in spec.metrics],
        "accuracy": correlation(ROWS["acc"], ROWS[[f"{method}_comp" for method in spec.distinct]].mean(axis=1), ranks=True),
    }  # fmt: skip
