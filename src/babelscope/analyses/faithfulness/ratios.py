"""Faithfulness as Zhao and Aletras (2024) tabulate it: ratios to random scores by task, model and
method, how many are above 1, how far multilingual and monolingual models differ, and what each
model predicts and splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from babelscope.analyses.explanations import EXPLANATIONS
from babelscope.analyses.faithfulness.pairings import (
    MeasuredTexts,
    measured_texts,
    study_pairings,
)
from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import base
from babelscope.analyses.faithfulness.tokenizer_swaps import study_swaps
from babelscope.analyses.stored import (
    skipped_groups,
    stored_clusters,
    stored_keys,
    with_clusters,
    without_groups,
)
from babelscope.metrics import METRICS
from babelscope.stats import rate
from babelscope.stats.classes import macro_f1
from babelscope.stats.disparity import SIDES, Pairing, covariates
from babelscope.stats.method_tables import compare_tables
from babelscope.stats.ratio_tables import faithful_counts, ratio_table
from babelscope.stats.tokenizer_swap import Swap
from babelscope.store import Store

NAME = "faithfulness"


@dataclass(frozen=True)
class Comparison:
    """What the tables are made of: values and readings under the study's names, the explanations,
    the pairings, the clusters of texts that are not independent, and the swaps of tokenizers.
    """

    measured: MeasuredTexts
    attributions: pa.Table
    pairings: tuple[Pairing, ...]
    clusters: Mapping[tuple[str, str], str]
    swaps: tuple[Swap, ...] = ()

    @property
    def kinds(self) -> dict[str, str]:
        """Which models of the pairings are multilingual, and which monolingual."""
        both = [
            (name, side)
            for pairing in self.pairings
            for side, names in zip(SIDES, ((pairing.multilingual,), pairing.monolingual))
            for name in names
        ]
        return dict(both)


def comparison(store: Store, study: Mapping[str, Any]) -> Comparison | None:
    """What the store holds of the study's faithfulness; None where there is nothing."""
    block = {**study, **study.get("analyses", {}).get(NAME, {})}
    explained = stored_keys(store, study, EXPLANATIONS)
    groups = skipped_groups(store, study)
    measured = measured_texts(store, block, stored_keys(store, study, NAME) + explained, groups)
    if measured is None:
        return None
    attributions = without_groups(read_named(store, "attributions", explained), groups)
    clusters = stored_clusters(attributions)
    return Comparison(measured, attributions, study_pairings(block), clusters, study_swaps(block))


def ratios(comparison: Comparison) -> pd.DataFrame:
    """How many times random scores: one row per model, task, language, method and metric of
    faithfulness, by the first setting of each metric."""
    measured = comparison.measured
    rows = measured.main_rows()
    lower = {measured.main[name] for name in measured.lower if name in measured.main}
    others = {name for name in rows["metric"].unique() if not _of_faithfulness(base(name))}
    return ratio_table(rows, lower=lower | others)


def _of_faithfulness(metric: str) -> bool:
    return metric not in METRICS or METRICS[metric].family == "faithfulness"


def counts(table: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """How many ratios of multilingual and of monolingual models are above 1, by language and
    method."""
    return faithful_counts(table, comparison.kinds)


def ratio_disparities(
    table: pd.DataFrame, pairings: Sequence[Pairing], by: str = ""
) -> pd.DataFrame:
    """The ratio of the multilingual model less that of its counterpart, over tasks and methods.

        D = mean over cells (task, language, method) of r_multilingual - r_monolingual
        p_cells: paired t-test over the cells, as published
        p_units: exact sign-flip test over tasks in a language, each one observation

    `by` is "lang", "method", or nothing for all together. Cells of one task share their texts and
    models: p over cells takes them for independent, which they are not.
    """
    lines = []
    for pairing in pairings:
        both = paired_ratios(table, pairing)
        keys = ["metric", by] if by else ["metric"]
        for place, part in both.groupby(keys, sort=False):
            first, second, units = _matrices(part)
            test = compare_tables(first, second, units) if len(units) > 1 else None
            numbers = (float(np.mean(first - second)), first.size, len(units))
            p = (nan, nan) if test is None else (test.cells, test.units.sign_flip)
            lines.append((pairing.name, *map(str, place), *numbers, *p))
    places = ["pairing", "metric", *([by] if by else [])]
    return pd.DataFrame(lines, columns=[*places, "disparity", "cells", "units", *P])


P = ("p_cells", "p_units")


def paired_ratios(table: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    """The ratios of both models, side by side, where both are defined."""
    keys = ["task", "lang", "method", "metric"]
    first, second = (
        table[table["model"].isin(names)][[*keys, "ratio"]]
        for names in ((pairing.multilingual,), pairing.monolingual)
    )
    return first.merge(second, on=keys, suffixes=("_multilingual", "_monolingual")).dropna()


def _matrices(part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Units by methods, of the units that have every method."""
    named = part.assign(unit=part["task"] + " " + part["lang"])
    wide = [
        named.pivot_table(index="unit", columns="method", values=f"ratio_{side}", sort=False)
        for side in SIDES
    ]
    kept = wide[0].notna().all(axis=1) & wide[1].notna().all(axis=1)
    first, second = (side[kept].to_numpy(dtype=np.float64) for side in wide)
    return first, second, list(map(str, wide[0].index[kept]))


def performance(comparison: Comparison) -> pd.DataFrame:
    """Accuracy and macro-F1 of every model by task and language, over all seeds, with intervals."""
    rows = comparison.measured.readings
    known = with_clusters(rows[rows["gold"].notna()], comparison.clusters)
    lines = []
    for place, part in known.groupby(["model", "task", "lang"], sort=False):
        clusters = part["cluster"].tolist()
        right = rate(part["right"].astype(float).tolist(), clusters)
        f1 = macro_f1(part["gold"].astype(str).tolist(), part["label"].tolist(), clusters)
        lines.append((*place, right.mean, right.low, right.high, f1.mean, f1.low, f1.high, f1.n))
    numbers = ["accuracy", "low", "high", "macro_f1", "macro_f1_low", "macro_f1_high", "n"]
    return pd.DataFrame(lines, columns=["model", "task", "lang", *numbers])


def splitting(comparison: Comparison) -> pd.DataFrame:
    """Fertility and splitting ratio of every model's tokenizer by task and language: tokens per
    word, and the share of words with two tokens or more."""
    known = covariates(comparison.measured.readings)
    return known[["fertility", "splitting"]].reset_index()
