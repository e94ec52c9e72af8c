"""Results on disk, keyed by what determined them.

    STORE/scheme.json             which version of these fields the store holds
    STORE/study.json              what was asked
    STORE/attributions/KEY.parquet   one row per explanation
    STORE/measures/KEY.parquet       one row per metric of an explanation
    STORE/panels/KEY.parquet         one row per trust panel of an explanation
    STORE/readings/KEY.parquet       one row per text that a model read: its logits and its attention in numbers
    STORE/states/KEY.parquet         one row per text that a model read: its hidden states
    STORE/cells/KEY.json          the cell: its identity, its kind, its rows, the hash of its file; written last
    STORE/failures/KEY.json       a cell that could not be filled, and why
    STORE/pending-*/              a group of cells on its way in; finished when the store is next opened

KEY is the SHA-256 of the canonical JSON of the identity: what changes the numbers, and nothing else. Every file is written
under another name, flushed and renamed; cells that were computed together come in together.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from babelscope.errors import StoreError
from babelscope.files import canonical
from babelscope.types import Attribution, Candidate, Failure, Measure, ModelInput, Reading, StoredPanel, TextStates, Window

Rows = Sequence[Attribution] | Sequence[Measure] | Sequence[StoredPanel] | Sequence[Reading] | Sequence[TextStates]

SCHEME = 2
"""Raised when a change of the code changes stored numbers or fields; part of every identity, and written in every store."""

_SPANS = pa.list_(pa.list_(pa.int32()))
_STRINGS = pa.list_(pa.string())
_NUMBERS = pa.list_(pa.float64())
_FLOATS = pa.list_(pa.float32())
_INTEGERS = pa.list_(pa.int32())
_FLAGS = pa.list_(pa.bool_())
_OBJECTS = ("options", "details", "panel")
"""Fields that are stored as canonical JSON."""
_INPUT = pa.struct(
    [
        ("ids", _INTEGERS), ("types", _INTEGERS), ("content", _FLAGS), ("segment", _INTEGERS), ("offsets", _SPANS),
        ("tokens", _STRINGS), ("decoder", pa.int32()), ("part", pa.string()),
        ("window", pa.struct([("number", pa.int32()), ("count", pa.int32()), ("of", pa.string())])),
        ("truncated_from", pa.int32()),
        ("candidates", pa.list_(pa.struct([("tokens", pa.int32()), ("continuation", pa.int32())]))),
    ]
)  # fmt: skip
"""The fields of `ModelInput`."""

SCHEMAS = {
    "attributions": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("method", pa.string()),
            ("options", pa.string()), ("seed", pa.int64()), ("model", pa.string()), ("texts", _STRINGS),
            ("target", pa.string()), ("quantity", pa.string()), ("label", pa.string()), ("gold", pa.string()),
            ("probability", pa.float64()), ("value", pa.float64()), ("reference_value", pa.float64()),
            ("tokens", _STRINGS), ("offsets", _SPANS), ("segment", _INTEGERS), ("word_index", _INTEGERS),
            ("words", _STRINGS), ("word_offsets", _SPANS), ("word_segment", _INTEGERS),
            ("scores", _NUMBERS), ("word_scores", _NUMBERS), ("flags", _STRINGS),
            ("task", pa.string()), ("target_index", pa.int64()), ("target_end", pa.int64()), ("details", pa.string()),
            ("rationale", _FLAGS), ("contrast", pa.string()), ("contrast_index", pa.int64()), ("tagged_word", pa.int32()),
            ("input", _INPUT), ("signature", pa.string()),
        ]
    ),
    "measures": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("model", pa.string()),
            ("method", pa.string()), ("metric", pa.string()), ("options", pa.string()), ("value", pa.float64()),
            ("reason", pa.string()), ("task", pa.string()),
        ]
    ),
    "panels": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("model", pa.string()),
            ("method", pa.string()), ("options", pa.string()), ("seed", pa.int64()), ("panel", pa.string()),
            ("task", pa.string()),
        ]
    ),
    "readings": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("cluster", pa.string()), ("lang", pa.string()), ("gold", pa.int32()),
            ("logits", _NUMBERS), ("tokens", pa.int32()), ("truncated", pa.bool_()), ("layers", pa.int32()),
            ("nats", _NUMBERS), ("share", _NUMBERS), ("content", _NUMBERS), ("sink", _NUMBERS),
        ]
    ),
    "states": pa.schema(
        [("id", pa.string()), ("layers", pa.int32()), ("mean", _FLOATS), ("first", _FLOATS), ("last", _FLOATS)]
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """A filled cell: what determined it, its kind (a name in SCHEMAS), and its rows."""

    identity: Mapping[str, Any]
    kind: str
    rows: Rows


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of results."""

    path: Path


