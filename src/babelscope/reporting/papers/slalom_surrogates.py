"""Tables 3 and 6 to 8 and figures 3, 4, 6, 7, 8 and 9 of Leemann et al. 2024: models of made-up
languages."""

from __future__ import annotations

import re
from math import nan
from typing import Any

import pandas as pd

from babelscope.analyses.surrogates.tables import Tables, curve, parameters, summary
from babelscope.data.synthetic import LINEAR
from babelscope.display.chart import Figure
from babelscope.reporting.papers.drawing import curves
from babelscope.reporting.papers.slalom_tables import _numbers, without_networks

LINEAR_TASK, SLALOM_TASK = "linear", "slalom"
"""Tasks are called after the kind of their language."""
SUM = "sum of weights"
TRUE = "true weight"


def errors(found: Any) -> pd.DataFrame:
    """Table 6: mean squared error times 100, mean and standard error over seeds."""
    fitted = _transformers(found)
    if fitted is None:
        return pd.DataFrame()
    frame = summary(fitted)
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
    fitted = _transformers(found)
    if fitted is None:
        return pd.DataFrame()
    frame = parameters(fitted)
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
    fitted = _transformers(found)
    if fitted is None:
        return pd.DataFrame()
    rows = fitted.rows
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
    fitted = _transformers(found)
    if fitted is None:
        return pd.DataFrame()
    frame = curve(fitted, "repeated")
    rows = fitted.rows
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


def copied(found: Any) -> pd.DataFrame:
    """Figure 6: Kernel SHAP's mean weight of a copy of a word, by the number of copies, of every
    model, and the word's true weight where words add up."""
    if found.surrogates is None:
        return pd.DataFrame()
    frame = curve(found.surrogates, "shapley")
    frame = frame[frame["task"].map(_kind) == LINEAR_TASK]
    if frame.empty:
        return pd.DataFrame()
    named = frame.assign(architecture=frame["model"].map(_architecture),
                         layers=frame["model"].map(_layers))  # fmt: skip
    rows = found.surrogates.rows
    true = rows[rows["part"] == "value"].drop_duplicates(["task", "name"])
    weight = dict(zip(zip(true["task"], true["name"]), true["x"]))
    places = named[["task", "architecture", "name", "x"]].drop_duplicates()
    words = zip(places["task"], places["name"])
    lines = places.assign(model=TRUE, layers=TRUE, y=[weight[place] for place in words])
    both = pd.concat([named, lines], ignore_index=True)
    return both.rename(columns={"name": "word", "x": "copies", "y": "mean_weight"})


def draw_copied(frame: pd.DataFrame) -> Figure:
    """A chart for each architecture; all have one scale, from 0 on."""
    values = frame["mean_weight"].dropna()
    return curves(
        frame, x="copies", y="mean_weight", series="layers",
        panels=["task", "word", "architecture"],
        limits=(min(0.0, float(values.min())), max(0.0, float(values.max()))),
    )  # fmt: skip


def scatter_points(kind: str, found: Any) -> pd.DataFrame:
    """Figures 4 and 8: what surrogates say of texts, and what the model of the first seed says."""
    fitted = _transformers(found)
    if fitted is None:
        return pd.DataFrame()
    rows = fitted.rows
    chosen = rows[(rows["part"] == "scatter") & (rows["task"].map(_kind) == kind)]
    firsts = chosen.groupby("model")["seed"].transform("first")
    shown = chosen[chosen["seed"] == firsts]
    names = {"name": "surrogate", "x": "model_log_odds", "y": "surrogate_log_odds"}
    points: pd.DataFrame = shown[["task", "model", "name", "x", "y"]].rename(columns=names)
    return points


def lengths(found: Any) -> pd.DataFrame:
    """Figure 9: errors by the length of the text, the mean over models."""
    fitted = _transformers(found)
    if fitted is None:
        return pd.DataFrame()
    frame = curve(fitted, "length")
    means = frame.groupby(["task", "name", "x"], sort=False)["y"].mean().reset_index()
    return means.rename(columns={"name": "design", "x": "length", "y": "mse"})


def language_points(found: Any) -> pd.DataFrame:
    """Figure 7: true values and importances of the words of a SLALOM."""
    fitted = _transformers(found)
    if fitted is None:
        return pd.DataFrame()
    rows = fitted.rows
    rows = rows[rows["task"].map(_kind) == SLALOM_TASK]
    parts = [
        rows[rows["part"] == part].drop_duplicates("name").set_index("name")["x"]
        for part in ("value", "importance")
    ]
    frame = pd.DataFrame({"value": parts[0], "importance": parts[1]})
    return frame.rename_axis("word").reset_index()


def _transformers(found: Any) -> Tables | None:
    """The numbers of all models but those without attention, which figure 6 alone shows."""
    if found.surrogates is None:
        return None
    rows, errors = found.surrogates.rows, found.surrogates.errors
    return Tables(rows[without_networks(rows["model"])], errors[without_networks(errors["model"])])


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
