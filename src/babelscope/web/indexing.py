"""Reading the index of a store: its files once, column by column."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from babelscope.analyses.faithfulness.settings import names_of
from babelscope.store import Store, cell_fault, cell_names, open_store, read_study, selection
from babelscope.store.manifests import read_manifest
from babelscope.web.columns import Category, Codes, Lists, category, combined, starts_of
from babelscope.web.index import Index, read_columns
from babelscope.web.measured import Lookup, read_measures, read_panels

NAMES = ("id", "group", "lang", "model", "task", "label", "gold", "target")
COLUMNS = (*NAMES, "probability", "texts", "flags", "words", "word_scores", "rationale")


def read_index(path: str | Path) -> Index:
    """The index of the store in that folder; nothing is written."""
    store = open_store(path, create=False)
    study = read_study(store) if (store.path / "study.json").exists() else {}
    manifests, damaged = _manifests(store, study)
    labels = method_names(manifests)
    chosen = [name for name, manifest in manifests.items() if manifest["kind"] == "attributions"]
    tables = [read_columns(store, name, COLUMNS) for name in chosen]
    columns = {name: category(part for table in tables for part in table[name].chunks)
               for name in NAMES}  # fmt: skip
    columns["method"] = category(
        pa.array([labels.get(name, "")] * table.num_rows, pa.string())
        for name, table in zip(chosen, tables)
    )
    sizes = [table.num_rows for table in tables]
    cell = np.repeat(np.arange(len(tables), dtype=np.int32), sizes)
    place = np.concatenate([np.zeros(0, np.int32), *(np.arange(n, dtype=np.int32) for n in sizes)])
    words, shares, marked = _words(tables)
    texts = category(_lowered(table) for table in tables)
    flags = _listed([pc.replace_substring_regex(pc.list_flatten(table["flags"]), r"\d[\d.]*", "…")
                     for table in tables], [table["flags"] for table in tables])  # fmt: skip
    lookup = Lookup.of(chosen, columns, cell)
    numbers = {"probability": _joined([table["probability"] for table in tables])}
    numbers |= read_measures(store, manifests, labels, lookup)
    verdicts = read_panels(store, manifests, labels, lookup)
    if (verdicts >= 0).any():
        numbers["failed checks"] = np.where(
            (verdicts >= 0).any(axis=1), (verdicts == 1).sum(axis=1), np.nan
        )
    return Index(
        store, str(study.get("name", store.path.name)), tuple(chosen), cell, place, columns,
        numbers, pa.array(texts.names, pa.large_string()), texts.codes, flags[0], flags[1],
        words[0], words[1], shares, marked, _disagreeing(columns), verdicts, damaged,
        first := _named(study), _reading_order(columns, first),
    )  # fmt: skip


def _named(study: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """What the study names, in its order."""
    rows = {name: study.get(f"{name}s") or () for name in ("task", "model", "method")}
    listed = {name: tuple(row["name"] for row in each) for name, each in rows.items()}
    return listed | {"lang": tuple(study.get("languages") or ())}


def _reading_order(
    names: Mapping[str, Category], first: Mapping[str, Sequence[str]]
) -> NDArray[np.int64]:
    """Every row's place when translations are listed together, in the order of the study."""
    keys = ("method", "model", "id", "lang", "group", "task")  # the last one comes first
    order = np.lexsort([names[name].ranks(first.get(name, ())) for name in keys])
    return np.argsort(order)


def _manifests(
    store: Store, study: Mapping[str, Any]
) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """The cells of the study that can be read, and why others cannot."""
    selected, listed, damaged = selection(study), {}, []
    for name in cell_names(store):
        fault = cell_fault(store, name)
        if fault is not None:
            damaged.append(f"cell {name[:12]} is left out: {fault}")
        elif selected(name, manifest := read_manifest(store, name)):
            listed[name] = manifest
    return listed, tuple(damaged)


