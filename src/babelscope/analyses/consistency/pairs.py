"""The consistency of a whole parallel set: every text with each of its translations, and what could not be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.consistency.score import DRAWS, Consistency, consistency
from babelscope.analyses.consistency.spaces import Space, similarity
from babelscope.analyses.consistency.weights import NORMS
from babelscope.errors import InputError, Undefined
from babelscope.random import keyed
from babelscope.types import UnitScores
from babelscope.workers import in_order

BATCH = 16
"""Pairs that a worker is sent at a time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How pairs are scored; every field changes the numbers."""

    norm: str = "abs"
    segments: str = "blocked"
    """Weight flows within a text of a pair only ("blocked"), or over both ("joint")."""
    policy: str = "identity"
    draws: int = DRAWS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.norm not in NORMS:
            raise InputError(f"there is no norm {self.norm!r}; there are: {', '.join(NORMS)}")
        if self.segments not in ("blocked", "joint"):
            raise InputError(f"segments {self.segments!r} is not one of: blocked, joint")
        if self.draws < 0:
            raise InputError(f"the number of permutations must not be negative; found {self.draws}")


class Compared(NamedTuple):
    """The similarity of two texts' units, and which units the space knows."""

    similarity: NDArray[np.float64]
    known_s: NDArray[np.bool_]
    known_t: NDArray[np.bool_]


Compare = Callable[[UnitScores, UnitScores], Compared]
"""From two texts to the similarity of their units; raises Undefined where there is none."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and one translation. Where `found.reason` is not empty, its numbers are NaN."""

    id: str
    lang: str
    found: Consistency
    c_mis: float = nan
    """C with the translation of another text of like length."""
    c_rand: float = nan
    """C of the same pair explained in a model with random weights."""
    coverage_s: float = nan
    """The share of the weight that lies on units which the space knows."""
    coverage_t: float = nan
    same_prediction: bool | None = None
    correct_s: bool | None = None
    correct_t: bool | None = None
    confidence_s: float = nan
    """The model's probability of what it predicts."""
    confidence_t: float = nan
    cluster: str = ""
    """What intervals resample: the source text's, or the id."""


class _Job(NamedTuple):
    source: UnitScores
    target: UnitScores
    compared: Compared
    other: tuple[UnitScores, Compared] | None
    settings: Settings


def in_space(space: Space, policy: str = "identity") -> Compare:
    """Texts compared by the vectors of their words."""
    return lambda one, two: Compared(*similarity(space, (one.lang, one.units), (two.lang, two.units), policy=policy))


def score(
    rows: Sequence[UnitScores],
    source: str,
    compare: Compare,
    *,
    targets: Sequence[str] | None = None,
    settings: Settings | None = None,
    untrained: Sequence[UnitScores] = (),
    workers: int = 1,
) -> list[Pair]:
    """One pair per text and target language, in the order of the languages and of the texts; no pair is left out silently.

    `untrained` are the same texts explained in a model with random weights; they give c_rand.

    *Laws*: the order of the rows and the number of processes change no number; a text that cannot be compared has a reason.
    """
    chosen = settings or Settings()
    by = {(row.id, row.lang): row for row in rows}
    langs = list(dict.fromkeys(row.lang for row in rows))
    if source not in langs:
        raise InputError(f"no row is in the source language {source!r}; there are: {', '.join(sorted(langs))}")
    wanted = list(targets) if targets is not None else sorted(lang for lang in langs if lang != source)
    if not wanted:
        raise InputError(f"every row is in the source language {source!r}; there is nothing to compare it with")
    pairs: list[Pair | _Job] = []
    for lang in wanted:
        others = _partners({row.id: row for row in rows if row.lang == lang}, chosen.seed)
        for name in sorted({row.id for row in rows if row.lang in (source, lang)}):
            pairs.append(_prepared(by, name, source, lang, others.get(name), compare, chosen))
    solved = list(_solved(pairs, workers))
    if not untrained:
        return solved
    plain = score(untrained, source, compare, targets=wanted, settings=replace(chosen, draws=0), workers=workers)
    random = {(pair.id, pair.lang): pair.found.c for pair in plain}
    return [replace(pair, c_rand=random.get((pair.id, pair.lang), nan)) for pair in solved]


def replayed(
    rows: Sequence[UnitScores], pair: Pair, source: str, compare: Compare, settings: Settings
) -> tuple[UnitScores, UnitScores, Consistency, NDArray[np.float64]]:
    """A scored pair with its plan and its similarity, which are not kept while many are scored; words left out are gone."""
    by = {(row.id, row.lang): row for row in rows}
    one, two = by[pair.id, source], by[pair.id, pair.lang]
    compared = compare(one, two)
    kept = compared.known_s, compared.known_t
    if settings.policy != "drop":
        kept = np.ones_like(kept[0]), np.ones_like(kept[1])
    found = _one(one, two, compared, settings)
    return _left(one, kept[0]), _left(two, kept[1]), found, compared.similarity[np.ix_(*kept)]


