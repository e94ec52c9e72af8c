"""Turning one language's vectors onto another's with a dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import nan

import numpy as np
from jaxtyping import Float

from babelscope.analyses.consistency.spaces import Space, Vectors, unit
from babelscope.errors import InputError
from babelscope.random import keyed

HELD_OUT = 0.2
LOWEST = 0.2

Turn = Float[np.ndarray, "dimension dimension"]
Entries = Sequence[tuple[str, str]]


def procrustes(source: Vectors, target: Vectors) -> Turn:
    """The rotation or reflection that brings the rows of one table nearest to those of another.

        turn = U V'  with  U D V' = svd(source' target)  =  argmin over orthogonal W of ||source W - target||_F

    *Laws*: orthogonal; a turned table is turned back exactly; no other orthogonal map is nearer; equal tables give the
    identity, so the words that two languages share cannot align a table that they share already.
    """
    left, _, right = np.linalg.svd(source.T @ target)
    return np.asarray(left @ right)


def precision(source: Vectors, target: Float[np.ndarray, "candidate dimension"], gold: Sequence[set[int]]) -> float:
    """The share of source rows whose nearest target row (cosine) is one of its gold rows.

    precision@1 = mean_i [ argmax_j cos(source_i, target_j) in gold_i ]
    """
    if not len(source):
        return nan
    nearest = (unit(source) @ unit(target).T).argmax(1)
    return float(np.mean([int(at) in right for at, right in zip(nearest, gold)]))


def align(space: Space, source: str, dictionaries: Mapping[str, Entries], *, seed: int = 0) -> Space:
    """Every other language turned onto the source by a dictionary of source words and translations; precision is measured.

    Vectors are centred by language and scaled to unit length first. A fifth of the dictionary's source words is held out
    for the precision; the turn uses the others. Fewer entries than dimensions, or a precision below 0.2, are refused: such
    a space would give numbers about nothing.
    """
    centred = {lang: unit(rows - rows.mean(0)) if len(rows) else rows for lang, rows in space.vectors.items()}
    vectors, found = {source: centred[source]}, {}
    for lang, rows in centred.items():
        if lang == source or not len(rows):
            continue
        mine, theirs = space.places[source], space.places[lang]
        entries = [(mine[one], theirs[two]) for one, two in dictionaries.get(lang, ()) if one in mine and two in theirs]
        words = sorted({one for one, _ in entries})
        held = set(keyed(seed, "held out", lang).permutation(words)[: int(HELD_OUT * len(words))].tolist())
        used = [pair for pair in entries if pair[0] not in held]
        if len(used) < rows.shape[1]:
            raise InputError(
                f"{len(used)} dictionary entries for {lang} are too few to align {rows.shape[1]} dimensions; give more text"
            )
        turn = procrustes(rows[[two for _, two in used]], centred[source][[one for one, _ in used]])
        vectors[lang] = rows @ turn
        gold: dict[int, set[int]] = {one: set() for one in sorted(held)}
        for one, two in entries:
            if one in gold:
                gold[one].add(two)
        found[lang] = precision(centred[source][list(gold)], vectors[lang], list(gold.values()))
        if not found[lang] >= LOWEST:
            raise InputError(
                f"the aligned space finds {found[lang]:.2f} of held-out {lang} translations; at least {LOWEST} is needed"
            )
    return replace(space, vectors=vectors, places={lang: space.places[lang] for lang in vectors}, centred=True, precision=found)
