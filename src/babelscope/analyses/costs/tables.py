"""From stored costs to means by method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from babelscope.analyses.faithfulness.settings import names_of
from babelscope.analyses.stored import stored_keys
from babelscope.methods import METHODS
from babelscope.store import Store, read

NAME = KIND = "costs"
PLACE = ["task", "model", "lang", "device", "threads"]
"""What methods are compared within: the same model and texts, on the same machine."""
COLUMNS = [
    "task", "model", "lang", "method", "texts", "seconds", "low", "high", "times", "tokens",
    "backward", "queries", "length", "processor_seconds", "wall_seconds", "device", "threads",
    "options",
]  # fmt: skip
MEASURED = [
    "seconds", "tokens", "backward", "queries", "length", "processor_seconds", "wall_seconds",
]  # fmt: skip
CONTROL = "control"


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What explanations cost, text by text and as means."""

    rows: pd.DataFrame
    """One row per text and method, with `seconds`."""
    costs: pd.DataFrame
    """One row per method, model, task and language (COLUMNS)."""


def tables(store: Store, study: Mapping[str, Any]) -> Tables | None:
    """What the store holds of the analysis; None where there is nothing."""
    frame = read(store, KIND, stored_keys(store, study, NAME)).to_pandas()
    owners = {row["name"]: row.get("spec") or row["name"] for row in study["models"]}
    known = frame[frame["model"].isin(list(owners))]
    if known.empty:
        return None
    settings = list(zip(known["method"], known["options"]))
    names = names_of(settings)
    rows = known.assign(
        base=known["method"],
        method=[names[setting] for setting in settings],
        model=known["model"].map(owners),
        seconds=_seconds(known),
    )
    order = [
        [row["name"] for row in study["tasks"]], list(dict.fromkeys(owners.values())),
        list(study["languages"]),
    ]  # fmt: skip
    means = _ordered(costs(rows), order)
    return Tables(rows.sort_values([*PLACE, "method", "id"]).reset_index(drop=True), means)


def _ordered(means: pd.DataFrame, order: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Tasks, models and languages in the study's order; within, the dearest method first."""
    ranks = means.assign(seconds=-means["seconds"])
    for column, names in zip(("task", "model", "lang"), order):
        ranks[column] = ranks[column].map({name: at for at, name in enumerate(names)})
    keys = ["task", "model", "lang", "device", "threads", "seconds", "method"]
    return means.loc[ranks.sort_values(keys, kind="stable").index].reset_index(drop=True)


def _seconds(rows: pd.DataFrame) -> pd.Series:
    """Of the processor, all threads together, where the model is there; of the clock on the wall
    where it is on an accelerator, whose work no processor's time counts."""
    return rows["processor_seconds"].where(rows["device"] == "cpu", rows["wall_seconds"])


def costs(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over texts, and how many times the cheapest method's cost that is.

        seconds = mean_i s_i,    low, high = min_i s_i, max_i s_i,
        times = seconds / min_method seconds

    s_i the seconds of text i; the minimum is over the methods of the same model, task, language
    and machine, controls left out.

    *Laws*: the cheapest method's `times` is 1, and no other method's but a control's is less;
    another unit of time changes no `times`; texts in another order change nothing.
    """
    grouped = rows.groupby([*PLACE, "base", "method", "options"], sort=False)
    seconds = grouped["seconds"]
    ends = {"low": seconds.min(), "high": seconds.max(), "texts": seconds.size()}
    frame = grouped[MEASURED].mean().assign(**ends).reset_index()
    compared = frame["seconds"].where(~controls(frame["base"]) & (frame["seconds"] > 0))
    least = compared.groupby([frame[name] for name in PLACE]).transform("min")
    times = frame["seconds"] / least
    return frame.assign(times=times.where(np.isfinite(times), nan))[COLUMNS]


def controls(names: pd.Series) -> pd.Series:
    """Which of the methods, by their names without options, are no explanations."""
    family = {name: row.family for name, row in METHODS.items()}
    return names.map(lambda name: family.get(name, "")).eq(CONTROL)
