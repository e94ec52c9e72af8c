"""The tables of the page, as values that the template only has to lay out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from babelscope.analyses.faithfulness.families import Pair, shared
from babelscope.analyses.faithfulness.summary import FLOOR, Summary
from babelscope.types import Estimate


@dataclass(frozen=True, slots=True)
class Entry:
    """A mean and its standing among the methods of its column."""

    found: Estimate
    standing: str
    """Is "best", "close" (not significantly different from the best), or empty."""
    above_floor: bool | None
    """Better than random; None where there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class Grid:
    """One metric of one model: a row per method, a column per language and, with several, one for
    all.
    """

    model: str
    columns: list[str]
    rows: list[tuple[str, list[Entry | None]]]


@dataclass(frozen=True, slots=True)
class Change:
    """A model beside the main one: both means, their paired difference, and the verdict."""

    own: Estimate
    main: Estimate
    difference: Estimate
    verdict: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A model beside the main one in one language: a row per method, a column per metric."""

    model: str
    lang: str
    rows: list[tuple[str, list[Change | None]]]


def grids(summary: Summary, metric: str) -> list[Grid]:
    listed = []
    for model in summary.models:
        names = [name for name in summary.methods if (model, name, metric) in summary.pooled]
        langs = summary.languages_of(model)
        columns: list[str | None] = [*langs, None] if len(langs) > 1 else [*langs]
        entries = {lang: _column(summary, model, metric, lang) for lang in columns}
        if names:
            rows = [(name, [entries[lang].get(name) for lang in columns]) for name in names]
            listed.append(Grid(model, [lang or "all" for lang in columns], rows))
    return listed


def _column(summary: Summary, model: str, metric: str, lang: str | None) -> dict[str, Entry]:
    best = summary.best(model, metric, lang)
    ranked = summary.methods_of(model, metric, lang)
    entries = {}
    for name in summary.methods:
        mean = (
            summary.cells.get((model, lang, name, metric))
            if lang
            else summary.pooled.get((model, name, metric))
        )
        if mean is None:
            continue
        standing, above = "", None
        if best and name in ranked and name != FLOOR:
            pair = Pair("methods", best, name, model, lang=lang or "")
            standing = (
                "best"
                if name == best
                else "close"
                if summary.decided(metric, pair) != "better"
                else ""
            )
            if FLOOR in ranked:
                above = (
                    summary.decided(metric, Pair("methods", name, FLOOR, model, lang=lang or ""))
                    == "better"
                )
        entries[name] = Entry(mean, standing, above)
    return entries


def comparisons(summary: Summary) -> list[Comparison]:
    """Every model beside the main one, in each language that both have."""
    listed = []
    for model, lang in shared(summary):
        rows = []
        for method in summary.methods:
            changes = [_change(summary, metric, method, lang, model) for metric in summary.metrics]
            if any(changes):
                rows.append((method, changes))
        if rows:
            listed.append(Comparison(model, lang, rows))
    return listed


def _change(summary: Summary, metric: str, method: str, lang: str, model: str) -> Change | None:
    mean, main = (summary.cells.get((name, lang, method, metric)) for name in (model, summary.main))
    pair = Pair("models", model, summary.main, method=method, lang=lang)
    gap = summary.between(metric, pair)
    return (
        Change(mean, main, gap, summary.decided(metric, pair)) if mean and main and gap.n else None
    )


def undefined(summary: Summary) -> list[tuple[str, str, int, int]]:
    """Per metric and reason: how many values are undefined, of how many."""
    totals = summary.rows["metric"].value_counts()
    lost = summary.rows[summary.rows["value"].isna()]
    counts = Counter(zip(lost["metric"], lost["reason"]))
    known = sorted(counts.items())
    return [
        (metric, reason or "no reason given", count, int(totals[metric]))
        for (metric, reason), count in known
    ]
