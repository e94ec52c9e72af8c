"""Texts explained some at a time: nothing changes but the memory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from babelscope.cli import app
from babelscope.errors import InputError, SkippedRows
from babelscope.methods import explain as module
from babelscope.methods.explain import explain
from conftest import TEXTS, tiny
from small_study import models


def test_parts_change_no_number_and_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny("bert")
    data = [*TEXTS, "", *TEXTS[::-1]]
    methods = ["occlusion", "input_x_gradient", "random"]
    with pytest.warns(SkippedRows):
        whole = explain(model, data, methods)
    monkeypatch.setattr(module, "TOGETHER", 2)
    with pytest.warns(SkippedRows):
        parts = explain(model, data, methods)
    assert parts.skipped == whole.skipped
    for first, second in zip(whole, parts, strict=True):
        assert (first.id, first.method, first.target) == (second.id, second.method, second.target)
        np.testing.assert_allclose(first.scores, second.scores, atol=1e-9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    models(folder)
    rows = [{"id": str(n), "text": f"the food was good {n}"} for n in range(7)]
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    rows[3]["text"] = "the \x08 food"
    (folder / "bad.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return folder


def command(folder: Path, source: str, output: str) -> object:
    arguments = ["explain", str(folder / "first"), "--input", str(folder / source), "--method"]
    arguments += ["random,gradient_norm", "--output", str(folder / output)]
    return CliRunner().invoke(app, arguments).exception


def test_the_command_writes_parts_into_one_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the methods, then of the texts; each part is a row group."""
    monkeypatch.setattr(module, "TOGETHER", 3)
    for ending in ("jsonl", "parquet"):
        assert command(folder, "texts.jsonl", f"out.{ending}") is None
    lines = [json.loads(line) for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]
    table = pq.read_table(folder / "out.parquet")
    expected = [(name, str(n)) for name in ("random", "gradient_norm") for n in range(7)]
    assert [(row["method"], row["id"]) for row in lines] == expected
    assert list(zip(*(table.column(name).to_pylist() for name in ("method", "id")))) == expected
    assert table.column("scores").to_pylist() == [row["scores"] for row in lines]
    assert pq.ParquetFile(folder / "out.parquet").num_row_groups == 2 * 3


def test_too_many_bad_rows_leave_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TOGETHER", 3)
    for ending in ("jsonl", "parquet"):
        error = command(folder, "bad.jsonl", f"explained-bad.{ending}")
        assert isinstance(error, InputError)
        assert "1 of 7 rows skipped" in str(error)
    assert sorted(path.name for path in folder.glob("*bad*")) == ["bad.jsonl"]
