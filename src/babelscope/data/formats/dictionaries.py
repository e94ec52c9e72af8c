"""Bilingual dictionaries as pairs of a word and a translation; a word with several has several pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from babelscope.data.formats.lines import lines
from babelscope.data.formats.problems import Problem, sound

Pair = tuple[str, str]

_NUMBER = re.compile(r"^\d+\.\s*")
_REMARK = re.compile(r"\([^()]*\)?|\[[^\[\]]*\]?|\{[^{}]*\}?")
_SEPARATOR = re.compile(r"[,;،؛]")
OTHER_SCRIPT = ("ar", "el", "hi", "ru")
"""Languages not in Latin letters: a piece in nothing else is an English remark or example."""


def muse(file: Path, lang: str, prefix: str) -> Iterator[Pair]:
    """Word, blank or tab, translation (which may have blanks where a tab stands)."""
    return sound(_entries(file, None))


def tabbed(file: Path, lang: str, prefix: str) -> Iterator[Pair]:
    """Word, tab, translation."""
    return sound(_entries(file, "\t"))


def freedict(file: Path, lang: str, prefix: str) -> Iterator[Pair]:
    """Headword, tab, definition, which is cut into its translations.

    Senses are numbered and stand between slashes, translations of a sense between commas. Quoted examples and remarks in
    brackets go; `~` is a blank. What is left may still be a description and not a translation, in Turkish often.
    """
    for word, definition in sound(_entries(file, "\t")):
        for each in dict.fromkeys(translations(definition, lang)):
            yield word.strip(), each


def translations(definition: str, lang: str) -> Iterator[str]:
    """The translations in a definition of FreeDict."""
    for sense in re.split(r"\s/\s", f" {definition} "):
        if sense.strip().startswith('"'):
            continue
        plain = _REMARK.sub(" ", _NUMBER.sub("", sense.strip())).replace("~", " ")
        for piece in _SEPARATOR.split(plain):
            found = " ".join(piece.split()).strip(" .!?:-")
            if found and not (lang in OTHER_SCRIPT and found.isascii()):
                yield found


def _entries(file: Path, separator: str | None) -> Iterator[Pair | Problem]:
    for one in lines(file):
        if isinstance(one, Problem):
            yield one
            continue
        number, line = one
        line = line.rstrip("\r\n")
        if not line.strip():
            continue
        cut = separator or ("\t" if "\t" in line else None)
        cells = line.split(cut, 1)
        if len(cells) != 2 or not cells[1].strip():
            yield Problem(str(file), number, "", repr(line[:60]), "a word and its translation")
        elif cells[0].strip():  # FreeDict has a definition without a headword
            yield cells[0].strip(), cells[1].strip()
