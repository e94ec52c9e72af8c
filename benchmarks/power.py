"""How many texts does a comparison of two models need? Deviations between texts, measured.

    python -m benchmarks.power

The packaged multilingual and English model explain the same reviews; the standard deviation over
texts of the difference between their normalised metrics says how many texts find a difference of
means with 80 % power.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from babelscope.reporting.build import report
from babelscope.stats.power import texts_needed
from babelscope.study.run import run
from benchmarks.timing import table

DIFFERENCES = (0.05, 0.1)
SOFT = {"draws": 4, "error": 1.0}
STUDY: dict[str, Any] = {
    "name": "power",
    "languages": ["en"],
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 150}}],
    "models": [{"name": "multilingual", "source": "demo"},
               {"name": "monolingual", "source": "demo-en"}],
    "methods": ["attention", "scaled_attention", "input_x_gradient", "integrated_gradients"],
    "faithfulness": {
        "samples": 2,
        "metrics": [
            "normalised_sufficiency",
            "normalised_comprehensiveness",
            {"name": "normalised_soft_sufficiency", "options": SOFT},
            {"name": "normalised_soft_comprehensiveness", "options": SOFT},
        ],
    },
}  # fmt: skip


def deviations(measures: pd.DataFrame) -> pd.Series:
    """The standard deviation over texts of the difference between the models, by metric and
    method."""
    keys = ["id", "metric", "method"]
    both = measures.pivot_table(index=keys, columns="model", values="value").dropna()
    gaps = both["multilingual"] - both["monolingual"]
    return gaps.groupby(level=["metric", "method"]).std()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(STUDY, Path(folder) / "store")
        page = report(outcome.store, Path(folder) / "page")
        found = deviations(pd.read_csv(page.parent / "measures.csv"))
    lines = []
    for metric, part in found.groupby(level="metric"):
        for name, value in (("median", part.median()), ("largest", part.max())):
            counts = [f"{texts_needed(value, each):,}" for each in DIFFERENCES]
            lines.append([f"{metric}, {name} of methods", f"{value:.3f}", *counts])
    print(table(["metric", "deviation", *(f"texts for {each}" for each in DIFFERENCES)], lines))


if __name__ == "__main__":
    main()
