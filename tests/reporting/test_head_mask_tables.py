"""Tables of masked relevance propagation by hand: kinds, thresholds, transfer, precision at 20."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from babelscope.analyses.faithfulness.pairings import MeasuredTexts
from babelscope.analyses.faithfulness.ratios import Comparison
from babelscope.reporting.papers.head_masks import (
    Material,
    ablation,
    by_threshold,
    means,
    precision,
    transfer,
)


def found(rows: list[dict[str, Any]], attributions: Any = None) -> Material:
    listed = [
        {"task": "t", "lang": "en", "model": "m", "name": "m", "cluster": str(at), "id": str(at)}
        | row
        for at, row in enumerate(rows)
    ]
    measured = MeasuredTexts(pd.DataFrame(listed), pd.DataFrame(), {}, ())
    table = pa.table({}) if attributions is None else attributions
    return Material(Comparison(measured, table, (), {}), None)


def masked(heads: str, value: float, lang: str = "en") -> dict[str, Any]:
    method = f"masked_lrp[heads={heads}]" if heads else "rollout"
    return {"method": method, "metric": "aopc[unit=token]", "value": value, "lang": lang}


ROWS = [
    masked("builtin:synt_pos@0.25", 0.4),
    masked("builtin:synt@0.25", 0.3),
    masked("builtin:random@0.25", 0.1),
    masked("builtin:corrupted(0.75)@0.25", 0.2),
    masked("builtin:synt_pos@0.5", 0.35),
    masked("builtin:all", 0.25),
    masked("builtin", 0.15),
    masked("topic/es/train/300:synt_pos@0.25", 0.32),
    masked("topic/{lang}/train/300:synt_pos@0.25", 0.33),
    masked("", 0.9),
]


def test_kinds_of_masks_at_the_same_thresholds() -> None:
    table = ablation(found(ROWS)).set_index("kind")["mean"]
    assert table.to_dict() == {
        "synt_pos": 0.4, "synt": 0.3, "random": 0.1, "corrupted": 0.2, "all": 0.25,
    }  # fmt: skip


def test_by_threshold() -> None:
    table = by_threshold(found(ROWS))
    assert dict(zip(table["part"], table["mean"])) == {0.25: 0.4, 0.5: 0.35, 1.0: 0.25}


def test_masks_of_other_sentences() -> None:
    table = transfer(found(ROWS))
    listed = set(zip(table["mask_language"], table["mask_corpus"], table["mean"]))
    assert {("en", "both", 0.4), ("es", "topic", 0.32), ("en", "topic", 0.33)} <= listed
    assert transfer(found(ROWS[:3])).empty, "no mask of other sentences"


def test_precision_at_20_micro_and_macro() -> None:
    """Answers of 1 and 3 tokens, of which 1 and 1 are found: macro (1 + 1/3) / 2 = 2/3, micro
    2 / 4 = 1/2."""
    columns = {
        "model": ["m", "m"], "method": ["rollout"] * 2, "id": ["0", "1"],
        "target_index": [1, 1], "target_end": [1, 4],
        "input": [{"content": [False, True, True]}, {"content": [True, True, False, True, True]}],
    }  # fmt: skip
    rows = [
        {"method": "rollout", "metric": "answer_recall", "value": value} for value in (1.0, 1 / 3)
    ]
    table = precision(found(rows, pa.table(columns))).set_index("average")["mean"]
    assert table["macro"] == pytest.approx(2 / 3)
    assert table["micro"] == pytest.approx(1 / 2)


def test_intervals_of_recalls_stay_between_0_and_1() -> None:
    """Two of three answers are found whole: a plain interval of so few would pass 1. Of AOPC, a
    difference, an interval may."""
    values = (1.0, 1.0, 0.0)
    listed = [
        {"method": "rollout", "metric": metric, "value": value}
        for metric in ("answer_recall", "aopc")
        for value in values
    ]
    table = means(("answer_recall", "aopc"), found(listed)).set_index("metric")
    assert table["mean"].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert 0 < table["low"]["answer_recall"] < 2 / 3 < table["high"]["answer_recall"] < 1
    assert table["high"]["aopc"] > 1
