"""The published ratios of faithfulness of multilingual and monolingual models, and their claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from babelscope import options
from babelscope.reporting.papers.published import published_file
from babelscope.stats.method_tables import compare_tables

FILE = pd.read_csv(published_file("mono-vs-multi"), comment="#")
ROWS = FILE.set_index(["model", "dataset"])


class Ratios(options.Spec):
    """Names of what is published, and groups of tasks."""

    methods: dict[str, str]
    distinct: list[str]
    models: dict[str, str]
    pairings: list[tuple[str, str]]
    metrics: dict[str, str]
    languages: dict[str, list[str]]
    paired_input: list[str]


def cells(tasks: list[str], model: str, metric: str, methods: list[str]) -> np.ndarray:
    return ROWS.loc[model].loc[tasks, [f"{each}_{metric}" for each in methods]].to_numpy(float)


def claim(spec: Ratios, pairing: tuple[str, str], metric: str) -> dict[str, Any]:
    """One pairing by one metric: the published test and ours."""
    lang = {task: name for name, tasks in spec.languages.items() for task in tasks}
    single = [task for task in lang if task not in spec.paired_input]
    every = [cells([*lang], model, metric, [*spec.methods]) for model in pairing]
    logs, short = (
        [np.log(cells(tasks, model, metric, spec.distinct)) for model in pairing]
        for tasks in ([*lang], single)
    )
    return {
        "name": f"{' - '.join(spec.models[model] for model in pairing)}, {spec.metrics[metric]}",
        "tasks": compare_tables(*every, [*lang]),
        "languages": compare_tables(*every, [*lang.values()]).units,
        "distinct": compare_tables(*logs, [*lang]).units,
        "single": compare_tables(*short, single).units,
    }
