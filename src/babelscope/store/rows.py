"""Rows as Arrow tables, and attributions from their rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import pyarrow as pa

from babelscope.files import canonical
from babelscope.store.schemas import OBJECTS, SCHEMAS
from babelscope.types import Attribution, Candidate, ModelInput, ScoredUnits, Window

Rows = Sequence[Any]
"""Frozen values of one kind, in the order of the inputs."""

_LISTS = (
    "texts", "tokens", "segment", "word_index", "words", "word_segment", "scores", "word_scores",
    "flags",
)  # fmt: skip
"""Fields of an attribution that are tuples of plain values."""


def to_table(kind: str, rows: Rows) -> pa.Table:
    """Rows as Arrow, options and details as canonical JSON."""
    plain = [{**_fields(row), **_objects(row)} for row in rows]
    return pa.Table.from_pylist(plain, schema=SCHEMAS[kind])


def attribution(row: dict[str, Any]) -> Attribution:
    """The attribution that a row of a table holds."""
    spans = {name: _spans(row[name]) for name in ("offsets", "word_offsets")}
    lists = {name: tuple(row[name]) for name in _LISTS}
    objects = {name: json.loads(row[name] or "{}") for name in OBJECTS if name in row}
    rationale = None if row["rationale"] is None else tuple(row["rationale"])
    values = {**row, **lists, **spans, **objects, "rationale": rationale}
    units = _scored_units(row.get("units"))
    return Attribution(**{**values, "input": _model_input(row["input"]), "units": units})


def _fields(row: Any) -> dict[str, Any]:
    """The fields of a row, values inside it likewise; `dataclasses.asdict` would copy every item of
    every list.
    """
    return {field.name: _plain(getattr(row, field.name)) for field in fields(row)}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return [_fields(part) for part in value]
    return value


def _objects(row: Any) -> dict[str, str]:
    return {name: canonical(dict(getattr(row, name))) for name in OBJECTS if hasattr(row, name)}


def _spans(pairs: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in pairs)


def _scored_units(row: dict[str, Any] | None) -> ScoredUnits | None:
    if row is None:
        return None
    lists = {name: tuple(row[name]) for name in ("index", "texts", "segment", "scores")}
    return ScoredUnits(**{**row, **lists, "offsets": _spans(row["offsets"])})


def _model_input(row: dict[str, Any] | None) -> ModelInput | None:
    if row is None:
        return None
    lists = {name: tuple(row[name]) for name in ("ids", "content", "segment", "tokens")}
    values = {
        **row,
        **lists,
        "types": None if row["types"] is None else tuple(row["types"]),
        "window": None if row["window"] is None else Window(**row["window"]),
        "offsets": _spans(row["offsets"]),
        "candidates": tuple(Candidate(**candidate) for candidate in row["candidates"]),
        "continuations": tuple(map(tuple, row["continuations"])),
    }
    return ModelInput(**values)
