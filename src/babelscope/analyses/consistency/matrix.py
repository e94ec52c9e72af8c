"""Sources down, targets across: a number of every pair of languages, with its strength
as a shade.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan

from babelscope.analyses.consistency.summary import Line
from babelscope.analyses.consistency.tables import Matrix, Result
from babelscope.display.numbers import number

MAPPED = {
    "c": "C: the weight that meets its translation",
    "lift": "Lift: C beyond the same weights on other words",
    "kappa": "Kappa: the lift as a share of what was possible",
    "accuracy": "Accuracy of the model in the target language",
}
"""What is shown of every source and target."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """A number, its share of the largest one in size, and what it is read against."""

    value: float
    share: float
    title: str = ""

    @property
    def text(self) -> str:
        return f"{self.value:.2f}".replace("-", "−") if isfinite(self.value) else "–"


@dataclass(frozen=True, slots=True)
class Grid:
    """The same order of languages down and across as far as they are both, so that the diagonal is
    that of a language with itself."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    cells: tuple[tuple[GridCell, ...], ...]


def grid(matrix: Matrix, name: str) -> Grid:
    """One of MAPPED for every source and target; NaN where there is no value."""
    sources = [result.comparison.source for result in matrix.results]
    reached = {line.lang for result in matrix.results for line in result.comparison.lines}
    both = [lang for lang in sources if lang in reached]
    targets = list(dict.fromkeys([*both, *sorted(reached)]))
    values = [[_value(result, lang, name) for lang in targets] for result in matrix.results]
    finite = [abs(value) for row in values for value in row if isfinite(value)]
    largest = max(finite, default=0.0) or 1.0
    cells = [
        tuple(
            GridCell(value, value / largest if isfinite(value) else 0.0, _title(result, lang))
            for lang, value in zip(targets, row)
        )
        for result, row in zip(matrix.results, values)
    ]
    return Grid(tuple(sources), tuple(targets), tuple(cells))


def _line(result: Result, lang: str) -> Line | None:
    return next((line for line in result.comparison.lines if line.lang == lang), None)


def _value(result: Result, lang: str, name: str) -> float:
    line = _line(result, lang)
    if line is None and name == "accuracy" and lang == result.comparison.source:
        return source_accuracy(result)
    if line is None:
        return nan
    if name == "accuracy":
        return result.accuracy[lang]
    return line.kappa.mean if name == "kappa" else line.means[name].mean


def source_accuracy(result: Result) -> float:
    """The share of the compared texts that the model gets right in its source language."""
    correct = [pair.correct_s for pair in result.comparison.pairs if pair.correct_s is not None]
    return sum(correct) / len(correct) if correct else nan


def _title(result: Result, lang: str) -> str:
    line = _line(result, lang)
    if line is None:
        return ""
    lift, kappa = line.means["lift"], line.kappa
    nulls = [
        f"{name} {number(line.means[name].mean)}" for name in ("c", "c_unif", "c_perm", "ceil")
    ]
    return (
        f"{result.comparison.source} → {lang}: lift {number(lift.mean)} [{number(lift.low)}, "
        f"{number(lift.high)}], kappa {number(kappa.mean)} [{number(kappa.low)}, "
        f"{number(kappa.high)}]; {', '.join(nulls)}; n = {line.means['c'].n}"
    )
