"""Results on disk, keyed by what determined them.

    STORE/scheme.json             which version of these fields the store holds
    STORE/study.json              what was asked
    STORE/attributions/KEY.parquet   one row per explanation
    STORE/measures/KEY.parquet       one row per metric of an explanation
    STORE/panels/KEY.parquet         one row per trust panel of an explanation
    STORE/texts/KEY.parquet          one row per text of a corpus that is compared across
      languages, or left out
    STORE/pairs/KEY.parquet          one row per text and translation whose explanations are
      compared
    STORE/readings/KEY.parquet       one row per text that a model read: its logits and its
      attention in numbers
    STORE/states/KEY.parquet         one row per text that a model read: its hidden states
    STORE/head_statistics/KEY.parquet   one row: what the attention heads of a model point at in
      one language
    STORE/finetunings/KEY.parquet    one row per fine-tuned model: its language, its seed, its
      classes
    STORE/drifts/KEY.parquet         one row per part of a fine-tuned model: how far its weights
      moved
    STORE/losses/KEY.parquet         one row per text: the loss of a language model
    STORE/cells/KEY.json          the cell: its identity, its kind, its rows, the hash of its file;
      written last
    STORE/failures/KEY.json       a cell that could not be filled, and why
    STORE/pending-*/              a group of cells being added; completed when the store is next
      opened
    STORE/.lock                   held while something is written: by one process at a time

KEY is the SHA-256 of the canonical JSON of the identity: what changes the numbers, and nothing
else. Every file is complete or absent (files.py); cells that were computed together are added
together.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock

from babelscope.errors import StoreError
from babelscope.files import canonical, file_digest, remove_parts, write_text, writing_folder
from babelscope.types import Attribution, Candidate, Failure, ModelInput, Window

Rows = Sequence[Any]
"""Frozen values of one kind, in the order of the inputs."""

SCHEME = 3
"""Raised when a change of the code changes stored numbers or fields; part of every identity, and
written in every store.
"""

_SPANS = pa.list_(pa.list_(pa.int32()))
_STRINGS = pa.list_(pa.string())
_NUMBERS = pa.list_(pa.float64())
_FLOATS = pa.list_(pa.float32())
_INTEGERS = pa.list_(pa.int32())
_COUNTS = pa.list_(pa.int64())
_MARKS = pa.list_(pa.bool_())
_FLAGS = pa.list_(pa.bool_())
_OBJECTS = ("options", "details", "panel")
"""Fields that are stored as canonical JSON."""
_INPUT = pa.struct(
    [
        ("ids", _INTEGERS), ("types", _INTEGERS), ("content", _FLAGS), ("segment", _INTEGERS),
        ("offsets", _SPANS), ("tokens", _STRINGS), ("decoder", pa.int32()), ("part", pa.string()),
        ("window", pa.struct([("number", pa.int32()), ("count", pa.int32()), ("of", pa.string())])),
        ("truncated_from", pa.int32()),
        ("candidates", pa.list_(pa.struct([("tokens", pa.int32()), ("continuation", pa.int32())]))),
    ]
)  # fmt: skip
"""The fields of `ModelInput`."""

SCHEMAS = {
    "attributions": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("method",
            pa.string()), ("options", pa.string()), ("seed", pa.int64()), ("model", pa.string()),
            ("texts", _STRINGS), ("target", pa.string()), ("quantity", pa.string()), ("label",
            pa.string()), ("gold", pa.string()), ("probability", pa.float64()), ("value",
            pa.float64()), ("reference_value", pa.float64()), ("tokens", _STRINGS), ("offsets",
            _SPANS), ("segment", _INTEGERS), ("word_index", _INTEGERS), ("words", _STRINGS),
            ("word_offsets", _SPANS), ("word_segment", _INTEGERS), ("scores", _NUMBERS),
            ("word_scores", _NUMBERS), ("flags", _STRINGS), ("task", pa.string()), ("target_index",
            pa.int64()), ("target_end", pa.int64()), ("details", pa.string()), ("rationale",
            _FLAGS), ("contrast", pa.string()), ("contrast_index", pa.int64()), ("tagged_word",
            pa.int32()), ("input", _INPUT), ("signature", pa.string()),
        ]
    ),
    "measures": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("model",
            pa.string()), ("method", pa.string()), ("metric", pa.string()), ("options",
            pa.string()), ("value", pa.float64()), ("reason", pa.string()), ("task", pa.string()),
        ]
    ),
    "panels": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("model",
            pa.string()), ("method", pa.string()), ("options", pa.string()), ("seed", pa.int64()),
            ("panel", pa.string()), ("task", pa.string()),
        ]
    ),
    "texts": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("cluster", pa.string()), ("lang",
            pa.string()), ("split", pa.string()), ("texts", _STRINGS), ("label", pa.string()),
            ("left_out", pa.string()),
        ]
    ),
    "pairs": pa.schema(
        [
            ("id", pa.string()), ("cluster", pa.string()), ("source", pa.string()), ("lang",
            pa.string()), ("model", pa.string()), ("task", pa.string()), ("method", pa.string()),
            ("options", pa.string()), ("seed", pa.int64()), ("space", pa.string()), ("centred",
            pa.bool_()), ("mean_cosine", pa.float64()), ("norm", pa.string()), ("segments",
            pa.string()), ("unknown", pa.string()), ("permutations", pa.int32()),
            ("permutation_seed", pa.int64()), ("c", pa.float64()), ("c_unif", pa.float64()),
            ("c_perm", pa.float64()), ("c_mis", pa.float64()), ("c_rand", pa.float64()),
            ("c_indep", pa.float64()), ("ceil_s", pa.float64()), ("ceil_t", pa.float64()), ("ceil",
            pa.float64()), ("lift", pa.float64()), ("kappa", pa.float64()), ("p", pa.float64()),
            ("reason", pa.string()), ("kappa_reason", pa.string()), ("coverage_s", pa.float64()),
            ("coverage_t", pa.float64()), ("prediction_s", pa.string()), ("prediction_t",
            pa.string()), ("gold_s", pa.string()), ("gold_t", pa.string()), ("confidence_s",
            pa.float64()), ("confidence_t", pa.float64()), ("known_s", _MARKS), ("known_t",
            _MARKS), ("earned_s", _NUMBERS), ("earned_t", _NUMBERS), ("flow_s", _INTEGERS),
            ("flow_t", _INTEGERS), ("flow_weight", _NUMBERS), ("flow_similarity", _NUMBERS),
        ]
    ),
    "readings": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("logits",
            _NUMBERS), ("tokens", pa.int32()), ("truncated", pa.bool_()), ("layers", pa.int32()),
            ("nats", _NUMBERS), ("share", _NUMBERS), ("content", _NUMBERS), ("sink", _NUMBERS),
        ]
    ),
    "states": pa.schema(
        [("id", pa.string()), ("layers", pa.int32()), ("mean", _FLOATS), ("first", _FLOATS),
         ("last", _FLOATS)]
    ),
    "segmentations": pa.schema(
        [
            ("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("tokenizer",
            pa.string()), ("task", pa.string()), ("texts", _STRINGS), ("words", pa.list_(_SPANS)),
            ("ids", pa.list_(_INTEGERS)), ("offsets", pa.list_(_SPANS)), ("unknown", pa.int64()),
            ("length", pa.int64()), ("limit", pa.int64()), ("vocabulary", pa.int64()),
        ]
    ),
    "interventions": pa.schema(
        [
            ("arm", pa.string()), ("dose", pa.float64()), ("id", pa.string()), ("group",
            pa.string()), ("lang", pa.string()), ("method", pa.string()), ("outcome", pa.string()),
            ("value", pa.float64()), ("fertility", pa.float64()), ("kept", pa.bool_()), ("model",
            pa.string()), ("task", pa.string()),
        ]
    ),
    "head_statistics": pa.schema(
        [
            ("model", pa.string()), ("task", pa.string()), ("lang", pa.string()), ("fingerprint",
            pa.string()), ("corpus", pa.string()), ("sentences", pa.int64()), ("tokens",
            pa.int64()), ("relations", _STRINGS), ("direction", pa.string()), ("subtypes",
            pa.string()), ("layers", pa.int32()), ("heads", pa.int32()), ("hits", _COUNTS),
            ("pairs", _COUNTS), ("known", _COUNTS), ("dropped", _COUNTS), ("baseline", _NUMBERS),
            ("positional", _NUMBERS), ("offset", _COUNTS), ("sink", _NUMBERS),
        ]
    ),
    "finetunings": pa.schema(
        [
            ("model", pa.string()), ("source", pa.string()), ("seed", pa.int64()), ("kind",
            pa.string()), ("labels", _STRINGS),
        ]
    ),
    "drifts": pa.schema([("part", pa.string()), ("relative", pa.float64())]),
    "losses": pa.schema(
        [("id", pa.string()), ("group", pa.string()), ("lang", pa.string()), ("loss", pa.float64())]
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """A filled cell: what determined it, its kind (a name in SCHEMAS), and its rows."""

    identity: Mapping[str, Any]
    kind: str
    rows: Rows
    place: Mapping[str, str] | None = None
    """Where the cell belongs in a study; not part of what determines it."""


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of results."""

    path: Path


