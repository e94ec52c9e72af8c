"""Tables 2, 4, 9, 12 and 13 of Leemann et al. 2024: explanations of reviews."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import nan
from typing import Any

import pandas as pd

from babelscope.analyses.faithfulness import ratios
from babelscope.reporting.papers.published import published
from babelscope.stats import estimate

ANNOTATED = "yelp"
"""The only task with marks of readers."""
STUDIED = ("bert", "distilbert", "gpt2")
"""Architectures of the paper's main tables; models are called after them, with their depth."""
TF_IDF, FULLY_CONNECTED = NETWORKS = ("tf-idf", "fully-connected")
"""Models without attention, in table 10 and figure 6 alone; called after their architecture too."""
PUBLISHED_METHODS = {"gradient_norm": "gradient"}
UNSIGNED = {"2a": "against=abs", "2b": "sign=signed"}
"""The setting of the metric by which importances, which have no sign, are measured."""
SIGNED = {"2a": "against=signed", "2b": "sign=abs"}
SAMPLES = "5000"
AUTO = ("", "2200")
"""What the study takes for the "auto" of the package shap, which depends on the text's length."""
COLUMNS = ["task", "model", "method", "mean", "low", "high", "n", "undefined"]


def means(metrics: Sequence[str], table: str, found: Any) -> pd.DataFrame:
    """The mean of the first of these metrics that was measured, by task, model and method."""
    frame = _means(metrics, table, found)
    if frame.empty:
        return frame
    known = frame.loc[[architecture(name) in STUDIED for name in frame["model"]]]
    chosen = frame if known.empty else known
    numbers = [_number(table, *each) for each in zip(chosen["model"], chosen["method"])]
    series = pd.Series(numbers, index=chosen.index, dtype=float)
    return chosen.assign(published=series.where(chosen["task"].eq(ANNOTATED) | (table != "2b")))


def importances(metric: str, table: str, found: Any) -> pd.DataFrame:
    """The mean of a metric of scores without a sign, of SLALOM's importance alone."""
    frame = means((metric,), table, found)
    return frame[frame["method"].map(item).eq("importance")] if len(frame) else frame


