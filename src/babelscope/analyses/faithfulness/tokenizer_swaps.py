"""The swaps of a study: how much of the difference between a multilingual and a monolingual model
goes with the tokenizer, and how much with the body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from babelscope.analyses.faithfulness.pairings import MeasuredTexts
from babelscope.stats.disparity import covariates
from babelscope.stats.tokenizer_swap import (
    CELLS,
    EFFECTS,
    Swap,
    SwapEffect,
    effects_of,
    swap_effects,
    swap_instances,
)

READINGS = ("accuracy", "fertility", "splitting")
COLUMNS = [
    "swap", "texts", "metric", "lang", "effect", "value", "low", "high", "n", "units", "p",
    "p_holm", "share", "share_low", "share_high",
]  # fmt: skip


def study_swaps(study: Mapping[str, Any]) -> tuple[Swap, ...]:
    """The swaps that a study's block names."""
    return tuple(Swap(*((models[cell],) for cell in CELLS)) for models in study.get("swaps") or ())


def instances(measured: MeasuredTexts, swaps: tuple[Swap, ...]) -> pd.DataFrame:
    """The effects of every text, by the first setting of each metric; empty without swaps or texts
    that all four models read."""
    rows = measured.main_rows()
    if not swaps or not len(rows):
        return pd.DataFrame(columns=["swap", "metric", "lang", "correct", *EFFECTS])
    lower = {measured.main[name] for name in measured.lower if name in measured.main}
    return swap_instances(rows, measured.readings, swaps, lower=lower)


def effects(rows: pd.DataFrame, *, correct: bool = True) -> list[SwapEffect]:
    """Of all languages together, then of each; on the texts that all four models predict rightly,
    or on all."""
    chosen = rows[rows["correct"].astype(bool)] if correct else rows
    if not len(chosen):
        return []
    return [*swap_effects(chosen), *swap_effects(chosen, by_language=True)]


def effect_table(measured: MeasuredTexts, swaps: tuple[Swap, ...]) -> pd.DataFrame:
    """One row per swap, metric, language and effect, on all texts and on those that all four models
    predict rightly; then the effects on what the models read: accuracy, fertility and splitting.
    """
    rows = instances(measured, swaps)
    lines = [
        (each.swap, texts, each.metric, each.lang or "all", each.effect, each.value.mean,
         each.value.low, each.value.high, each.value.n, each.units, each.p, each.adjusted,
         each.share.mean, each.share.low, each.share.high)
        for texts, correct in (("all right", True), ("all", False))
        for each in effects(rows, correct=correct)
    ]  # fmt: skip
    parts = [pd.DataFrame(lines, columns=COLUMNS), _reading_effects(measured, swaps)]
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _reading_effects(measured: MeasuredTexts, swaps: tuple[Swap, ...]) -> pd.DataFrame:
    """What the swap does to accuracy, fertility and splitting: means over tasks and languages that
    have all four models, without intervals."""
    lines = []
    for swap in swaps:
        cells = [
            covariates(measured.readings[measured.readings["model"].isin(names)])
            .groupby(["task", "lang"])
            .mean()
            for names in swap.models
        ]
        for name in READINGS:
            wide = pd.concat([cell[name] for cell in cells], axis=1).dropna()
            values = effects_of(*(wide.iloc[:, at].to_numpy() for at in range(len(CELLS))))
            lines += [
                {"swap": swap.name, "texts": "all", "metric": name, "lang": "all",
                 "effect": effect, "value": value.mean(), "units": len(wide)}
                for effect, value in zip(EFFECTS, values) if len(wide)
            ]  # fmt: skip
    return pd.DataFrame(lines)


def cell_table(measured: MeasuredTexts, swaps: tuple[Swap, ...]) -> pd.DataFrame:
    """What the effects are made of: each of the four models' mean value above random scores, on the
    texts that all four predict rightly, beside its accuracy and fertility."""
    rows = instances(measured, swaps)
    known = covariates(measured.readings).reset_index()
    by_model = known.groupby("model")[["accuracy", "fertility"]].mean() if len(known) else known
    lines = []
    for swap in swaps:
        for cell, (name, *_) in zip(CELLS, swap.models):
            chosen = rows[(rows["swap"] == swap.name) & rows["correct"].astype(bool)]
            for metric, part in chosen.groupby("metric", sort=False):
                read = by_model.loc[name].to_dict()
                lines.append(
                    {"swap": swap.name, "model": name, "cell": cell.replace("_", " "),
                     "metric": metric, "above_random": part[cell].mean(),
                     "n": int(part[cell].notna().sum()), **read}
                )  # fmt: skip
    return pd.DataFrame(lines)
