"""Faithfulness by language of a small real encoder: the same sentences in 22 languages."""

from __future__ import annotations

from typing import Any

import pandas as pd

from babelscope.analyses.faithfulness.across_languages import above_control, across_languages
from babelscope.analyses.faithfulness.pairings import readings
from babelscope.analyses.faithfulness.tables import tables
from babelscope.display.marks import Panel, rows_svg
from babelscope.stats import estimate
from babelscope.stats.bootstrap import ratio
from babelscope.stats.correlations import correlation
from babelscope.stats.rankings import friedman


def values(filled: tuple[Any, dict[str, Any]]) -> dict[str, Any]:
    store, study = filled
    contents, langs = tables(store, study), study["languages"]
    assert contents is not None
    metrics, above = contents.summary.metrics, above_control(contents.summary.rows)
    rows = across_languages(above, "en", langs, metrics)
    by_place = {(row.lang, row.metric): row for row in rows}
    known = readings(contents.attributions, {name: (name, 0) for name in study["names"]})
    clusters = contents.summary.rows.set_index("group")["cluster"].to_dict()
    known = known.assign(cluster=known["group"].map(clusters))
    parts = {lang: known[known["lang"] == lang] for lang in langs}
    beside = {
        "accuracy": {lang: estimate(part["right"].astype(float).tolist(), part["cluster"].tolist()) for lang, part in parts.items()},
        "fertility": {lang: ratio(part["tokens"], part["words"], part["cluster"].tolist()) for lang, part in parts.items()},
    }  # fmt: skip
    together = [
        (metric, name, correlation([each[lang].mean for lang in langs], [by_place[lang, metric].above.mean for lang in langs], ranks=True))
        for metric in metrics for name, each in beside.items()
    ]  # fmt: skip
    order = sorted(langs, key=lambda lang: -by_place[lang, metrics[0]].above.mean)
    panels = [Panel(metric.removeprefix("normalised_"), [by_place[lang, metric].above for lang in order], zero=True) for metric in metrics[:2]]  # fmt: skip
    panels += [Panel(name, [each[lang] for lang in order]) for name, each in beside.items()]
    figure = rows_svg("Faithfulness by language", "Above random scores, mean over methods; 95 % intervals.", order, panels)  # fmt: skip
    return {
        "study": study, "metrics": metrics, "rows": by_place, "beside": beside, "together": together,
        "methods": [row for metric in metrics[:2] for row in by_method(above, metric)],
        "figures": {"sib200-faithfulness.svg": figure},
    }  # fmt: skip


def by_method(above: pd.DataFrame, metric: str) -> list[tuple[Any, ...]]:
    """For each method its means by language, in how many languages its interval is above chance,
    and whether the languages rank the methods alike."""
    part = above.xs(metric, level="metric")
    means = part.groupby("lang").mean()
    rows = []
    for method in part.columns:
        lows = [estimate(each.tolist(), each.index.get_level_values("cluster").tolist()).low for _, each in part[method].groupby("lang")]  # fmt: skip
        rows.append((metric, method, means[method], sum(low > 0 for low in lows), friedman(means.to_numpy())))  # fmt: skip
    return rows
