"""Numbers that the papers print, as small CSV files with their sources in the first line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

FOLDER = Path(__file__).parent


def published_file(name: str) -> Path:
    """The CSV file of that name; its first line says where the numbers are from."""
    return FOLDER / f"{name}.csv"


def published(name: str) -> pd.DataFrame:
    """The rows of a file; empty cells are empty texts or missing numbers."""
    return pd.read_csv(published_file(name), comment="#")


def beside(table: pd.DataFrame, numbers: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The table with a column `published`: the value of the row of `numbers` with the same keys, or
    nothing. The order of the table stays.
    """
    known = numbers[[*keys, "published"]]
    return table.merge(known, on=keys, how="left", validate="many_to_one")
