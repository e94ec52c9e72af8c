"""The tables of Leemann et al. 2024 (SLALOM) from a store of studies/slalom.yaml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from babelscope.analyses.faithfulness import ratios
from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.reporting.papers.element import Element, Missing, Paper
from babelscope.reporting.papers.published import published
from babelscope.stats import estimate
from babelscope.store import Store

ANNOTATED = "yelp"
"""The only task with marks of readers."""
PUBLISHED_METHODS = {"gradient_norm": "gradient"}


def material(store: Store, study: Mapping[str, Any]) -> Comparison | None:
    return ratios.comparison(store, study)


def means(metrics: tuple[str, ...], table: str, comparison: Comparison) -> pd.DataFrame:
    """The mean of the first of these metrics that was measured, by task, model and method."""
    rows = comparison.measured.rows
    names = [name for name in metrics if rows["metric"].map(_base).eq(name).any()]
    if not names:
        return pd.DataFrame()
    chosen = rows[rows["metric"].map(_base) == names[0]]
    lines = []
    for place, part in chosen.groupby(["task", "model", "metric", "method"]):
        mean = estimate(part["value"].tolist(), part["cluster"].tolist())
        lines.append((*place, mean.mean, mean.low, mean.high, mean.n, mean.undefined))
    columns = ["task", "model", "metric", "method", "mean", "low", "high", "n", "undefined"]
    frame = pd.DataFrame(lines, columns=columns)
    numbers = _numbers(table)
    places = zip(frame["model"], frame["method"].map(_item))
    values = pd.Series([numbers.get(place, float("nan")) for place in places], dtype=float)
    return frame.assign(published=values.where(frame["task"].eq(ANNOTATED) | (table != "2b")))


def accuracy(comparison: Comparison) -> pd.DataFrame:
    """Accuracy of every model on the explained texts."""
    table = ratios.performance(comparison)
    places = zip(table["task"], table["model"])
    values = [_numbers(f"4 {task}").get(("", model), float("nan")) for task, model in places]
    return table.assign(published=values)


def _numbers(table: str) -> dict[tuple[str, str], float]:
    rows = published("slalom")
    rows = rows[rows["table"] == table].fillna({"model": ""})
    places = zip(rows["model"].astype(str), rows["item"].astype(str))
    return dict(zip(places, rows["value"].astype(float).tolist()))


def _base(metric: str) -> str:
    return metric.partition("[")[0]


def _item(method: str) -> str:
    """The paper's name of a method: of SLALOM that of its score."""
    score = re.search(r"score=(\w+)", method)
    name = _base(method)
    if name == "slalom":
        return score[1] if score else "lin"
    return PUBLISHED_METHODS.get(name, name)


AREA = (
    "Ours is an area under the curve, {} is better; published is 1 - mean p at every fifth token, "
    "{} is better, of a data set that the sources at hand do not name: only the order of methods "
    "can be compared."
)
CONTROLLED = "its models are trained on made-up data: python -m experiments "
PAPER = Paper(
    "slalom",
    "Leemann et al. 2024, SLALOM: attention and additive explanations. Tables whose models are "
    "trained on made-up data are pages of their own.",
    "studies/slalom.yaml",
    material,
    (
        Element(
            "table-2b", "Agreement with what readers marked, AUROC, by model and method.",
            partial(means, ("rationale_auroc",), "2b"),
            note="Published: Yelp-HAT, words that all readers marked, absolute scores.",
        ),
        Element(
            "table-2c", "Deletion, by model and method.", partial(means, ("deletion_area",), "2c"),
            note=AREA.format("lower", "higher"),
        ),
        Element(
            "table-9", "Insertion, by model and method.", partial(means, ("insertion_area",), "9"),
            note=AREA.format("higher", "lower"),
        ),
        Element("table-4", "Accuracy of the explained models.", accuracy),
    ),
    (
        Missing("table-2a", "Agreement with naive Bayes.", "no metric of the table METRICS; python "
                "-m experiments slalom-texts measures it"),
        Missing("table-3", "Weights of the linear data.", CONTROLLED + "slalom"),
        Missing("table-6", "Errors of surrogates by depth.", CONTROLLED + "slalom-depth"),
        Missing("table-7", "Errors of logits.", CONTROLLED + "slalom"),
        Missing("table-8", "Errors of parameters.", CONTROLLED + "slalom"),
        Missing("table-10", "A TF-IDF classifier.", "metrics need a model that reads tokens"),
        Missing("table-11", "Run time by samples.", "a store holds no run times: python -m "
                "benchmarks measures them"),
        Missing("table-12", "Deletion by budget.", "give the methods with several numbers of "
                "samples in the study; table-2c then lists each"),
        Missing("table-13", "Large decoders and Mamba.", "the published row of Mamba is that of "
                "another table; load the models by name in a study"),
        Missing("figure-3", "Repeated words.", CONTROLLED + "additive"),
        Missing("figure-4", "Surrogate against model.", CONTROLLED + "slalom"),
        Missing("figure-5", "Value and importance of every word.", "babelscope explain --method "
                "slalom --output plane.svg draws it for a text"),
    ),
)  # fmt: skip
