"""The chapter of the report about swapped tokenizers: a sentence for each metric, and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd
from markupsafe import Markup

from babelscope.display.numbers import interval, number, spoken
from babelscope.stats.tokenizer_swap import EFFECTS
from babelscope.types import Estimate


@dataclass(frozen=True, slots=True)
class SwapChapter:
    """Everything that the template lays out."""

    sentences: list[Markup]
    lines: list[tuple[str, str, str, list[str], str]]
    """Swap, metric, languages, the effects with their intervals, the tokenizer's share."""


def swap_chapter(table: pd.DataFrame) -> SwapChapter | None:
    """The effects on the texts that all four models predict rightly; None without any."""
    if table.empty or not (table["texts"] == "all right").any():
        return None
    right = table[table["texts"] == "all right"]
    lines = [
        (str(swap), spoken(str(metric)), str(lang), _cells(part), _share(part))
        for (swap, metric, lang), part in right.groupby(["swap", "metric", "lang"], sort=False)
    ]
    whole = right[right["lang"] == "all"]
    sentences = [
        _sentence(str(swap), str(metric), part)
        for (swap, metric), part in whole.groupby(["swap", "metric"], sort=False)
    ]
    cost = table[(table["metric"] == "accuracy") & (table["effect"] == "interaction")]
    costs = [_cost(row) for row in _records(cost)]
    return SwapChapter([*sentences, *costs], lines)


def _by_effect(part: pd.DataFrame) -> dict[str, dict[str, Any]]:
    return {row["effect"]: row for row in _records(part)}


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): row[name] for name in row} for row in table.to_dict("records")]


def _cells(part: pd.DataFrame) -> list[str]:
    rows = _by_effect(part)
    return [_shown(_value(rows[effect])) for effect in EFFECTS]


def _shown(value: Estimate) -> str:
    return interval(value) if isfinite(value.mean) else "–"


def _value(row: Mapping[str, Any]) -> Estimate:
    return Estimate(row["value"], row["low"], row["high"], int(row["n"]), 0)


def _share(part: pd.DataFrame) -> str:
    row = _by_effect(part)["tokenizer"]
    share = Estimate(row["share"], row["share_low"], row["share_high"], int(row["n"]), 0)
    return _shown(share)


def _sentence(swap: str, metric: str, part: pd.DataFrame) -> Markup:
    """No stronger than the corrected tests over tasks and languages allow."""
    rows = _by_effect(part)
    if not isfinite(rows["gap"]["value"]):
        return Markup("{}, {}: no text has a value in all four models; nothing follows.").format(
            swap, spoken(metric)
        )
    gap, tokenizer, body = (_number(rows[name]) for name in ("gap", "tokenizer", "body"))
    shown = [name for name in ("tokenizer", "body") if rows[name]["p_holm"] < 0.05]
    verdict = {
        0: "neither part is shown to differ from 0",
        1: f"only the part of the {''.join(shown)} is shown to differ from 0",
        2: "both parts differ from 0",
    }[len(shown)]
    return Markup(
        "{}, {}: the models differ by {}, of which {} goes with the tokenizer and {} with the "
        "body: {}, over {} tasks and languages."
    ).format(swap, spoken(metric), gap, tokenizer, body, verdict, rows["gap"]["units"])


def _number(row: Mapping[str, Any]) -> Markup:
    return Markup("{} (corrected p {})").format(interval(_value(row)), number(row["p_holm"]))


def _cost(row: Mapping[str, Any]) -> Markup:
    """The interaction: the mean of both bodies with their own tokenizer less that with the
    other's."""
    value = float(row["value"])
    side = "higher" if value >= 0 else "lower"
    said = "{}: with its own tokenizer a model’s accuracy is {} {} than with another."
    return Markup(said).format(row["swap"], number(abs(value)), side)
