"""The rest of the published mono/multi numbers: XLM-R large, the soft table, counts, fertility."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from babelscope.reporting.papers.mono_vs_multi import MODELS, published_ratios
from babelscope.reporting.papers.published import published
from babelscope.stats.correlations import correlation
from babelscope.stats.paired import sign_flip

PAIRS = {"mbert": "bert", "xlm-r": "roberta"}
HARD = ("normalised_sufficiency", "normalised_comprehensiveness")


def large() -> list[dict[str, Any]]:
    """XLM-R large and base, each less monolingual RoBERTa base, by language; and their
    difference."""
    rows = published("mono-vs-multi-disparities")
    listed = []
    for metric in HARD:
        chosen = rows[(rows["metric"] == metric) & (rows["by"] == "lang")]
        wide = chosen.pivot_table("published", "level", "pairing", sort=False)
        names = [f"{model} − roberta" for model in ("xlm-r-large", "xlm-r")]
        steps = (wide[names[0]] - wide[names[1]]).dropna()
        tests = [sign_flip(values.tolist()) for values in (wide[names[0]], steps)]
        listed.append({"metric": metric, "by_lang": wide[names], "steps": steps, "tests": tests})
    return listed


def soft() -> list[dict[str, Any]]:
    """Of each pairing and metric in English: the disparity, hard and soft, and how they go
    together."""
    rows = published_ratios()
    keys = ["task", "method"]
    listed = []
    for multi, mono in PAIRS.items():
        for metric in HARD:
            gaps = []
            for name in (metric, metric.replace("normalised", "normalised_soft")):
                chosen = rows[(rows["metric"] == name) & (rows["lang"] == "en")]
                wide = chosen.pivot_table("published", keys, "model")
                gaps.append(wide[multi] - wide[mono])
            both = pd.concat(gaps, axis=1, keys=["hard", "soft"]).dropna()
            test = correlation(
                both["hard"], both["soft"], list(both.index.get_level_values("task"))
            )
            means = both.mean()
            listed.append({"name": f"{multi} − {mono}", "metric": metric, "cells": len(both),
                           "hard": means["hard"], "soft": means["soft"], "test": test})  # fmt: skip
    return listed


def counts() -> dict[str, Any]:
    """How many of 12 ratios are above 1 by language: multilingual less monolingual."""
    wide = published("mono-vs-multi-counts").pivot_table("published", ["lang", "method"], "kind")
    gap = (wide["multilingual"] - wide["monolingual"]).groupby("lang", sort=False).sum()
    return {"total": wide.sum(), "by_lang": gap, "test": sign_flip(gap.tolist())}


def fertility() -> list[tuple[str, str, Any]]:
    """Over the tasks: does a larger difference in fertility go with a larger one in
    faithfulness?"""
    split = published("mono-vs-multi-fertility").pivot_table("published", ["task", "lang"], "model")
    ratios = published_ratios()
    listed = []
    for multi, mono in PAIRS.items():
        for metric in HARD:
            chosen = ratios[(ratios["metric"] == metric) & ratios["model"].isin(MODELS.values())]
            wide = chosen.pivot_table("published", ["task", "lang"], "model")
            both = pd.concat([split[multi] - split[mono], wide[multi] - wide[mono]], axis=1)
            both = both.dropna()
            test = correlation(
                *np.array(both).T, list(both.index.get_level_values("lang")), ranks=True
            )
            listed.append((f"{multi} − {mono}", metric, test))
    return listed
