"""A space of subwords that several languages share: a word is the mean of its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from babelscope.analyses.consistency.spaces import Needed, Space, make_space, unit_length
from babelscope.errors import InputError

BLANK = "▁"
MEANINGFUL = (1, 2)
"""Origins of pieces whose vector means something: the others are special or random."""


def subword_space(folder: str | Path, tokenizer: str | Path, needed: Needed) -> Space:
    """The needed words as means of the unit vectors of their pieces.

    `folder` holds vectors.npy (one row per piece), pieces.txt (one piece per line) and, if some
    rows are not to be used, origin.npy. `tokenizer` is the folder or file of the tokenizer.json
    that segments words into these pieces, with the same ids. A lone blank piece says nothing about
    a word and is left out; a word of unusable pieces has no vector.
    """
    place, file = Path(folder), Path(tokenizer)
    file = file / "tokenizer.json" if file.is_dir() else file
    for path in (place / "vectors.npy", place / "pieces.txt", file):
        if not path.is_file():
            raise InputError(f"a space of subwords needs {path}; there is no such file")
    segmenter = _tokenizer(file)
    pieces = (place / "pieces.txt").read_text("utf-8").removesuffix("\n").split("\n")
    table = np.load(place / "vectors.npy", mmap_mode="r")
    _check(place, segmenter, pieces, table)
    usable = _usable(place, pieces)
    vectors: dict[str, dict[str, np.ndarray]] = {}
    for lang, words in needed.items():
        vectors[lang] = {}
        for word in words:
            tokens = segmenter.encode(word, add_special_tokens=False).ids
            ids = [token for token in tokens if usable[token]]
            if ids:
                rows = np.asarray(table[ids], dtype=np.float64)
                vectors[lang][word] = unit_length(rows).mean(0)
    return make_space(f"subwords {place.name}", vectors)


def _tokenizer(file: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    return tokenizer


def _usable(folder: Path, pieces: Sequence[str]) -> np.ndarray:
    usable = np.ones(len(pieces), bool)
    if (folder / "origin.npy").is_file():
        usable = np.isin(np.load(folder / "origin.npy"), MEANINGFUL)
    usable[[at for at, piece in enumerate(pieces) if piece == BLANK]] = False
    return usable


def _check(folder: Path, tokenizer: Any, pieces: Sequence[str], table: Any) -> None:
    if len(pieces) != len(table):
        raise InputError(f"{folder}: {len(pieces)} pieces, but {len(table)} vectors")
    for at in range(0, len(pieces), max(1, len(pieces) // 100)):
        if tokenizer.id_to_token(at) != pieces[at]:
            other = tokenizer.id_to_token(at)
            raise InputError(
                f"{folder}: piece {at} is {pieces[at]!r}, but the tokenizer calls it {other!r}; "
                "give the tokenizer that the vectors were made with"
            )
