"""How well confidence and accuracy agree, for every source and target."""

from __future__ import annotations

from typing import Any

import numpy as np

from babelscope.analyses.tradeoffs import confidence
from babelscope.analyses.tradeoffs.grid import Grid, mean
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.analyses.tradeoffs.records import Predictions
from babelscope.analyses.tradeoffs.reliability import reliability, temperature
from babelscope.stats import estimate


def confidence_table(table: Grid, *, seed: int = 0) -> list[dict[str, Any]]:
    """One row per source and target, means over seeds; the diagram's points are of all seeds
    together."""
    return [
        _row(table, source, target, seed) for source in table.sources for target in table.targets
    ]


def _row(table: Grid, source: str, target: str, seed: int) -> dict[str, Any]:
    seeds = [table.test[k, source, target] for k in table.seeds]
    pairs = [(_confidence(each), _hits(each)) for each in seeds]
    gaps = np.mean([sure - hits for sure, hits in pairs], axis=0)
    over = estimate(gaps.tolist(), list(seeds[0].clusters))
    clusters = list(seeds[0].clusters) * len(seeds)
    confidences, correct = (np.concatenate(each) for each in zip(*pairs))
    points = reliability(confidences, correct, clusters)
    return {
        "source": source,
        "target": target,
        **_errors(pairs, seed),
        "class_ece": mean([confidence.class_ece(each.logits, each.gold) for each in seeds]),
        "over": {"value": over.mean, "low": over.low, "high": over.high},
        "over_beyond_own": _beyond(table, source, target),
        **_scores(seeds),
        "auroc": mean([confidence.auroc(*each) for each in pairs]),
        "risk_coverage": mean([confidence.risk_coverage(*each)[1] for each in pairs]),
        "temperature": _temperatures(table, source, target),
        "diagram": [point._asdict() for point in points],
    }


def _errors(pairs: list[tuple[Any, Any]], seed: int) -> dict[str, Any]:
    """Expected calibration errors, and what a perfectly calibrated model would show."""
    row: dict[str, Any] = {}
    for equal in confidence.EDGES:
        row[f"ece_{equal}"] = mean([confidence.ece(*each, equal=equal) for each in pairs])
        row[f"null_{equal}"] = mean(
            [confidence.ece_null(sure, equal=equal, seed=seed) for sure, _ in pairs]
        )
    return row | {"distinguishable": row["ece_width"] > row["null_width"]}


def _scores(seeds: list[Predictions]) -> dict[str, Any]:
    briers = [confidence.brier(each.logits, each.gold) for each in seeds]
    return {
        "brier": {
            name: mean([getattr(each, name) for each in briers])
            for name in confidence.Brier._fields
        },
        "nll": mean([confidence.nll(each.logits, each.gold) for each in seeds]),
        "entropy": mean([confidence.predictive_entropy(each.logits).mean() for each in seeds]),
    }


def _beyond(table: Grid, source: str, target: str) -> dict[str, Any] | None:
    """By how much over-confidence exceeds that in the model's own language; paired where the
    languages share their texts."""
    if source not in table.targets or source == target:
        return None
    rows = []
    for k in table.seeds:
        by_lang = {lang: table.test[k, source, lang] for lang in table.targets}
        rows.append(
            [table.row({lang: _confidence(each) - _hits(each) for lang, each in by_lang.items()})]
        )
    here, there = (table.targets.index(lang) for lang in (source, target))
    interval = intervals(
        np.array(rows), table.clusters, lambda a: a[..., 0, there] - a[..., 0, here]
    )
    return {name: float(getattr(interval, name)) for name in interval._fields}


def _temperatures(table: Grid, source: str, target: str) -> dict[str, Any]:
    """T from the source's dev texts (what zero-shot use has) and from the target's (what it has
    not)."""
    fits = {
        name: _fitted(table, source, target, lang)
        for name, lang in (("source", source), ("target", target))
    }
    return {
        name: {
            "t": mean([t for t, _, _ in each]),
            "ece": mean([ece for _, ece, _ in each]),
            "bound": any(bound for _, _, bound in each),
        }
        for name, each in fits.items()
        if each
    }


def _fitted(table: Grid, source: str, target: str, lang: str) -> list[tuple[float, float, bool]]:
    """Of every seed the temperature from the dev texts of a language, the target's ECE with it, and
    whether the search ended at its bound."""
    fits = []
    for k in table.seeds:
        if (k, source, lang) in table.dev:
            dev, test = table.dev[k, source, lang], table.test[k, source, target]
            fitted = temperature(dev.logits, dev.gold)
            sure = confidence.probabilities(test.logits / fitted.value).max(axis=1)
            fits.append((fitted.value, confidence.ece(sure, _hits(test)), fitted.bound))
    return fits


def _confidence(each: Predictions) -> Any:
    return confidence.probabilities(each.logits).max(axis=1)


def _hits(each: Predictions) -> Any:
    return each.logits.argmax(axis=1) == each.gold
