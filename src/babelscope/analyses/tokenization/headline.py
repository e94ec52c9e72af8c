"""Is it the tokenizer? What re-segmentation changed; without it, that this was not measured."""

from __future__ import annotations

from math import isfinite

import pandas as pd
from markupsafe import Markup

from babelscope.analyses.tokenization.counts import LanguageMeasure, Tokenization
from babelscope.analyses.tokenization.responses import Response
from babelscope.analyses.tokenization.tables import Tables
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.display.numbers import bounds, listed, number, signed, value_range
from babelscope.display.section import Answer, Reference
from babelscope.display.sheets import csv_text
from babelscope.types import FEW_GROUPS

COUNTS, SLOPES = "tokenization.csv", "slopes.csv"
AGREEMENT = "agreement"
"""The outcome that is no metric (`intervention.py`, which needs torch)."""
SHOWN = 8
"""Changes in the small chart."""


def headline(tables: Tables) -> Answer:
    """Whether outcomes change with the number of tokens per word, where words were re-segmented;
    else where words take the most and the fewest tokens."""
    slopes = [
        (doses.model, row)
        for doses in tables.interventions
        for row in doses.responses
        if isfinite(row.by_fertility.low)
    ]
    return _slopes(slopes) if slopes else _fertility(tables)


def _slopes(slopes: list[tuple[str, Response]]) -> Answer:
    sure = [
        (model, row)
        for model, row in slopes
        if row.by_fertility.low > 0 or row.by_fertility.high < 0
    ]
    chosen = sure or slopes
    model, row = max(chosen, key=lambda pair: abs(pair[1].by_fertility.mean))
    slope = row.by_fertility
    enough = any(row.by_fertility.groups >= FEW_GROUPS for _, row in sure)
    text = (
        "Splitting the same words into more tokens changes explanations: with each further token "
        "per word, {} in {} changes by {} (interval {})"
        if enough
        else "Whether splitting words into more tokens changes explanations is open: with each "
        "further token per word, {} in {} changes by {} (interval {})"
    )
    few = f", but none of these is from {FEW_GROUPS} independent texts or more"
    sentence = Markup(text + ". The interval of {} of {} such changes excludes zero{}.").format(
        _outcome(row), language_name(row.lang), signed(slope.mean),
        value_range(slope.low, slope.high), len(sure), len(slopes),
        few if sure and not enough else "",
    )  # fmt: skip
    where = {
        "model": model, "resegmentation": row.arm, "lang": row.lang, "method": row.method,
        "outcome": row.outcome,
    }  # fmt: skip
    columns = (("slope", slope.mean), ("low", slope.low), ("high", slope.high))
    references = [Reference(SLOPES, where, column, value) for column, value in columns]
    references += [
        Reference(SLOPES, {"excludes_0": True}, "", len(sure)),
        Reference(SLOPES, {"defined": True}, "", len(slopes)),
    ]
    verdict = "yes" if enough else "undecided"
    return Answer(verdict, sentence, tuple(references), _slopes_chart(slopes, row), slope.n)


def _outcome(row: Response) -> str:
    """What changes, in words."""
    if row.outcome == AGREEMENT:
        return f"the rank agreement of {row.method} with its explanation of the usual tokens"
    return f"the {row.outcome.replace('_', ' ')} of {row.method}"


def _slopes_chart(slopes: list[tuple[str, Response]], chosen: Response) -> Chart:
    """What the sentence is about, in every language of every model."""
    models = {model for model, _ in slopes}
    same = [
        (model, row)
        for model, row in slopes
        if (row.arm, row.method, row.outcome) == (chosen.arm, chosen.method, chosen.outcome)
    ]
    rows = []
    for model, row in sorted(same, key=lambda pair: -abs(pair[1].by_fertility.mean))[:SHOWN]:
        whose = language_name(row.lang) + (f", {model}" if len(models) > 1 else "")
        rows.append(Row(whose, (mark(row.by_fertility, f"{whose}: {_outcome(row)}"),)))
    what = "rank agreement" if chosen.outcome == AGREEMENT else chosen.outcome.replace("_", " ")
    title = f"change of {what} ({chosen.method}) with each further token per word"
    return dot_plot(title, "change", rows, zero=True, width=300, small=True)


