"""Spaces from what the user names: files of vectors, a folder of subwords, a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babelscope.crosslingual.spaces import Needed, Space, make_space, spelled, spellings
from babelscope.data.vectors import vec
from babelscope.types import UnitScores

if TYPE_CHECKING:
    import numpy as np


def needed(rows: Sequence[UnitScores]) -> dict[str, set[str]]:
    """The words of each language."""
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(row.lang, set()).update(row.units)
    return found


def vec_files(files: Mapping[str, Path], words: Needed) -> Space:
    """Aligned vectors in one file per language; each word is looked up in its spellings (see `spellings`)."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for lang, file in files.items():
        found[lang] = vec(file, {form for word in words.get(lang, ()) for form in spellings(word)})
    _same_width(files, found)
    return spelled(make_space("vec", found), words)


def _same_width(files: Mapping[str, Path], found: Mapping[str, Mapping[str, np.ndarray]]) -> None:
    from babelscope.errors import InputError

    widths = {lang: len(next(iter(words.values()))) for lang, words in found.items() if words}
    if len(set(widths.values())) > 1:
        told = ", ".join(f"{files[lang]} has {width}" for lang, width in widths.items())
        raise InputError(f"the vectors of one space need one dimension; {told}")
