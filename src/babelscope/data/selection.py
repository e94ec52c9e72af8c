"""Which rows of a source are a task's: filters on columns, and label maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from babelscope.errors import InputError
from babelscope.types import Example

Filters = Mapping[str, Any]
"""For each column the value, or the list of values, that a row must have."""


def matches(row: Mapping[str, Any], where: Filters, origin: str) -> bool:
    """Whether a row has the values of all filters; values are compared as text, a number as the
    integer that it equals: a column of pandas with gaps holds 5.0 for 5.

    matches({"stars": 5.0, "verified": "yes"}, {"stars": [4, 5]}, "reviews.csv") is True
    """
    for column, wanted in where.items():
        if column not in row:
            raise InputError(
                f"{origin}: the filter 'where' names the column {column!r}; there are: "
                f"{', '.join(map(str, row))}"
            )
        values = wanted if isinstance(wanted, list) else [wanted]
        if _text(row[column]) not in map(_text, values):
            return False
    return True


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value)


def nothing_left(origin: str, where: Filters) -> str:
    """Says that no row has the values of the filters."""
    wanted = "; ".join(
        f"{column}: {', '.join(map(str, values if isinstance(values, list) else [values]))}"
        for column, values in where.items()
    )
    return f"{origin}: no row has the values that the filter 'where' names ({wanted})"


def relabelled(
    rows: Iterable[Example], labels: Mapping[str, str], dropped: Counter[str]
) -> Iterator[Example]:
    """The rows with the names that the map gives to their labels; a row whose label is not in the
    map is left out, and counted in `dropped`. A row without a label is kept: it is a bad row, or
    one of a split whose labels are withheld.
    """
    for row in rows:
        if row.label is None:
            yield row
        elif row.label in labels:
            yield replace(row, label=labels[row.label])
        else:
            dropped[row.label] += 1


def describe_dropped(dropped: Mapping[str, int]) -> str:
    """How many rows a label map leaves out: "40 rows left out by the label map: 2 (40)"."""
    listed = ", ".join(f"{label} ({count:,})" for label, count in sorted(dropped.items()))
    return f"{sum(dropped.values()):,} rows left out by the label map: {listed}"
