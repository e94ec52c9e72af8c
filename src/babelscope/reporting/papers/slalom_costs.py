"""Table 11 of Leemann et al. 2024: run time by method and number of samples."""

from __future__ import annotations

import json
import re
from math import nan
from typing import Any

import pandas as pd

from babelscope.reporting.papers.published import published
from babelscope.reporting.papers.slalom_tables import PUBLISHED_METHODS, architecture, base

COLUMNS = [
    "task", "model", "method", "samples", "seconds", "tokens", "queries", "times", "texts",
    "device", "threads", "published",
]  # fmt: skip
FEWEST = "1000"
"""Where the published table has the methods that take no samples: the same in all of its rows."""


def run_times(material: Any) -> pd.DataFrame:
    """Seconds, tokens and queries of an explanation, and the published seconds, which were measured
    on one A100 and for 6 layers."""
    if material.costs is None:
        return pd.DataFrame()
    frame: pd.DataFrame = material.costs.costs
    chosen = [json.loads(text or "{}") for text in frame["options"]]
    samples = [str(options.get("samples", "")) for options in chosen]
    names = frame["method"].map(base)
    known = published_seconds()
    values = [
        known.get((model, PUBLISHED_METHODS.get(name, name), count or FEWEST), nan)
        for model, name, count in zip(frame["model"].map(_architecture), names, samples)
    ]
    counts = {name: frame[name].round().astype(int) for name in ("tokens", "queries")}
    series = pd.Series(values, index=frame.index, dtype=float)
    table = frame.assign(samples=samples, published=series, **counts)
    several = table["lang"].nunique() > 1
    return table[[*COLUMNS[:2], *(["lang"] if several else []), *COLUMNS[2:]]]


def published_seconds() -> dict[tuple[str, str, str], float]:
    """By architecture, method and number of samples."""
    rows = published("slalom")
    rows = rows[rows["table"].astype(str).str.startswith("11 ")]
    samples = rows["table"].astype(str).str.removeprefix("11 ")
    return dict(zip(zip(rows["model"], rows["item"], samples), rows["value"].astype(float)))


def _architecture(model: str) -> str:
    """That of a model of 6 layers, or of one whose depth its name does not say."""
    return "" if re.search(r"-(?!6$)\d+$", model) else architecture(model)
