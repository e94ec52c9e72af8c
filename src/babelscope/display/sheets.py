"""Tables as CSV that a spreadsheet can open without running anything in them."""

from __future__ import annotations

from typing import Any

import pandas as pd

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell begins with that spreadsheets take for a formula."""


def csv_text(frame: pd.DataFrame) -> str:
    """The table as CSV with its header.

    *Laws*: a text that begins like a formula has an apostrophe before it, unless it is a number;
    all other cells are written as they are.
    """
    texts = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    safe = frame.assign(**{str(name): _safe(frame[name]) for name in texts})
    return str(safe.rename(columns=safe_cell).to_csv(index=False, lineterminator="\n"))


def _safe(column: pd.Series[Any]) -> pd.Series[Any]:
    """The column with safe cells; it is the same column where each of its values is safe."""
    values = column.drop_duplicates() if pd.api.types.is_string_dtype(column) else column
    changed = any(safe_cell(value) is not value for value in values)
    return column.map(safe_cell) if changed else column


def safe_cell(value: Any) -> Any:
    """The value of a cell, with an apostrophe before it where a spreadsheet would run it."""
    if not isinstance(value, str) or not value.startswith(FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
