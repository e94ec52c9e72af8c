"""Are explanations equally faithful in every language? No stronger an answer than the intervals
allow."""

from __future__ import annotations

from itertools import combinations

from markupsafe import Markup

from babelscope.analyses import ANALYSES
from babelscope.analyses.faithfulness.families import Pair, ordered, shared
from babelscope.analyses.faithfulness.findings import Overview, nothing, overview, present
from babelscope.analyses.faithfulness.summary import FLOOR, Summary, base
from babelscope.analyses.faithfulness.tables import NAME
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.display.numbers import bounds, listed, number, spoken
from babelscope.display.section import Answer, Reference
from babelscope.types import FEW_GROUPS, Estimate

MARGIN = 0.05
"""Two languages are about equal where the whole interval of their difference is within this; where
the metric itself is within it in every language, there is too little to compare."""
TINY = 0.001
"""Differences below it have no digits to show."""
FILE, SUMMARY = "differences.csv", "summary.csv"
ALONE = "Are explanations more faithful than random scores?"
EVERY_LANGUAGE = "Are explanations equally faithful in every language?"
EVERY_MODEL = "Are explanations equally faithful in every language and of every model?"
"""The question of studies of one language, of one model, and of models that read equally many
languages."""


def question(summary: Summary, paired: bool) -> str:
    """What these languages and models can answer: a single language cannot be compared with others.

    `paired` where the study pairs multilingual with monolingual models.
    """
    read = {len(summary.languages_of(model)) for model in summary.models}
    if paired or (len(read) > 1 and 1 in read):
        return ANALYSES[NAME].question
    if len(summary.languages) < 2:
        return ALONE
    return EVERY_MODEL if len(summary.models) > 1 else EVERY_LANGUAGE


def headline(summary: Summary) -> Answer:
    """About the first metric and the best method of the model with the most languages."""
    first = next((line for line in overview(summary) if line.model == summary.main), None)
    if first is None:
        says = "Undefined" if any(map(summary.sign, summary.metrics)) else ""
        return Answer("unmeasured", nothing(summary), says=says)
    langs = present(summary, first, first.best)
    if first.not_above_floor is not None and first.best in first.not_above_floor:
        return _floor(summary, first)
    if len(langs) < 2:
        return _single(summary, first, langs[0])
    return _languages(summary, first, langs)


def _languages(summary: Summary, line: Overview, langs: list[str]) -> Answer:
    pairs = [
        Pair("languages", *ordered(summary, line.metric, line.model, line.best, *two), line.model,
             line.best)
        for two in combinations(langs, 2)
    ]  # fmt: skip
    gaps = {pair: summary.between(line.metric, pair) for pair in pairs}
    decided = [p for p in pairs if summary.decided(line.metric, p) != "undecided"]
    near = all(each.low > -MARGIN and each.high < MARGIN for each in gaps.values())
    highest = max(langs, key=lambda lang: _cell(summary, line, lang).mean)
    if near and summary.sign(line.metric) > 0 and _cell(summary, line, highest).mean < MARGIN:
        return _too_small(summary, line, langs, highest)
    widest = max(pairs if near else decided or pairs, key=lambda pair: abs(gaps[pair].mean))
    gap, places = gaps[widest], _places(langs)
    every = Reference(
        SUMMARY, {"model": line.model, "method": line.best, "metric": line.metric}, "lang",
        len(langs), distinct=True,
    )  # fmt: skip
    references = (every, *_references(line.metric, widest, gap))
    if near:
        verdict = "yes"
        sentence = Markup(
            "Explanations are about equally faithful in {}: {} differs most between {} and {}, by "
            "{} ({})"
        ).format(places, _named(line), *_names(widest), number(gap.mean), _interval(gap))
    elif decided:
        verdict, sentence = "no", _unequal(summary, line, decided, widest, gap)
    else:
        verdict = "undecided"
        apart = gap.low > 0 or gap.high < 0
        why = ", which does not survive the correction for all comparisons" if apart else ""
        sentence = Markup(
            "Whether explanations are equally faithful in {} is open: {} differs most between {} "
            "and {}, by {} ({}){}"
        ).format(places, _named(line), *_names(widest), number(gap.mean), _interval(gap), why)
    more, others = _models(summary, line)
    return Answer(
        verdict,
        sentence + more + ".",
        (*references, *others),
        _chart(summary, line, langs),
        gap.groups,
    )


def _too_small(summary: Summary, line: Overview, langs: list[str], highest: str) -> Answer:
    """Where no language's metric leaves the margin, languages are alike whatever the explanations
    are worth."""
    largest = _cell(summary, line, highest)
    row = {"model": line.model, "method": line.best, "metric": line.metric}
    references = (
        Reference(SUMMARY, row, "lang", len(langs), distinct=True),
        Reference(SUMMARY, {**row, "lang": highest}, "mean", largest.mean),
    )
    text = Markup(
        "Whether explanations are equally faithful in {} is open: {} is close to zero in each, at "
        "most {} (in {}), so that there is too little to compare."
    ).format(_places(langs), _named(line), number(largest.mean), language_name(highest))
    return Answer("undecided", text, references, _chart(summary, line, langs), largest.groups)


