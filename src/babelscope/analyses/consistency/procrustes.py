"""Rotating one language's vectors onto another's with a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np
from jaxtyping import Float

from babelscope.analyses.consistency.spaces import Space, Vectors, unit_length
from babelscope.errors import InputError
from babelscope.random import keyed

HELD_OUT = 0.2
LOWEST = 0.2

Rotation = Float[np.ndarray, "dimension dimension"]
OtherVectors = Float[np.ndarray, "other dimension"]
"""Of another number of words."""
Entries = Sequence[tuple[str, str]]


def procrustes(source: Vectors, target: Vectors) -> Rotation:
    """The rotation or reflection that brings the rows of one table nearest to those of another.

        rotation = U V'  with  U D V' = svd(source' target)
                 = argmin over orthogonal W of ||source W - target||_F

    *Laws*: orthogonal; a rotated table is rotated back exactly; no other orthogonal map is nearer;
    equal tables give the identity, so the words that two languages share cannot align a table that
    they share already.
    """
    left, _, right = np.linalg.svd(source.T @ target)
    return np.asarray(left @ right)


def precision(source: Vectors, target: OtherVectors, gold: Sequence[set[int]]) -> float:
    """The share of source rows whose nearest target row (cosine) is one of its gold rows.

    precision@1 = mean_i [ argmax_j cos(source_i, target_j) in gold_i ]
    """
    if not len(source):
        return nan
    nearest = (unit_length(source) @ unit_length(target).T).argmax(1)
    return float(np.mean([int(at) in right for at, right in zip(nearest, gold)]))


def align(
    space: Space, source: str, dictionaries: Mapping[str, Entries], *, seed: int = 0
) -> Space:
    """Every other language rotated onto the source by a dictionary of source words and
    translations.

    Vectors are centred by language and scaled to unit length first. A fifth of the dictionary's
    source words is held out for the precision; the rotation uses the others. Fewer entries than
    dimensions, or a precision below 0.2, are refused: such a space would give numbers about
    nothing.
    """
    centred = {}
    for lang, rows in space.vectors.items():
        centred[lang] = unit_length(rows - rows.mean(0)) if len(rows) else rows
    vectors, precisions = {source: centred[source]}, {}
    for lang, rows in centred.items():
        if lang == source or not len(rows):
            continue
        entries = _entries(space, source, lang, dictionaries.get(lang, ()))
        vectors[lang], precisions[lang] = _aligned(lang, centred[source], rows, entries, seed)
    places = {lang: space.places[lang] for lang in vectors}
    return replace(space, vectors=vectors, places=places, centred=True, precision=precisions)


def _entries(space: Space, source: str, lang: str, dictionary: Entries) -> list[tuple[int, int]]:
    """The rows of the dictionary's words, where the space has both."""
    left, right = space.places[source], space.places[lang]
    return [(left[a], right[b]) for a, b in dictionary if a in left and b in right]


def _aligned(
    lang: str, source: OtherVectors, rows: Vectors, entries: Sequence[tuple[int, int]], seed: int
) -> tuple[Vectors, float]:
    words = sorted({a for a, _ in entries})
    order = keyed(seed, "held out", lang).permutation(words)
    test = set(order[: int(HELD_OUT * len(words))].tolist())
    used = [entry for entry in entries if entry[0] not in test]
    if len(used) < rows.shape[1]:
        raise InputError(
            f"{len(used)} dictionary entries for {lang} are too few to align {rows.shape[1]} "
            "dimensions; give more text"
        )
    rotated = rows @ procrustes(rows[[b for _, b in used]], source[[a for a, _ in used]])
    gold: dict[int, set[int]] = {a: set() for a in sorted(test)}
    for a, b in entries:
        if a in gold:
            gold[a].add(b)
    share = precision(source[list(gold)], rotated, list(gold.values()))
    if not share >= LOWEST:
        raise InputError(
            f"the aligned space finds {share:.2f} of held-out {lang} translations; at least "
            f"{LOWEST} is needed"
        )
    return rotated, share
