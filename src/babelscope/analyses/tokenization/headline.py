"""Is it the tokenizer? What re-segmentation changed; without it, that this was not measured."""

from __future__ import annotations

from math import isfinite

import pandas as pd
from markupsafe import Markup

from babelscope.analyses.tokenization.counts import LanguageMeasure
from babelscope.analyses.tokenization.responses import Response
from babelscope.analyses.tokenization.tables import Tables
from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.display.numbers import number, signed, value_range
from babelscope.display.section import Answer, Reference
from babelscope.display.sheets import csv_text

COUNTS, SLOPES = "tokenization.csv", "slopes.csv"


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
    text = (
        "Splitting the same words into more tokens changes explanations: with each further token "
        "per word, {} of {} in {} changes by {} (interval {})"
        if sure
        else "Whether splitting words into more tokens changes explanations is open: the largest "
        "slope, of {} of {} in {}, is {} (interval {})"
    )
    sentence = Markup(text + "; {} of {} slopes exclude 0.").format(
        row.outcome.replace("_", " "),
        row.method,
        language_name(row.lang),
        signed(slope.mean),
        value_range(slope.low, slope.high),
        len(sure),
        len(slopes),
    )
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
    return Answer("yes" if sure else "undecided", sentence, tuple(references), None, slope.n)


def _fertility(tables: Tables) -> Answer:
    words = [
        row
        for row in tables.measures.measured
        if row.measure == "fertility" and isfinite(row.estimate.mean)
    ]
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
    return Answer("unmeasured", lead + first + rest + ".", references, _chart(tables))


def _amount(row: LanguageMeasure, several: bool) -> str:
    bounds = value_range(row.estimate.low, row.estimate.high)
    whose = f" with {row.tokenizer}" if several else ""
    place = f"{language_name(row.lang)}{whose}"
    return f"{number(row.estimate.mean)} tokens in {place} (interval {bounds})"


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
            isfinite(row.by_fertility.low),
            row.by_fertility.low > 0 or row.by_fertility.high < 0,
        )
        for doses in tables.interventions
        for row in doses.responses
    ]  # fmt: skip
    columns = [
        "model", "resegmentation", "lang", "method", "outcome", "slope", "low", "high", "n",
        "defined", "excludes_0",
    ]  # fmt: skip
    return csv_text(pd.DataFrame(rows, columns=columns))
