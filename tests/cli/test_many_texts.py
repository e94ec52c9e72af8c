"""Texts that are explained and measured some at a time give what they give together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelscope.cli.measure import whole_groups
from babelscope.store import open_store, read
from babelscope.study.run import run
from babelscope.types import Example

STUDY: dict[str, Any] = {
    "name": "some at a time",
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 5}}],
    "languages": ["en"],
    "models": [{"name": "english", "source": "demo-en"}],
    "methods": ["input_x_gradient", "random"],
    "faithfulness": {"metrics": ["comprehensiveness", "sufficiency"]},
}


@given(st.lists(st.sampled_from("abcdef")), st.integers(1, 6))
def test_translations_stay_together(groups: Sequence[str], size: int) -> None:
    """Every row is in one part, a group in one part only, and only the last part may be small."""
    rows = [Example(f"{group}{at}", ("x",), "en", group) for at, group in enumerate(groups)]
    parts = list(whole_groups(rows, size))
    assert sorted(row.id for part in parts for row in part) == sorted(row.id for row in rows)
    owners = [{row.group for row in part} for part in parts]
    assert sum(len(each) for each in owners) == len(set(groups))
    assert all(len(part) >= size for part in parts[:-1])


def stored(folder: Path) -> tuple[pa.Table, pa.Table]:
    outcome = run(STUDY, folder)
    assert not outcome.failed
    store = open_store(folder)
    return read(store, "attributions"), read(store, "measures")


def test_a_study_of_parts_has_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = stored(tmp_path / "whole")
    monkeypatch.setattr("babelscope.methods.explain.TOGETHER", 2)
    parts = stored(tmp_path / "parts")
    for first, second, name in zip(whole, parts, ("value", "value"), strict=True):
        assert first["id"].to_pylist() == second["id"].to_pylist()
        assert first["method"].to_pylist() == second["method"].to_pylist()
        assert first[name].to_pylist() == pytest.approx(second[name].to_pylist(), abs=1e-5)
