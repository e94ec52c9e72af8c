"""A space of subwords that several languages share: a word is the mean of its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from babelscope.analyses.consistency.spaces import Needed, Space, make_space, unit
from babelscope.errors import InputError

BLANK = "▁"
MADE = (1, 2)
"""Origins of pieces whose vector means something: the others are special or random."""


def subwords(folder: str | Path, tokenizer: str | Path, needed: Needed) -> Space:
    """The needed words as means of the unit vectors of their pieces.

    `folder` holds vectors.npy (one row per piece), pieces.txt (one piece per line) and, if some rows are not to be used,
    origin.npy. `tokenizer` is the folder or file of the tokenizer.json that cuts words into these pieces, with the same ids.
    A lone blank piece says nothing about a word and is left out; a word of unusable pieces has no vector.
    """
    from tokenizers import Tokenizer

    place, file = Path(folder), Path(tokenizer)
    file = file / "tokenizer.json" if file.is_dir() else file
    for each in (place / "vectors.npy", place / "pieces.txt", file):
        if not each.is_file():
            raise InputError(f"a space of subwords needs {each}; there is no such file")
    cut = Tokenizer.from_file(str(file))
    cut.no_padding()
    pieces = (place / "pieces.txt").read_text("utf-8").removesuffix("\n").split("\n")
    table = np.load(place / "vectors.npy", mmap_mode="r")
    _check(place, cut, pieces, table)
    usable = np.isin(np.load(place / "origin.npy"), MADE) if (place / "origin.npy").is_file() else np.ones(len(pieces), bool)
    usable[[at for at, piece in enumerate(pieces) if piece == BLANK]] = False
    found: dict[str, dict[str, np.ndarray]] = {}
    for lang, words in needed.items():
        found[lang] = {}
        for word in words:
            ids = [one for one in cut.encode(word, add_special_tokens=False).ids if usable[one]]
            if ids:
                found[lang][word] = unit(np.asarray(table[ids], dtype=np.float64)).mean(0)
    return make_space(f"subwords {place.name}", found)


def _check(folder: Path, cut: Any, pieces: Sequence[str], table: Any) -> None:
    if len(pieces) != len(table):
        raise InputError(f"{folder}: {len(pieces)} pieces, but {len(table)} vectors")
    for at in range(0, len(pieces), max(1, len(pieces) // 100)):
        if cut.id_to_token(at) != pieces[at]:
            raise InputError(
                f"{folder}: piece {at} is {pieces[at]!r}, but the tokenizer calls it {cut.id_to_token(at)!r}; "
                "give the tokenizer that the vectors were made with"
            )
