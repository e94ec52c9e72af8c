"""Word vectors from `.vec` files: a line with the count and the dimension, then a word and its
numbers per line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem, sound
from babelscope.errors import InputError

ROWS = 200_000
"""The files are sorted by frequency; what comes later is rare, and its vectors are poor."""


def vec(
    file: str | Path, wanted: Collection[str], *, rows: int = ROWS
) -> dict[str, NDArray[np.float64]]:
    """The vectors of the wanted words among the first rows; the file is streamed and nothing else
    is kept.

    Numbers that are not finite are kept as they are: the caller reports the word. The first of two
    equal words counts.
    """
    vectors: dict[str, NDArray[np.float64]] = {}
    for word, numbers in sound(_rows(Path(file), frozenset(wanted), rows)):
        vectors.setdefault(word, numbers)
    return vectors


def languages(text: str) -> Mapping[str, Path]:
    """`en=A.vec,es=B.vec` as files by language."""
    files: dict[str, Path] = {}
    for part in text.split(","):
        lang, equals, name = part.partition("=")
        if not equals or not lang.strip() or not name.strip():
            raise InputError(f"{part!r} is not of the form LANG=FILE.vec")
        if lang.strip() in files:
            raise InputError(f"{text!r} names two files for {lang.strip()}")
        files[lang.strip()] = Path(name.strip())
        if not files[lang.strip()].is_file():
            raise InputError(f"there is no file {name.strip()} (vectors for {lang.strip()})")
    return files


def _rows(file: Path, wanted: frozenset[str], most: int) -> Iterator[tuple[str, Any] | Problem]:
    stream = lines(file)
    first = next(stream, None)
    if first is None or isinstance(first, Problem):
        yield first or Problem(
            str(file),
            0,
            "",
            "an empty file",
            "a line with the count and the dimension, then vectors",
        )
        return
    head = first[1].split()
    if len(head) != 2 or not all(part.isdecimal() for part in head) or int(head[1]) < 1:
        yield Problem(
            str(file),
            1,
            "",
            repr(first[1].strip()[:40]),
            "two whole numbers: the count of the vectors and their dimension",
        )
        return
    width = int(head[1])
    for item in islice(stream, most):
        if isinstance(item, Problem):
            # fastText's own files hold words that are not UTF-8; the line follows, and is no word
            continue
        number, line = item
        word, _, rest = line.rstrip("\r\n ").partition(" ")
        if word not in wanted:
            continue
        try:
            numbers = np.array(rest.split(" "), dtype=np.float64)
        except ValueError:
            numbers = np.zeros(0)
        if len(numbers) == width:
            yield word, numbers
        else:
            yield Problem(
                str(file),
                number,
                "",
                f"{len(rest.split())} numbers after {word!r}",
                f"{width} numbers",
            )
