"""What fine-tuning on one language cost the others: SIB-200, the built-in corpus and XNLI, from
their stores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelscope.analyses.tradeoffs.tables import tables
from babelscope.reporting.papers import PAPERS
from babelscope.reporting.papers.write import drawn_svg
from experiments import tradeoff_rows as rows
from experiments.study_sets import Filled


def values(filled: Mapping[str, Filled]) -> dict[str, Any]:
    runs = [run(name, each) for name, each in filled.items()]
    return {"runs": runs, "figures": {k: v for each in runs for k, v in each["drawn"].items()}}


def drawn(name: str, contents: Mapping[str, Any]) -> dict[str, str]:
    """Figures of the paper from the tables of a study; those with a series for each language only
    where there are few."""
    few = len(contents["targets"]) <= 4
    chosen = ("figure-1", "figure-3", "figure-4", *(("figure-5", "figure-6") if few else ()))
    elements = [each for each in PAPERS["tradeoffs"].elements if each.name in chosen]
    tasks = {name: contents}
    return {f"tradeoffs-{name}-{each.name}.svg": drawn_svg(each, each.frame(tasks))
            for each in elements}  # fmt: skip


def run(name: str, filled: Filled) -> dict[str, Any]:
    """The tables of a study's only task, as rows of the page."""
    (contents,) = (tables(filled.store, filled.description) or {}).values()
    sources, behaviour = contents["sources"], contents["behaviour"]
    means = [row for row in contents["activations"] if row["pooling"] == "mean"]
    spreads = [row for row in contents["attention"] if row["quantity"] == "share"]
    return contents | {
        "drawn": drawn(name, contents),
        "study": filled.description,
        "accuracy": rows.accuracy_rows(contents),
        "shares": [rows.interval(behaviour["shares"], part) for part in range(3)],
        "specialisation": rows.specialisation_rows(contents),
        "differing": sum(row["adjusted"] < 0.05 for row in behaviour["tests"]),
        "activations": [rows.activations_row(row) for row in means],
        "attention": [
            rows.attention_row(row, contents["targets"][0])
            for row in spreads
            if "language_effect" in row
        ],
        "confidence": [rows.confidence_row(contents, source) for source in sources],
        "errors": [rows.errors_row(contents, source) for source in sources],
        "forgetting": [rows.forgetting_row(contents, row) for row in contents["drift"]],
    }
