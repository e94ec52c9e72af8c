"""Tables of published consistencies: models by languages, and sources by targets."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from babelscope.analyses.consistency.correlation import (
    pearson,
    variance_shares,
)
from babelscope.reporting.papers.published import published_file


def published(name: str, by: str) -> pd.DataFrame:
    """One of the tables, rows in the order of the file."""
    rows = pd.read_csv(published_file("consistency"), comment="#")
    return rows[rows["table"] == name].pivot_table("value", by, "target", sort=False)


def profile(title: str, name: str) -> dict[str, Any]:
    """How much of a table lies between its models, and how alike their profiles are."""
    table = published(name, "model").drop(columns="overall")
    models = table.to_numpy(float)
    return {
        "title": title, "models": len(models), "languages": models.shape[1],
        "shares": variance_shares(models),
        "lowest": min(pearson(*pair) for pair in combinations(models, 2)),
        "spread": np.ptp(models, axis=0).max(),
        "means": dict(zip(table.index, models.mean(axis=1))),
    }  # fmt: skip


def across(tables: dict[str, str], model: str) -> list[tuple[str, str, int, float]]:
    """One model's C of every two tables over the languages that both have."""
    rows = {
        title: published(name, "model").drop(columns="overall") for title, name in tables.items()
    }
    listed = []
    for first, second in combinations(rows, 2):
        common = [lang for lang in rows[first] if lang in rows[second]]
        both = [rows[title].loc[model, common].to_numpy(float) for title in (first, second)]
        listed.append((first, second, len(common), pearson(*both)))
    return listed


def square(name: str, languages: list[str]) -> np.ndarray:
    return published(name, "source").loc[languages, languages].to_numpy(float)
