"""A text and one of its translations, compared: what is known of the pair, and how it is scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.consistency.score import (
    PERMUTATIONS,
    Consistency,
    block_segments,
    consistency,
)
from babelscope.analyses.consistency.spaces import POLICIES, Space, similarity
from babelscope.analyses.consistency.weights import NORMS
from babelscope.errors import InputError
from babelscope.types import UnitScores


@dataclass(frozen=True, slots=True)
class Settings:
    """How pairs are scored; every field changes the numbers."""

    norm: str = "abs"
    segments: str = "blocked"
    """Weight flows within a text of a pair only ("blocked"), or over both ("joint")."""
    unknown: str = "identity"
    """What a word without a vector is similar to; one of POLICIES."""
    permutations: int = PERMUTATIONS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.norm not in NORMS:
            raise InputError(f"there is no norm {self.norm!r}; there are: {', '.join(NORMS)}")
        if self.segments not in ("blocked", "joint"):
            raise InputError(f"segments {self.segments!r} is not one of: blocked, joint")
        if self.unknown not in POLICIES:
            raise InputError(f"unknown {self.unknown!r} is not one of: {', '.join(POLICIES)}")
        if self.permutations < 0:
            count = self.permutations
            raise InputError(f"the number of permutations must not be negative; found {count}")


class Compared(NamedTuple):
    """The similarity of two texts' units, and which units the space knows."""

    similarity: NDArray[np.float64]
    known_s: NDArray[np.bool_]
    known_t: NDArray[np.bool_]


Compare = Callable[[UnitScores, UnitScores], Compared]
"""From two texts to the similarity of their units; raises Undefined where there is none."""


class Flow(NamedTuple):
    """A transport plan without its zeros: the weight that flows between two units, and how similar
    they are."""

    unit_s: NDArray[np.int64]
    unit_t: NDArray[np.int64]
    weight: NDArray[np.float64]
    similarity: NDArray[np.float64]
    """0 between the two texts of a pair where weight flows within each of them only."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A text and one translation. Where `score.reason` is not empty, its numbers are NaN.

    `score` has no plan (see `flow`); what each unit earned is 0 for units that were left out.
    """

    id: str
    lang: str
    score: Consistency
    c_mis: float = nan
    """C with the translation of another text of like length."""
    c_rand: float = nan
    """C of the same pair explained in a model with random weights."""
    coverage_s: float = nan
    """The share of the weight that lies on units which the space knows."""
    coverage_t: float = nan
    prediction_s: str | None = None
    prediction_t: str | None = None
    gold_s: str | None = None
    gold_t: str | None = None
    confidence_s: float = nan
    """The model's probability of what it predicts."""
    confidence_t: float = nan
    cluster: str = ""
    """What intervals leave out together: the source text's, or the id."""
    flow: Flow | None = None
    known_s: NDArray[np.bool_] | None = None
    """Which units the space knows."""
    known_t: NDArray[np.bool_] | None = None

    @property
    def same_prediction(self) -> bool | None:
        return _equal(self.prediction_s, self.prediction_t)

    @property
    def correct_s(self) -> bool | None:
        return _equal(self.prediction_s, self.gold_s)

    @property
    def correct_t(self) -> bool | None:
        return _equal(self.prediction_t, self.gold_t)


class Task(NamedTuple):
    """Two texts to be compared, and the other text of the target language behind C_mis."""

    source: UnitScores
    target: UnitScores
    compared: Compared
    other: tuple[UnitScores, Compared] | None
    settings: Settings


def in_space(space: Space, unknown: str = "identity") -> Compare:
    """Texts compared by the vectors of their words."""

    def compare(source: UnitScores, target: UnitScores) -> Compared:
        sides = (source.lang, source.units), (target.lang, target.units)
        return Compared(*similarity(space, *sides, policy=unknown))

    return compare


def score_pair(task: Task) -> Pair:
    """C with its nulls of two texts, and everything else that tables read of the pair."""
    source, target, compared, other, settings = task
    score, flow = _score(source, target, compared, settings)
    c_mis = nan
    if other is not None and not score.reason:
        c_mis = _score(source, *other, replace(settings, permutations=0))[0].c
    return Pair(
        id=source.id,
        lang=target.lang,
        score=score,
        c_mis=c_mis,
        coverage_s=_coverage(source, compared.known_s),
        coverage_t=_coverage(target, compared.known_t),
        prediction_s=source.prediction,
        prediction_t=target.prediction,
        gold_s=source.gold,
        gold_t=target.gold,
        confidence_s=nan if source.confidence is None else source.confidence,
        confidence_t=nan if target.confidence is None else target.confidence,
        cluster=source.cluster or source.id,
        flow=flow,
        known_s=compared.known_s,
        known_t=compared.known_t,
    )


def _score(
    source: UnitScores, target: UnitScores, compared: Compared, settings: Settings
) -> tuple[Consistency, Flow | None]:
    kept_s, kept_t = compared.known_s, compared.known_t
    if settings.unknown != "drop":
        kept_s, kept_t = np.ones_like(kept_s), np.ones_like(kept_t)
    if not kept_s.any() or not kept_t.any():
        empty = not len(kept_s) or not len(kept_t)
        return Consistency(reason="a text has no unit" if empty else "no unit has a vector"), None
    sides = np.asarray(source.segment)[kept_s].tolist(), np.asarray(target.segment)[kept_t].tolist()
    segments = sides if settings.segments == "blocked" else None
    table = compared.similarity[np.ix_(kept_s, kept_t)]
    score = consistency(
        np.asarray(source.scores)[kept_s],
        np.asarray(target.scores)[kept_t],
        table,
        norm=settings.norm,
        segments=segments,
        permutations=settings.permutations,
        key=(settings.seed, source.id, target.lang),
    )
    return _without_plan(score, block_segments(table, segments), kept_s, kept_t)


def _without_plan(
    score: Consistency,
    similarity: NDArray[np.float64],
    kept_s: NDArray[np.bool_],
    kept_t: NDArray[np.bool_],
) -> tuple[Consistency, Flow | None]:
    """The plan as a flow, and what units earned, both over all units of the texts."""
    if score.plan is None:
        return score, None
    rows, columns = np.nonzero(score.plan)
    places = np.flatnonzero(kept_s)[rows], np.flatnonzero(kept_t)[columns]
    flow = Flow(*places, score.plan[rows, columns], similarity[rows, columns])
    earned_s, earned_t = np.zeros(len(kept_s)), np.zeros(len(kept_t))
    earned_s[kept_s], earned_t[kept_t] = score.earned_s, score.earned_t
    return replace(score, plan=None, earned_s=earned_s, earned_t=earned_t), flow


def _coverage(row: UnitScores, known: NDArray[np.bool_]) -> float:
    size = np.abs(np.asarray(row.scores, dtype=np.float64))
    defined = np.isfinite(size).all() and size.sum() > 0
    return float(size[known].sum() / size.sum()) if defined else nan


def _equal(label: str | None, other: str | None) -> bool | None:
    return None if label is None or other is None else label == other
