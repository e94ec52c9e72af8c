"""The lines of a text file, compressed or not, one by one, with everything that can be wrong with bytes."""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from babelscope.data.formats.problems import Problem
from babelscope.errors import InputError

LONGEST = 1 << 27
"""Characters that one field of a CSV may have; the csv module's own limit is too low for documents."""


def lines(file: Path) -> Iterator[tuple[int, str] | Problem]:
    """Each line with its number and its end. Only a line feed ends a line: U+2028 and its like are text.

    A line that is not UTF-8 is a problem, and follows it with U+FFFD for the bytes that cannot be read.
    """
    number = 0
    try:
        with _opened(file) as stream:
            for number, raw in enumerate(stream, 1):
                mark = b"\xef\xbb\xbf" if number == 1 else b""
                line = raw.removeprefix(mark)
                try:
                    yield number, line.decode("utf-8")
                except UnicodeDecodeError as error:
                    bad = f"byte {line[error.start]:#04x} at position {error.start}"
                    yield Problem(str(file), number, "", f"cannot be read: {bad} is not UTF-8", "text in UTF-8")
                    yield number, line.decode("utf-8", "replace")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        found = f"cannot be read: {str(error).rstrip('.').lower()}"
        yield Problem(str(file), number + 1, "", found, "a complete gzip file")


def json_lines(file: Path) -> Iterator[tuple[int, dict[str, Any]] | Problem]:
    """The objects of a JSONL file."""
    for one in lines(file):
        if isinstance(one, Problem):
            yield one
            continue
        number, line = one
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            found = f"broken JSON at character {error.pos}: {error.msg}"
            yield Problem(str(file), number, "", found, "one JSON object per line")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            yield Problem(str(file), number, "", f"a JSON {type(row).__name__}", "an object")


def tab_separated(file: Path) -> Iterator[tuple[int, Mapping[str, str]] | Problem]:
    """The rows of a TSV as {column: cell}. There is no quoting: quotation marks are text."""
    header: list[str] | None = None
    for one in lines(file):
        if isinstance(one, Problem):
            yield one
            continue
        number, line = one
        line = line.removesuffix("\n").removesuffix("\r")
        if header is None:
            header = line.split("\t")
        elif line:
            yield _row(file, number, header, line.split("\t"))


def comma_separated(file: Path) -> Iterator[tuple[int, Mapping[str, str]] | Problem]:
    """The rows of a CSV as {column: cell}; the number is that of a row's last line."""
    waiting: list[Problem] = []

    def texts() -> Iterator[str]:
        for one in lines(file):
            if isinstance(one, Problem):
                waiting.append(one)
            else:
                yield one[1]

    header: list[str] | None = None
    csv.field_size_limit(LONGEST)
    rows = csv.reader(texts(), strict=True)
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield from waiting
            waiting.clear()
            yield Problem(str(file), rows.line_num, "", str(error), "fields whose quotation marks are closed")
            continue
        yield from waiting
        waiting.clear()
        if row is None:
            return
        if header is None:
            header = row
        elif row:
            yield _row(file, rows.line_num, header, row)


def beside(file: Path, name: str) -> Path:
    """A file in the same folder, compressed or not."""
    for place in (file.with_name(name), file.with_name(f"{name}.gz")):
        if place.is_file():
            return place
    raise InputError(f"{file} needs {name} (or {name}.gz) beside it; there is none")


def _opened(file: Path) -> BinaryIO | gzip.GzipFile:
    return gzip.open(file) if file.suffix == ".gz" else file.open("rb")


def _row(file: Path, number: int, header: list[str], row: list[str]) -> tuple[int, Mapping[str, str]] | Problem:
    if len(row) != len(header):
        found = f"{len(row)} columns, but the header has {len(header)}"
        return Problem(str(file), number, "", found, f"one for each of {', '.join(header)}")
    return number, dict(zip(header, row))
