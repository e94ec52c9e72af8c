"""From the stored numbers to errors by model, parameters, and curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from babelscope.analyses.stored import stored_keys
from babelscope.store import Store, read

NAME = KIND = "surrogates"
SURROGATES = ("linear", "GAM", "SLALOM")
CONSTANT = 0.01
"""A variance of the log-odds below which a model has learnt nothing: deep ones sometimes do."""


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All numbers under the study's names of models: model, seed, task, part, name, x, y."""

    rows: pd.DataFrame
    errors: pd.DataFrame
    """One row per model, seed and task: the variance, the mean squared error of each surrogate,
    whether the model has learnt anything, and the nearest surrogate if so."""


def tables(store: Store, study: Mapping[str, Any]) -> Tables | None:
    """What the store holds of the analysis; None where there is nothing."""
    frame = read(store, KIND, stored_keys(store, study, NAME)).to_pandas()
    if frame.empty:
        return None
    owners = {
        row["name"]: (row.get("spec") or row["name"], str(row.get("seed", "")))
        for row in study["models"]
    }
    order = list(owners)
    known = frame[frame["model"].isin(order)]
    ranked = known.assign(order=known["model"].map(order.index)).sort_values("order", kind="stable")
    spec, seed = ({name: owner[at] for name, owner in owners.items()} for at in (0, 1))
    names = ranked["model"]
    rows = ranked.assign(model=names.map(spec), seed=names.map(seed)).drop(columns="order")
    return Tables(rows.reset_index(drop=True), _errors(rows)) if len(rows) else None


def _errors(rows: pd.DataFrame) -> pd.DataFrame:
    part = rows[rows["part"] == "error"]
    keys = ["model", "seed", "task"]
    wide = part.pivot_table(index=keys, columns="name", values="y", sort=False).reset_index()
    learnt = np.where(wide["variance"] > CONSTANT, "yes", "no")
    nearest = wide[list(SURROGATES)].idxmin(axis=1).where(learnt == "yes", "")
    columns = wide[[*keys, "variance", *SURROGATES]]
    return columns.assign(learnt=learnt, nearest=nearest)


def summary(found: Tables) -> pd.DataFrame:
    """Mean and standard error over the seeds that learnt something, by model and task.

        mean_j e_j,    sd_j e_j / sqrt(seeds)

    e the mean squared error of a surrogate on texts that it was not fitted to; NaN for the standard
    error of a single seed.
    """
    lines = []
    for place, part in found.errors.groupby(["task", "model"], sort=False):
        learnt = part[part["variance"] > CONSTANT]
        for name in SURROGATES:
            mean, error = _mean(learnt[name])
            lines.append((*place, name, mean, error, len(learnt), len(part) - len(learnt)))
    columns = ["task", "model", "surrogate", "mse", "standard_error", "seeds", "constant"]
    return pd.DataFrame(lines, columns=columns)


def parameters(found: Tables) -> pd.DataFrame:
    """The mean squared error of fitted values and importances, where the true ones are known, and
    of the logits, by model and task over the seeds that learnt something; NaN where none did.
    """
    lines = []
    for (task, model), part in found.errors.groupby(["task", "model"], sort=False):
        learnt = part[part["learnt"] == "yes"]
        of_model = found.rows[(found.rows["task"] == task) & (found.rows["model"] == model)]
        chosen = of_model[of_model["seed"].isin(learnt["seed"])]
        numbers = [_mean(learnt["SLALOM"])[0]]
        for name in ("value", "importance"):
            listed = chosen[(chosen["part"] == name) & chosen["x"].notna()]
            numbers.append(_mean((listed["x"] - listed["y"]) ** 2)[0])
        lines.append((task, model, *numbers, float(np.mean(numbers[1:])), len(learnt)))
    columns = ["task", "model", "logits", "value", "importance", "parameters", "seeds"]
    return pd.DataFrame(lines, columns=columns)


def curve(found: Tables, part: str) -> pd.DataFrame:
    """The mean over seeds of y at every x of a part, by task, model and name."""
    rows = found.rows[found.rows["part"] == part]
    keys = ["task", "model", "name", "x"]
    return rows.groupby(keys, sort=False, dropna=False)["y"].mean().reset_index()


def _mean(values: pd.Series) -> tuple[float, float]:
    if values.empty:
        return float("nan"), float("nan")
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return float(values.mean()), error
