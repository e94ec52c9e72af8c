"""The tables of masked relevance propagation from a store of studies/head-masks.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from babelscope.analyses.faithfulness import ratios
from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.analyses.heads.tables import ModelHeads, tables
from babelscope.reporting.papers.drawing import curves
from babelscope.reporting.papers.element import Element, Missing, Paper
from babelscope.stats import estimate
from babelscope.store import Store

CLASSIFICATION = ("aopc", "lodds")
ANSWERS = ("answer_recall", "answer_precision")


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The measures of explanations and the heads of models; either may be missing."""

    comparison: Comparison | None
    heads: list[ModelHeads] | None


def material(store: Store, study: Mapping[str, Any]) -> Material | None:
    asked = study.get("analyses", {})
    comparison = ratios.comparison(store, study) if "faithfulness" in asked else None
    heads = tables(store, study) if "heads" in asked else None
    return Material(comparison, heads) if comparison is not None or heads else None


def means(metrics: tuple[str, ...], found: Material) -> pd.DataFrame:
    """The mean of each metric by task, model and method, every text counting once (micro)."""
    columns = ["task", "model", "metric", "method", "mean", "low", "high", "n", "undefined"]
    if found.comparison is None:
        return pd.DataFrame(columns=columns)
    rows = found.comparison.measured.rows
    chosen = rows[rows["metric"].map(lambda name: name.partition("[")[0] in metrics)]
    lines = []
    for place, part in chosen.groupby(["task", "model", "metric", "method"]):
        mean = estimate(part["value"].tolist(), part["cluster"].tolist())
        if mean.n:
            lines.append((*place, mean.mean, mean.low, mean.high, mean.n, mean.undefined))
    return pd.DataFrame(lines, columns=columns)


def thresholds(found: Material) -> pd.DataFrame:
    """How many heads pass as the thresholds vary."""
    rows = [
        {"model": model.model, "task": model.task, "lang": language.lang, **_plain(step)}
        for model in found.heads or []
        for language in model.languages
        for step in language.curve
    ]
    return pd.DataFrame(rows)


def masks(found: Material) -> pd.DataFrame:
    """How many heads every mask keeps, and whether that is none or all of them."""
    lines = []
    for model in found.heads or []:
        for language in model.languages:
            for kind, mask in language.masks.items():
                kept, total = int(sum(map(sum, mask.keep))), sum(map(len, mask.keep))
                said = {0: "none", total: "all"}.get(kept, "")
                lines.append((model.model, model.task, language.lang, kind, kept, total, said))
    columns = ["model", "task", "lang", "mask", "kept", "heads", "empty_or_full"]
    return pd.DataFrame(lines, columns=columns)


def _plain(step: Any) -> dict[str, Any]:
    from dataclasses import asdict

    return step._asdict() if hasattr(step, "_asdict") else asdict(step)


PAPER = Paper(
    "head-masks",
    "Masked relevance propagation: relevance that only syntactic and positional attention heads "
    "pass on. The published numbers were not obtainable.",
    "studies/head-masks.yaml",
    material,
    (
        Element(
            "table-1", "AOPC and LOdds by task, model and method.", partial(means, CLASSIFICATION),
            note="The paper's tables are one by task and architecture.",
        ),
        Element(
            "table-2", "Answers among the 20 highest tokens, by model and method.",
            partial(means, ANSWERS),
            note="answer recall is the paper's precision at 20, here averaged over texts.",
        ),
        Element("masks", "Heads that every mask keeps.", masks),
        Element("figure-thresholds", "Heads by threshold.", thresholds,
                draw=partial(curves, x="margin", y="kept", series="lang",
                             panels=["model", "task"])),
    ),
    (
        Missing("table-3", "Which results the third table has is not in the sources at hand.",
                "unknown"),
        Missing("figure-aopc-by-threshold", "AOPC as the threshold varies.",
                "masks of a study have one threshold; run it with several files of masks"),
    ),
)  # fmt: skip
