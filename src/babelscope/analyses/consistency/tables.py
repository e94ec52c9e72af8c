"""From the store to everything that the consistency section shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import pyarrow as pa

from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.analyses.consistency.correlation import Correlation
from babelscope.analyses.consistency.pairs import Pair
from babelscope.analyses.consistency.ribbons import Ribbon
from babelscope.analyses.consistency.sensitivity import (
    Steadiness,
    accuracies,
    matrix_with_accuracy,
    steadiness,
    with_accuracy,
)
from babelscope.analyses.consistency.sources import SourceTest, source_tests
from babelscope.analyses.consistency.stored_pairs import Origin, to_comparisons
from babelscope.analyses.consistency.stored_ribbons import stored_ribbons
from babelscope.analyses.consistency.summary import overall
from babelscope.analyses.explanations import EXPLANATIONS
from babelscope.analyses.faithfulness.settings import names_of
from babelscope.analyses.stored import skipped_groups, stored_keys, without_groups
from babelscope.methods import METHODS
from babelscope.store import Store, read

NAME = "consistency"


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """One comparison: whose explanations, a line per language, and how they go with accuracy."""

    origin: Origin
    comparison: Comparison
    overall: tuple[float, float]
    """The mean of C over the languages, without and with the trivial 1 of the source with itself.
    """
    accuracy: Mapping[str, float]
    """By target language."""
    correlation: Correlation
    """Of lift and accuracy over the target languages."""
    partial: float
    """The same given C_unif: the likeness of two languages drives both."""


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """One model, task, method and source over several norms and spaces."""

    origin: Origin
    source: str
    rows: list[Steadiness]


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Models with different source languages: sources x targets."""

    results: tuple[Result, ...]
    """One for each source."""
    mantel: tuple[float, float]
    """Mantel's r and p between lift and accuracy; NaN with fewer than three sources."""
    tests: tuple[SourceTest, ...] = ()
    """Every two sources against one another."""


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Everything that is shown."""

    results: tuple[Result, ...]
    sensitivity: tuple[Sensitivity, ...]
    matrices: tuple[Matrix, ...]
    ribbons: tuple[Ribbon, ...]

    @property
    def main(self) -> list[Result]:
        """What the answer is about: the first method that is no control, its first space
        and norm.
        """
        return main_results(self.results)


def tables(store: Store, study: Mapping[str, Any]) -> Tables | None:
    """The compared pairs of the study; None where there are none."""
    groups = skipped_groups(store, study)
    rows = without_groups(read(store, "pairs", stored_keys(store, study, NAME)), groups, "id")
    if rows.num_rows == 0:
        return None
    compared = _in_order(to_comparisons(rows), study)
    explained = read(store, "attributions", stored_keys(store, study, EXPLANATIONS))
    return build_tables(compared, (), rows, explained)


def build_tables(
    compared: Sequence[tuple[Origin, Comparison]],
    ribbons: Iterable[Ribbon] = (),
    rows: pa.Table | None = None,
    explained: pa.Table | None = None,
) -> Tables:
    """Tables of comparisons; ribbons as given, or drawn from stored pairs and explanations."""
    results = [_result(origin, comparison) for origin, comparison in _named(compared)]
    if rows is not None and explained is not None:
        main = {id(result.comparison) for result in main_results(results)}
        chosen = [(o, c, chosen_pairs(c)) for o, c in compared if id(c) in main]
        ribbons = stored_ribbons(chosen, rows, explained)
    return Tables(tuple(results), _sensitivity(results), _matrices(results), tuple(ribbons))


def main_results(results: Sequence[Result]) -> list[Result]:
    """Of every model and task the first space and norm of the first method that is no control."""
    methods = dict.fromkeys(result.origin.method for result in results)
    real = [name for name in methods if not _is_control(name.partition("[")[0])]
    method = (real or list(methods))[0]
    first: dict[tuple[str, str], Result] = {}
    for result in results:
        if result.origin.method == method:
            first.setdefault((result.origin.model, result.origin.task), result)
    return list(first.values())


def _is_control(method: str) -> bool:
    """Whether the method looks at no model; scores of other tools have names of their own."""
    return method in METHODS and METHODS[method].family == "control"


def chosen_pairs(comparison: Comparison) -> list[Pair]:
    """Of each language the pairs with the highest, the middle and the lowest lift."""
    chosen = []
    for line in comparison.lines:
        pairs = [pair for pair in comparison.pairs if pair.lang == line.lang]
        ranked = sorted(
            (pair for pair in pairs if isfinite(pair.score.lift)),
            key=lambda pair: (-pair.score.lift, pair.id),
        )
        places = sorted({0, len(ranked) // 2, len(ranked) - 1}) if ranked else []
        chosen += [ranked[place] for place in places]
    return chosen


def _result(origin: Origin, comparison: Comparison) -> Result:
    correlation, partial = with_accuracy(comparison)
    accuracy = accuracies(comparison.pairs)
    means = overall(comparison.lines)
    return Result(origin, comparison, means, accuracy, correlation, partial)


def _sensitivity(results: Sequence[Result]) -> tuple[Sensitivity, ...]:
    """Where a model's explanations were compared in several ways."""
    return tuple(
        Sensitivity(
            group[0].origin,
            group[0].comparison.source,
            steadiness([result.comparison for result in group]),
        )
        for group in _by_run(results)
        if len(group) > 1
    )


