"""Tables of cross-lingual consistency: C never without its nulls and its ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from rich.table import Table

from babelscope.pages.terminal import table

HEAD = ("language", "n", "C", "C_unif", "C_perm", "C_mis", "C_rand", "ceil", "lift", "95 %", "kappa", "95 %", "p", "undefined")
LEGEND = (
    "C: weight that meets its translation · C_unif: equal weights · C_perm: the same weights on other words · C_mis: another "
    "text · C_rand: an untrained model · ceil: the most that these weights permit · lift = C - C_perm · "
    "kappa = lift / (ceil - C_perm)"
)


def lines_table(title: str, lines: Sequence[Mapping[str, Any]]) -> Table:
    """One row per target language, from the JSON of the lines."""
    rows = []
    for line in lines:
        means = [_cell(line[name]["mean"]) for name in ("c", "c_unif", "c_perm", "c_mis", "c_rand", "ceil", "lift")]
        rows.append((line["lang"], str(line["c"]["n"]), *means, _range(line["lift"]), _cell(line["kappa"]["mean"]),
                     _range(line["kappa"]), _cell(line["p"]), str(line["c"]["undefined"])))  # fmt: skip
    return table(title, HEAD, rows)


def _cell(value: float | None) -> str:
    return "–" if value is None or not isfinite(value) else f"{value:.3f}"


def _range(one: Mapping[str, Any]) -> str:
    return f"{_cell(one['low'])} to {_cell(one['high'])}"
