"""CSV and TSV: a header, then one row per line (or per quoted field)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from io import BufferedIOBase
from pathlib import Path

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem
from babelscope.data.formats.records import FLAT, encoded, record
from babelscope.data.limits import LONGEST
from babelscope.errors import InputError
from babelscope.types import Example

FORMULA = re.compile("'*[=+@\t\r-]")
"""How a formula begins, also behind apostrophes, so that taking one off gives the field back."""
Rows = Iterator[tuple[int, Mapping[str, str]] | Problem]


def tab_separated(file: Path) -> Rows:
    """The rows of a TSV as {column: cell}. There is no quoting: quotation marks are text."""
    header: list[str] | None = None
    for item in lines(file):
        if isinstance(item, Problem):
            yield item
            continue
        number, line = item
        line = line.removesuffix("\n").removesuffix("\r")
        if header is None:
            header = line.split("\t")
        elif line:
            yield _row(file, number, header, line.split("\t"))


def comma_separated(file: Path) -> Rows:
    """The rows of a CSV as {column: cell}; the number is that of a row's last line."""
    waiting: list[Problem] = []

    def texts() -> Iterator[str]:
        for item in lines(file):
            if isinstance(item, Problem):
                waiting.append(item)
            else:
                yield item[1]

    header: list[str] | None = None
    csv.field_size_limit(LONGEST)
    rows = csv.reader(texts(), strict=True)
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield from waiting
            waiting.clear()
            expected = "fields whose quotation marks are closed"
            yield Problem(str(file), rows.line_num, "", str(error), expected)
            continue
        yield from waiting
        waiting.clear()
        if row is None:
            return
        if header is None:
            header = row
        elif row:
            cells = list(map(_unguarded, row)) if tuple(header) == FLAT else row
            yield _row(file, rows.line_num, header, cells)


def write_comma_separated(examples: Iterable[Example], out: BufferedIOBase) -> int:
    """Writes ids, labels and texts, every field in quotation marks; the number of examples.

    A field that begins like a formula of a spreadsheet gets an apostrophe before it, which is taken
    off again when a file with this header is read.
    """
    out.write((",".join(FLAT) + "\r\n").encode())
    count = 0
    for example in examples:
        line = io.StringIO()
        csv.writer(line, quoting=csv.QUOTE_ALL).writerow(map(_guarded, _cells(example)))
        out.write(encoded(example, line.getvalue()))
        count += 1
    return count


def write_tab_separated(examples: Iterable[Example], out: BufferedIOBase) -> int:
    """The same without quotation marks; a field with a tab or a line end is refused."""
    out.write(("\t".join(FLAT) + "\n").encode())
    count = 0
    for example in examples:
        cells = _cells(example)
        for name, cell in zip(FLAT, cells):
            if any(mark in cell for mark in "\t\n\r"):
                raise InputError(
                    f"the example {example.id!r}, {name}: a TSV cannot hold a tab or a line end in "
                    "a field; use .jsonl or .csv"
                )
        out.write(encoded(example, "\t".join(cells) + "\n"))
        count += 1
    return count


def _guarded(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell[1:]) else cell


def _cells(example: Example) -> list[str]:
    row = record(example)
    return [row.get(name, "") for name in FLAT]


def _row(
    file: Path, number: int, header: list[str], row: list[str]
) -> tuple[int, Mapping[str, str]] | Problem:
    if len(row) != len(header):
        reason = f"{len(row)} columns, but the header has {len(header)}"
        return Problem(str(file), number, "", reason, f"one for each of {', '.join(header)}")
    return number, dict(zip(header, row))
