"""The same sentence in every language: what was predicted, which sentences are shown, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from babelscope.analyses.explanations import CONTROL
from babelscope.analyses.faithfulness.summary import base, described
from babelscope.analyses.stored import stored_clusters, with_clusters
from babelscope.stats import rate
from babelscope.store import attribution
from babelscope.types import Attribution, Estimate

FOLDER = Path(__file__).parent / "templates"
COLUMNS = ["model", "task", "lang", "group", "id", "label", "gold", "texts", "word_segment"]
"""The fields that `predictions` reads."""
SHOWN = 6
LONG = 80
"""Words; longer sentences are shown only where there are not enough shorter ones."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One model's reading of one language's sentence: one prediction, an explanation per method."""

    lang: str
    model: str
    attribution: Attribution
    """By any method: the prediction is the same."""
    by_method: dict[str, Attribution]


@dataclass(frozen=True, slots=True)
class Parallel:
    """A translation group: its readings, language by language."""

    group: str
    gold: str | None
    disagree: bool
    readings: list[Reading]


def predictions(table: pa.Table) -> pd.DataFrame:
    """What each model predicted, once per example, whichever method explained it."""
    columns = table.select(["model", "task", "lang", "group", "id", "label", "gold"])
    rows: pd.DataFrame = columns.append_column(
        "length", pc.list_value_length(table["word_segment"])
    ).to_pandas()
    rows = with_clusters(rows, stored_clusters(table))
    return rows.drop_duplicates(["model", "lang", "id"]).sort_values(
        ["model", "group", "lang", "id"]
    )


def choose(predictions: pd.DataFrame) -> list[str]:
    """Up to six groups of one model: with the most languages, labels in turn, first one on which
    languages disagree.
    """
    kinds = predictions.groupby("group").agg(
        langs=("lang", "nunique"),
        gold=("gold", "first"),
        golds=("gold", "nunique"),
        labels=("label", "nunique"),
        length=("length", "max"),
    )
    kinds = kinds[kinds["langs"] == kinds["langs"].max()].sort_index()
    short = kinds[kinds["length"] <= LONG]
    kinds = short if len(short) >= SHOWN else kinds
    disagreeing = kinds[(kinds["labels"] > 1) & (kinds["golds"] <= 1)]
    first = [str(group) for group in disagreeing.index[:1]]
    by_label = [
        [str(group) for group in part.index if group not in first]
        for _, part in kinds.groupby("gold", dropna=False)
    ]
    turns = [names[turn] for turn in range(len(kinds)) for names in by_label if turn < len(names)]
    return (first + turns)[:SHOWN]


def accuracies(predictions: pd.DataFrame) -> dict[tuple[str, str], Estimate]:
    """Per (model, language) the share of examples whose predicted label is the gold one."""
    gold = predictions[predictions["gold"].notna()]
    return {
        (str(model), str(lang)): rate(
            (part["label"] == part["gold"]).astype(float).tolist(), part["cluster"].tolist()
        )
        for (model, lang), part in gold.groupby(["model", "lang"])
    }


def shown_groups(predictions: pd.DataFrame) -> list[str]:
    """The translation groups that are shown, chosen by the model with the most languages."""
    counts = predictions.groupby("model", sort=False)["lang"].nunique()
    main = predictions[predictions["model"] == counts.idxmax()] if len(counts) else predictions
    return choose(main) if len(main) else []


def parallels(
    study: Mapping[str, Any], table: pa.Table, groups: Sequence[str], first: str = ""
) -> tuple[list[str], list[Parallel]]:
    """The methods to switch between, `first` before the others, and these groups, whose
    explanations the table holds.
    """
    rows = table.to_pylist()
    rows.sort(key=lambda row: (row["id"], row["options"], row["seed"]))
    items = [attribution(row) for row in rows]
    methods = method_order(study, {item.method for item in items}, first)
    shown = [
        _parallel(study, group, [item for item in items if item.group == group], methods)
        for group in groups
    ]
    return methods, shown


def method_order(study: Mapping[str, Any], present: set[str], first: str) -> list[str]:
    """The methods in the order of the study, `first` before the others."""
    order = [row["name"] for row in described(study, "methods")]

    def position(name: str) -> tuple[bool, bool, int, str]:
        known = base(name) in order
        return (
            name != first,
            name == CONTROL,
            order.index(base(name)) if known else len(order),
            name,
        )

    return sorted(present, key=position)


def _parallel(
    study: Mapping[str, Any], group: str, items: Sequence[Attribution], methods: Sequence[str]
) -> Parallel:
    places: dict[tuple[str, str], dict[str, Attribution]] = {}
    for item in items:
        places.setdefault((item.lang, item.model), {}).setdefault(item.method, item)
    names = [row["name"] for row in described(study, "models")]
    order = {name: place for place, name in enumerate([*(study.get("languages") or ()), *names])}
    keys = sorted(
        places, key=lambda key: (order.get(key[0], len(order)), order.get(key[1], len(order)), key)
    )
    readings = [
        Reading(lang, model, next(iter(places[lang, model].values())), {
            name: places[lang, model][name] for name in methods if name in places[lang, model]
        })
        for lang, model in keys
    ]  # fmt: skip
    golds = {reading.attribution.gold for reading in readings}
    labels = {reading.attribution.label for reading in readings}
    return Parallel(
        group,
        golds.pop() if len(golds) == 1 else None,
        len(golds) <= 1 and len(labels) > 1,
        readings,
    )
