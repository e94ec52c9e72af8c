"""Tables 3 and 6 to 8 and figures 3, 4, 7, 8 and 9 of Leemann et al. 2024: models of made-up
languages."""

from __future__ import annotations

import re
from math import nan
from typing import Any

import pandas as pd

from babelscope.analyses.surrogates.tables import curve, parameters, summary
from babelscope.data.synthetic import LINEAR
from babelscope.reporting.papers.slalom_tables import _numbers

LINEAR_TASK, SLALOM_TASK = "linear", "slalom"
"""Tasks are called after the kind of their language."""
SUM = "sum of weights"


def errors(found: Any) -> pd.DataFrame:
    """Table 6: mean squared error times 100, mean and standard error over seeds."""
    if found.surrogates is None:
        return pd.DataFrame()
    frame = summary(found.surrogates)
    frame = frame[frame["task"].map(_kind) == LINEAR_TASK]
    for column in ("mse", "standard_error"):
        frame = frame.assign(**{column: 100 * frame[column]})
    values = [
        _numbers(f"6 {_depth(model)}").get((_architecture(model), surrogate.lower()), nan)
        for model, surrogate in zip(frame["model"], frame["surrogate"])
    ]
    return frame.assign(published=pd.Series(values, index=frame.index, dtype=float))


def recovery(column: str, table: str, found: Any) -> pd.DataFrame:
    """Tables 7 and 8: errors of logits, or of parameters, of the SLALOM that a model learnt."""
    if found.surrogates is None:
        return pd.DataFrame()
    frame = parameters(found.surrogates)
    frame = frame[frame["task"].map(_kind) == SLALOM_TASK]
    shown = ["logits"] if column == "logits" else ["value", "importance", "parameters"]
    values = [
        _numbers(f"{table} {_depth(model)}").get((_architecture(model), column), nan)
        for model in frame["model"]
    ]
    numbers = frame[["task", "model", *shown, "seeds"]]
    return numbers.assign(published=pd.Series(values, index=frame.index, dtype=float))


def weights(found: Any) -> pd.DataFrame:
    """Table 3: the words that add up, with the mean of their fitted values over all models."""
    if found.surrogates is None:
        return pd.DataFrame()
    rows = found.surrogates.rows
    chosen = rows[(rows["part"] == "value") & (rows["task"].map(_kind) == LINEAR_TASK)]
    if chosen.empty:
        return pd.DataFrame()
    known = _numbers("3")
    total = sum(frequency for _, frequency in LINEAR.values())
    lines = []
    for word, part in chosen.groupby("name", sort=False):
        frequency = LINEAR["poor" if word == "bad" else str(word)][1] / total
        printed = known.get(("", "bad" if word == "poor" else str(word)), nan)
        mean = float(part["y"].mean())
        lines.append((word, float(part["x"].iloc[0]), frequency, mean, len(part), printed))
    columns = ["word", "weight", "frequency", "fitted_value", "models", "published"]
    return pd.DataFrame(lines, columns=columns)


def repeated(found: Any) -> pd.DataFrame:
    """Figure 3: log-odds of copies of the strongest words, and the sum of their weights where
    words add up."""
    if found.surrogates is None:
        return pd.DataFrame()
    frame = curve(found.surrogates, "repeated")
    rows = found.surrogates.rows
    true = rows[(rows["part"] == "value") & (rows["task"].map(_kind) == LINEAR_TASK)]
    weight = dict(zip(zip(true["task"], true["name"]), true["x"]))
    frame = frame.assign(architecture=frame["model"].map(_architecture),
                         layers=frame["model"].map(_layers))  # fmt: skip
    places = frame[["task", "architecture", "name", "x"]].drop_duplicates()
    sums = places[[place in weight for place in zip(places["task"], places["name"])]]
    lines = sums.assign(
        model=SUM, layers=SUM,
        y=[copies * weight[task, word]
           for task, word, copies in zip(sums["task"], sums["name"], sums["x"])],
    )  # fmt: skip
    both = pd.concat([frame, lines], ignore_index=True) if len(lines) else frame
    return both.rename(columns={"name": "word", "x": "copies", "y": "log_odds"})


def scatter_points(kind: str, found: Any) -> pd.DataFrame:
    """Figures 4 and 8: what surrogates say of texts, and what the model of the first seed says."""
    if found.surrogates is None:
        return pd.DataFrame()
    rows = found.surrogates.rows
    chosen = rows[(rows["part"] == "scatter") & (rows["task"].map(_kind) == kind)]
    firsts = chosen.groupby("model")["seed"].transform("first")
    shown = chosen[chosen["seed"] == firsts]
    names = {"name": "surrogate", "x": "model_log_odds", "y": "surrogate_log_odds"}
    points: pd.DataFrame = shown[["task", "model", "name", "x", "y"]].rename(columns=names)
    return points


def lengths(found: Any) -> pd.DataFrame:
    """Figure 9: errors by the length of the text, the mean over models."""
    if found.surrogates is None:
        return pd.DataFrame()
    frame = curve(found.surrogates, "length")
    means = frame.groupby(["task", "name", "x"], sort=False)["y"].mean().reset_index()
    return means.rename(columns={"name": "design", "x": "length", "y": "mse"})


def language_points(found: Any) -> pd.DataFrame:
    """Figure 7: true values and importances of the words of a SLALOM."""
    if found.surrogates is None:
        return pd.DataFrame()
    rows = found.surrogates.rows
    rows = rows[rows["task"].map(_kind) == SLALOM_TASK]
    parts = [
        rows[rows["part"] == part].drop_duplicates("name").set_index("name")["x"]
        for part in ("value", "importance")
    ]
    frame = pd.DataFrame({"value": parts[0], "importance": parts[1]})
    return frame.rename_axis("word").reset_index()


def _kind(task: str) -> str:
    return SLALOM_TASK if task.startswith(SLALOM_TASK) else LINEAR_TASK


def _depth(model: str) -> str:
    return model.rpartition("-")[2]


def _layers(model: str) -> str:
    depth = _depth(model)
    return f"{depth} layer{'' if depth == '1' else 's'}" if depth.isdigit() else model


def _architecture(model: str) -> str:
    """slalom-bert-2 is a bert."""
    return re.sub(r"^slalom-|-\d+$", "", model)
