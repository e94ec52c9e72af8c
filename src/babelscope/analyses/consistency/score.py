"""Do a text and its translation get the same explanation? The score, and the bounds and nulls it is read against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan, nan

import numpy as np
from scipy.optimize import linear_sum_assignment

from babelscope.analyses.consistency.transport import Plan, Similarity, transport, worth
from babelscope.analyses.consistency.weights import NORMS, EitherScores, EitherShares, weights
from babelscope.errors import InputError, Undefined
from babelscope.random import keyed

DRAWS = 20
"""Permutations behind C_perm: enough for the mean of a corpus; a p-value of one pair needs 999."""
NARROW = 1e-6
TIE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Consistency:
    """C of one pair of texts with everything needed to read it. Undefined is NaN, with the reason."""

    c: float = nan
    c_unif: float = nan
    c_perm: float = nan
    c_indep: float = nan
    ceil_s: float = nan
    ceil_t: float = nan
    p: float = nan
    reason: str = ""
    plan: Plan | None = None
    """How much weight flows from each source unit to each target unit; signs are added up."""
    earned_s: EitherScores | None = None
    """What each source unit adds to C; they sum to it."""
    earned_t: EitherScores | None = None

    @property
    def ceil(self) -> float:
        """The highest C that these weights permit on one side: min(ceil_s, ceil_t)."""
        return min(self.ceil_s, self.ceil_t)

    @property
    def lift(self) -> float:
        """How much of C is agreement of the weights: C - C_perm."""
        return self.c - self.c_perm

    @property
    def kappa(self) -> float:
        """(C - C_perm) / (ceil - C_perm): 1 is as consistent as the vocabulary permits. Of a corpus: `kappa` of the means."""
        return kappa(self.c, self.c_perm, self.ceil)

    @property
    def kappa_reason(self) -> str:
        """Why there is no kappa: as C, or because chance reaches the ceiling, as in texts of one word."""
        if self.reason or isfinite(self.kappa):
            return self.reason
        return "no permutation was drawn" if isnan(self.c_perm) else FLAT


FLAT = "chance reaches the ceiling: there is nothing to permute"


def kappa(c: float, c_perm: float, ceil: float) -> float:
    """Agreement beyond chance, as a share of what was possible: (c - c_perm) / (ceil - c_perm); NaN below 1e-6."""
    return (c - c_perm) / (ceil - c_perm) if ceil - c_perm >= NARROW else nan


def consistency(
    source: EitherScores,
    target: EitherScores,
    similarity: Similarity,
    *,
    norm: str = "abs",
    segments: tuple[Sequence[int], Sequence[int]] | None = None,
    draws: int = DRAWS,
    key: tuple[str | int, ...] = (0,),
) -> Consistency:
    """How much of an explanation's weight lands on words of the same meaning in the translation's explanation.

        C      = max over plan >= 0 of sum_ij plan_ij S+_ij  with margins <= a and <= b      S+ = max(similarity, 0)
        C_indep = sum_ij a_i S+_ij b_j            ceil_s = sum_i a_i max_j S+_ij;  ceil_t alike
        C_unif  = C with a = 1/m, b = 1/n         C_perm = mean of C over `draws` permutations of a and of b
        p = (1 + #{C_perm >= C}) / (1 + draws)

    a, b are the `source` and `target` scores of m and n units as weights (`norm`, see NORMS). `segments` names the text of
    each unit of a pair (premise, hypothesis): then weight flows within a text only, and is permuted within it. None is one
    transport over all units. With the norm signed, support flows to support and opposition to opposition.
    `key` names the draw, e.g. a seed and the example's id.

    *Laws*: 1 for equal texts and weights; C_indep <= C <= ceil <= 1; symmetric; order of the units does not matter; a unit
    split in two of the same vector changes nothing; weightless units change neither C nor ceil; Lipschitz in the weights;
    equal weights have C_perm = C_unif and lift 0; signed <= abs; in segments <= over all <= the overlap of the segments'
    shares; earned_s and earned_t sum to C; ceil_s is reached by sending each unit's weight to its nearest.

    *Left open by the paper*: how scores become weights (abs), which nulls to set C against (all of the above).
    """
    blocked = _blocked(np.asarray(similarity, dtype=np.float64), segments)
    if 0 in blocked.shape:
        return Consistency(reason="a text has no unit")
    if not np.isfinite(blocked).all():
        return Consistency(reason="a similarity is not finite")
    try:
        a, b = _weighed("source", source, norm, blocked.shape[0]), _weighed("target", target, norm, blocked.shape[1])
    except Undefined as error:
        return Consistency(reason=str(error))
    c, plan = _best(a, b, blocked)
    null = permuted(a, b, blocked, segments, draws, key)
    return Consistency(
        c=c,
        c_unif=uniform(blocked),
        c_perm=float(null.mean()) if draws else nan,
        c_indep=float(sum(a[:, sign] @ blocked @ b[:, sign] for sign in range(a.shape[1]))),
        ceil_s=float(a.sum(1) @ blocked.max(1)),
        ceil_t=float(b.sum(1) @ blocked.max(0)),
        p=float((1 + (null >= c - TIE).sum()) / (1 + draws)) if draws else nan,
        plan=plan,
        earned_s=(plan * blocked).sum(1),
        earned_t=(plan * blocked).sum(0),
    )


def sensitivity(
    source: EitherScores,
    target: EitherScores,
    similarity: Similarity,
    *,
    segments: tuple[Sequence[int], Sequence[int]] | None = None,
    draws: int = DRAWS,
    key: tuple[str | int, ...] = (0,),
) -> dict[str, Consistency]:
    """The same explanations under every norm: a claim whose sign changes between them is not a claim."""
    return {norm: consistency(source, target, similarity, norm=norm, segments=segments, draws=draws, key=key) for norm in NORMS}


def uniform(similarity: Similarity) -> float:
    """C_unif: C if every unit had the same weight, which is the translation's similarity and no explanation at all.

    With as many units on both sides it is the best assignment over n (Birkhoff), which is quicker.
    """
    m, n = similarity.shape
    clipped = np.clip(similarity, 0.0, 1.0)
    if m == n:
        rows, columns = linear_sum_assignment(clipped, maximize=True)
        return float(clipped[rows, columns].mean())
    return transport(np.full(m, 1 / m), np.full(n, 1 / n), clipped)[0]


def permuted(
    source: EitherShares,
    target: EitherShares,
    similarity: Similarity,
    segments: tuple[Sequence[int], Sequence[int]] | None,
    draws: int,
    key: tuple[str | int, ...],
) -> EitherScores:
    """C of `draws` pairs of permutations: the same weights on other words of the same texts. Similarities are in [0, 1]."""
    rng = keyed(*key, "permuted weights")
    sides = segments or ([0] * len(source), [0] * len(target))
    places = [[np.flatnonzero(np.asarray(side) == name) for name in dict.fromkeys(side)] for side in sides]
    found = []
    for _ in range(draws):
        mixed = [each.copy() for each in (source, target)]
        for side, groups, before in zip(mixed, places, (source, target)):
            for group in groups:
                side[group] = before[rng.permutation(group)]
        found.append(sum(worth(mixed[0][:, sign], mixed[1][:, sign], similarity) for sign in range(source.shape[1])))
    return np.array(found, dtype=np.float64)


def _best(a: EitherShares, b: EitherShares, similarity: Similarity) -> tuple[float, Plan]:
    """C and its plan, one transport for each sign: weight never flows from one sign to the other."""
    parts = [transport(a[:, sign], b[:, sign], similarity) for sign in range(a.shape[1])]
    return sum(value for value, _ in parts), np.sum([plan for _, plan in parts], axis=0)


def _blocked(similarity: Similarity, segments: tuple[Sequence[int], Sequence[int]] | None) -> Similarity:
    clipped = np.where(np.isfinite(similarity), np.clip(similarity, 0.0, 1.0), similarity)
    if segments is None:
        return clipped
    left, right = np.asarray(segments[0]), np.asarray(segments[1])
    if (len(left), len(right)) != similarity.shape:
        raise InputError(f"{len(left)} and {len(right)} segments for a similarity of {similarity.shape} units")
    return np.where(left[:, None] == right[None, :], clipped, 0.0)


def _weighed(side: str, scores: EitherScores, norm: str, units: int) -> EitherShares:
    try:
        made = weights(np.asarray(scores, dtype=np.float64), norm)
    except Undefined as error:
        raise Undefined(f"{side}: {error}") from error
    if len(made) != units:
        raise InputError(f"{len(made)} {side} scores for a similarity of {units} units")
    return made
