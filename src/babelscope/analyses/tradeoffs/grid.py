"""The predictions that make the transfer matrix: models of one language each, seed by seed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.analyses.tradeoffs.behaviour import diagonal_columns
from babelscope.analyses.tradeoffs.intervals import Interval
from babelscope.analyses.tradeoffs.provenance import SINGLE
from babelscope.analyses.tradeoffs.records import Predictions, Records, predictions
from babelscope.types import FineTuning

Predicted = dict[tuple[int, str, str], Predictions]
"""By seed, source and target."""


class Grid(NamedTuple):
    """Predictions of the models of one kind that have all seeds in common."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    seeds: tuple[int, ...]
    diagonal: list[int]
    """For each source the column of its own language, -1 where it was not tested."""
    test: Predicted
    dev: Predicted
    groups: dict[str, str]
    """All test texts, those of one language after those of another where they differ, with their
    clusters."""
    parallel: bool
    """Whether all languages have all of them."""

    @property
    def clusters(self) -> tuple[str, ...]:
        return tuple(self.groups.values())

    @property
    def gold(self) -> NDArray[np.int64]:
        """By target and text; -1 where the language does not have the text."""
        gold = np.full((len(self.targets), len(self.groups)), -1)
        for row, target in enumerate(self.targets):
            gold[row, self.places(target)] = self.test[self.seeds[0], self.sources[0], target].gold
        return gold

    def places(self, target: str) -> NDArray[np.int64]:
        """The positions of a language's texts among all."""
        position = {group: place for place, group in enumerate(self.groups)}
        groups = self.test[self.seeds[0], self.sources[0], target].groups
        return np.array([position[group] for group in groups], dtype=np.int64)

    def row(self, values: Mapping[str, NDArray[np.float64]]) -> Float[np.ndarray, "target text"]:
        """Values of each language's texts, side by side; NaN where a language does not have the
        text."""
        table = np.full((len(self.targets), len(self.groups)), np.nan)
        for row, target in enumerate(self.targets):
            table[row, self.places(target)] = values[target]
        return table


def grid(records: Records, kind: str = SINGLE) -> Grid:
    """The models of a kind that read all test texts, at the seeds that all their sources have."""
    targets = tuple(records.texts["test"])
    models = complete(records, kind)
    by_place = {(model.seed, model.source): model for model in models}
    sources = tuple(dict.fromkeys(model.source for model in models))
    common = {seed for seed, _ in by_place if all((seed, source) in by_place for source in sources)}
    tables: dict[str, Predicted] = {"test": {}, "dev": {}}
    for (seed, source), model in by_place.items():
        for split, table in tables.items():
            for lang in records.texts.get(split, {}) if seed in common else ():
                if (model.model, split, lang) in records.readings:
                    table[seed, source, lang] = predictions(records, model, split, lang)
    every = tables["test"].values()
    groups = {
        group: cluster for table in every for group, cluster in zip(table.groups, table.clusters)
    }
    seeds, diagonal = tuple(sorted(common)), diagonal_columns(sources, targets)
    return Grid(
        sources, targets, seeds, diagonal, tables["test"], tables["dev"], groups, parallel(records)
    )


def complete(records: Records, kind: str) -> list[FineTuning]:
    """The models of a kind whose readings of all test texts are there."""
    targets = tuple(records.texts["test"])
    models = records.of_kind(kind)
    return [
        model
        for model in models
        if all((model.model, "test", lang) in records.readings for lang in targets)
    ]


def parallel(records: Records) -> bool:
    """Whether the test texts of all languages are translations of one another."""
    return len({texts.groups for texts in records.texts["test"].values()}) == 1


def correct(table: Grid) -> Float[np.ndarray, "seed source target text"]:
    """1 where a model is right, 0 where it is wrong, NaN where a language does not have the
    text."""
    hits = {
        at: (each.logits.argmax(axis=1) == each.gold).astype(float)
        for at, each in table.test.items()
    }
    return np.array(
        [
            [
                table.row({target: hits[seed, source, target] for target in table.targets})
                for source in table.sources
            ]
            for seed in table.seeds
        ]
    )


def interval_lists(interval: Interval) -> dict[str, Any]:
    """An interval as plain lists."""
    return {name: plain_list(getattr(interval, name)) for name in interval._fields}


def plain_list(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def mean(values: Any) -> float:
    return float(np.mean(values))
