"""What linear probes found in the hidden states of the base, layer by layer, and how well they
identify the language."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.tradeoffs.grid import Grid
from babelscope.analyses.tradeoffs.provenance import SINGLE
from babelscope.analyses.tradeoffs.records import CONTROL, GOLD, Records
from babelscope.stats import rate
from babelscope.store import read
from babelscope.types import FineTuning

Hits = dict[tuple[str, int, str], NDArray[np.float64]]
"""By what was predicted, layer and language: 1 for every test text that the probe classified
correctly, else 0."""


def probing_table(records: Records, table: Grid) -> list[dict[str, Any]]:
    """Per layer of the base: a probe trained in each source, tested everywhere, and on labels that
    say nothing."""
    base = records.base
    rows = []
    for source in table.sources:
        if base is None or not records.has_probes(base, source):
            return []
        hits = _hits(records, base, source)
        for labels, layer, target in hits:
            if labels == GOLD:
                row = {"source": source, "target": target, "layer": layer}
                pair = (hits[each, layer, target] for each in (GOLD, CONTROL))
                rows.append(row | _accuracies(table, target, *pair))
    return rows


def _accuracies(
    table: Grid, target: str, hits: NDArray[np.float64], control: NDArray[np.float64]
) -> dict[str, Any]:
    accuracy = rate(hits.tolist(), [table.clusters[at] for at in table.places(target)])
    return {
        "accuracy": [accuracy.mean, accuracy.low, accuracy.high],
        "control": float(control.mean()),
        "selectivity": float(hits.mean() - control.mean()),
    }


def probe_hits(records: Records, model: FineTuning, source: str) -> dict[str, NDArray[np.float64]]:
    """For every language: which test texts a probe classifies correctly that was trained on the
    states of the last layer in `source`."""
    hits = _hits(records, model, source)
    last = max(layer for _, layer, _ in hits)
    return {
        lang: each
        for (labels, layer, lang), each in hits.items()
        if (labels, layer) == (GOLD, last)
    }


def language_probe_table(records: Records, table: Grid) -> list[dict[str, Any]]:
    """How well the language itself can be identified from the last layer, before and after
    fine-tuning."""
    first = [model for model in records.of_kind(SINGLE) if model.seed == table.seeds[0]]
    models = [*([records.base] if records.base else []), *first]
    return [
        {"model": model.source, "accuracy": float(np.concatenate([*hits.values()]).mean())}
        for model in models
        if records.has_probes(model, "") and (hits := _hits(records, model, ""))
    ]


def _hits(records: Records, model: FineTuning, source: str) -> Hits:
    """What the probes of one cell got right, on the texts that are in the tables."""
    rows = read(records.store, "probes", [records.probes[model.model, source]]).to_pylist()
    hits = {}
    for row in rows:
        texts = records.texts["test"].get(row["lang"])
        if texts is not None:
            right = {
                name: float(predicted == truth)
                for name, predicted, truth in zip(row["ids"], row["predicted"], row["truth"])
            }
            hits[row["labels"], row["layer"], row["lang"]] = np.array(
                [right[name] for name in texts.ids]
            )
    return hits
