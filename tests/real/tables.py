"""The rows on disk, and as a table for a page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

from filelock import FileLock

from babelscope.errors import InputError
from babelscope.files import write_text
from babelscope.methods import METHODS
from real.measures import TOLERANCES, Row, exceeds
from real.models import MODELS

HEADINGS = {
    "alone": "alone / in a batch",
    "precision": "float32 / float64",
    "completeness": "completeness gap",
    "sensitivity": "weights changed by 6e-8",
}
Rows = dict[tuple[str, str], Row]
"""By model and method."""


def read(file: Path) -> Rows:
    """The rows of earlier runs; none where there is no file."""
    if not file.is_file():
        return {}
    try:
        rows = [_row(content) for content in json.loads(file.read_text("utf-8"))]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file} holds no rows of this table; delete it") from error
    return {(row.model, row.method): row for row in rows}


def write(folder: Path, rows: Rows) -> None:
    """rows.json and table.md."""
    folder.mkdir(parents=True, exist_ok=True)
    ordered = _ordered(rows)
    lines = ",\n ".join(json.dumps(_content(row), allow_nan=False) for row in ordered)
    write_text(folder / "rows.json", f"[{lines}]\n")
    write_text(folder / "table.md", "\n\n".join(sections(rows)) + "\n")


def add(folder: Path, row: Row) -> None:
    """Adds a row to those in the folder, which another process may also be adding to."""
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".rows.lock"):
        write(folder, {**read(folder / "rows.json"), (row.model, row.method): row})


def sections(rows: Rows) -> list[str]:
    """A table for every model that has rows, below a heading."""
    ordered = _ordered(rows)
    parts = []
    for name, model in MODELS.items():
        of_model = [row for row in ordered if row.model == name]
        if of_model:
            parts.append(f"### {name}\n\n{model.summary}.")
            parts.append(table(of_model))
    return parts


def table(rows: Iterable[Row]) -> str:
    """One line per method; what exceeds its tolerance is bold."""
    heads = ["method", "texts (tokens)", "computed in", *HEADINGS.values(), "flagged", "unflagged"]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|---|" + "--:|" * 5 + "---|"]
    for row in rows:
        cells = [f"`{row.method}`"]
        if row.reason:
            cells += ["-", "-", *["-"] * len(HEADINGS), "-", f"does not apply: {row.reason}"]
        else:
            cells += [f"{row.texts} ({row.tokens})", row.precision_used]
            cells += [*(_cell(name, getattr(row, name)) for name in HEADINGS)]
            cells += [f"{row.flagged} of {row.texts}", ", ".join(row.unflagged) or "none"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def faults(rows: Iterable[Row]) -> list[str]:
    """What exceeds its tolerance without a flag, in one line each."""
    return [
        f"{row.model}, {row.method}: {HEADINGS[name]} {getattr(row, name):.2g}, above "
        f"{TOLERANCES[name]:g}, and not flagged"
        for row in rows
        for name in row.unflagged
    ]


def _cell(name: str, value: float) -> str:
    if isnan(value):
        return "-"
    text = "0" if value == 0 else f"{value:.1e}"
    return f"**{text}**" if exceeds(name, value) else text


def _content(row: Row) -> dict[str, object]:
    """A row as JSON knows it: NaN is null, infinity a text."""
    values = asdict(row)
    for name in HEADINGS:
        if not isfinite(values[name]):
            values[name] = None if isnan(values[name]) else "inf"
    return values


def _row(content: Mapping[str, Any]) -> Row:
    values = {field.name: content[field.name] for field in fields(Row)}
    for name in HEADINGS:
        values[name] = nan if values[name] is None else float(values[name])
    return Row(**{**values, "unflagged": tuple(values["unflagged"])})


def _ordered(rows: Rows) -> list[Row]:
    """By model and method, in the order of their tables."""
    keys = ((model, method) for model in MODELS for method in METHODS)
    return [rows[key] for key in keys if key in rows]