def tf_idf(found: Any) -> pd.DataFrame:
    """Table 10: insertion and deletion of the classifier of TF-IDF weights, by method."""
    parts = []
    for metric in ("insertion", "deletion"):
        frame = _all_means((f"stepwise_{metric}",), f"10 {metric}", found)
        if frame.empty:
            continue
        chosen = frame.loc[frame["model"].map(architecture).eq(TF_IDF)]
        numbers = _numbers(f"10 {metric}")
        values = [
            numbers.get(("", item(method)), nan) if _as_published(method) else nan
            for method in chosen["method"]
        ]
        parts.append(chosen.assign(metric=metric, published=pd.Series(values, chosen.index, float)))
    columns = ["metric", *COLUMNS, "published"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame()


def _means(metrics: Sequence[str], table: str, found: Any) -> pd.DataFrame:
    """The means of transformers."""
    frame = _all_means(metrics, table, found)
    return frame.loc[without_networks(frame["model"])] if len(frame) else frame


def without_networks(models: pd.Series) -> pd.Series:
    """Which rows are of transformers."""
    return ~models.map(architecture).isin(NETWORKS)


def _all_means(metrics: Sequence[str], table: str, found: Any) -> pd.DataFrame:
    if found.comparison is None:
        return pd.DataFrame()
    rows = found.comparison.measured.rows
    names = [name for name in metrics if rows["metric"].map(base).eq(name).any()]
    if not names:
        return pd.DataFrame()
    chosen = rows[rows["metric"].map(base) == names[0]]
    setting = chosen["method"].map(
        lambda name: (UNSIGNED if item(name) == "importance" else SIGNED).get(table, "")
    )
    fits = [
        "[" not in metric or not wanted or wanted in metric
        for metric, wanted in zip(chosen["metric"], setting)
    ]
    lines = []
    for place, part in chosen[fits].groupby(["task", "model", "method"]):
        mean = estimate(part["value"].tolist(), part["cluster"].tolist())
        if mean.n:
            lines.append((*place, mean.mean, mean.low, mean.high, mean.n, mean.undefined))
    return pd.DataFrame(lines, columns=COLUMNS)


def large(found: Any) -> pd.DataFrame:
    """Table 13: the same of models that are not of the main tables."""
    frame = _means(("rationale_auroc",), "2b", found)
    if frame.empty:
        return frame
    chosen = frame.loc[[architecture(name) not in STUDIED for name in frame["model"]]]
    numbers = _numbers("13")
    values = [numbers.get((model, item(method)), nan)
              for model, method in zip(chosen["model"], chosen["method"])]  # fmt: skip
    return chosen.assign(published=pd.Series(values, index=chosen.index, dtype=float))


def budgets(found: Any) -> pd.DataFrame:
    """Table 12: deletion of SLALOM's linear score, and of SHAP, by the number of samples."""
    frame = _means(("stepwise_deletion", "deletion_area"), "2c", found)
    if frame.empty:
        return frame
    options = [setting(name) for name in frame["method"]]
    kept = [
        name == "kernel_shap"
        or (item(label) == "lin" and not chosen.get("design", "").endswith("+adam"))
        for name, label, chosen in zip(frame["method"].map(base), frame["method"], options)
    ]
    numbers = _numbers("12")
    samples = [each.get("samples", "") for each in options]
    named = zip(frame["method"].map(base), samples)
    values = [
        numbers.get(("", f"{name} {'auto' if count in AUTO else count}"), nan)
        for name, count in named
    ]
    table = frame.assign(samples=samples, published=values)[kept]
    return table.sort_values(["task", "model"], kind="stable")


def accuracy(found: Any) -> pd.DataFrame:
    """Accuracy of every model on the explained texts."""
    if found.comparison is None:
        return pd.DataFrame()
    whole = ratios.performance(found.comparison)
    table = whole.loc[without_networks(whole["model"])]
    places = zip(table["task"], table["model"])
    values = [_numbers(f"4 {task}").get(("", architecture(model)), nan) for task, model in places]
    return table.assign(published=values)


def base(name: str) -> str:
    """A method or metric without its options."""
    return name.partition("[")[0]


def setting(name: str) -> dict[str, str]:
    """The options in a method's name."""
    return dict(re.findall(r"(\w+)=([^,\]]+)", name))


def item(method: str) -> str:
    """The paper's name of a method: of SLALOM that of its score."""
    name = base(method)
    if name == "slalom":
        return setting(method).get("score", "lin")
    return PUBLISHED_METHODS.get(name, name)


def architecture(model: str) -> str:
    """bert-6 is a bert."""
    return re.sub(r"-\d+$", "", model)


def _number(table: str, model: str, method: str) -> float:
    """The published value: of table 9 that of 6 layers, of SLALOM that of the paper's samples."""
    if table == "9" and re.search(r"-(?!6$)\d+$", model):
        return nan
    if not _as_published(method):
        return nan
    return _numbers(table).get((architecture(model), item(method)), nan)


def _as_published(method: str) -> bool:
    """Whether a surrogate is fitted to as many texts, of the same lengths, as in the paper."""
    options = setting(method)
    design = options.get("design", "fixed(3)").removesuffix("+adam")  # published: fitted by Adam
    return options.get("samples", SAMPLES) == SAMPLES and design == "fixed(3)"


def _numbers(table: str) -> dict[tuple[str, str], float]:
    rows = published("slalom").fillna({"model": ""})
    rows = rows[rows["table"].astype(str) == table]
    places = zip(rows["model"].astype(str), rows["item"].astype(str))
    return dict(zip(places, rows["value"].astype(float).tolist()))
