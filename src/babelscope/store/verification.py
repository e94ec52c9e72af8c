"""Whether a store holds what its manifests say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from babelscope.errors import StoreError
from babelscope.files import file_digest, naming
from babelscope.store.folder import KEY, State, Store, remove
from babelscope.store.locks import writing_lock
from babelscope.store.manifests import cell_names, parse_manifest, read_manifest, table_file
from babelscope.store.records import read_failure, read_study
from babelscope.store.schemas import SCHEMAS


@dataclass(frozen=True, slots=True)
class Fault:
    """A file of a store that is missing, damaged or foreign."""

    file: str
    """Its path inside the store."""
    reason: str
    removable: tuple[str, ...] = ()
    """The files that a repair removes, so that the next run computes the cell again."""


def cell_fault(store: Store, name: str) -> str | None:
    """Why the cell of that key cannot be used; None for a cell whose file matches its manifest.

    A file is hashed once per opened store, and again when its size or time of change is another.
    """
    return _fault(store, name, store.verified)


def intact_cells(store: Store) -> list[dict[str, Any]]:
    """The manifests of the cells that can be used, in the order of their keys; see `_quick_fault`.

    *Laws*: nothing is written, and damage raises no error.
    """
    names = [name for name in cell_names(store) if _quick_fault(store, name) is None]
    return [read_manifest(store, name) for name in names]


def lost_cells(store: Store) -> list[Fault]:
    """The cells that are listed but cannot be used; see `_quick_fault`."""
    reasons = {name: _quick_fault(store, name) for name in cell_names(store)}
    return [Fault(f"cells/{name}.json", reason) for name, reason in reasons.items() if reason]


def _quick_fault(store: Store, name: str) -> str | None:
    """The fault of a cell, without hashing files that have the size in their manifest and are not
    newer than it: manifests are written after their tables.
    """
    file = store.path / "cells" / f"{name}.json"
    try:
        manifest = parse_manifest(file)
        table = table_file(store, name, manifest)
        state, written = table.stat(), file.stat().st_mtime_ns
        if state.st_size == manifest.get("bytes") and state.st_mtime_ns <= written:
            return _other_rows(table, manifest)
    except (OSError, ValueError):  # pa.ArrowInvalid is a ValueError
        pass
    return _fault(store, name, {})


def verify(store: Store) -> Iterator[Fault]:
    """Every fault of a store, each file hashed anew; nothing is written.

    *Laws*: a store that was filled by finished runs has no fault; a change of any byte of a table,
    and any missing or truncated file, is one.
    """
    names = cell_names(store)
    for name in names:
        reason = _fault(store, name, {})
        if reason is not None:
            yield Fault(f"cells/{name}.json", reason, _files_of(name))
    yield from _unlisted(store, set(names))
    yield from _description(store, set(names))
    for file in sorted((store.path / "failures").glob("*.json")):
        try:
            read_failure(file)
        except ValueError as error:
            place = f"failures/{file.name}"
            yield Fault(place, f"it is damaged: {error}", (place,))


def repair(store: Store, fault: Fault) -> None:
    """Removes the files of a fault, so that the next run computes the cell again."""
    with writing_lock(store.path), naming(store.path):
        for name in fault.removable:
            remove(store.path / name)


def table_state(file: Path) -> State:
    """What changes when a file is written again."""
    state = file.stat()
    return state.st_size, state.st_mtime_ns, state.st_ino


def _fault(store: Store, name: str, verified: dict[str, State]) -> str | None:
    """Compares a cell's file with its manifest; `verified` are files that need not be hashed."""
    try:
        manifest = parse_manifest(store.path / "cells" / f"{name}.json")
    except ValueError as error:
        return f"the manifest is damaged: {error}"
    file = table_file(store, name, manifest)
    try:
        state = table_state(file)
        if verified.get(name) == state:
            return None
        reason = _difference(file, manifest, state)
    except pa.ArrowInvalid:
        return "its table is no Parquet file"
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        return "its table is missing" if missing else f"its table cannot be read: {error.strerror}"
    if reason is None:
        verified[name] = state
    return reason


def _difference(file: Path, manifest: Mapping[str, Any], state: State) -> str | None:
    size = manifest.get("bytes", state[0])
    if state[0] != size:
        return f"its table has {state[0]} bytes instead of {size}"
    if file_digest(file) != manifest["sha256"]:
        return "its table is not what was written: the hash differs"
    return _other_rows(file, manifest)


def _other_rows(file: Path, manifest: Mapping[str, Any]) -> str | None:
    rows = pq.read_metadata(file).num_rows
    if rows == manifest["rows"]:
        return None
    return f"its table has {rows} rows instead of {manifest['rows']}"


def _files_of(name: str) -> tuple[str, ...]:
    """The files that a cell may have."""
    return (f"cells/{name}.json", *(f"{kind}/{name}.parquet" for kind in SCHEMAS))


def _unlisted(store: Store, names: set[str]) -> Iterator[Fault]:
    """Tables without a manifest, and files beside the manifests that are none."""
    for file in sorted((store.path / "cells").glob("*.json")):
        if file.stem not in names:
            yield Fault(f"cells/{file.name}", "its name is no key of a cell")
    for kind in SCHEMAS:
        for file in sorted((store.path / kind).glob("*.parquet")):
            if file.stem not in names:
                place = f"{kind}/{file.name}"
                removable = (place,) if KEY.fullmatch(file.stem) else ()
                yield Fault(place, "the table has no manifest", removable)


def _description(store: Store, names: set[str]) -> Iterator[Fault]:
    """What is wrong with the description of the study, and the cells that it lists in vain."""
    if not (store.path / "study.json").exists():
        return
    try:
        study = read_study(store)
    except StoreError as error:
        yield Fault("study.json", str(error))
        return
    for name in study.get("keys", ()):
        if name not in names:
            yield Fault(
                f"cells/{name}.json", "the study lists this cell, and its manifest is missing"
            )
