"""Cells and their manifests: what determined a cell, and what its file must be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from babelscope.files import canonical, file_digest
from babelscope.store.folder import Store
from babelscope.store.rows import Rows, to_table


@dataclass(frozen=True, slots=True)
class Cell:
    """A filled cell: what determined it, its kind (a name in SCHEMAS), and its rows."""

    identity: Mapping[str, Any]
    kind: str
    rows: Rows
    place: Mapping[str, str] | None = None
    """Where the cell belongs in a study; not part of what determines it."""


def key(identity: Mapping[str, Any]) -> str:
    """The name of a cell: SHA-256 of its identity's canonical JSON."""
    return hashlib.sha256(canonical(dict(identity)).encode()).hexdigest()


def cells(store: Store) -> list[dict[str, Any]]:
    """The manifests of all filled cells, in the order of their keys."""
    return [
        json.loads(file.read_text("utf-8"))
        for file in sorted((store.path / "cells").glob("*.json"))
    ]


def write_cell(cell: Cell, folder: Path) -> None:
    """Writes the table of a cell and its manifest into a folder."""
    name, table = key(cell.identity), to_table(cell.kind, cell.rows)
    file = folder / f"{name}.parquet"
    pq.write_table(table, file, compression="zstd")
    manifest = {
        "identity": dict(cell.identity),
        "kind": cell.kind,
        "rows": table.num_rows,
        "sha256": file_digest(file),
        "place": None if cell.place is None else dict(cell.place),
    }
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
    file.with_suffix(".json").write_text(text, "utf-8")
