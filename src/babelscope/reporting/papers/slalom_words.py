"""Figures 5, 10 and 11 of Leemann et al. 2024: the words of a review."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from babelscope.display.chart import Figure
from babelscope.display.words import word_chart
from babelscope.reporting.papers.slalom_tables import base, item, without_networks

MOST = 6
"""Methods beside the readers' marks."""
MARKS = "marked by all readers"
KEY = "blue: marked, or speaks for the class (important); red: speaks against it (unimportant)"


def plane(which: int, found: Any) -> pd.DataFrame:
    """Value and importance of every distinct token of the first, or second, review."""
    rows = _reviews(found)
    lines: list[tuple[Any, ...]] = []
    seen: dict[str, list[str]] = {}
    for row in rows:
        details = json.loads(row["details"] or "{}")
        listed = seen.setdefault(row["model"], [])
        if base(row["method"]) != "slalom" or "importance" not in details or row["id"] in listed:
            continue
        listed.append(row["id"])
        if len(listed) - 1 != which:
            continue
        places = zip(_written(row), details["value"], details["importance"])
        points = {word: (value, weight) for word, value, weight in places if value is not None}
        lines += [(row["model"], row["id"], token, *point) for token, point in points.items()]
    return pd.DataFrame(lines, columns=["model", "id", "word", "value", "importance"])


def _written(row: dict[str, Any]) -> list[str]:
    """Every token as it is written in the text."""
    spans = zip(row["tokens"], row["segment"], row["offsets"])
    return [row["texts"][at][start:end].strip() or token for token, at, (start, end) in spans]


def review(found: Any) -> pd.DataFrame:
    """The words of the first marked review with the readers' marks and the scores of methods, of
    the first model."""
    rows = [row for row in _reviews(found) if row["rationale"] and any(row["rationale"])]
    if not rows:
        return pd.DataFrame()
    first = (rows[0]["id"], rows[0]["model"])
    chosen = [row for row in rows if (row["id"], row["model"]) == first]
    shown = [(MARKS, [float(mark) for mark in rows[0]["rationale"]])]
    for row in sorted(chosen, key=lambda row: _order(row["method"])):
        name = (
            f"slalom, {item(row['method'])}" if base(row["method"]) == "slalom" else row["method"]
        )
        if name not in dict(shown) and base(name) != "random" and len(shown) <= MOST:
            shown.append((name, list(row["word_scores"])))
    lines = [
        (*first, at, word, name, values[at])
        for name, values in shown
        for at, word in enumerate(rows[0]["words"])
    ]
    columns = ["id", "model", "position", "word", "method", "score"]
    return pd.DataFrame(lines, columns=columns)


def _order(method: str) -> tuple[int, str]:
    """SLALOM's scores first, then what the paper compares them with."""
    names = ("value", "importance", "lin", "lime", "kernel_shap", "integrated_gradients")
    name = item(method)
    return (names.index(name) if name in names else len(names), method)


def draw_review(frame: pd.DataFrame) -> Figure:
    """The review once for each method, its words coloured by their scores."""
    charts = [
        word_chart(_title(str(name)), part["word"].astype(str).tolist(), part["score"].tolist())
        for name, part in frame.groupby("method", sort=False)
    ]
    return Figure("", "", tuple(charts), note=KEY)


def _title(method: str) -> str:
    """The method as it is written in print."""
    name = method.partition("[")[0].replace("_", " ")
    return name.replace("slalom", "SLALOM").replace("lime", "LIME").replace("shap", "SHAP")


def _reviews(found: Any) -> list[dict[str, Any]]:
    """Explanations by transformers of the task with marks, or of the first task, one seed of every
    model."""
    if found.comparison is None:
        return []
    whole = found.comparison.attributions
    table = whole.filter(pa.array(without_networks(whole["model"].to_pandas())))
    marked = table.filter(pc.is_valid(table["rationale"]))
    chosen = marked if marked.num_rows else table
    columns = ["id", "model", "task", "method", "tokens", "words", "word_scores", "details",
               "rationale", "texts", "segment", "offsets"]  # fmt: skip
    rows: list[dict[str, Any]] = chosen.select(columns).to_pylist()
    return sorted(rows, key=lambda row: (row["model"], row["id"], row["method"]))
