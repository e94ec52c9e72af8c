"""CSV for spreadsheets: what begins like a formula is text, numbers stay numbers."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from babelscope.data.formats.export import write
from babelscope.data.formats.tables import read
from babelscope.display.sheets import csv_text
from babelscope.types import Example

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", "\rx"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_formulas_are_texts(cell: str) -> None:
    frame = pd.DataFrame({"=name": [cell, "plain"], "value": [-1.5, 2.0]})
    lines = csv_text(frame).replace('"', "").splitlines()
    assert lines[0] == "'=name,value"
    assert "'" + cell in csv_text(frame)
    assert lines[-1] == "plain,2.0"
    assert ",-1.5" in csv_text(frame), "a number is a number"


def test_texts_that_are_numbers_stay_as_they_are() -> None:
    assert csv_text(pd.DataFrame({"a": ["-1.5", "+2", "en"]})) == "a\n-1.5\n+2\nen\n"


def test_exported_examples_come_back_and_open_safely(tmp_path: Path) -> None:
    texts = [*FORMULAS, "'=1", "''-x", "'quoted'", "plain"]
    rows = [Example(str(at), (text,), "en", label="=x") for at, text in enumerate(texts)]
    write(rows, tmp_path / "rows.csv")
    assert read(tmp_path / "rows.csv") == rows
    written = (tmp_path / "rows.csv").read_text("utf-8")
    assert not any(f'"{start}' in written for start in "=+-@\t\r")
