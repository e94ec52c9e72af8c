"""The pieces of a tokenizer's vocabulary, as they are spelt: joined into words and split again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from babelscope.errors import UnsupportedModel
from babelscope.model.lattice import Lattice, lattice
from babelscope.model.slow_tokenizers import is_slow

SPACES = "▁Ġ"
"""How vocabularies spell the space before a word."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A vocabulary by spelling: the prefix of pieces inside of a word, and the suffix of the last
    one.
    """

    ids: dict[str, int]
    prefix: str
    suffix: str
    widest: int


def pieces_of(tokenizer: Any) -> Pieces:
    """The vocabulary without special and added tokens."""
    if is_slow(tokenizer):
        raise UnsupportedModel(
            f"{type(tokenizer).__name__} is written in Python and cannot re-segment words; use a "
            "tokenizer of the tokenizers library"
        )
    settings = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    if settings.get("type") not in ("WordPiece", "BPE", "Unigram"):
        raise UnsupportedModel(
            f"a vocabulary of kind {settings.get('type')} cannot re-segment words; use "
            "WordPiece, BPE or Unigram"
        )
    outside = {*tokenizer.all_special_ids, *tokenizer.added_tokens_decoder}
    ids = {name: at for name, at in tokenizer.get_vocab().items() if at not in outside}
    return Pieces(
        ids,
        settings.get("continuing_subword_prefix") or "",
        settings.get("end_of_word_suffix") or "",
        max(map(len, ids)),
    )


def bare(name: str, pieces: Pieces) -> str:
    return name.removeprefix(pieces.prefix).removesuffix(pieces.suffix).lstrip(SPACES)


@dataclass(frozen=True, slots=True)
class Spelling:
    """The letters of a run of tokens, and how a part of them is written in the vocabulary."""

    letters: str
    inside: bool
    """Whether the run begins inside of what the tokenizer takes for a word."""
    closed: bool
    """Whether it ends with the mark of a word's end."""

    def form(self, start: int, stop: int, pieces: Pieces) -> str:
        begin = pieces.prefix if start or self.inside else ""
        end = pieces.suffix if self.closed and stop == len(self.letters) else ""
        return begin + self.letters[start:stop] + end


def spelling(names: Sequence[str], pieces: Pieces) -> Spelling:
    letters = "".join(
        name.removeprefix(pieces.prefix).removesuffix(pieces.suffix) for name in names
    )
    inside = bool(pieces.prefix) and names[0].startswith(pieces.prefix)
    return Spelling(letters, inside, bool(pieces.suffix) and names[-1].endswith(pieces.suffix))


def lattice_of(spelt: Spelling, pieces: Pieces, kept: frozenset[int]) -> Lattice:
    """Where the letters can be split."""

    def known(start: int, stop: int) -> bool:
        at = pieces.ids.get(spelt.form(start, stop, pieces))
        return at is not None and (not kept or at in kept)

    return lattice(len(spelt.letters), known, pieces.widest)