def _fertility(tables: Tables) -> Answer:
    words, unread = read_and_unread(tables.measures)
    if not words:
        text = "No tokenizer has a defined number of tokens per word here."
        return Answer("unmeasured", Markup(text))
    most, least = (pick(words, key=lambda row: row.estimate.mean) for pick in (max, min))
    ends = (most,) if most is least else (most, least)
    lead = Markup("Words were not re-segmented, so its effect on explanations is not known. ")
    several = len({row.tokenizer for row in words}) > 1
    first = Markup("A word takes {}").format(_amount(most, several))
    rest = Markup("") if most is least else Markup(", but {}").format(_amount(least, several))
    columns = ("mean", "low", "high")
    references = tuple(
        Reference(
            COUNTS,
            {"tokenizer": row.tokenizer, "lang": row.lang, "measure": "fertility"},
            column,
            getattr(row.estimate, column),
        )
        for row in ends
        for column in columns
    )
    sentence = lead + first + rest + "." + unread_text(unread)
    return Answer("unmeasured", sentence, references, _chart(tables))


def read_and_unread(
    measures: Tokenization,
) -> tuple[list[LanguageMeasure], list[LanguageMeasure]]:
    """The tokens per word of each tokenizer and language, apart where most tokens are the unknown
    token: one for a whole sentence is not a short segmentation of it.

    Where no tokenizer can read anything, all are left.
    """
    words = [
        row for row in measures.measured
        if row.measure == "fertility" and isfinite(row.estimate.mean)
    ]  # fmt: skip
    unknown = {
        (row.tokenizer, row.lang) for row in measures.measured
        if row.measure == "unknown" and row.estimate.mean > 0.5
    }  # fmt: skip
    unread = [row for row in words if (row.tokenizer, row.lang) in unknown]
    return ([row for row in words if row not in unread], unread) if len(unread) < len(words) else (
        words, []
    )  # fmt: skip


def unread_text(unread: list[LanguageMeasure]) -> Markup:
    """Which tokenizer cannot read which languages; empty where each reads all."""
    sentences = []
    for name in dict.fromkeys(row.tokenizer for row in unread):
        langs = [language_name(row.lang) for row in unread if row.tokenizer == name]
        sentence = " {} cannot read {}: most of its tokens there are unknown."
        sentences.append(Markup(sentence).format(name, listed(langs)))
    return Markup("").join(sentences)


def _amount(row: LanguageMeasure, several: bool) -> str:
    whose = f" with {row.tokenizer}" if several else ""
    place = f"{language_name(row.lang)}{whose}"
    about = bounds(row.estimate.low, row.estimate.high)
    return f"{number(row.estimate.mean)} tokens in {place} ({about})"


def _chart(tables: Tables) -> Chart:
    words = [row for row in tables.measures.measured if row.measure == "fertility"]
    names, langs = (
        list(dict.fromkeys(column)) for column in zip(*((r.tokenizer, r.lang) for r in words))
    )
    by_place = {(row.tokenizer, row.lang): row.estimate for row in words}
    rows = [
        Row(
            language_name(lang),
            tuple(mark(by_place.get((name, lang)), f"{name}, {lang}") for name in names[:4]),
        )
        for lang in langs
    ]
    return dot_plot("tokens per word by language", "tokens", rows, width=300, small=True)


def slopes_csv(tables: Tables) -> str:
    """The slope of each outcome by tokens per word: one line per model, re-segmentation, language,
    method and outcome."""
    rows = [
        (
            doses.model, row.arm, row.lang, row.method, row.outcome, row.by_fertility.mean,
            row.by_fertility.low, row.by_fertility.high, row.by_fertility.n,
            row.by_fertility.groups, isfinite(row.by_fertility.low),
            row.by_fertility.low > 0 or row.by_fertility.high < 0,
        )
        for doses in tables.interventions
        for row in doses.responses
    ]  # fmt: skip
    columns = [
        "model", "resegmentation", "lang", "method", "outcome", "slope", "low", "high", "n",
        "groups", "defined", "excludes_0",
    ]  # fmt: skip
    return csv_text(pd.DataFrame(rows, columns=columns))
