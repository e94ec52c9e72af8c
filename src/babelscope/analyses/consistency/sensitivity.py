"""The same explanations under every norm and in every space, and beside the model's accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.analyses.consistency.correlation import Correlation, correlation, mantel, partial
from babelscope.analyses.consistency.pairs import Pair


@dataclass(frozen=True, slots=True)
class Steadiness:
    """A language over all norms and spaces: its lowest and highest lift, and the sign of
    the lift.
    """

    lang: str
    lowest: float
    highest: float
    above: int
    below: int
    """How many whole intervals lie above 0, and below."""
    of: int

    @property
    def claim(self) -> str:
        """What holds whatever the choice: the sign of the lift, or that it has none, or nothing."""
        if self.of in (self.above, self.below):
            return "above chance" if self.above else "below chance"
        if not self.above and not self.below:
            return "not distinguished from chance"
        return "depends on the choice"


def steadiness(comparisons: Sequence[Comparison]) -> list[Steadiness]:
    """Per language the range of its lift over the choices; a claim whose sign changes between them
    is not a claim.

    *Laws*: one choice has a range without width; above + below <= of.
    """
    lines = [line for comparison in comparisons for line in comparison.lines]
    rows = []
    for lang in dict.fromkeys(line.lang for line in lines):
        lifts = [line.means["lift"] for line in lines if line.lang == lang]
        means = [lift.mean for lift in lifts if isfinite(lift.mean)]
        above, below = sum(lift.low > 0 for lift in lifts), sum(lift.high < 0 for lift in lifts)
        lowest, highest = min(means, default=nan), max(means, default=nan)
        rows.append(Steadiness(lang, lowest, highest, above, below, len(lifts)))
    return rows


def accuracies(pairs: Sequence[Pair]) -> dict[str, float]:
    """The share of right predictions in every target language; NaN where predictions or gold are
    not known."""
    correct: dict[str, list[bool]] = {pair.lang: [] for pair in pairs}
    for pair in pairs:
        if pair.correct_t is not None:
            correct[pair.lang].append(pair.correct_t)
    return {lang: float(np.mean(each)) if each else nan for lang, each in correct.items()}


def with_accuracy(comparison: Comparison, name: str = "lift") -> tuple[Correlation, float]:
    """A column's means and the accuracies over the target languages: their correlations, and the
    partial one given C_unif."""
    accuracy = accuracies(comparison.pairs)
    lines = comparison.lines
    values = np.array([line.means[name].mean for line in lines])
    unif = np.array([line.means["c_unif"].mean for line in lines])
    reached = np.array([accuracy[line.lang] for line in lines])
    kept = np.isfinite(values) & np.isfinite(reached) & np.isfinite(unif)
    enough = kept.sum() > 3 and name != "c_unif"
    beyond = partial(values[kept], reached[kept], unif[kept]) if enough else nan
    return correlation(values, reached), beyond


def matrix_with_accuracy(
    comparisons: Sequence[Comparison], name: str = "lift"
) -> tuple[float, float]:
    """Mantel's r and p between a column's means and the accuracies, sources x targets.

    NaN if a cell is missing, one of them is constant, or there are fewer than three sources.
    """
    langs = [comparison.source for comparison in comparisons]
    values, reached = np.full((2, len(langs), len(langs)), nan)
    for row, comparison in enumerate(comparisons):
        accuracy = accuracies(comparison.pairs)
        for line in comparison.lines:
            if line.lang in langs:
                values[row, langs.index(line.lang)] = line.means[name].mean
                reached[row, langs.index(line.lang)] = accuracy[line.lang]
    off = ~np.eye(len(langs), dtype=bool)
    complete = np.isfinite(values[off]).all() and np.isfinite(reached[off]).all()
    r, p = mantel(values, reached) if len(langs) > 2 and complete else (nan, nan)
    return (r, p) if isfinite(r) else (nan, nan)
