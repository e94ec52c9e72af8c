"""Spaces as a person names them: files of vectors, a folder of subwords, an encoder, the model
itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from babelscope.analyses.consistency.spaces import (
    Needed,
    Space,
    centre_if_needed,
    look_up,
    make_space,
    spellings,
)
from babelscope.data.formats.vectors import languages, vec
from babelscope.errors import InputError
from babelscope.types import UnitScores

if TYPE_CHECKING:
    from babelscope.model.inference_state import Progress
    from babelscope.model.load import Model


@dataclass(frozen=True, slots=True)
class SpaceNames:
    """The spaces that words are compared in; without any, the explained model's input
    embeddings.
    """

    vectors: str | None = None
    """LANG=FILE.vec,..."""
    subwords: str | None = None
    """FOLDER=TOKENIZER"""
    encoder: str | None = None

    @property
    def any(self) -> bool:
        return any((self.vectors, self.subwords, self.encoder))

    @property
    def paths(self) -> list[str]:
        """Every part that may be a file or a folder."""
        names = [name for name in (self.vectors, self.subwords, self.encoder) if name]
        return [part for name in names for part in name.replace("=", ",").split(",")]


def load_spaces(
    names: SpaceNames,
    rows: Sequence[UnitScores],
    source: str,
    *,
    centring: str = "always",
    model: Model | None = None,
    progress: Progress | None = None,
) -> dict[str, Space]:
    """The named spaces, each filled with the words of the rows and centred by language always,
    never, or where that is needed (auto)."""
    words, spaces = words_by_language(rows), []
    if names.vectors is not None:
        spaces.append(vector_files(languages(names.vectors), words))
    if names.subwords is not None:
        spaces.append(_subwords(names.subwords, words))
    if names.encoder is not None or not spaces:
        spaces.append(_of_model(names.encoder, model, words, progress))
    return {space.name: centre_if_needed(space, source, centring=centring) for space in spaces}


def words_by_language(rows: Sequence[UnitScores]) -> dict[str, list[str]]:
    """The words of each language, each once, sorted: sums over the words of a space have the same
    order, and so the same last bits, in every process.
    """
    words: dict[str, set[str]] = {}
    for row in rows:
        words.setdefault(row.lang, set()).update(row.units)
    return {lang: sorted(known) for lang, known in words.items()}


def vector_files(files: Mapping[str, Path], words: Needed) -> Space:
    """Aligned vectors in one file per language; each word is looked up in its spellings."""
    vectors: dict[str, dict[str, np.ndarray]] = {}
    for lang, file in files.items():
        forms = {form for word in words.get(lang, ()) for form in spellings(word)}
        vectors[lang] = vec(file, forms)
    _check_widths(files, vectors)
    return look_up(make_space("vec", vectors), words)


def _subwords(name: str, words: Needed) -> Space:
    from babelscope.analyses.consistency.subwords import subword_space

    folder, equals, tokenizer = name.partition("=")
    if not equals:
        raise InputError(f"the space of subwords {name!r} is not of the form FOLDER=TOKENIZER")
    return subword_space(folder, tokenizer, words)


def _of_model(
    encoder: str | None, model: Model | None, words: Needed, progress: Progress | None
) -> Space:
    from babelscope.analyses.consistency.model_spaces import embedding_space, isolated_space
    from babelscope.model.load import load

    if encoder is not None:
        loaded = load(encoder, allow_untrained_head=True)
        return isolated_space(loaded, words, progress=progress)
    if model is None:
        raise InputError(
            "there is no space to compare words in: name vectors, subwords or an encoder, or give "
            "a model"
        )
    return embedding_space(model, words)


def _check_widths(
    files: Mapping[str, Path], vectors: Mapping[str, Mapping[str, np.ndarray]]
) -> None:
    widths = {lang: len(next(iter(words.values()))) for lang, words in vectors.items() if words}
    if len(set(widths.values())) > 1:
        listed = ", ".join(f"{files[lang]} has {width}" for lang, width in widths.items())
        raise InputError(f"the vectors of one space need one dimension; {listed}")