def open_store(path: str | Path, *, create: bool = True) -> Store:
    """The store in that folder; a group of cells that was on its way in when a run was killed is
    finished first.
    """
    folder = Path(path)
    if not folder.is_dir() and not create:
        raise StoreError(f"there is no store at {folder}; make one with: babelscope study run FILE")
    if not create and not (folder / "cells").is_dir():
        raise StoreError(
            f"{folder} is not a store: it has no folder 'cells'; make one with: babelscope study "
            "run FILE"
        )
    _check_scheme(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not (
        folder / "scheme.json"
    ).exists():  # before `cells`, without which a folder is no store yet
        write_text(folder / "scheme.json", json.dumps({"scheme": SCHEME}))
    for name in (*SCHEMAS, "cells", "failures"):
        (folder / name).mkdir(exist_ok=True)
    store = Store(folder)
    if (
        any(folder.glob("pending-*"))
        or any(folder.glob(".*.part"))
        or any((folder / "failures").glob(".*.part"))
    ):
        _recover(store)
    return store


def _check_scheme(folder: Path) -> None:
    """Refuses a store that another version wrote: its rows lack fields, and its keys would never
    be found.
    """
    file = folder / "scheme.json"
    if not (folder / "cells").is_dir():
        return
    try:
        scheme = (
            json.loads(file.read_text("utf-8"))["scheme"] if file.exists() else 1
        )  # the first scheme wrote no such file
    except (ValueError, KeyError, TypeError):
        raise StoreError(
            f"{file} is damaged: it names no scheme; run the study again into a new folder"
        ) from None
    if scheme != SCHEME:
        raise StoreError(
            f"store {folder} was written by another version of babelscope (scheme {scheme}, this "
            f"one reads {SCHEME}); "
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
    pending = store.path / f"pending-{group}"
    with _locked(store):
        shutil.rmtree(pending, ignore_errors=True)
        with writing_folder(pending) as part:
            for cell in cells:
                _write_cell(cell, part)
        _bring_in(store, pending)


def fail(store: Store, failure: Failure) -> None:
    """Records a cell that could not be filled; a later success removes the record."""
    text = json.dumps(asdict(failure), indent=1, sort_keys=True)
    with _locked(store):
        write_text(store.path / "failures" / f"{key(failure.cell)}.json", text)


def failures(store: Store) -> list[Failure]:
    found = [
        json.loads(file.read_text("utf-8"))
        for file in sorted((store.path / "failures").glob("*.json"))
    ]
    return [Failure(row["cell"], row["reason"], row["details"]) for row in found]


def forget_failures(store: Store) -> None:
    """Removes the records of earlier failures: the run that is about to start tries every one of
    them again.
    """
    for file in (store.path / "failures").glob("*.json"):
        file.unlink()


def cells(store: Store) -> list[dict[str, Any]]:
    """The manifests of all filled cells, in the order of their keys."""
    return [
        json.loads(file.read_text("utf-8"))
        for file in sorted((store.path / "cells").glob("*.json"))
    ]


def read(store: Store, kind: str, names: Iterable[str] | None = None) -> pa.Table:
    """All rows of that kind (or of those cells), each file checked against its manifest."""
    wanted = (
        sorted(set(names))
        if names is not None
        else sorted(file.stem for file in (store.path / "cells").glob("*.json"))
    )
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
    text = json.dumps(dict(study), indent=1, sort_keys=True, ensure_ascii=False)
    with _locked(store):
        write_text(store.path / "study.json", text)


def read_study(store: Store) -> dict[str, Any]:
    file = store.path / "study.json"
    if not file.exists():
        raise StoreError(
            f"{store.path} holds no study.json; run the study first: babelscope study run FILE"
        )
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found


def to_table(kind: str, rows: Rows) -> pa.Table:
    """Rows as Arrow, options and details as canonical JSON."""
    plain = [
        {
            **(asdict(row) if kind in ("attributions", "measures") else _shallow(row)),
            **{
                name: canonical(dict(getattr(row, name))) for name in _OBJECTS if hasattr(row, name)
            },
        }
        for row in rows
    ]
    return pa.Table.from_pylist(plain, schema=SCHEMAS[kind])


def _shallow(row: Any) -> dict[str, Any]:
    """The fields of a row that holds arrays, uncopied."""
    return {each.name: getattr(row, each.name) for each in fields(row)}


def attribution(row: dict[str, Any]) -> Attribution:
    spans = {name: tuple((a, b) for a, b in row[name]) for name in ("offsets", "word_offsets")}
    names = (
        "texts",
        "tokens",
        "segment",
        "word_index",
        "words",
        "word_segment",
        "scores",
        "word_scores",
        "flags",
    )
    lists = {name: tuple(row[name]) for name in names}
    objects = {name: json.loads(row[name] or "{}") for name in _OBJECTS if name in row}
    marks = {"rationale": None if row["rationale"] is None else tuple(row["rationale"])}
    return Attribution(
        **{**row, **lists, **spans, **objects, **marks, "input": _model_input(row["input"])}
    )


def _model_input(row: dict[str, Any] | None) -> ModelInput | None:
    if row is None:
        return None
    lists = {name: tuple(row[name]) for name in ("ids", "content", "segment", "tokens")}
    types = None if row["types"] is None else tuple(row["types"])
    window = None if row["window"] is None else Window(**row["window"])
    offsets = tuple((start, end) for start, end in row["offsets"])
    candidates = tuple(Candidate(**each) for each in row["candidates"])
    return ModelInput(
        **{
            **row,
            **lists,
            "types": types,
            "window": window,
            "offsets": offsets,
            "candidates": candidates,
        }
    )


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


def _write_cell(cell: Cell, folder: Path) -> None:
    """The table of a cell and its manifest."""
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


@contextmanager
def _locked(store: Store) -> Iterator[None]:
    """Only one process at a time writes: what others are writing is never taken for what a killed
    one left.
    """
    with FileLock(store.path / ".lock"):
        yield


def _recover(store: Store) -> None:
    """Adds the groups that were complete when a run was killed, and removes the files that were
    not.
    """
    with _locked(store):
        for folder in (store.path, store.path / "failures"):
            remove_parts(folder)
        for pending in sorted(store.path.glob("pending-*")):
            if pending.suffix == ".part":  # of a store that an earlier version wrote
                shutil.rmtree(pending)
            else:
                _bring_in(store, pending)


def _bring_in(store: Store, pending: Path) -> None:
    """Moves a complete group to its place: tables first, manifests last. Can be repeated after any
    interruption.
    """
    for manifest in sorted(pending.glob("*.json")):
        table = pending / f"{manifest.stem}.parquet"
        if table.exists():
            kind = json.loads(manifest.read_text("utf-8"))["kind"]
            os.replace(table, store.path / kind / table.name)
    for manifest in sorted(pending.glob("*.json")):
        os.replace(manifest, store.path / "cells" / manifest.name)
        (store.path / "failures" / manifest.name).unlink(missing_ok=True)
    shutil.rmtree(pending)
