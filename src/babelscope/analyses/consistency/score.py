"""Do a text and its translation get the same explanation? C, and the bounds and nulls it is read
against."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan, nan

import numpy as np
from jaxtyping import Float

from babelscope.analyses.consistency.nulls import (
    Segments,
    SourceShares,
    TargetShares,
    permuted,
    uniform,
)
from babelscope.analyses.consistency.transport import Plan, Similarity, transport
from babelscope.analyses.consistency.weights import NORMS, Scores, Shares, weights
from babelscope.display.numbers import number
from babelscope.errors import InputError, Undefined

SourceScores = Float[np.ndarray, " source"]
TargetScores = Float[np.ndarray, " target"]

PERMUTATIONS = 20
"""Behind C_perm: enough for the mean of a corpus; a p-value of one pair needs 999."""
NARROW = 1e-6
TIE = 1e-12
FLAT = "chance reaches the ceiling: there is nothing to permute"


@dataclass(frozen=True, slots=True, eq=False)
class Consistency:
    """C of one pair of texts with everything needed to read it. Undefined is NaN, with
    the reason.
    """

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
    earned_s: SourceScores | None = None
    """What each source unit adds to C; they sum to it."""
    earned_t: TargetScores | None = None

    def __repr__(self) -> str:
        if self.reason:
            return f"<Consistency: undefined ({self.reason})>"
        shown = [f"{name} {number(value)}" for name, value in self._facts().items()]
        return f"<Consistency: {', '.join(shown)}>"

    def _repr_html_(self) -> str:
        from babelscope.display.cards import card

        return str(card("Consistency", self._facts() | {"undefined": self.reason}))

    def _facts(self) -> dict[str, float]:
        return {
            "C": self.c, "C_perm": self.c_perm, "ceil": self.ceil, "lift": self.lift,
            "kappa": self.kappa, "p": self.p,
        }  # fmt: skip

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
        """(C - C_perm) / (ceil - C_perm): 1 is as consistent as the vocabulary permits.

        Of a corpus it is the kappa of the means (`summary`).
        """
        return kappa(self.c, self.c_perm, self.ceil)

    @property
    def kappa_reason(self) -> str:
        """Why there is no kappa: as C, or because chance reaches the ceiling, as in texts of one
        word.
        """
        if self.reason or isfinite(self.kappa):
            return self.reason
        return "no permutation was sampled" if isnan(self.c_perm) else FLAT


def kappa(c: float, c_perm: float, ceil: float) -> float:
    """Agreement beyond chance, as a share of what was possible.

    kappa = (c - c_perm) / (ceil - c_perm); NaN where the denominator is below 1e-6
    """
    return (c - c_perm) / (ceil - c_perm) if ceil - c_perm >= NARROW else nan


def consistency(
    source: Float[np.ndarray, " any_source"],
    target: Float[np.ndarray, " any_target"],
    similarity: Similarity,
    *,
    norm: str = "abs",
    segments: Segments | None = None,
    permutations: int = PERMUTATIONS,
    key: tuple[str | int, ...] = (0,),
) -> Consistency:
    """How much of an explanation's weight lands on words of the same meaning in the translation's.

        score = consistency(np.array([0.7, 0.3]), np.array([0.4, 0.6]), np.eye(2))
        score.c, score.c_perm, score.ceil, score.lift

        C       = max over plan >= 0 of sum_ij plan_ij S+_ij  with margins <= a and <= b
                  S+ = max(similarity, 0)
        C_indep = sum_ij a_i S+_ij b_j           ceil_s = sum_i a_i max_j S+_ij;  ceil_t alike
        C_unif  = C with a = 1/m, b = 1/n        C_perm = mean of C over `permutations` of a and of
          b
        p = (1 + #{C_perm >= C}) / (1 + permutations)

    a, b are the `source` and `target` scores of m and n units as weights (`norm`, see NORMS).
    `segments` names the text of each unit of a pair (premise, hypothesis): then weight flows within
    a text only, and is permuted within it. None is one transport over all units. With the norm
    signed, support flows to support and opposition to opposition. `key` seeds the permutations,
    e.g. a seed and the example's id.

    *Laws*: 1 for equal texts and weights; C_indep <= C <= ceil <= 1; symmetric; order of the units
    does not matter; a unit split in two of the same vector changes nothing; weightless units change
    neither C nor ceil; Lipschitz in the weights; equal weights have C_perm = C_unif and lift 0;
    signed <= abs; in segments <= over all <= the overlap of the segments' shares; earned_s and
    earned_t sum to C; ceil_s is reached by sending each unit's weight to its nearest.

    *Left open by the paper*: how scores become weights (abs), which nulls to set C against (all of
    the above).
    """
    blocked = block_segments(np.asarray(similarity, dtype=np.float64), segments)
    if 0 in blocked.shape:
        return Consistency(reason="a text has no unit")
    if not np.isfinite(blocked).all():
        return Consistency(reason="a similarity is not finite")
    try:
        a = _weights("source", source, norm, blocked.shape[0])
        b = _weights("target", target, norm, blocked.shape[1])
    except Undefined as error:
        return Consistency(reason=str(error))
    return _score(a, b, blocked, permuted(a, b, blocked, segments, permutations, key))


def sensitivity(
    source: Float[np.ndarray, " any_source"],
    target: Float[np.ndarray, " any_target"],
    similarity: Similarity,
    *,
    segments: Segments | None = None,
    permutations: int = PERMUTATIONS,
    key: tuple[str | int, ...] = (0,),
) -> dict[str, Consistency]:
    """The same explanations under every norm: a claim whose sign changes between them is not a
    claim.
    """
    scores = {}
    for norm in NORMS:
        scores[norm] = consistency(
            source,
            target,
            similarity,
            norm=norm,
            segments=segments,
            permutations=permutations,
            key=key,
        )
    return scores


def block_segments(similarity: Similarity, segments: Segments | None) -> Similarity:
    """The similarity clipped to [0, 1], and 0 between units of different texts of a pair."""
    clipped = np.where(np.isfinite(similarity), np.clip(similarity, 0.0, 1.0), similarity)
    if segments is None:
        return clipped
    left, right = np.asarray(segments[0]), np.asarray(segments[1])
    if (len(left), len(right)) != similarity.shape:
        shape = similarity.shape
        raise InputError(f"{len(left)} and {len(right)} segments for a similarity of {shape} units")
    return np.where(left[:, None] == right[None, :], clipped, 0.0)


def _score(
    a: SourceShares,
    b: TargetShares,
    similarity: Similarity,
    null: Float[np.ndarray, " permutation"],
) -> Consistency:
    c, plan = _best(a, b, similarity)
    signs = range(a.shape[1])
    return Consistency(
        c=c,
        c_unif=uniform(similarity),
        c_perm=float(null.mean()) if len(null) else nan,
        c_indep=float(sum(a[:, sign] @ similarity @ b[:, sign] for sign in signs)),
        ceil_s=float(a.sum(1) @ similarity.max(1)),
        ceil_t=float(b.sum(1) @ similarity.max(0)),
        p=float((1 + (null >= c - TIE).sum()) / (1 + len(null))) if len(null) else nan,
        plan=plan,
        earned_s=(plan * similarity).sum(1),
        earned_t=(plan * similarity).sum(0),
    )


def _best(a: SourceShares, b: TargetShares, similarity: Similarity) -> tuple[float, Plan]:
    """C and its plan, one transport for each sign: weight never flows from one sign to
    the other.
    """
    parts = [transport(a[:, sign], b[:, sign], similarity) for sign in range(a.shape[1])]
    return sum(value for value, _ in parts), np.sum([plan for _, plan in parts], axis=0)


def _weights(side: str, scores: Scores, norm: str, units: int) -> Shares:
    try:
        shares = weights(np.asarray(scores, dtype=np.float64), norm)
    except Undefined as error:
        raise Undefined(f"{side}: {error}") from error
    if len(shares) != units:
        raise InputError(f"{len(shares)} {side} scores for a similarity of {units} units")
    return shares
