"""Faithfulness above that of random scores, language by language, beside a reference language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from babelscope.stats import estimate
from babelscope.stats.corrections import holm
from babelscope.stats.disparity import CONTROL
from babelscope.stats.paired import Paired, paired
from babelscope.types import Estimate


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One metric in one language, in the mean over the methods."""

    lang: str
    metric: str
    above: Estimate
    """The mean value less that of random scores on the same text: 0 is chance."""
    against: Paired | None
    """The difference from the reference language on the same texts; None for that language."""
    adjusted: float | None
    """p of that difference, corrected by Holm over all languages and metrics."""


def above_control(measures: pd.DataFrame) -> pd.DataFrame:
    """A row for each language, translation group (with its cluster) and metric, a column for each
    method: its value less that of random scores on the same text, both in the mean over seeds."""
    keys = ["lang", "group", "cluster", "metric", "method"]
    means = measures.groupby(keys)["value"].mean().unstack("method")
    return means.drop(columns=CONTROL).sub(means[CONTROL], axis=0)


def across_languages(
    above: pd.DataFrame, reference: str, languages: Sequence[str], metrics: Sequence[str]
) -> list[LanguageRow]:
    """Every metric in every language, paired by translation group with the reference language;
    intervals and tests are by cluster.

    *Laws*: the reference has no difference; a language with the reference's values differs by 0,
    with p = 1.
    """
    means = above.mean(axis=1, skipna=False).unstack("metric")
    tests: dict[tuple[str, str], Paired] = {}
    for lang in languages:
        if lang != reference:
            values, base = means.loc[lang].align(means.loc[reference], join="inner", axis=0)
            clusters = _clusters(values)
            tests |= {(lang, name): paired(values[name], base[name], clusters) for name in metrics}
    adjusted = dict(zip(tests, holm([test.p for test in tests.values()])))
    rows = []
    for lang in languages:
        for name in metrics:
            values = means.loc[lang][name]
            mean = estimate(values.tolist(), _clusters(values))
            key = (lang, name)
            rows.append(LanguageRow(lang, name, mean, tests.get(key), adjusted.get(key)))
    return rows


def _clusters(rows: pd.DataFrame | pd.Series[float]) -> list[str]:
    return rows.index.get_level_values("cluster").astype(str).tolist()
