"""Cells in and out of a store."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from babelscope.errors import StoreError
from babelscope.files import naming, writing_folder
from babelscope.store.folder import Store, bring_in
from babelscope.store.locks import writing_lock
from babelscope.store.manifests import (
    REPAIR,
    Cell,
    cell_names,
    key,
    read_manifest,
    table_file,
    write_cell,
)
from babelscope.store.rows import attribution
from babelscope.store.schemas import SCHEMAS
from babelscope.store.verification import cell_fault, table_state
from babelscope.types import Attribution


def listed(store: Store, name: str) -> bool:
    """Whether the cell of that key has a manifest, be it damaged."""
    return (store.path / "cells" / f"{name}.json").exists()


def has(store: Store, name: str) -> bool:
    """Whether the store holds the cell of that key, and its file is what was written."""
    return listed(store, name) and cell_fault(store, name) is None


def put(store: Store, cells: Sequence[Cell]) -> None:
    """Writes the cells so that all of them are there or none, however the process ends."""
    if not cells:
        return
    group = key({"cells": sorted(key(cell.identity) for cell in cells)})
    pending = store.path / f"pending-{group}"
    with writing_lock(store.path), naming(store.path):
        shutil.rmtree(pending, ignore_errors=True)
        with writing_folder(pending) as part:
            for cell in cells:
                write_cell(cell, part)
        bring_in(store.path, pending)
        for cell in cells:
            name = key(cell.identity)
            file = store.path / cell.kind / f"{name}.parquet"
            store.verified[name] = table_state(file)


def read(
    store: Store,
    kind: str,
    names: Iterable[str] | None = None,
    columns: Sequence[str] | None = None,
) -> pa.Table:
    """All rows of that kind (or of those cells), each file checked against its manifest; with
    `columns` only those are read.
    """
    schema = SCHEMAS[kind]
    if columns is not None:
        schema = pa.schema([schema.field(name) for name in columns])
    tables = [schema.empty_table()]
    for name in sorted(set(cell_names(store) if names is None else names)):
        manifest = read_manifest(store, name)
        if manifest["kind"] == kind:
            tables.append(_table(store, name, manifest, schema))
    return pa.concat_tables(tables)


def read_attributions(store: Store, names: Iterable[str] | None = None) -> list[Attribution]:
    """The attributions of those cells, or of all."""
    return [attribution(row) for row in read(store, "attributions", names).to_pylist()]


def attribution_parts(store: Store, name: str, size: int) -> Iterator[list[Attribution]]:
    """The attributions of a cell, so many at a time; an empty list where it has none."""
    manifest, schema = read_manifest(store, name), SCHEMAS["attributions"]
    _check(store, name, table_file(store, name, manifest))
    with pq.ParquetFile(table_file(store, name, manifest)) as file:
        for batch in file.iter_batches(batch_size=size):
            table = _with_fields(pa.Table.from_batches([batch]), schema)
            yield [attribution(row) for row in table.to_pylist()]
    if not manifest["rows"]:
        yield []


def _check(store: Store, name: str, file: Path) -> None:
    fault = cell_fault(store, name)
    if fault is not None:
        raise StoreError(f"cell {name[:12]} is damaged: {fault} ({file}); {REPAIR}")


def _table(store: Store, name: str, manifest: Mapping[str, Any], schema: pa.Schema) -> pa.Table:
    """The rows of a cell whose file is what was written, with the fields of that schema."""
    file = table_file(store, name, manifest)
    _check(store, name, file)
    try:
        present = set(pq.read_schema(file).names)
        table = pq.read_table(file, columns=[name for name in schema.names if name in present])
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise StoreError(f"{file} cannot be read as Parquet: {reason}; {REPAIR}") from None
    return _with_fields(table, schema)


def _with_fields(table: pa.Table, schema: pa.Schema) -> pa.Table:
    for field in schema:  # a store that was written before the field existed
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table.select(schema.names).cast(schema)
