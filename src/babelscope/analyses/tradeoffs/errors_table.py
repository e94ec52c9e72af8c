"""Which errors the models make, for every source and target, and which texts flip between
languages."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from babelscope.analyses.tradeoffs import behaviour, confidence, confusions
from babelscope.analyses.tradeoffs.flips import flips
from babelscope.analyses.tradeoffs.grid import Grid, correct, mean, plain_list
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.analyses.tradeoffs.records import Records
from babelscope.stats import rate

LISTED = 10
"""Flipped texts that are listed per pair of languages."""


def errors_table(table: Grid, labels: int) -> list[dict[str, Any]]:
    """One row per source and target: confusions summed over seeds, flips of the first seed, the
    rest as means."""
    return [
        _row(table, source, target, labels) for source in table.sources for target in table.targets
    ]


def _row(table: Grid, source: str, target: str, labels: int) -> dict[str, Any]:
    seeds = [table.test[k, source, target] for k in table.seeds]
    counts = np.sum(
        [confusions.confusion(each.gold, each.logits.argmax(axis=1), labels) for each in seeds],
        axis=0,
    )
    scores, shift = confusions.scores(counts), confusions.label_shift(counts)
    right = np.mean([each.logits.argmax(axis=1) == each.gold for each in seeds], axis=0)
    accuracy = rate(right.tolist(), list(seeds[0].clusters))
    corrected = _corrected(table, source, target, labels)
    row: dict[str, Any] = {
        "source": source,
        "target": target,
        "confusion": counts.tolist(),
        "accuracy": accuracy.mean,
        "interval": [accuracy.low, accuracy.high],
        **{name: plain_list(getattr(scores, name)) for name in scores._fields},
        "label_shift": {name: plain_list(getattr(shift, name)) for name in shift._fields},
        "auroc": plain_list(
            np.mean([confusions.one_vs_rest(each.logits, each.gold) for each in seeds], axis=0)
        ),
        "truncated": seeds[0].truncated,
        "accuracy_corrected": mean(corrected) if corrected else None,
    }
    comparable = table.parallel and source in table.targets and source != target
    return row | ({"flips": _flips(table, source, target, labels)} if comparable else {})


def _corrected(table: Grid, source: str, target: str, labels: int) -> list[float]:
    """The accuracy of every seed after offsets that give each class its share of the dev texts."""
    accuracies = []
    for k in table.seeds:
        if (k, source, target) in table.dev:
            dev, test = table.dev[k, source, target], table.test[k, source, target]
            moved = confusions.offsets(
                dev.logits, np.bincount(dev.gold, minlength=labels) / len(dev.gold)
            )
            accuracies.append(float(((test.logits + moved).argmax(axis=1) == test.gold).mean()))
    return accuracies


def _flips(table: Grid, source: str, target: str, labels: int) -> dict[str, Any]:
    here, there = (table.test[table.seeds[0], source, lang] for lang in (source, target))
    sure = confidence.probabilities(there.logits).max(axis=1)
    predicted = (here.logits.argmax(axis=1), there.logits.argmax(axis=1))
    flipped = flips(there.groups, there.gold, *predicted, sure, labels)
    row = {
        name: plain_list(getattr(flipped, name))
        for name in ("rate", "by_class", "agreement", "kappa")
    }
    row["transitions"] = [list(each) for each in flipped.transitions[:LISTED]]
    row["listed"] = [each._asdict() for each in flipped.listed[:LISTED]]
    return row


def flipped_texts(
    records: Records, errors: list[dict[str, Any]]
) -> dict[str, dict[str, list[str]]]:
    """The texts of the listed flips, by translation group and language."""
    groups = {flip["group"] for row in errors for flip in row.get("flips", {}).get("listed", ())}
    texts: dict[str, dict[str, list[str]]] = {}
    for lang, table in records.texts["test"].items():
        for group, pair in zip(table.groups, table.texts):
            if group in groups:
                texts.setdefault(group, {})[lang] = list(pair)
    return texts


def factorial_table(table: Grid, labels: tuple[str, ...]) -> list[dict[str, Any]]:
    """Per class and pair of sources: what the input, the model and their match do to recall, with
    intervals.

    A class that a language lacks has no recall there; languages that disagree on gold are no
    translations.
    """
    pairs = [
        (i, j)
        for i, j in combinations(range(len(table.sources)), 2)
        if min(table.diagonal[i], table.diagonal[j]) >= 0
    ]
    gold, least = (
        table.gold.max(axis=0),
        table.gold.min(axis=0, initial=len(labels), where=table.gold >= 0),
    )
    if not pairs or (gold != least).any():
        return []
    hits, rows = correct(table), []

    def effects(a: Float[np.ndarray, "... source target"]) -> Float[np.ndarray, "... pair effect"]:
        return np.stack(
            [_factorial(a, (i, j), (table.diagonal[i], table.diagonal[j])) for i, j in pairs], -2
        )

    for label, name in enumerate(labels):
        texts = np.flatnonzero(gold == label)
        if (table.gold[:, texts] >= 0).any(axis=1).all():
            clusters = [table.clusters[at] for at in texts]
            interval = intervals(hits[..., texts], clusters, effects)
            for place, (i, j) in enumerate(pairs):
                row = {
                    "class": name,
                    "first": table.sources[i],
                    "second": table.sources[j],
                    "n": len(texts),
                }
                parts = enumerate(behaviour.Factorial._fields)
                rows.append(
                    row
                    | {
                        effect: [float(edge[place, at]) for edge in interval]
                        for at, effect in parts
                    }
                )
    return rows


def _factorial(
    a: Float[np.ndarray, "... source target"], rows: tuple[int, int], places: tuple[int, int]
) -> Float[np.ndarray, "... effect"]:
    return np.stack(behaviour.factorial(a[..., list(rows), :][..., list(places)]), -1)
