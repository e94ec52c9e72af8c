"""Faithfulness of one model by language, beside its accuracy and fertility."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from babelscope.analyses.faithfulness.pairings import readings
from babelscope.stats import estimate
from babelscope.stats.intervals import ratio
from babelscope.stats.rankings import friedman
from babelscope.types import Estimate


def covariates(
    contents: Any, models: Sequence[str], langs: Sequence[str]
) -> dict[str, dict[str, Estimate]]:
    """Accuracy and tokens per word, by language."""
    known = readings(contents.attributions, {name: (name, 0) for name in models})
    clusters = contents.summary.rows.set_index("group")["cluster"].to_dict()
    accuracy, fertility = {}, {}
    for lang in langs:
        part = known[known["lang"] == lang]
        cluster = part["group"].map(clusters).tolist()
        accuracy[lang] = estimate(part["right"].astype(float).tolist(), cluster)
        fertility[lang] = ratio(part["tokens"], part["words"], cluster)
    return {"accuracy": accuracy, "fertility": fertility}


def by_method(above: pd.DataFrame, metric: str) -> list[tuple[Any, ...]]:
    """For each method its means by language, in how many languages its interval is above chance,
    and whether the languages rank the methods alike."""
    part = above.xs(metric, level="metric")
    means = part.groupby("lang").mean()
    ranks = friedman(means.to_numpy())
    rows = []
    for method in part.columns:
        estimates = [
            estimate(each.tolist(), each.index.get_level_values("cluster").tolist())
            for _, each in part[method].groupby("lang")
        ]
        significant = sum(each.low > 0 for each in estimates)
        rows.append((metric, method, means[method], significant, ranks))
    return rows
