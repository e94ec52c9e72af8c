"""From rows to estimates: means per cell of the study, and paired differences between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from babelscope.analyses.faithfulness.families import Pair, adjusted
from babelscope.analyses.faithfulness.settings import names_of
from babelscope.stats import estimate
from babelscope.types import Estimate

FLOOR = "random"
"""The method that knows nothing: what the others must beat."""
KEYS = ["model", "lang", "method", "metric"]
EXAMPLE = ["lang", "group", "cluster", "id"]
ALPHA = 0.05
"""The chance of any false finding among the comparisons of one metric."""
NONE: pd.Series[float] = pd.Series(
    np.zeros(0), index=pd.MultiIndex.from_arrays([[]], names=["cluster"])
)


@dataclass(frozen=True)
class Summary:
    """The numbers of the page, computed when first needed.

    `rows` are the measures with one name per metric and setting (see `labelled`) and the cluster of
    each (see `stored_clusters`). A difference is always paired: by example between methods or
    models, by translation group between languages; its interval is by cluster.
    """

    rows: pd.DataFrame
    study: Mapping[str, Any]

    @cached_property
    def models(self) -> list[str]:
        return self._ordered("model", "models")

    @cached_property
    def languages(self) -> list[str]:
        return self._ordered("lang", "languages")

    @cached_property
    def methods(self) -> list[str]:
        """In the study's order, a method's settings one after another, the floor last."""
        order = [row["name"] for row in described(self.study, "methods")]
        names = sorted(self.rows["method"].unique())
        ordered = sorted(
            names, key=lambda name: order.index(base(name)) if base(name) in order else len(order)
        )
        return [name for name in ordered if name != FLOOR] + [FLOOR] * (FLOOR in ordered)

    @cached_property
    def metrics(self) -> list[str]:
        """In the study's order, a metric's settings one after another."""
        order = [row["name"] for row in described(self.study, "metrics")]
        names = sorted(self.rows["metric"].unique())
        return sorted(
            names, key=lambda name: order.index(base(name)) if base(name) in order else len(order)
        )

    @cached_property
    def main(self) -> str:
        """The model with the most languages: the one the others are compared to."""
        return max(self.models, key=lambda model: len(self.languages_of(model)))

    @cached_property
    def cells(self) -> dict[tuple[str, str, str, str], Estimate]:
        """Per (model, language, method, metric) the mean with its interval."""
        return {
            (str(model), str(lang), str(method), str(metric)): estimate(
                part["value"].tolist(), part["cluster"].tolist()
            )
            for (model, lang, method, metric), part in self.rows.groupby(KEYS, sort=True)
        }

    @cached_property
    def pooled(self) -> dict[tuple[str, str, str], Estimate]:
        """Per (model, method, metric) the mean over all languages."""
        return {
            (str(model), str(method), str(metric)): estimate(
                part["value"].tolist(), part["cluster"].tolist()
            )
            for (model, method, metric), part in self.rows.groupby(
                ["model", "method", "metric"], sort=True
            )
        }

    @cached_property
    def _languages(self) -> dict[str, set[str]]:
        return {
            str(model): set(part.unique()) for model, part in self.rows.groupby("model")["lang"]
        }

    @cached_property
    def _paired(self) -> dict[tuple[str, str], pd.DataFrame]:
        """Per (model, metric) a row per example and a column per method; repeats (seeds) are
        averaged first.
        """
        return {
            (str(model), str(metric)): part.groupby([*EXAMPLE, "method"])["value"]
            .mean()
            .unstack("method")
            for (model, metric), part in self.rows.groupby(["model", "metric"], sort=True)
        }

    def languages_of(self, model: str) -> list[str]:
        return [lang for lang in self.languages if lang in self._languages[model]]

    def methods_of(self, model: str, metric: str, lang: str | None = None) -> list[str]:
        """The methods with a defined mean there, the floor last."""
        known = self.cells if lang else self.pooled
        where = [
            (name, (model, lang, name, metric) if lang else (model, name, metric))
            for name in self.methods
        ]
        return [name for name, key in where if key in known and known[key].n]  # type: ignore[index]

    def between(self, metric: str, pair: Pair) -> Estimate:
        """first - second with its interval: see `differences`."""
        if (metric, pair) not in self._between:
            values = self.differences(metric, pair)
            clusters = values.index.get_level_values("cluster").tolist()
            self._between[metric, pair] = estimate(values.tolist(), clusters)
        return self._between[metric, pair]

    def differences(self, metric: str, pair: Pair) -> pd.Series[float]:
        """first - second: between methods and models on the examples that have both, between
        languages on the groups.
        """
        if pair.kind == "models":
            tables = [self._paired.get((model, metric)) for model in (pair.first, pair.second)]
            if any(table is None or pair.method not in table for table in tables):
                return NONE
            first, second = (
                table[pair.method].xs(pair.lang, level="lang")
                for table in tables
                if table is not None
            )
            return _difference(*first.align(second, join="inner"))
        table = self._paired[pair.model, metric]
        if pair.kind == "languages":
            texts = table[pair.method].groupby(level=["lang", "group", "cluster"])
            means = texts.mean().unstack("lang")
            return _difference(means[pair.first], means[pair.second])
        if pair.first not in table or pair.second not in table:
            return NONE
        table = table[table.index.get_level_values("lang") == pair.lang] if pair.lang else table
        return _difference(table[pair.first], table[pair.second])

    def best(self, model: str, metric: str, lang: str | None = None) -> str | None:
        """The method with the best mean, the floor aside; None where the metric has no better
        direction.
        """
        names = [name for name in self.methods_of(model, metric, lang) if name != FLOOR]
        if self.sign(metric) == 0 or not names:
            return None
        means = {
            name: (
                self.cells[model, lang, name, metric] if lang else self.pooled[model, name, metric]
            )
            for name in names
        }
        return max(names, key=lambda name: self.sign(metric) * means[name].mean)

    def sign(self, metric: str) -> int:
        """1 where higher is better, -1 where lower is, 0 where the study does not say."""
        row = next(
            (row for row in described(self.study, "metrics") if row["name"] == base(metric)), {}
        )
        higher = row.get("higher_is_better")
        return 0 if higher is None else 1 if higher else -1

    def decided(self, metric: str, pair: Pair) -> str:
        """The verdict on a comparison that the page makes, if it also holds among all of them
        (`families.adjusted`).
        """
        sure = self.adjusted(metric).get(pair, nan) < ALPHA
        return self.verdict(metric, self.between(metric, pair)) if sure else "undecided"

    def adjusted(self, metric: str) -> dict[Pair, float]:
        """Every comparison of the metric with its adjusted p, computed once."""
        if metric not in self._families:
            self._families[metric] = adjusted(self, metric)
        return self._families[metric]

    @cached_property
    def _between(self) -> dict[tuple[str, Pair], Estimate]:
        return {}

    @cached_property
    def _families(self) -> dict[str, dict[Pair, float]]:
        return {}

    def verdict(self, metric: str, difference: Estimate) -> str:
        """One of "better" and "worse" where the interval of the difference excludes 0, else
        "undecided".
        """
        low, high = sorted(
            (self.sign(metric) * difference.low, self.sign(metric) * difference.high)
        )
        return "better" if low > 0 else "worse" if high < 0 else "undecided"

    def _ordered(self, column: str, listed: str) -> list[str]:
        """What occurs in the rows: in the study's order first, then by name."""
        order = [row["name"] for row in described(self.study, listed)]
        known = set(self.rows[column].unique())
        return [name for name in order if name in known] + sorted(known - set(order))


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """Gives a metric that was measured with several settings one name per setting:
    `sufficiency[unit=token]`.

    Repeats with other seeds keep one name.
    """
    names = names_of(zip(rows["metric"], rows["options"]))
    return rows.assign(metric=[names[pair] for pair in zip(rows["metric"], rows["options"])])


def with_tasks(table: pa.Table) -> pa.Table:
    """The rows with each model named together with its task, where there are several tasks."""
    if "task" not in table.column_names or len(pc.unique(table["task"])) < 2:
        return table
    names = pc.binary_join_element_wise(table["model"], table["task"], " · ")
    return table.set_column(table.column_names.index("model"), "model", names)


def base(metric: str) -> str:
    """The name of a metric, or method, without its setting."""
    return metric.partition("[")[0]


def described(study: Mapping[str, Any], listed: str) -> list[dict[str, Any]]:
    """A list of the study as rows with a name, whatever was left out."""
    rows: Iterable[Any] = study.get(listed) or ()
    return [
        row if isinstance(row, dict) else {"name": str(row)}
        for row in rows
        if not isinstance(row, dict) or "name" in row
    ]


def _difference(first: pd.Series[float], second: pd.Series[float]) -> pd.Series[float]:
    return (first - second).dropna()