def _unequal(
    summary: Summary, line: Overview, decided: list[Pair], widest: Pair, gap: Estimate
) -> Markup:
    higher = summary.sign(line.metric) > 0
    worse = list(dict.fromkeys(pair.second if higher else pair.first for pair in decided))
    low, high = (widest.second, widest.first) if higher else (widest.first, widest.second)
    rest = len(present(summary, line, line.best)) - len(worse)
    more = Markup("; {} too is below another language").format(
        listed([language_name(lang) for lang in worse if lang != low])
    ) if len(worse) > 1 else Markup("")  # fmt: skip
    more = Markup(str(more).replace(" too is ", " are ")) if len(worse) > 2 else more
    same = "; the other languages cannot be distinguished" if rest > 2 and len(worse) == 1 else ""
    return Markup(
        "Explanations are less faithful in {} than in {}: {} is {} by {} ({}){}{}"
    ).format(
        language_name(low),
        language_name(high),
        _named(line),
        "lower" if higher else "higher",
        number(abs(gap.mean)),
        _interval(gap),
        more,
        same,
    )


def _models(summary: Summary, line: Overview) -> tuple[Markup, tuple[Reference, ...]]:
    """The first other model in a language that both read."""
    for model, lang in shared(summary):
        pair = Pair("models", model, summary.main, method=line.best, lang=lang)
        gap = summary.between(line.metric, pair)
        if not gap.n:
            continue
        words = {
            "better": "are more faithful than",
            "worse": "are less faithful than",
            "undecided": "cannot be distinguished from",
        }[summary.decided(line.metric, pair)]
        apart = words.startswith("cannot") and (gap.low > 0 or gap.high < 0)
        why = " after correction for all comparisons" if apart else ""
        text = Markup(". In {}, explanations of {} {} those of {}{} (difference {}, {})").format(
            language_name(lang),
            _whose(model),
            words,
            _whose(summary.main),
            why,
            number(gap.mean),
            _interval(gap),
        )
        return text, _references(line.metric, pair, gap)
    return Markup(""), ()


def _single(summary: Summary, line: Overview, lang: str) -> Answer:
    chart = _chart(summary, line, [lang])
    if line.not_above_floor is None:
        reason = Markup(
            "Only {} was measured, and random scores were not run, so nothing can be compared."
        ).format(language_name(lang))
        return Answer("unmeasured", reason, (), chart)
    pair = Pair("methods", line.best, FLOOR, line.model)
    gap = summary.between(line.metric, pair)
    word, low, high = _turned(gap)
    text = Markup(
        "Explanations of {} by {} in {} are more faithful than random scores: {} is {} by {} ({})."
    ).format(
        _whose(line.model), line.best, language_name(lang), _named(line), word,
        number(abs(gap.mean)), bounds(low, high),
    )  # fmt: skip
    references = _references(line.metric, pair, gap)
    if len(summary.languages) < 2:
        return Answer("yes", text, references, chart, gap.groups)
    lead = Markup("Only {} was measured. ").format(language_name(lang))
    return Answer("unmeasured", lead + text, references, chart, gap.groups)


def _floor(summary: Summary, line: Overview) -> Answer:
    pair = Pair("methods", line.best, FLOOR, line.model)
    gap = summary.between(line.metric, pair)
    apart = gap.low > 0 or gap.high < 0
    few = gap.groups < FEW_GROUPS
    why = "" if not apart else (
        ", which so few independent texts cannot confirm" if few
        else ", which does not survive the correction for all comparisons"
    )  # fmt: skip
    word, low, high = _turned(gap)
    amount = Markup("is {} by {} ({})").format(word, number(abs(gap.mean)), bounds(low, high))
    if max(abs(gap.mean), abs(gap.low), abs(gap.high)) < TINY:
        amount = Markup("differs from theirs by less than {}").format(number(TINY))
    text = Markup(
        "No explanation of {} is shown to be more faithful than random scores: {} of the best, {}, "
        "{}{}."
    ).format(_whose(line.model), _named(line), line.best, amount, why)
    chart = _chart(summary, line, present(summary, line, line.best))
    return Answer("undecided", text, _references(line.metric, pair, gap), chart, gap.groups)


def _references(metric: str, pair: Pair, gap: Estimate) -> tuple[Reference, ...]:
    row = {
        "kind": pair.kind, "metric": metric, "model": pair.model, "method": pair.method,
        "lang": pair.lang, "first": pair.first, "second": pair.second,
    }  # fmt: skip
    return tuple(
        Reference(FILE, row, column, value)
        for column, value in (("difference", gap.mean), ("low", gap.low), ("high", gap.high))
    )


def _chart(summary: Summary, line: Overview, langs: list[str]) -> Chart:
    cells = summary.cells
    rows = [
        Row(
            language_name(lang),
            (mark(cells.get((line.model, lang, line.best, line.metric)), language_name(lang)),),
            mark(cells.get((line.model, lang, FLOOR, line.metric)), "random scores"),
        )
        for lang in langs
    ]
    title = f"{_named(line)} of {line.best} by language; grey: random scores"
    return dot_plot(title, _named(line), rows, width=300, small=True)


def _cell(summary: Summary, line: Overview, lang: str) -> Estimate:
    return summary.cells[line.model, lang, line.best, line.metric]


def _places(langs: list[str]) -> str:
    return f"all {len(langs)} languages" if len(langs) > 2 else "both languages"


def _names(pair: Pair) -> tuple[str, str]:
    return language_name(pair.first), language_name(pair.second)


def _interval(gap: Estimate) -> str:
    return bounds(gap.low, gap.high)


def _turned(gap: Estimate) -> tuple[str, float, float]:
    """Whether the first is higher or lower, and the interval of the amount."""
    if gap.mean >= 0:
        return "higher", gap.low, gap.high
    return "lower", -gap.high, -gap.low


def _named(line: Overview) -> str:
    """The metric without its options, which the table has."""
    return spoken(base(line.metric))


def _whose(model: str) -> str:
    """The model, and the task where there are several."""
    return model.replace(" · ", " on ")
