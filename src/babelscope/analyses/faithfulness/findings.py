"""The answers in sentences, no stronger than the intervals allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from markupsafe import Markup

from babelscope.analyses.faithfulness.families import Pair, ordered, shared
from babelscope.analyses.faithfulness.summary import FLOOR, Summary
from babelscope.display.numbers import interval, listed, number, spoken, unbroken
from babelscope.types import Estimate


@dataclass(frozen=True, slots=True)
class Overview:
    """One metric of one model in a line."""

    metric: str
    model: str
    best: str
    mean: Estimate
    undecided: list[str]
    """The methods that cannot be distinguished from the best."""
    not_above_floor: list[str] | None
    """The methods that are not better than random; None where random was not run."""


def overview(summary: Summary) -> list[Overview]:
    """Metrics in the study's order, for each its models."""
    lines = []
    for metric in summary.metrics:
        for model in summary.models:
            best = summary.best(model, metric)
            if best is None:
                continue
            names = [name for name in summary.methods_of(model, metric) if name != FLOOR]
            others = [name for name in names if name != best]
            close = [name for name in others if not _better(summary, model, metric, best, name)]
            floor = FLOOR in summary.methods_of(model, metric)
            below = (
                [name for name in names if not _better(summary, model, metric, name, FLOOR)]
                if floor
                else None
            )
            lines.append(
                Overview(metric, model, best, summary.pooled[model, best, metric], close, below)
            )
    return lines


def lead(summary: Summary, lines: Sequence[Overview]) -> list[Markup]:
    """The sentences of the first paragraph: about the first metric of the model with the most
    languages.
    """
    first = next((line for line in lines if line.model == summary.main), None)
    if first is None:
        return [nothing(summary)]
    parts = [
        _leader(summary, first),
        _floor(summary, first),
        _languages(summary, first),
        _models(summary, first),
    ]
    return [part for part in parts if part]


def nothing(summary: Summary) -> Markup:
    """Why no method of the main model is ranked: metrics without a direction or without values."""
    directed = [name for name in summary.metrics if summary.sign(name)]
    if not directed:
        return Markup(
            "No metric of this study says which direction is better, so no method is ranked."
        )
    rows = summary.rows[(summary.rows["model"] == summary.main)]
    reasons = rows[rows["metric"].isin(directed) & rows["value"].isna()]["reason"].dropna()
    why = f": {reasons.value_counts().index[0]}" if len(reasons) else ""
    return Markup("No metric has a value on any text of {}{}. So no method is ranked.").format(
        summary.main, why
    )


def in_brief(summary: Summary, accuracy: Mapping[tuple[str, str], Estimate]) -> list[str]:
    """The study in about ten plain lines for a terminal: how good the models are, and how faithful
    which explanation is.
    """
    lines = []
    for model in summary.models:
        accuracies = [
            f"{lang} {number(accuracy[model, lang].mean, 2)}"
            for lang in summary.languages_of(model)
            if (model, lang) in accuracy
        ]
        lines.append(f"{model}: accuracy {', '.join(accuracies)}")
    lines += [str(part.striptags()) for part in lead(summary, overview(summary))]
    for line in overview(summary):
        if line.model == summary.main:
            arrow = "↑" if summary.sign(line.metric) > 0 else "↓"
            floor = summary.pooled.get((line.model, FLOOR, line.metric))
            beside = "" if floor is None else f"; random {interval(floor).striptags()}"
            lines.append(
                f"{spoken(line.metric)} {arrow}: {line.best} "
                f"{interval(line.mean).striptags()}{beside}"
            )
    return lines


def _leader(summary: Summary, line: Overview) -> Markup:
    word = "highest" if summary.sign(line.metric) > 0 else "lowest"
    count = len(summary.languages_of(line.model))
    where = "" if count == 1 else f" over {count} languages"
    sentence = Markup(
        "On {} ({} is better), <b>{}</b> has the {} mean for {}{}: {} (n = {})"
    ).format(
        spoken(line.metric),
        f"{word[:-3]}er",
        line.best,
        word,
        unbroken(line.model),
        where,
        interval(line.mean),
        line.mean.n,
    )
    others = [
        name
        for name in summary.methods_of(line.model, line.metric)
        if name not in (line.best, FLOOR)
    ]
    if not others:
        return sentence + "."
    if line.undecided:
        return sentence + Markup("; it cannot be distinguished from {}.").format(
            listed(line.undecided)
        )
    return sentence + Markup(", better than {}.").format(
        others[0] if len(others) == 1 else "every other method"
    )


def _floor(summary: Summary, line: Overview) -> Markup:
    if line.not_above_floor is None:
        return Markup("Random scores were not run, so no method can be compared with them.")
    names = [name for name in summary.methods_of(line.model, line.metric) if name != FLOOR]
    missed: dict[str, str] = {}
    for name in names:
        langs = present(summary, line, name)
        failing = [
            lang
            for lang in langs
            if not _better(summary, line.model, line.metric, name, FLOOR, lang)
        ]
        if failing:
            missed[name] = (
                "in every language" if len(failing) == len(langs) > 1 else f"in {listed(failing)}"
            )
    if not missed:
        return Markup("Every method is better than random in every language.")
    listing = Markup(", ").join(
        Markup("<b>{}</b> ({})").format(name, where) for name, where in missed.items()
    )
    rest = "; all other methods are, in every language" if len(missed) < len(names) else ""
    return Markup("Not shown to be better than random: {}{}.").format(listing, rest)


def _languages(summary: Summary, line: Overview) -> Markup:
    langs = present(summary, line, line.best)
    if len(langs) < 2:
        return Markup("")
    mean = {lang: summary.cells[line.model, lang, line.best, line.metric].mean for lang in langs}
    high, low = max(combinations(langs, 2), key=lambda pair: abs(mean[pair[0]] - mean[pair[1]]))
    high, low = ordered(summary, line.metric, line.model, line.best, high, low)
    pair = Pair("languages", high, low, line.model, line.best)
    gap, verdict = summary.between(line.metric, pair), summary.decided(line.metric, pair)
    sure = "" if verdict != "undecided" else ", not significantly different from 0"
    return Markup(
        "For {}, languages differ most between {} ({}) and {} ({}): a paired difference of {}{}."
    ).format(line.best, high, number(mean[high]), low, number(mean[low]), interval(gap), sure)


def _models(summary: Summary, line: Overview) -> Markup:
    """The other models beside the main one, in the languages that they share; at most four
    comparisons.
    """
    verbs = {
        "better": "scores better than",
        "worse": "scores worse than",
        "undecided": "cannot be distinguished from",
    }
    clauses = []
    for model, lang in shared(summary):
        pair = Pair("models", model, summary.main, method=line.best, lang=lang)
        gap = summary.between(line.metric, pair)
        if gap.n:
            verb = verbs[summary.decided(line.metric, pair)]
            clauses.append(
                Markup("{} {} {} in {}: {}").format(
                    unbroken(model), verb, unbroken(summary.main), lang, interval(gap)
                )
            )
    return (
        Markup("Explained by {}, {}.").format(line.best, Markup("; ").join(clauses[:4]))
        if clauses
        else Markup("")
    )


def present(summary: Summary, line: Overview, method: str) -> list[str]:
    """The languages in which the method has a mean."""
    langs = summary.languages_of(line.model)
    return [lang for lang in langs if method in summary.methods_of(line.model, line.metric, lang)]


def _better(
    summary: Summary, model: str, metric: str, first: str, second: str, lang: str | None = None
) -> bool:
    return (
        summary.decided(metric, Pair("methods", first, second, model, lang=lang or "")) == "better"
    )
