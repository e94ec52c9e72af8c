"""The index of a store: made once when the server starts, from the columns that filters need.

Scores and texts of the examples that are shown are read from the store's files when they are asked
for; a few of these tables are kept.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from babelscope.analyses.faithfulness.settings import names_of
from babelscope.methods import METHODS
from babelscope.store import Store, cell_fault, cell_names, open_store, read_study, selection
from babelscope.store.manifests import read_manifest, table_file
from babelscope.web.columns import Category, Codes, Lists, category, combined, starts_of
from babelscope.web.measured import read_measures, read_panels

NAMES = ("id", "group", "lang", "model", "task", "label", "gold", "target")
COLUMNS = (*NAMES, "probability", "texts", "flags", "words", "word_scores", "rationale", "seed")
SHOWN = (
    "id", "group", "lang", "model", "method", "task", "label", "gold", "target", "quantity",
    "contrast", "probability", "value", "texts", "words", "word_offsets", "word_segment",
    "word_scores", "flags", "rationale", "tagged_word",
)  # fmt: skip
"""What the page shows of an example."""
TABLES = 1 << 26
"""Bytes of tables that are kept in memory for the next page."""


@dataclass(frozen=True, slots=True)
class Index:
    """The columns of all explanations of a store, in the order of its cells."""

    store: Store
    title: str
    cells: tuple[str, ...]
    cell: Codes
    place: Codes
    """The cell of each row, and its position there."""
    names: Mapping[str, Category]
    """Columns of names: those of NAMES, and `method` with its setting."""
    numbers: Mapping[str, NDArray[np.float64]]
    """Columns to sort by: probability, metrics, failed checks."""
    texts: pa.Array
    """Every different text once, in lower case; `text` has the code of each row's."""
    text: Codes
    flags: Lists
    flag_names: tuple[str, ...]
    words: Lists
    """The code of each word; `word_names` has the words in lower case."""
    word_names: tuple[str, ...]
    shares: NDArray[np.float32]
    """Each word's score as a share of the largest of its text."""
    marked: NDArray[np.int8]
    """Whether each word is in the gold rationale; -1 where there is none."""
    disagrees: NDArray[np.bool_]
    """Whether translations of the text get another label from the same model."""
    verdicts: NDArray[np.int8]
    """By row and check the position in VERDICTS; -1 where there is no panel."""
    damaged: tuple[str, ...]
    """What could not be read, in one line each."""
    tables: OrderedDict[str, pa.Table] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self.cell)

    @property
    def right(self) -> NDArray[np.int8]:
        """1 where the prediction is the gold label, 0 where not, -1 without a gold label."""
        label, gold = self.names["label"], self.names["gold"]
        known = np.array([label.code(name) for name in gold.names] + [-2], dtype=np.int32)
        same = known[gold.codes] == label.codes
        return np.where(gold.codes < 0, -1, same).astype(np.int8)

    def about(self) -> dict[str, Any]:
        """What the page needs for its menus."""
        few = ("lang", "model", "method", "task", "label", "gold")
        return {
            "title": self.title,
            "rows": len(self),
            "names": {name: sorted(self.names[name].names) for name in few},
            "numbers": list(self.numbers),
            "unsigned": [name for name in self.names["method"].names if not _signed(name)],
            "flags": list(self.flag_names),
            "disagreements": bool(self.disagrees.any()),
            "panels": bool((self.verdicts >= 0).any()),
            "rationales": bool((self.marked >= 0).any()),
            "damaged": list(self.damaged),
        }

    def rows(self, chosen: NDArray[np.int64]) -> list[dict[str, Any]]:
        """These explanations with their words and scores, in this order."""
        listed: dict[int, dict[str, Any]] = {}
        for cell in np.unique(self.cell[chosen]):
            here = chosen[self.cell[chosen] == cell]
            table = self._table(self.cells[cell]).take(pa.array(self.place[here]))
            listed |= dict(zip(here.tolist(), table.to_pylist()))
        return [self._described(row, listed[row]) for row in chosen.tolist()]

    def _described(self, row: int, values: dict[str, Any]) -> dict[str, Any]:
        numbers = {name: float(column[row]) for name, column in self.numbers.items()}
        return {
            **values,
            "row": row,
            "method": self.names["method"].name(row),
            "numbers": numbers,
            "disagrees": bool(self.disagrees[row]),
        }

    def _table(self, name: str) -> pa.Table:
        """The shown columns of a cell, from memory where they were read before."""
        table = self.tables.pop(name, None)
        if table is None:
            table = _read(self.store, name, SHOWN)
        self.tables[name] = table
        while sum(each.nbytes for each in self.tables.values()) > TABLES and len(self.tables) > 1:
            self.tables.popitem(last=False)
        return table


def _signed(method: str) -> bool:
    """Whether the scores of a method have signs; of an unknown one they may have."""
    row = METHODS.get(method.partition("[")[0])
    return row is None or row.signed


def read_index(path: str | Path) -> Index:
    """The index of the store in that folder; nothing is written."""
    store = open_store(path, create=False)
    study = read_study(store) if (store.path / "study.json").exists() else {}
    manifests, damaged = _manifests(store, study)
    labels = method_names(manifests)
    chosen = [name for name, manifest in manifests.items() if manifest["kind"] == "attributions"]
    tables = [_read(store, name, COLUMNS) for name in chosen]
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
    )  # fmt: skip


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


@dataclass(frozen=True, slots=True)
class Lookup:
    """The row of an explanation, from its cell and id, or from what names it."""

    by_cell: Mapping[tuple[str, str], int]
    by_name: Mapping[tuple[str | None, ...], int]
    count: int

    @classmethod
    def of(cls, cells: list[str], names: Mapping[str, Category], cell: Codes) -> Lookup:
        ids = names["id"]
        keys = ("model", "lang", "task", "method", "id")
        rows = range(len(cell))
        by_cell = {(cells[cell[row]], ids.names[ids.codes[row]]): row for row in rows}
        by_name = {tuple(names[key].name(row) for key in keys): row for row in reversed(rows)}
        return cls(by_cell, by_name, len(cell))

    def row(self, of: str, method: str, values: Mapping[str, Any]) -> int | None:
        """The explanation that a measure or panel is of."""
        known = self.by_cell.get((of, values["id"]))
        if known is not None:
            return known
        return self.by_name.get(
            (values["model"], values["lang"], values["task"], method, values["id"])
        )


def _read(store: Store, name: str, columns: tuple[str, ...]) -> pa.Table:
    file = table_file(store, name, {"kind": "attributions"})
    known = set(pq.read_schema(file).names)
    table = pq.read_table(file, columns=[column for column in columns if column in known])
    for column in columns:  # a store that was written before the field existed
        if column not in known:
            table = table.append_column(column, pa.nulls(table.num_rows, pa.string()))
    return table


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