def _matrices(results: Sequence[Result]) -> tuple[Matrix, ...]:
    """The same task, method, space and norm for models with different sources. Of several models
    with one source the first of the study: the others are rows of the tables by language only."""
    grouped: dict[tuple[Any, ...], list[Result]] = {}
    for group in _by_run(results):
        origin = group[0].origin
        for number, result in enumerate(group):
            place = (origin.task, origin.method, origin.seed, number)
            grouped.setdefault(place, []).append(result)
    matrices = []
    for group in grouped.values():
        first: dict[str, Result] = {}
        for result in group:
            first.setdefault(result.comparison.source, result)
        if len(first) > 1:
            comparisons = [result.comparison for result in first.values()]
            tests = tuple(source_tests(comparisons))
            matrices.append(Matrix(tuple(first.values()), matrix_with_accuracy(comparisons), tests))
    return tuple(matrices)


def _by_run(results: Sequence[Result]) -> list[list[Result]]:
    """Results that differ in nothing but the space and the norm."""
    grouped: dict[tuple[Any, ...], list[Result]] = {}
    for result in results:
        origin = result.origin
        place = (origin.model, origin.task, origin.method, origin.seed, result.comparison.source)
        grouped.setdefault(place, []).append(result)
    return list(grouped.values())


def _named(
    compared: Sequence[tuple[Origin, Comparison]],
) -> list[tuple[Origin, Comparison]]:
    """Methods with their options, where a study has one method with several."""
    texts = [json.dumps(dict(origin.options), sort_keys=True) for origin, _ in compared]
    names = names_of((origin.method, text) for (origin, _), text in zip(compared, texts))
    return [
        (replace(origin, method=names[origin.method, text]), comparison)
        for (origin, comparison), text in zip(compared, texts)
    ]


def _in_order(
    compared: Sequence[tuple[Origin, Comparison]], study: Mapping[str, Any]
) -> list[tuple[Origin, Comparison]]:
    """Models, tasks and methods in the order of the study; spaces and norms stay in theirs."""
    orders = [
        {row["name"]: place for place, row in enumerate(study.get(listed) or ())}
        for listed in ("models", "tasks", "methods")
    ]

    def place(entry: tuple[Origin, Comparison]) -> tuple[int, ...]:
        origin = entry[0]
        names = (origin.model, origin.task, origin.method)
        return *(order.get(name, -1) for order, name in zip(orders, names)), origin.seed

    return sorted(compared, key=place)
