"""The index of a store: made once when the server starts, from the columns that filters need.

Scores and texts of the examples that are shown are read from the store's files when they are asked
for; a few of these tables are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from babelscope.errors import StoreError
from babelscope.methods import METHODS
from babelscope.store import Store
from babelscope.store.manifests import table_file
from babelscope.web.columns import Category, Codes, Lists

SHOWN = (
    "id", "group", "lang", "model", "method", "task", "label", "gold", "target", "quantity",
    "contrast", "probability", "value", "texts", "words", "word_offsets", "word_segment",
    "word_scores", "flags", "rationale", "tagged_word",
)  # fmt: skip
"""What the page shows of an example."""
LABELS = 200
"""Labels up to which the page has a menu of them."""
TABLES = 1 << 26
"""Bytes of tables that are kept in memory for the next page."""


def read_columns(store: Store, name: str, columns: tuple[str, ...]) -> pa.Table:
    file = table_file(store, name, {"kind": "attributions"})
    known = set(pq.read_schema(file).names)
    table = pq.read_table(file, columns=[column for column in columns if column in known])
    for column in columns:  # a store that was written before the field existed
        if column not in known:
            table = table.append_column(column, pa.nulls(table.num_rows, pa.string()))
    return table


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
    first: Mapping[str, tuple[str, ...]]
    """What the study names, in its order, by column."""
    order: NDArray[np.int64]
    """Every row's place when translations are listed together, in the order of the study."""
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
        names = {name: self.listed(name) for name in few}
        for name in ("label", "gold"):  # answers to questions are as many as texts: no menu of them
            names[name] = names[name] if len(names[name]) <= LABELS else []
        return {
            "title": self.title,
            "rows": len(self),
            "names": names,
            "judged": bool((self.right >= 0).any()),
            "numbers": list(self.numbers),
            "largest": self._largest_model(),
            "unsigned": [name for name in self.names["method"].names if not _signed(name)],
            "flags": list(self.flag_names),
            "disagreements": bool(self.disagrees.any()),
            "panels": bool((self.verdicts >= 0).any()),
            "rationales": bool((self.marked >= 0).any()),
            "damaged": list(self.damaged),
        }

    def listed(self, column: str) -> list[str]:
        """The names of a column, in the order of the study."""
        return self.names[column].listed(self.first.get(column, ()))

    def _largest_model(self) -> str:
        """The model with the most explanations."""
        models = self.names["model"]
        counts = np.bincount(models.codes[models.codes >= 0], minlength=1)
        return models.names[int(counts.argmax())] if models.names else ""

    def rows(self, chosen: NDArray[np.int64]) -> list[dict[str, Any]]:
        """These explanations with their words and scores, in this order."""
        listed: dict[int, dict[str, Any]] = {}
        for cell in np.unique(self.cell[chosen]):
            here = chosen[self.cell[chosen] == cell]
            try:
                table = self._table(self.cells[cell]).take(pa.array(self.place[here]))
            except (OSError, pa.ArrowException) as error:
                raise StoreError(
                    f"{self.store.path} changed after the server had read it; start the server "
                    "again"
                ) from error
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
            table = read_columns(self.store, name, SHOWN)
        self.tables[name] = table
        while sum(each.nbytes for each in self.tables.values()) > TABLES and len(self.tables) > 1:
            self.tables.popitem(last=False)
        return table


def _signed(method: str) -> bool:
    """Whether the scores of a method have signs; of an unknown one they may have."""
    row = METHODS.get(method.partition("[")[0])
    return row is None or row.signed