def _left(row: UnitScores, kept: NDArray[np.bool_]) -> UnitScores:
    places = np.flatnonzero(kept)
    units, scores = tuple(row.units[at] for at in places), tuple(row.scores[at] for at in places)
    return replace(row, units=units, scores=scores, segment=tuple(row.segment[at] for at in places))


def _partners(rows: Mapping[str, UnitScores], seed: int) -> dict[str, UnitScores]:
    """For every text the next one in order of length (the last: the one before), ties in an order of the ids' own."""
    usable = [row for row in rows.values() if not row.reason and row.units]
    order = sorted(usable, key=lambda row: (len(row.units), keyed(seed, "another text", row.id).random(), row.id))
    if len(order) < 2:
        return {}
    return {row.id: order[place + 1] if place + 1 < len(order) else order[place - 1] for place, row in enumerate(order)}


def _prepared(
    by: Mapping[tuple[str, str], UnitScores], name: str, source: str, lang: str,
    other: UnitScores | None, compare: Compare, settings: Settings,
) -> Pair | _Job:  # fmt: skip
    one, two = by.get((name, source)), by.get((name, lang))
    if one is None or two is None:
        return Pair(name, lang, Consistency(reason=f"there is no text in {source if one is None else lang}"), cluster=name)
    for row in (one, two):
        if row.reason:
            return Pair(name, lang, Consistency(reason=f"{row.lang}: {row.reason}"), cluster=one.cluster or name)
    try:
        compared = compare(one, two)
    except Undefined as error:
        return Pair(name, lang, Consistency(reason=str(error)), cluster=one.cluster or name)
    try:
        mismatched = (other, compare(one, other)) if other is not None else None
    except Undefined:
        mismatched = None
    return _Job(one, two, compared, mismatched, settings)


def _solved(pairs: Sequence[Pair | _Job], workers: int) -> Iterator[Pair]:
    batches = [pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH)]
    for solved in in_order(_batch, batches, workers=workers):
        yield from solved


def _batch(jobs: Sequence[Pair | _Job]) -> list[Pair]:
    return [_pair(job) for job in jobs]


def _pair(job: Pair | _Job) -> Pair:
    if isinstance(job, Pair):
        return job
    one, two = job.source, job.target
    found = _one(one, two, job.compared, job.settings)
    mismatched = _one(one, *job.other, replace(job.settings, draws=0)).c if job.other is not None and not found.reason else nan
    same = None if one.prediction is None or two.prediction is None else one.prediction == two.prediction
    return Pair(
        one.id, two.lang, replace(found, plan=None), mismatched,
        coverage_s=_coverage(one, job.compared.known_s), coverage_t=_coverage(two, job.compared.known_t),
        same_prediction=same, correct_s=_correct(one), correct_t=_correct(two),
        confidence_s=nan if one.confidence is None else one.confidence,
        confidence_t=nan if two.confidence is None else two.confidence,
        cluster=one.cluster or one.id,
    )  # fmt: skip


def _one(one: UnitScores, two: UnitScores, compared: Compared, settings: Settings) -> Consistency:
    kept_s, kept_t = compared.known_s, compared.known_t
    if settings.policy != "drop":
        kept_s, kept_t = np.ones_like(kept_s), np.ones_like(kept_t)
    if not kept_s.any() or not kept_t.any():
        return Consistency(reason="no unit has a vector" if len(kept_s) and len(kept_t) else "a text has no unit")
    segments = np.asarray(one.segment)[kept_s].tolist(), np.asarray(two.segment)[kept_t].tolist()
    return consistency(
        np.asarray(one.scores)[kept_s],
        np.asarray(two.scores)[kept_t],
        compared.similarity[np.ix_(kept_s, kept_t)],
        norm=settings.norm,
        segments=segments if settings.segments == "blocked" else None,
        draws=settings.draws,
        key=(settings.seed, one.id, two.lang),
    )


def _coverage(row: UnitScores, known: NDArray[np.bool_]) -> float:
    size = np.abs(np.asarray(row.scores, dtype=np.float64))
    return float(size[known].sum() / size.sum()) if np.isfinite(size).all() and size.sum() > 0 else nan


def _correct(row: UnitScores) -> bool | None:
    return None if row.prediction is None or row.gold is None else row.prediction == row.gold
