"""From the store to everything that the faithfulness section shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

from babelscope.analyses.explanations import EXPLANATIONS
from babelscope.analyses.faithfulness import pairings
from babelscope.analyses.faithfulness.pairings import Pairs, measured_texts
from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import Summary, labelled, with_tasks
from babelscope.analyses.faithfulness.tokenizer_swaps import effect_table, study_swaps
from babelscope.analyses.stored import (
    skipped_groups,
    stored_clusters,
    stored_keys,
    with_clusters,
    without_groups,
)
from babelscope.display.sheets import csv_text
from babelscope.store import Store, read

NAME = "faithfulness"


@dataclass(frozen=True)
class Tables:
    """Means with intervals and paired differences; where the study pairs models, their
    disparities; where it exchanges tokenizers, the effects of that.
    """

    summary: Summary
    pairs: Pairs | None
    attributions: pa.Table
    """The explanations: all fields where models are paired, else the texts and their places."""
    swaps: pd.DataFrame


def tables(store: Store, study: Mapping[str, Any]) -> Tables | None:
    """The measures of the study's explanations; None where there are none."""
    block = {**study, **study["analyses"][NAME]}
    explained = stored_keys(store, study, EXPLANATIONS)
    keys = stored_keys(store, study, NAME) + explained
    groups = skipped_groups(store, study)
    measures = with_tasks(without_groups(read_named(store, "measures", keys), groups))
    if measures.num_rows == 0:
        return None
    columns = None if block.get("pairings") else ["task", "lang", "group", "id", "texts"]
    attributions = without_groups(read(store, "attributions", explained, columns), groups)
    rows = with_clusters(measures.to_pandas(), stored_clusters(attributions))
    compared = pairings.pairs(store, block, keys, groups)
    swaps = study_swaps(block)
    measured = measured_texts(store, block, keys, groups) if swaps else None
    effects = pd.DataFrame() if measured is None else effect_table(measured, swaps)
    return Tables(Summary(labelled(rows), block), compared, attributions, effects)


def summary_csv(summary: Summary) -> str:
    """One line per model, language, method and metric; undefined numbers are empty."""
    rows = [
        (*place, mean.mean, mean.low, mean.high, mean.n, mean.undefined)
        for place, mean in summary.cells.items()
    ]
    columns = ["model", "lang", "method", "metric", "mean", "low", "high", "n", "undefined"]
    return csv_text(pd.DataFrame(rows, columns=columns))


def differences_csv(summary: Summary) -> str:
    """One line per comparison that the page makes: two methods, languages or models, with the
    interval, the p adjusted over all comparisons of the metric, and the verdict."""
    rows = []
    for metric in summary.metrics:
        for pair, p in summary.adjusted(metric).items():
            gap = summary.between(metric, pair)
            names = (pair.kind, metric, pair.model, pair.method, pair.lang, pair.first, pair.second)
            numbers = (gap.mean, gap.low, gap.high, gap.n, p)
            rows.append((*names, *numbers, summary.decided(metric, pair)))
    columns = [
        "kind", "metric", "model", "method", "lang", "first", "second", "difference", "low", "high",
        "n", "p", "verdict",
    ]  # fmt: skip
    return csv_text(pd.DataFrame(rows, columns=columns))
