"""The comparisons that a page makes, as one family of tests per metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from babelscope.stats.corrections import holm
from babelscope.stats.paired import sign_flips

if TYPE_CHECKING:
    from babelscope.analyses.faithfulness.summary import Summary


@dataclass(frozen=True, slots=True)
class Pair:
    """Two methods of a model (in one language, or in all), two languages of a model and method, or
    two models of a method and language."""

    kind: str
    """One of "methods", "languages" and "models"."""
    first: str
    second: str
    model: str = ""
    method: str = ""
    lang: str = ""


def adjusted(summary: Summary, metric: str) -> dict[Pair, float]:
    """Every comparison that the page makes of a metric, with its p by sign flips of clusters,
    adjusted by Holm over all.

    *Laws*: a comparison and its reverse have the same p; no p is smaller than its own before the
    adjustment.
    """
    pairs = list(dict.fromkeys(_pairs(summary, metric)))
    tests = []
    for pair in pairs:
        values = summary.differences(metric, pair)
        tests.append((values.tolist(), values.index.get_level_values("cluster").tolist()))
    return dict(zip(pairs, holm([test.p for test in sign_flips(tests)])))


def _pairs(summary: Summary, metric: str) -> Iterator[Pair]:
    """The best method of a column against every other, every method against the floor; the best
    method's languages; models.
    """
    from babelscope.analyses.faithfulness.summary import FLOOR

    for model in summary.models:
        langs = summary.languages_of(model)
        for lang in ("", *langs):
            names = summary.methods_of(model, metric, lang or None)
            best = summary.best(model, metric, lang or None)
            rest = [name for name in names if name != FLOOR]
            if best is not None:
                yield from (
                    Pair("methods", best, name, model, lang=lang) for name in rest if name != best
                )
            if FLOOR in names:
                yield from (Pair("methods", name, FLOOR, model, lang=lang) for name in rest)
        best = summary.best(model, metric)
        if best is not None:
            present = [lang for lang in langs if best in summary.methods_of(model, metric, lang)]
            for first, second in combinations(present, 2):
                yield Pair(
                    "languages", *ordered(summary, metric, model, best, first, second), model, best
                )
    for model, lang in shared(summary):
        yield from (
            Pair("models", model, summary.main, method=name, lang=lang) for name in summary.methods
        )


def ordered(
    summary: Summary, metric: str, model: str, method: str, first: str, second: str
) -> tuple[str, str]:
    """Two languages, the one with the higher mean first."""
    means = [summary.cells[model, lang, method, metric].mean for lang in (first, second)]
    return (first, second) if means[0] >= means[1] else (second, first)


def shared(summary: Summary) -> list[tuple[str, str]]:
    """The models other than the main one, each with a language that both were run on."""
    languages = summary.languages_of(summary.main)
    others = [model for model in summary.models if model != summary.main]
    return [
        (model, lang)
        for model in others
        for lang in summary.languages_of(model)
        if lang in languages
    ]
