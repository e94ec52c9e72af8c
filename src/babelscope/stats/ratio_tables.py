"""Faithfulness as the published study reports it: how many times random scores, and how often more.

`measures` has one row per value with the columns model, task, lang, cluster, method, metric, value
and those that name a text (`TEXT` of disparity.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from babelscope.stats.disparity import CONTROL, TEXT
from babelscope.stats.intervals import ratio

CELL = ["model", "task", "lang", "method", "metric"]


def ratio_table(measures: pd.DataFrame, *, lower: Collection[str] = ()) -> pd.DataFrame:
    """The mean of every method divided by the mean of random scores, on the same texts.

        ratio = sum_i value_i / sum_i control_i;   interval by cluster (`intervals.ratio`)

    control: the mean over samples of random scores of the metric on text i. One row per model,
    task, language, method and metric: ratio, low, high, n, undefined. Metrics in `lower`, where
    less is better, are left out: how many times random has another sense there.

    *Laws*: random scores divided by themselves are 1; scaling all values of a metric changes
    nothing; the order of the rows does not matter; texts that lack either count in neither.
    Source: Zhao and Aletras 2024.
    """
    rows = measures[~measures["metric"].isin(list(lower))]
    keys = ["model", *TEXT, "metric"]
    values = rows.groupby([*keys, "method"], as_index=False)["value"].mean()
    random = values["method"] == CONTROL
    controls = values[random].drop(columns="method").rename(columns={"value": "control"})
    joined = values[~random].merge(controls, on=keys)
    lines = []
    for place, part in joined.groupby(CELL):
        estimate = ratio(part["value"], part["control"], part["cluster"].tolist())
        numbers = (estimate.mean, estimate.low, estimate.high, estimate.n, estimate.undefined)
        lines.append((*place, *numbers))
    columns = [*CELL, "ratio", "low", "high", "n", "undefined"]
    return pd.DataFrame(lines, columns=columns)


def faithful_counts(
    table: pd.DataFrame, kinds: Mapping[str, str], by: Sequence[str] = ("kind", "lang", "method")
) -> pd.DataFrame:
    """How many ratios are above 1, of how many.

        faithful = |{ cells: ratio > 1 }|;   surely = |{ cells: low > 1 }|

    `kinds` says of each model whether it is multilingual or monolingual; others are left out. An
    undefined ratio counts in neither number.

    *Laws*: surely <= faithful <= cells; a ratio of exactly 1 is not above it.
    Source: Zhao and Aletras 2024 count the first; the second, by the interval, is ours.
    """
    known = table[table["model"].isin(list(kinds)) & table["ratio"].notna()]
    known = known.assign(
        kind=known["model"].map(dict(kinds)), faithful=known["ratio"] > 1, surely=known["low"] > 1
    )
    grouped = known.groupby(list(by), sort=False)
    counted = grouped[["faithful", "surely"]].sum().astype(int)
    return counted.assign(cells=grouped.size()).reset_index()
