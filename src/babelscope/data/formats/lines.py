"""The lines of a text file, compressed or not, with everything that can be wrong with bytes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from babelscope.data.formats.problems import Problem
from babelscope.data.limits import EXPANSION, LEAST, LONGEST
from babelscope.errors import InputError


def lines(file: Path) -> Iterator[tuple[int, str] | Problem]:
    """Each line with its number and its end. Only a line feed ends a line: U+2028 is text.

    A line that is not UTF-8 gives a problem, and after it the line with U+FFFD for the bytes that
    cannot be decoded.
    """
    number = 0
    try:
        with _opened(file) as stream:
            for number, raw in enumerate(_bounded(file, stream), 1):
                mark = b"\xef\xbb\xbf" if number == 1 else b""
                line = raw.removeprefix(mark)
                try:
                    yield number, line.decode("utf-8")
                except UnicodeDecodeError as error:
                    bad = f"byte {line[error.start]:#04x} at position {error.start}"
                    reason = f"cannot be read: {bad} is not UTF-8"
                    yield Problem(str(file), number, "", reason, "text in UTF-8")
                    yield number, line.decode("utf-8", "replace")
    except _TooLarge as error:
        yield Problem(str(file), number + 1, "", f"cannot be read: {error}", "a file of texts")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        reason = f"cannot be read: {str(error).rstrip('.').lower()}"
        yield Problem(str(file), number + 1, "", reason, "a complete gzip file")


def beside(file: Path, name: str) -> Path:
    """A file in the same folder, compressed or not."""
    for place in (file.with_name(name), file.with_name(f"{name}.gz")):
        if place.is_file():
            return place
    raise InputError(f"{file} needs {name} (or {name}.gz) beside it; there is none")


def ending(file: Path) -> str:
    """The suffix that decides the format: the last one before `.gz`."""
    return Path(file.name.removesuffix(".gz")).suffix


class _TooLarge(Exception):
    """A line or a file that would fill the memory."""


def _bounded(file: Path, stream: BufferedIOBase) -> Iterator[bytes]:
    """The lines, at most one of them in memory; what expands without end is refused."""
    packed = file.stat().st_size if file.suffix == ".gz" else None
    size = 0
    while line := stream.readline(LONGEST + 1):
        size += len(line)
        if packed is not None and size > max(LEAST, EXPANSION * packed):
            raise _TooLarge(f"it expands to more than {EXPANSION} times its size")
        if len(line) > LONGEST:
            raise _TooLarge(f"the line has more than {LONGEST >> 20} million bytes")
        yield line


def _opened(file: Path) -> BufferedIOBase:
    return gzip.open(file) if file.suffix == ".gz" else file.open("rb")
