"""Cells and their manifests: what determined a cell, and what its file must be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from babelscope.errors import StoreError
from babelscope.files import canonical, file_digest, read_json
from babelscope.store.folder import KEY, Store
from babelscope.store.rows import Rows, to_table
from babelscope.store.schemas import SCHEMAS
from babelscope.store.spooled import Spooled

REPAIR = "run the study again, or remove the cell with: babelscope study verify STORE --repair"


@dataclass(frozen=True, slots=True)
class Cell:
    """A filled cell: what determined it, its kind (a name in SCHEMAS), and its rows."""

    identity: Mapping[str, Any]
    kind: str
    rows: Rows | Spooled
    place: Mapping[str, str] | None = None
    """Where the cell belongs in a study; not part of what determines it."""


def key(identity: Mapping[str, Any]) -> str:
    """The name of a cell: SHA-256 of its identity's canonical JSON."""
    return hashlib.sha256(canonical(dict(identity)).encode()).hexdigest()


def cell_names(store: Store) -> list[str]:
    """The keys of all cells that have a manifest, in order; their files are not looked at."""
    names = (file.stem for file in (store.path / "cells").glob("*.json"))
    return sorted(name for name in names if KEY.fullmatch(name))


def cells(store: Store) -> list[dict[str, Any]]:
    """The manifests of all filled cells, in the order of their keys."""
    return [read_manifest(store, name) for name in cell_names(store)]


def read_manifest(store: Store, name: str) -> dict[str, Any]:
    """The manifest of a cell; a damaged one is a StoreError of one line."""
    file = store.path / "cells" / f"{name}.json"
    try:
        return parse_manifest(file)
    except ValueError as error:
        raise StoreError(f"{file} is damaged: {error}; {REPAIR}") from None


def parse_manifest(file: Path) -> dict[str, Any]:
    """The manifest in a file; ValueError says in one line what is wrong with it."""
    if not KEY.fullmatch(file.stem):
        raise ValueError("its name is no key of a cell")
    manifest = read_json(file)
    if not isinstance(manifest, dict):
        raise ValueError("it is no manifest of a cell")
    types = {"identity": dict, "kind": str, "rows": int, "sha256": str}
    wrong = [name for name, kind in types.items() if not isinstance(manifest.get(name), kind)]
    if wrong:
        raise ValueError(f"it is no manifest of a cell: it has no {wrong[0]!r}")
    if manifest["kind"] not in SCHEMAS:
        raise ValueError(f"it names a kind of table that does not exist: {manifest['kind']!r}")
    if not isinstance(manifest.get("place"), dict | None):
        raise ValueError("it is no manifest of a cell: its 'place' is no object")
    try:
        identity = key(manifest["identity"])
    except (ValueError, RecursionError):
        raise ValueError("its identity has no key") from None
    if identity != file.stem:
        raise ValueError("its identity is that of another cell")
    return manifest


def table_file(store: Store, name: str, manifest: Mapping[str, Any]) -> Path:
    """The file that holds the rows of a cell."""
    return store.path / str(manifest["kind"]) / f"{name}.parquet"


def write_cell(cell: Cell, folder: Path) -> None:
    """Writes the table of a cell and its manifest into a folder."""
    name, rows = key(cell.identity), cell.rows
    file = folder / f"{name}.parquet"
    if isinstance(rows, Spooled):
        rows.copy_to(file)
    else:
        table = rows if isinstance(rows, pa.Table) else to_table(cell.kind, rows)
        pq.write_table(table, file, compression="zstd")
    manifest = {
        "identity": dict(cell.identity),
        "kind": cell.kind,
        "rows": pq.read_metadata(file).num_rows,
        "bytes": file.stat().st_size,
        "sha256": file_digest(file),
        "place": None if cell.place is None else dict(cell.place),
    }
    text = json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False)
    file.with_suffix(".json").write_text(text, "utf-8")
