"""Metrics and trust panels of a store as columns beside its explanations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.faithfulness.settings import names_of
from babelscope.analyses.trust.values import CHECKS, VERDICTS
from babelscope.store import Store, read
from babelscope.web.columns import Category, Codes

Manifests = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Lookup:
    """The row of an explanation, from its cell and id, or from what names it."""

    by_cell: Mapping[tuple[str, str], int]
    by_name: Mapping[tuple[str | None, ...], int]
    count: int

    @classmethod
    def of(cls, cells: list[str], names: Mapping[str, Category], cell: Codes) -> Lookup:
        ids = names["id"]
        keys = ("model", "lang", "task", "method", "id")
        rows = range(len(cell))
        by_cell = {(cells[cell[row]], ids.names[ids.codes[row]]): row for row in rows}
        by_name = {tuple(names[key].name(row) for key in keys): row for row in reversed(rows)}
        return cls(by_cell, by_name, len(cell))

    def row(self, of: str, method: str, values: Mapping[str, Any]) -> int | None:
        """The explanation that a measure or panel is of."""
        known = self.by_cell.get((of, values["id"]))
        if known is not None:
            return known
        return self.by_name.get(
            (values["model"], values["lang"], values["task"], method, values["id"])
        )


def read_measures(
    store: Store, manifests: Manifests, labels: Mapping[str, str], lookup: Lookup
) -> dict[str, NDArray[np.float64]]:
    """For each metric and setting a number per explanation, NaN where there is none."""
    cells = _of_kind(manifests, "measures")
    tables = {name: read(store, "measures", [name]) for name in cells}
    names = names_of(
        {
            setting
            for table in tables.values()
            for setting in zip(table["metric"].to_pylist(), table["options"].to_pylist())
        }
    )
    columns = {name: np.full(lookup.count, np.nan) for name in sorted(set(names.values()))}
    for cell, table in tables.items():
        of = str(manifests[cell]["identity"].get("of", ""))
        for values in table.to_pylist():
            row = lookup.row(of, labels.get(of, values["method"]), values)
            if row is not None:
                columns[names[values["metric"], values["options"]]][row] = values["value"]
    return columns


def read_panels(
    store: Store, manifests: Manifests, labels: Mapping[str, str], lookup: Lookup
) -> NDArray[np.int8]:
    """By explanation and check the position of the verdict in VERDICTS, -1 without a panel."""
    verdicts = np.full((lookup.count, len(CHECKS)), -1, dtype=np.int8)
    order = list(CHECKS)
    for cell in _of_kind(manifests, "panels"):
        of = str(manifests[cell]["identity"].get("of", ""))
        for values in read(store, "panels", [cell]).to_pylist():
            row = lookup.row(of, labels.get(of, values["method"]), values)
            if row is None:
                continue
            for check in json.loads(values["panel"])["checks"]:
                if check["name"] in CHECKS and check["verdict"] in VERDICTS:
                    verdicts[row, order.index(check["name"])] = VERDICTS.index(check["verdict"])
    return verdicts


def _of_kind(manifests: Manifests, kind: str) -> list[str]:
    return [name for name, manifest in manifests.items() if manifest["kind"] == kind]