def method_names(manifests: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """By cell of explanations the name of its method, with the options that differ."""
    settings = {
        name: (identity["method"], json.dumps(identity.get("options", {}), sort_keys=True))
        for name, manifest in manifests.items()
        if manifest["kind"] == "attributions" and "method" in (identity := manifest["identity"])
    }
    names = names_of(settings.values())
    return {name: names[setting] for name, setting in settings.items()}


def _lowered(table: pa.Table) -> pa.Array:
    """The texts of every row in one line, in lower case."""
    joined = pc.binary_join(table["texts"].combine_chunks(), "\n")
    return pc.utf8_lower(joined)


def _joined(parts: list[pa.ChunkedArray]) -> NDArray[np.float64]:
    arrays = [part.to_numpy().astype(np.float64) for part in parts]
    return np.concatenate([np.zeros(0), *arrays])


def _lengths(column: pa.ChunkedArray) -> NDArray[np.int64]:
    lengths = pc.fill_null(pc.list_value_length(column), 0)
    return np.asarray(lengths.to_numpy(), dtype=np.int64)


def _listed(
    items: list[pa.ChunkedArray], lists: list[pa.ChunkedArray]
) -> tuple[Lists, tuple[str, ...]]:
    coded = category(part for column in items for part in _chunks(column))
    return Lists(coded.codes, starts_of([_lengths(column) for column in lists])), coded.names


def _chunks(column: pa.ChunkedArray | pa.Array) -> Iterator[pa.Array]:
    yield from column.chunks if isinstance(column, pa.ChunkedArray) else [column]


def _words(
    tables: list[pa.Table],
) -> tuple[tuple[Lists, tuple[str, ...]], NDArray[np.float32], NDArray[np.int8]]:
    """All words in lower case, their scores as shares of the text's largest, and gold marks."""
    flat = [pc.utf8_lower(pc.list_flatten(table["words"])) for table in tables]
    words = _listed(flat, [table["words"] for table in tables])
    scores = np.concatenate(
        [np.zeros(0), *(pc.list_flatten(table["word_scores"]).to_numpy() for table in tables)]
    )
    lists = words[0]
    sizes = np.where(np.isfinite(scores), np.abs(scores), 0.0)
    largest = np.zeros(len(lists.starts) - 1)
    filled = lists.lengths > 0
    if filled.any():
        largest[filled] = np.maximum.reduceat(sizes, lists.starts[:-1][filled])
    scale = np.repeat(np.where(largest > 0, largest, 1.0), lists.lengths)
    return words, (scores / scale).astype(np.float32), _marks(tables, lists)


def _marks(tables: list[pa.Table], words: Lists) -> NDArray[np.int8]:
    marks = np.full(int(words.starts[-1]), -1, dtype=np.int8)
    at = 0
    for table in tables:
        column, count = table["rationale"].combine_chunks(), int(_lengths(table["words"]).sum())
        known = np.repeat(
            column.is_valid().to_numpy(zero_copy_only=False), _lengths(table["words"])
        )
        flat = pc.list_flatten(column) if pa.types.is_list(column.type) else pa.array([])
        if known.any() and len(flat) == known.sum():
            marks[at : at + count][known] = flat.to_numpy(zero_copy_only=False)
        at += count
    return marks


def _disagreeing(names: Mapping[str, Category]) -> NDArray[np.bool_]:
    """Rows of translation groups with one gold label at most and several predicted ones."""
    group = combined(*(names[name].codes for name in ("task", "model", "group")))
    if not len(group):
        return np.zeros(0, dtype=bool)
    several = [_several(group, names[name].codes) for name in ("label", "gold")]
    return np.asarray((several[0] & ~several[1])[group])


def _several(group: Codes, codes: Codes) -> NDArray[np.bool_]:
    """Whether a group has more than one of these codes."""
    pairs = np.unique(np.stack([group, codes], axis=1)[codes >= 0], axis=0)
    return np.bincount(pairs[:, 0], minlength=int(group.max()) + 1) > 1
