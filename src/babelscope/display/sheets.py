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
    safe = frame.assign(**{str(name): frame[name].map(safe_cell) for name in texts})
    return str(safe.rename(columns=safe_cell).to_csv(index=False, lineterminator="\n"))


def safe_cell(value: Any) -> Any:
    """The value of a cell, with an apostrophe before it where a spreadsheet would run it."""
    if not isinstance(value, str) or not value.startswith(FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
