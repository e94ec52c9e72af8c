"""Cells in and out of a store."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from babelscope.errors import StoreError
from babelscope.files import file_digest, writing_folder
from babelscope.store.folder import Store, bring_in
from babelscope.store.locks import writing_lock
from babelscope.store.manifests import Cell, key, write_cell
from babelscope.store.rows import attribution
from babelscope.store.schemas import SCHEMAS
from babelscope.types import Attribution


def has(store: Store, name: str) -> bool:
    """Whether the store holds the cell of that key."""
    return (store.path / "cells" / f"{name}.json").exists()


def put(store: Store, cells: Sequence[Cell]) -> None:
    """Writes the cells so that all of them are there or none, however the process ends."""
    if not cells:
        return
    group = key({"cells": sorted(key(cell.identity) for cell in cells)})
    pending = store.path / f"pending-{group}"
    with writing_lock(store.path):
        shutil.rmtree(pending, ignore_errors=True)
        with writing_folder(pending) as part:
            for cell in cells:
                write_cell(cell, part)
        bring_in(store.path, pending)


def read(store: Store, kind: str, names: Iterable[str] | None = None) -> pa.Table:
    """All rows of that kind (or of those cells), each file checked against its manifest."""
    if names is None:
        names = (file.stem for file in (store.path / "cells").glob("*.json"))
    tables = [SCHEMAS[kind].empty_table()]
    for name in sorted(set(names)):
        manifest = json.loads((store.path / "cells" / f"{name}.json").read_text("utf-8"))
        if manifest["kind"] == kind:
            tables.append(_checked(store, name, manifest))
    return pa.concat_tables(tables)


def read_attributions(store: Store, names: Iterable[str] | None = None) -> list[Attribution]:
    """The attributions of those cells, or of all."""
    return [attribution(row) for row in read(store, "attributions", names).to_pylist()]


def _checked(store: Store, name: str, manifest: Mapping[str, Any]) -> pa.Table:
    file = store.path / manifest["kind"] / f"{name}.parquet"
    if not file.exists():
        raise StoreError(
            f"the file of cell {name[:12]} is gone: {file}; delete cells/{name}.json and run again"
        )
    if file_digest(file) != manifest["sha256"] or key(manifest["identity"]) != name:
        raise StoreError(
            f"cell {name[:12]} is damaged: {file} is not what was written; delete "
            f"cells/{name}.json and run again"
        )
    table, schema = pq.read_table(file), SCHEMAS[manifest["kind"]]
    for field in schema:  # a store that was written before the field existed
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table.select(schema.names).cast(schema)
