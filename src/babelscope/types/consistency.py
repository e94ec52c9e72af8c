"""Explanations of translations, and how much two of them agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class UnitScores:
    """Scored units of one text, from any tool: what comparing translations needs. Translations
    share their id.
    """

    id: str
    lang: str
    units: tuple[str, ...]
    scores: tuple[float, ...]
    segment: tuple[int, ...]
    """Which text of a pair each unit belongs to, from 0."""
    prediction: str | None = None
    gold: str | None = None
    reason: str = ""
    """Why the text cannot be compared; empty if it can."""
    confidence: float | None = None
    """The model's probability of its prediction."""
    cluster: str = ""
    """What intervals leave out together: texts that share a premise or a paragraph share it.
    Empty: the id, as a cluster of its own.
    """


@dataclass(frozen=True, slots=True, eq=False)
class TranslationPair:
    """A text and one of its translations, compared by their explanations: C with its nulls and its
    ceiling.

    Names end in `_s` for the source text and in `_t` for the translation. Undefined numbers are
    NaN, and `reason` says why. Lists have one entry per word of the stored explanation, those of
    the flow one per pair of words.
    """

    id: str
    """The translation group."""
    cluster: str
    """What intervals leave out together: texts that share a premise or a paragraph share it."""
    source: str
    lang: str
    model: str
    task: str
    method: str
    options: Mapping[str, Any]
    seed: int
    space: str
    """What words are compared by."""
    centred: bool
    """Whether the mean vector of each language was subtracted."""
    mean_cosine: float
    """Of all words of the two languages in the space, of whatever meaning; NaN where it is not a
    space of vectors.
    """
    norm: str
    segments: str
    unknown: str
    permutations: int
    permutation_seed: int
    c: float
    c_unif: float
    c_perm: float
    c_mis: float
    c_rand: float
    c_indep: float
    ceil_s: float
    ceil_t: float
    ceil: float
    lift: float
    kappa: float
    p: float
    reason: str
    kappa_reason: str
    coverage_s: float
    coverage_t: float
    prediction_s: str | None
    prediction_t: str | None
    gold_s: str | None
    gold_t: str | None
    confidence_s: float
    confidence_t: float
    known_s: Any
    known_t: Any
    """Which words the space knows."""
    earned_s: Any
    earned_t: Any
    """What each word adds to C."""
    flow_s: Any
    flow_t: Any
    """The transport plan without its zeros: from which word to which weight flows, from 0."""
    flow_weight: Any
    flow_similarity: Any