def open_store(path: str | Path, *, create: bool = True) -> Store:
    """The store in that folder; a group of cells that was on its way in when a run was killed is finished first."""
    folder = Path(path)
    if not folder.is_dir() and not create:
        raise StoreError(f"there is no store at {folder}; make one with: babelscope study run FILE")
    if not create and not (folder / "cells").is_dir():
        raise StoreError(f"{folder} is not a store: it has no folder 'cells'; make one with: babelscope study run FILE")
    _check_scheme(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "scheme.json").exists():  # before `cells`, without which a folder is no store yet
        _write(folder / "scheme.json", json.dumps({"scheme": SCHEME}))
    for name in (*SCHEMAS, "cells", "failures"):
        (folder / name).mkdir(exist_ok=True)
    store = Store(folder)
    for pending in sorted(folder.glob("pending-*")):
        if pending.suffix == ".part":
            shutil.rmtree(pending)
        else:
            _bring_in(store, pending)
    return store


def _check_scheme(folder: Path) -> None:
    """Refuses a store that another version wrote: its rows lack fields, and its keys would never be found."""
    file = folder / "scheme.json"
    if not (folder / "cells").is_dir():
        return
    scheme = json.loads(file.read_text("utf-8"))["scheme"] if file.exists() else 1  # the first scheme wrote no such file
    if scheme != SCHEME:
        raise StoreError(
            f"store {folder} was written by another version of babelscope (scheme {scheme}, this one reads {SCHEME}); "
            "run the study again into a new folder"
        )


def key(identity: Mapping[str, Any]) -> str:
    """The name of a cell: SHA-256 of its identity's canonical JSON."""
    return hashlib.sha256(canonical(dict(identity)).encode()).hexdigest()


def has(store: Store, name: str) -> bool:
    return (store.path / "cells" / f"{name}.json").exists()


def put(store: Store, cells: Sequence[Cell]) -> None:
    """Writes the cells so that all of them are there or none, however the process ends."""
    if not cells:
        return
    group = key({"cells": sorted(key(cell.identity) for cell in cells)})
    part = store.path / f"pending-{group}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    for cell in cells:
        name = key(cell.identity)
        table = to_table(cell.kind, cell.rows)
        pq.write_table(table, part / f"{name}.parquet", compression="zstd")
        manifest = {
            "identity": dict(cell.identity),
            "kind": cell.kind,
            "rows": table.num_rows,
            "sha256": hashlib.sha256((part / f"{name}.parquet").read_bytes()).hexdigest(),
        }
        (part / f"{name}.json").write_text(json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False), "utf-8")
    for file in part.iterdir():
        _flush(file)
    pending = part.with_suffix("")
    shutil.rmtree(pending, ignore_errors=True)
    os.replace(part, pending)
    _bring_in(store, pending)


def fail(store: Store, failure: Failure) -> None:
    """Records a cell that could not be filled; a later success removes the record."""
    _write(store.path / "failures" / f"{key(failure.cell)}.json", json.dumps(asdict(failure), indent=1, sort_keys=True))


def failures(store: Store) -> list[Failure]:
    found = [json.loads(file.read_text("utf-8")) for file in sorted((store.path / "failures").glob("*.json"))]
    return [Failure(row["cell"], row["reason"], row["details"]) for row in found]


def forget_failures(store: Store) -> None:
    """Removes the records of earlier failures: the run that is about to start tries every one of them again."""
    for file in (store.path / "failures").glob("*.json"):
        file.unlink()


def cells(store: Store) -> list[dict[str, Any]]:
    """The manifests of all filled cells, in the order of their keys."""
    return [json.loads(file.read_text("utf-8")) for file in sorted((store.path / "cells").glob("*.json"))]


def read(store: Store, kind: str, names: Iterable[str] | None = None) -> pa.Table:
    """All rows of that kind (or of those cells), each file checked against its manifest."""
    wanted = sorted(set(names)) if names is not None else sorted(file.stem for file in (store.path / "cells").glob("*.json"))
    tables = [SCHEMAS[kind].empty_table()]
    for name in wanted:
        manifest = json.loads((store.path / "cells" / f"{name}.json").read_text("utf-8"))
        if manifest["kind"] == kind:
            tables.append(_checked(store, name, manifest))
    return pa.concat_tables(tables)


