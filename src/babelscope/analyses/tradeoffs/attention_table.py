"""How spread out attention is, by language at equal length, and what fine-tuning changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from babelscope.analyses.tradeoffs.attention import language_effect
from babelscope.analyses.tradeoffs.grid import Grid
from babelscope.analyses.tradeoffs.provenance import BASE
from babelscope.analyses.tradeoffs.records import ATTENTION, Predictions, Records, predictions
from babelscope.stats import estimate

ByLanguage = dict[str, Predictions]


def attention_table(records: Records, table: Grid) -> list[dict[str, Any]]:
    """Per model (base, and those of the first seed) and quantity: means by language and layer,
    languages at equal length, and what fine-tuning changed, paired by text."""
    base = _base(records, table)
    models: list[tuple[str, ByLanguage]] = [(BASE, base)] if base else []
    models += [
        (s, {t: table.test[table.seeds[0], s, t] for t in table.targets}) for s in table.sources
    ]
    rows = []
    for name, by_lang in models:
        if all(each.spread for each in by_lang.values()):
            rows += [_row(table, base, name, by_lang, quantity) for quantity in ATTENTION]
    return rows


def _base(records: Records, table: Grid) -> ByLanguage:
    base = records.base
    if base is None:
        return {}
    langs = [lang for lang in table.targets if (base.model, "test", lang) in records.readings]
    return {lang: predictions(records, base, "test", lang) for lang in langs}


def _row(
    table: Grid, base: ByLanguage, name: str, by_lang: ByLanguage, quantity: str
) -> dict[str, Any]:
    row: dict[str, Any] = {"model": name, "quantity": quantity, "languages": list(by_lang)}
    row["layers"] = {
        t: np.nanmean(each.spread[quantity], axis=0).tolist() for t, each in by_lang.items()
    }
    row["heads"] = {
        t: by_lang[t].heads[quantity].tolist() for t in by_lang if t == name or name == BASE
    }
    if table.parallel and len(by_lang) > 1:
        row |= _at_equal_length(by_lang, quantity, table.clusters)
    if base and name != BASE:
        changed = {t: each for t, each in by_lang.items() if t in base and base[t].spread}
        row["less_base"] = {t: _changed(each, base[t], quantity) for t, each in changed.items()}
    return row


def _at_equal_length(by_lang: ByLanguage, quantity: str, clusters: Sequence[str]) -> dict[str, Any]:
    values = np.stack([each.spread[quantity].mean(axis=1) for each in by_lang.values()], axis=1)
    tokens = np.stack([each.tokens for each in by_lang.values()], axis=1)
    defined = np.isfinite(values).all(axis=1)
    if defined.sum() <= 3:
        return {}
    kept = [clusters[at] for at in np.flatnonzero(defined).tolist()]
    effect = language_effect(values[defined], tokens[defined], kept)
    parts = {t: [float(part[at]) for part in effect[:3]] for at, t in enumerate(by_lang)}
    return {"language_effect": parts, "slope": effect.slope}


def _changed(after: Predictions, before: Predictions, quantity: str) -> list[float]:
    steps = after.spread[quantity].mean(axis=1) - before.spread[quantity].mean(axis=1)
    change = estimate(steps.tolist(), list(after.clusters))
    return [change.mean, change.low, change.high]
