"""Spaces from what the user names: files of vectors, a folder of subwords, a model, gold links between words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from babelscope.analyses.consistency.links import linked
from babelscope.analyses.consistency.pairs import Compare, Compared
from babelscope.analyses.consistency.spaces import (
    Needed,
    Space,
    make_space,
    settled,
    spelled,
    spellings,
)
from babelscope.data.formats.alignments import alignment
from babelscope.data.formats.vectors import languages, vec
from babelscope.errors import InputError, Undefined
from babelscope.types import Example, UnitScores

if TYPE_CHECKING:
    from babelscope.model.inference_state import Progress
    from babelscope.model.load import Model


@dataclass(frozen=True, slots=True)
class SpaceNames:
    """The spaces that words are compared in, each as a person names it; none is the explained model's own input table."""

    vectors: str | None = None
    """LANG=FILE.vec,..."""
    subwords: str | None = None
    """FOLDER=TOKENIZER"""
    encoder: str | None = None

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(name for name in ("vectors", "subwords", "encoder") if getattr(self, name) is not None)


def spaces(
    names: SpaceNames, rows: Sequence[UnitScores], source: str, *,
    model: str | Model | None = None, device: str | None = None, progress: Progress | None = None,
) -> dict[str, Space]:  # fmt: skip
    """The named spaces, each filled with the words of the rows and centred by language where that is needed."""
    words, found = needed(rows), []
    if names.vectors is not None:
        found.append(vec_files(languages(names.vectors), words))
    if names.subwords is not None:
        from babelscope.analyses.consistency.subwords import subwords

        place, equals, tokenizer = names.subwords.partition("=")
        if not equals:
            raise InputError(f"--subwords {names.subwords!r} is not of the form FOLDER=TOKENIZER")
        found.append(subwords(place, tokenizer, words))
    if names.encoder is not None or not found:
        from babelscope.analyses.consistency.model_spaces import embedded, isolated
        from babelscope.model.load import load

        wanted = names.encoder or model
        loaded = load(wanted, device=device, allow_untrained_head=True) if isinstance(wanted, str) else wanted
        if loaded is None:
            raise InputError("words are compared in a space: name one, or the model whose own table it is")
        found.append(isolated(loaded, words, progress=progress) if names.encoder else embedded(loaded, words))
    return {space.name: settled(space, source) for space in found}


def in_links(examples: Sequence[Example]) -> Compare:
    """Texts compared by the gold links between their words: 1 where they share a concept, else 0; every word is known.

    Undefined where a text has no gold, or was cut so that its words are not all there.
    """
    by = {(example.group, example.lang): example for example in examples}

    def compare(one: UnitScores, two: UnitScores) -> Compared:
        found = [by.get((row.id, row.lang)) for row in (one, two)]
        if any(example is None or example.concepts is None for example in found):
            raise Undefined("there is no gold alignment")
        left, right = (example for example in found if example is not None)
        counts = [[len(names) for names in example.concepts or ()] for example in (left, right)]
        if [sum(each) for each in counts] != [len(one.units), len(two.units)]:
            raise Undefined("a text was cut: its words are not those of the gold alignment")
        starts = [np.cumsum([0, *each]) for each in counts]
        links = {(int(starts[0][part]) + i, int(starts[1][part]) + j)
                 for part, each in enumerate(alignment(left, right)) for i, j in each}  # fmt: skip
        shape = len(one.units), len(two.units)
        return Compared(linked(links, shape), np.ones(shape[0], bool), np.ones(shape[1], bool))

    return compare


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
    widths = {lang: len(next(iter(words.values()))) for lang, words in found.items() if words}
    if len(set(widths.values())) > 1:
        told = ", ".join(f"{files[lang]} has {width}" for lang, width in widths.items())
        raise InputError(f"the vectors of one space need one dimension; {told}")