def read_attributions(store: Store, names: Iterable[str] | None = None) -> list[Attribution]:
    return [attribution(row) for row in read(store, "attributions", names).to_pylist()]


def write_study(store: Store, study: Mapping[str, Any]) -> None:
    """What was asked: read by the report."""
    _write(store.path / "study.json", json.dumps(dict(study), indent=1, sort_keys=True, ensure_ascii=False))


def read_study(store: Store) -> dict[str, Any]:
    file = store.path / "study.json"
    if not file.exists():
        raise StoreError(f"{store.path} holds no study.json; run the study first: babelscope study run FILE")
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def to_table(kind: str, rows: Rows) -> pa.Table:
    """Rows as Arrow, options and details as canonical JSON."""
    plain = [
        {
            **(asdict(row) if kind in ("attributions", "measures") else _shallow(row)),
            **{name: canonical(dict(getattr(row, name))) for name in _OBJECTS if hasattr(row, name)},
        }
        for row in rows
    ]
    return pa.Table.from_pylist(plain, schema=SCHEMAS[kind])


def _shallow(row: Any) -> dict[str, Any]:
    """The fields of a row that holds arrays, uncopied."""
    return {each.name: getattr(row, each.name) for each in fields(row)}


def attribution(row: dict[str, Any]) -> Attribution:
    spans = {name: tuple((a, b) for a, b in row[name]) for name in ("offsets", "word_offsets")}
    names = ("texts", "tokens", "segment", "word_index", "words", "word_segment", "scores", "word_scores", "flags")
    lists = {name: tuple(row[name]) for name in names}
    objects = {name: json.loads(row[name] or "{}") for name in _OBJECTS if name in row}
    marks = {"rationale": None if row["rationale"] is None else tuple(row["rationale"])}
    return Attribution(**{**row, **lists, **spans, **objects, **marks, "input": _model_input(row["input"])})


def _model_input(row: dict[str, Any] | None) -> ModelInput | None:
    if row is None:
        return None
    lists = {name: tuple(row[name]) for name in ("ids", "content", "segment", "tokens")}
    types = None if row["types"] is None else tuple(row["types"])
    window = None if row["window"] is None else Window(**row["window"])
    offsets = tuple((start, end) for start, end in row["offsets"])
    candidates = tuple(Candidate(**each) for each in row["candidates"])
    return ModelInput(**{**row, **lists, "types": types, "window": window, "offsets": offsets, "candidates": candidates})


def _checked(store: Store, name: str, manifest: Mapping[str, Any]) -> pa.Table:
    file = store.path / manifest["kind"] / f"{name}.parquet"
    if not file.exists():
        raise StoreError(f"the file of cell {name[:12]} is gone: {file}; delete cells/{name}.json and run again")
    if hashlib.sha256(file.read_bytes()).hexdigest() != manifest["sha256"] or key(manifest["identity"]) != name:
        raise StoreError(f"cell {name[:12]} is damaged: {file} is not what was written; delete cells/{name}.json and run again")
    table, schema = pq.read_table(file), SCHEMAS[manifest["kind"]]
    for field in schema:  # a store that was written before the field existed
        if field.name not in table.column_names:
            table = table.append_column(field, pa.nulls(table.num_rows, field.type))
    return table.select(schema.names).cast(schema)


def _bring_in(store: Store, pending: Path) -> None:
    """Moves a complete group to its place: tables first, manifests last. Can be repeated after any interruption."""
    for manifest in sorted(pending.glob("*.json")):
        table = pending / f"{manifest.stem}.parquet"
        if table.exists():
            kind = json.loads(manifest.read_text("utf-8"))["kind"]
            os.replace(table, store.path / kind / table.name)
    for manifest in sorted(pending.glob("*.json")):
        os.replace(manifest, store.path / "cells" / manifest.name)
        (store.path / "failures" / manifest.name).unlink(missing_ok=True)
    shutil.rmtree(pending)


def _write(file: Path, text: str) -> None:
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, "utf-8")
    _flush(part)
    os.replace(part, file)


def _flush(file: Path) -> None:
    with file.open("rb") as handle:
        os.fsync(handle.fileno())
