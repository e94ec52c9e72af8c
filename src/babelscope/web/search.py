"""Filters and orders over an index."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray
from pydantic import Field

from babelscope.errors import InputError
from babelscope.options import Spec
from babelscope.web.columns import Category
from babelscope.web.index import Index

SORTED_NAMES = ("id", "group", "lang", "model", "method", "label", "gold")


class Filter(Spec):
    """Which examples are listed; what is not given is not asked for."""

    lang: str | None = None
    """Language of the text."""
    model: str | None = None
    """Model that was explained."""
    method: str | None = None
    """Method, with its setting."""
    task: str | None = None
    """Task of the study."""
    label: str | None = None
    """Predicted label."""
    gold: str | None = None
    """Gold label."""
    id: str | None = None
    """Example."""
    group: str | None = None
    """Translations of one text."""
    right: Literal["right", "wrong", "unknown"] | None = None
    """Whether the prediction is the gold label."""
    flag: str | None = None
    """A flag of the explanation; "any" for every one, "none" for explanations without."""
    disagreement: bool | None = None
    """Whether translations get another label."""
    trust: Literal["fails", "no failure", "not checked"] | None = None
    """What the trust panel says."""
    text: str | None = Field(default=None, max_length=200)
    """What the text contains, in any case."""


def matching(index: Index, chosen: Filter) -> NDArray[np.bool_]:
    """Which rows of the index pass the filter."""
    rows = np.ones(len(index), dtype=bool)
    for name, column in index.names.items():
        value = getattr(chosen, name, None)
        if value is not None:
            rows &= column.codes == column.code(value)
    if chosen.right is not None:
        rows &= index.right == {"right": 1, "wrong": 0, "unknown": -1}[chosen.right]
    if chosen.disagreement is not None:
        rows &= index.disagrees == chosen.disagreement
    if chosen.flag is not None:
        rows &= _flagged(index, chosen.flag)
    if chosen.trust is not None:
        rows &= _trusted(index, chosen.trust)
    if chosen.text:
        contains = pc.match_substring(index.texts, chosen.text.lower())
        rows &= contains.to_numpy(zero_copy_only=False)[index.text]
    return rows


def _flagged(index: Index, flag: str) -> NDArray[np.bool_]:
    some = index.flags.lengths > 0
    if flag in ("any", "none"):
        return np.asarray(some == (flag == "any"))
    code = Category(index.flags.items, index.flag_names).code(flag)  # type: ignore[arg-type]
    counts = np.concatenate([[0], np.cumsum(index.flags.items == code)])
    return np.asarray(np.diff(counts[index.flags.starts]) > 0)


def _trusted(index: Index, verdict: str) -> NDArray[np.bool_]:
    checked, fails = (index.verdicts >= 0).any(axis=1), (index.verdicts == 1).any(axis=1)
    if verdict == "not checked":
        return np.asarray(~checked)
    return np.asarray(checked & (fails == (verdict == "fails")))


def ordered(
    index: Index, rows: NDArray[np.bool_], sort: str = "", descending: bool = False
) -> NDArray[np.int64]:
    """The rows in the order of a column, those without a value last; without one, translations
    together."""
    chosen = np.flatnonzero(rows)
    chosen = chosen[np.argsort(index.order[chosen])]
    if not sort:
        return chosen
    if sort in index.numbers:
        keys = index.numbers[sort][chosen]
        missing = np.isnan(keys)
    elif sort in SORTED_NAMES:
        ranks = index.names[sort].ranks()[chosen]
        keys, missing = ranks.astype(np.float64), ranks < 0
    else:
        known = ", ".join([*index.numbers, *SORTED_NAMES])
        raise InputError(f"examples cannot be sorted by {sort!r}; choose from: {known}")
    keys = np.where(missing, 0.0, -keys if descending else keys)
    return np.asarray(chosen[np.lexsort((keys, missing))])
