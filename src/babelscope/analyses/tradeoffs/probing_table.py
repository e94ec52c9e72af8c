"""What linear probes find in the states of the base, layer by layer, and how well they tell
languages apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.tradeoffs import probing
from babelscope.analyses.tradeoffs.grid import Grid
from babelscope.analyses.tradeoffs.provenance import SINGLE
from babelscope.analyses.tradeoffs.records import Records, state_parts, whole
from babelscope.stats import rate
from babelscope.types import FineTuning

SPLITS = ("train", "dev", "test")


def probing_table(records: Records, table: Grid) -> list[dict[str, Any]]:
    """Per layer of the base: a probe trained in each source, tested everywhere, and on labels that
    say nothing."""
    base = records.base
    if base is None or not records.has_states(base, ("train", "dev"), table.sources):
        return []
    first = next(state_parts(records, base, "test", table.targets[0], "mean"))
    rows = []
    for source in table.sources:
        for layer in range(first.shape[1]):
            hits, control = (
                probe_hits(records, base, source, layer, control=each) for each in (False, True)
            )
            for target in hits:
                row = {"source": source, "target": target, "layer": layer}
                rows.append(row | _accuracies(table, target, hits[target], control[target]))
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


def probe_hits(
    records: Records, model: FineTuning, source: str, layer: int = -1, *, control: bool = False
) -> dict[str, NDArray[np.float64]]:
    """For every language with states: which test texts a probe classifies correctly that was
    trained on the states in `source`."""
    truth = {split: _truth(records, split, source, control) for split in ("train", "dev")}
    train, dev = (whole(records, model, split, source, layer) for split in ("train", "dev"))
    fitted = probing.probe(train, truth["train"], dev, truth["dev"], len(records.labels))
    hits = {}
    for lang in records.texts["test"]:
        if records.has_states(model, ["test"], [lang]):
            predicted = probing.logits(fitted, whole(records, model, "test", lang, layer)).argmax(
                axis=1
            )
            hits[lang] = (predicted == _truth(records, "test", lang, control)).astype(float)
    return hits


def language_probe_table(records: Records, table: Grid) -> list[dict[str, Any]]:
    """How well the language itself can be read off the last layer, before and after fine-tuning."""
    first = [model for model in records.of_kind(SINGLE) if model.seed == table.seeds[0]]
    models = [*([records.base] if records.base else []), *first]
    if len(table.sources) < 2:
        return []
    return [
        {"model": model.source, "accuracy": _language_accuracy(records, model, table.sources)}
        for model in models
        if records.has_states(model, SPLITS, table.sources)
    ]


def _language_accuracy(records: Records, model: FineTuning, langs: tuple[str, ...]) -> float:
    data = {}
    for split in SPLITS:
        states = [whole(records, model, split, lang, -1) for lang in langs]
        data[split] = (
            np.concatenate(states),
            np.repeat(np.arange(len(langs)), [len(each) for each in states]),
        )
    fitted = probing.probe(*data["train"], *data["dev"], len(langs))
    states_, gold = data["test"]
    return float((probing.logits(fitted, states_).argmax(axis=1) == gold).mean())


def _truth(records: Records, split: str, lang: str, control: bool) -> NDArray[np.int64]:
    gold = records.gold(split, lang)
    return probing.control_labels(records.texts[split][lang].groups, gold) if control else gold
