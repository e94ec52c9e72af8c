"""A public corpus: what it is, where its files are, and the function that reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Corpus:
    """A row of CORPORA.

    `read(file, lang, prefix)` reads the first of `files` that exists; the prefix starts every
    group.
    """

    name: str
    task: str
    summary: str
    licence: str
    source: str
    languages: tuple[str, ...]
    splits: tuple[str, ...]
    folder: str
    files: tuple[str, ...]
    """Names below the folder with {lang}, {code} and {split} to be filled in; `.gz` may follow."""
    read: Callable[[Path, str, str], Iterator[Any]]
    labels: tuple[str, ...] = ()
    codes: Mapping[str, str] = field(default_factory=dict)
    """The files' name of a language where that is not its tag; either may be requested."""
    yields: str = "examples"
    """Or "alignments" (read by `aligned`), or "pairs" of words (read by `dictionary`)."""
    notes: str = ""
    """Known faults of the corpus."""
    prefix: str = ""
    """The start of its groups, where they are those of another corpus; otherwise its name."""


def tags(text: str) -> tuple[str, ...]:
    """Language tags separated by blanks."""
    return tuple(text.split())
