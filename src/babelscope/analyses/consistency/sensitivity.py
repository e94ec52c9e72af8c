"""The same explanations under every norm and in every space: what changes between them is no finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from babelscope.analyses.consistency.correlation import Correlation, correlation, mantel, partial
from babelscope.analyses.consistency.pairs import Compare, Pair, Settings, score
from babelscope.analyses.consistency.tables import Line, summary
from babelscope.analyses.consistency.weights import NORMS
from babelscope.types import UnitScores

EVERY = tuple(Settings(name) for name in NORMS)
"""All norms, the other settings as they are by default."""


@dataclass(frozen=True, slots=True)
class Scored:
    """The pairs and the lines of one source language, space and norm."""

    source: str
    space: str
    settings: Settings
    pairs: list[Pair]
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Steady:
    """A language over all norms and spaces: its lowest and highest lift, and in how many of them it is above 0."""

    lang: str
    lowest: float
    highest: float
    above: int
    below: int
    """How many whole intervals lie above 0, and below."""
    of: int

    @property
    def claim(self) -> str:
        """What may be said whatever the choice: the sign of the lift, or nothing."""
        return "above chance" if self.above == self.of else "below chance" if self.below == self.of else "depends on the choice"


def score_all(
    rows: Sequence[UnitScores], source: str, compares: Mapping[str, Compare], *,
    settings: Sequence[Settings] = EVERY, targets: Sequence[str] | None = None,
    untrained: Sequence[UnitScores] = (), workers: int = 1,
) -> list[Scored]:  # fmt: skip
    """Every space with every setting, spaces first."""
    found = []
    for name, compare in compares.items():
        for chosen in settings:
            pairs = score(rows, source, compare, targets=targets, settings=chosen, untrained=untrained, workers=workers)
            found.append(Scored(source, name, chosen, pairs, summary(pairs, seed=chosen.seed)))
    return found


def steadiness(found: Sequence[Scored]) -> list[Steady]:
    """Per language the range of its lift over the choices; a claim whose sign changes between them is not a claim.

    *Laws*: one choice has a range without width; above + below <= of.
    """
    made = []
    for lang in dict.fromkeys(line.lang for one in found for line in one.lines):
        lifts = [line.means["lift"] for one in found for line in one.lines if line.lang == lang]
        means = [lift.mean for lift in lifts if isfinite(lift.mean)]
        above, below = sum(lift.low > 0 for lift in lifts), sum(lift.high < 0 for lift in lifts)
        made.append(Steady(lang, min(means, default=nan), max(means, default=nan), above, below, len(lifts)))
    return made


def accuracies(pairs: Sequence[Pair]) -> dict[str, float]:
    """The share of right predictions in every target language; NaN where predictions or gold are not known."""
    found: dict[str, list[bool]] = {pair.lang: [] for pair in pairs}
    for pair in pairs:
        if pair.correct_t is not None:
            found[pair.lang].append(pair.correct_t)
    return {lang: float(np.mean(each)) if each else nan for lang, each in found.items()}


def beside_accuracy(one: Scored, name: str = "lift") -> tuple[Correlation, float]:
    """A column's means and the accuracies over the target languages: correlations, and the partial one given C_unif."""
    right = accuracies(one.pairs)
    values = np.array([line.means[name].mean for line in one.lines])
    unif = np.array([line.means["c_unif"].mean for line in one.lines])
    reached = np.array([right[line.lang] for line in one.lines])
    kept = np.isfinite(values) & np.isfinite(reached) & np.isfinite(unif)
    given = partial(values[kept], reached[kept], unif[kept]) if kept.sum() > 3 and name != "c_unif" else nan
    return correlation(values, reached), given


def square_beside_accuracy(found: Sequence[Scored], name: str = "lift") -> tuple[float, float]:
    """Mantel's r and p between a column's means and the accuracies, sources x targets; NaN if a cell is missing."""
    langs = [one.source for one in found]
    values, reached = np.full((2, len(langs), len(langs)), nan)
    for row, one in enumerate(found):
        right = accuracies(one.pairs)
        for line in one.lines:
            if line.lang in langs:
                values[row, langs.index(line.lang)] = line.means[name].mean
                reached[row, langs.index(line.lang)] = right[line.lang]
    off = ~np.eye(len(langs), dtype=bool)
    if len(langs) < 3 or not np.isfinite(values[off]).all() or not np.isfinite(reached[off]).all():
        return nan, nan
    return mantel(values, reached)
