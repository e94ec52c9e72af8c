"""Every element of the papers names something that exists, or says why nothing delivers it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.main import get_command

from babelscope.analyses import ANALYSES
from babelscope.cli import app
from babelscope.data.spec import DataSpec, TaskSpec
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.reporting.papers import PAPERS
from babelscope.study.config import Study
from babelscope.training.spec import ModelSpec, TrainSpec

ROOT = Path(__file__).parents[1]
with (ROOT / "docs" / "papers.csv").open(encoding="utf-8", newline="") as stream:
    ELEMENTS = list(csv.DictReader(stream))
SPECS = {
    each.__name__: each for each in (Study, DataSpec, TaskSpec, ModelSpec, TrainSpec)
}  # fmt: skip


def exists(how: str) -> bool:
    kind, _, name = how.partition(":")
    first, _, second = name.partition("." if kind in ("option", "field") else "/")
    if kind in ("study", "experiment"):
        return (ROOT / {"study": "studies"}.get(kind, "experiments") / f"{name}.yaml").is_file()
    if kind == "option":
        return second in {**METHODS, **METRICS}[first].options
    if kind == "field":
        fields = ANALYSES[first].spec if first in ANALYSES else SPECS[first]
        return second in fields.model_fields
    if kind == "paper":
        return second in {element.name for element in PAPERS[first].elements}
    tables = {"method": METHODS, "metric": METRICS, "analysis": ANALYSES}
    if kind == "command":
        return name in get_command(app).commands
    return (ROOT / name).is_file() if kind == "file" else name in tables[kind]


@pytest.mark.parametrize("row", ELEMENTS, ids=lambda row: row["id"])
def test_what_is_named_exists(row: dict[str, str]) -> None:
    assert row["state"] in ("a", "b", "c")
    if row["how"] == "-":
        assert row["note"]
    else:
        assert exists(row["how"]), row["how"]
    assert row["note"] or row["state"] == "a", "a part that is missing is named"


def test_all_elements_of_all_papers() -> None:
    counts = {name: sum(row["paper"] == name for row in ELEMENTS) for name in PAPERS}
    assert counts == {
        "mono-vs-multi": 43, "consistency": 30, "tradeoffs": 25, "slalom": 38, "head-masks": 24,
    }  # fmt: skip
    assert len({row["id"] for row in ELEMENTS}) == 160
