"""How far the weights moved, and what that did to the language model."""

from __future__ import annotations

from typing import Any

import numpy as np

from babelscope.analyses.tradeoffs.grid import Grid
from babelscope.analyses.tradeoffs.provenance import SINGLE
from babelscope.analyses.tradeoffs.records import Records
from babelscope.stats import estimate
from babelscope.store import read
from babelscope.types import FineTuning


def drift_table(records: Records, table: Grid) -> list[dict[str, Any]]:
    """Per model of the first seed: how far its weights moved, and the loss of its language model in
    every language beside the base's."""
    rows = []
    for model in records.of_kind(SINGLE):
        if model.seed == table.seeds[0] and model.model in records.drifts:
            parts = read(records.store, "drifts", [records.drifts[model.model]]).to_pylist()
            drift = {row["part"]: row["relative"] for row in parts}
            rows.append(
                {"source": model.source, "drift": drift, "language_loss": _losses(records, model)}
            )
    return rows


def _losses(records: Records, model: FineTuning) -> dict[str, Any]:
    """Mean losses by language, and by how much the fine-tuned model's is larger, by
    cluster."""
    if "" not in records.losses or model.model not in records.losses:
        return {}
    base, tuned = (
        read(records.store, "losses", [records.losses[name]]) for name in ("", model.model)
    )
    before, after = (table.column("loss").to_numpy() for table in (base, tuned))
    langs, groups = (tuned.column(name).to_pylist() for name in ("lang", "group"))
    rows = {}
    for lang in dict.fromkeys(langs):
        texts = records.texts["test"][lang]
        clusters = dict(zip(texts.groups, texts.clusters))
        places = [
            at
            for at, (each, group) in enumerate(zip(langs, groups))
            if each == lang and group in clusters
        ]
        more = estimate((after - before)[places].tolist(), [clusters[groups[at]] for at in places])
        means = {
            "base": float(np.mean(before[places])),
            "fine_tuned": float(np.mean(after[places])),
        }
        rows[lang] = {**means, "more": [more.mean, more.low, more.high]}
    return rows
