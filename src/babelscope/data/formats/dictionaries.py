"""Bilingual dictionaries as pairs of a word and a translation; a word with several has several
pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem, sound

Pair = tuple[str, str]


def blank_separated(file: Path, lang: str, prefix: str) -> Iterator[Pair]:
    """Word, blank or tab, translation (which may contain blanks if a tab separates the two)."""
    return sound(_entries(file, None))


def tab_separated(file: Path, lang: str, prefix: str) -> Iterator[Pair]:
    """Word, tab, translation."""
    return sound(_entries(file, "\t"))


def _entries(file: Path, separator: str | None) -> Iterator[Pair | Problem]:
    for item in lines(file):
        if isinstance(item, Problem):
            yield item
            continue
        number, line = item
        line = line.rstrip("\r\n")
        if not line.strip():
            continue
        cells = line.split(separator or ("\t" if "\t" in line else None), 1)
        if len(cells) != 2 or not cells[1].strip():
            yield Problem(str(file), number, "", repr(line[:60]), "a word and its translation")
        elif cells[0].strip():  # FreeDict has a definition without a headword
            yield cells[0].strip(), cells[1].strip()
