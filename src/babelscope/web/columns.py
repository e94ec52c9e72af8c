"""Columns of an index: what filters, sorts and views of a store read, as arrays in memory.

numpy arrays and nothing else: a filter is a few comparisons of 32-bit codes, so that no database
has to be kept beside the store, and no file written. Texts and words are held once, however many
methods explained them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Codes = NDArray[np.int32]
Rows = NDArray[np.int64]
MISSING = -1


@dataclass(frozen=True, slots=True)
class Category:
    """A column of few different names: a code per row, -1 where there is none."""

    codes: Codes
    names: tuple[str, ...]

    def code(self, name: str) -> int:
        """The code of a name; one that no row has otherwise."""
        return self.names.index(name) if name in self.names else len(self.names)

    def name(self, row: int) -> str | None:
        return None if self.codes[row] < 0 else self.names[self.codes[row]]

    def listed(self, first: Sequence[str] = ()) -> list[str]:
        """The names, those of `first` in their order before the others, which are sorted; a method
        with a setting is where the method is."""
        place = {name: at for at, name in enumerate(first)}
        return sorted(
            self.names, key=lambda name: (place.get(name.partition("[")[0], len(place)), name)
        )

    def ranks(self, first: Sequence[str] = ()) -> Codes:
        """For sorting: the place of each row's name among the listed names, -1 for none."""
        codes = {name: code for code, name in enumerate(self.names)}
        order = np.array([codes[name] for name in self.listed(first)], dtype=np.int64)
        place = np.empty(len(order) + 1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        place[-1] = MISSING
        return np.asarray(place[self.codes])


@dataclass(frozen=True, slots=True)
class Lists:
    """A column of lists: all items one after the other, and where each row's begin."""

    items: NDArray[np.generic]
    starts: Rows
    """One more than there are rows."""

    @property
    def lengths(self) -> Rows:
        return np.diff(self.starts)

    def chosen(self, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which items belong to these rows."""
        return np.repeat(rows, self.lengths)


def category(values: Iterable[pa.Array]) -> Category:
    """The column of these parts."""
    joined = pa.chunked_array([*values, pa.array([], pa.string())])
    coded = joined.dictionary_encode().combine_chunks()
    coded = coded if isinstance(coded, pa.DictionaryArray) else coded.chunk(0)
    codes = pc.fill_null(coded.indices, MISSING).to_numpy(zero_copy_only=False)
    return Category(codes.astype(np.int32), tuple(coded.dictionary.to_pylist()))


def starts_of(lengths: Sequence[NDArray[np.int64]]) -> Rows:
    """Where the lists of all rows begin, from their lengths."""
    joined = np.concatenate([np.zeros(1, np.int64), *lengths])
    return np.cumsum(joined)


def combined(*columns: Codes) -> Codes:
    """One code for each combination of codes that occurs."""
    whole = np.zeros(len(columns[0]), dtype=np.int64)
    for codes in columns:
        whole = whole * (int(codes.max(initial=0)) + 2) + codes + 1
        _, whole = np.unique(whole, return_inverse=True)
    return whole.astype(np.int32)
