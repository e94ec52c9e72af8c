"""What changed between two stores: accuracy and faithfulness of the same models on the same texts,
for versions of a model over time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd
from markupsafe import Markup

from babelscope.data.languages import language_name
from babelscope.display.chart import Chart
from babelscope.display.dots import Row, dot_plot, mark
from babelscope.display.numbers import interval, listed, number, signed, spoken, value_range
from babelscope.display.page import render
from babelscope.display.section import Answer, Reference, Section
from babelscope.display.sheets import csv_text
from babelscope.display.terminal import table
from babelscope.errors import StoreError
from babelscope.reporting import examples
from babelscope.stats.corrections import holm
from babelscope.stats.paired import paired
from babelscope.types import Estimate

FILE = "changes.csv"
ALPHA = 0.05
KEYS = ["model", "lang", "method", "metric"]
ACCURACY = "accuracy"
SHOWN = 8
"""Changes in the small chart."""


@dataclass(frozen=True, slots=True)
class Change:
    """One quantity before and after, on the texts that both stores have."""

    model: str
    lang: str
    method: str
    """Empty for accuracy."""
    metric: str
    before: float
    after: float
    difference: Estimate
    p: float
    """By sign flips of dependent texts together, adjusted by Holm over all changes."""

    @property
    def sure(self) -> bool:
        gap = self.difference
        return self.p < ALPHA and (gap.low > 0 or gap.high < 0)


def values(tables: Mapping[str, Any], predictions: pd.DataFrame) -> pd.DataFrame:
    """Of every text whether each model is right, and its explanations by each metric."""
    columns = [*KEYS, "id", "cluster", "value"]
    gold = predictions[predictions["gold"].notna()]
    right = gold.assign(
        method="", metric=ACCURACY, value=(gold["label"] == gold["gold"]).astype(float)
    )
    parts = [right[columns]]
    if "faithfulness" in tables:
        parts.append(tables["faithfulness"].summary.rows[columns])
    means = pd.concat(parts).groupby([*KEYS, "id", "cluster"])["value"].mean()
    return means.reset_index()


def changes(after: pd.DataFrame, before: pd.DataFrame) -> list[Change]:
    """Every quantity that both have, paired by text; where each has one model, these two are
    compared whatever their names.

    *Laws*: a store compared with itself has no sure change and only differences of 0; exchanging
    the stores changes the signs alone.
    """
    models = [list(dict.fromkeys(rows["model"])) for rows in (after, before)]
    if len(models[0]) == len(models[1]) == 1:
        before = before.assign(model=models[0][0])
    joined = after.merge(before, on=[*KEYS, "id"], suffixes=("", "_before")).dropna(
        subset=["value", "value_before"]
    )
    if joined.empty:
        raise StoreError(
            "the two stores have no text of the same model, language and id in common; nothing can "
            "be compared"
        )
    parts = list(joined.groupby(KEYS, sort=True))
    tests = [
        paired(part["value"], part["value_before"], part["cluster"].astype(str).tolist())
        for _, part in parts
    ]
    adjusted = holm([test.p for test in tests])
    rows = []
    for (place, part), test, p in zip(parts, tests, adjusted):
        model, lang, method, metric = map(str, place)
        before_mean, after_mean = (float(part[name].mean()) for name in ("value_before", "value"))
        names = (model, lang, method, metric)
        rows.append(Change(*names, before_mean, after_mean, test.difference, p))
    return rows


def changes_section(found: Sequence[Change], name: str) -> Section:
    """The changes as a section of the report: those that are sure first."""
    ordered = sorted(found, key=lambda each: (not each.sure, -abs(each.difference.mean)))
    body = render("changes.html.j2", folder=examples.FOLDER, changes=ordered, number=number,
                  signed=signed, interval=interval, spoken=spoken)  # fmt: skip
    answer = headline(found)
    head = ("model", "language", "method", "metric", "before", "after", "change", "interval", "p")
    rows = [
        (each.model, each.lang, each.method or "–", each.metric, each.before, each.after,
         signed(each.difference.mean), value_range(each.difference.low, each.difference.high),
         each.p)
        for each in ordered
    ]  # fmt: skip
    question = f"What changed since the store {name}?"
    return Section(
        "changes", "Changes", question, answer.sentence, body, (table("changes", head, rows),),
        files={FILE: changes_csv(found)}, headline=answer,
    )  # fmt: skip


def headline(found: Sequence[Change]) -> Answer:
    """The largest sure change of accuracy and of faithfulness, or that there is none; no where all
    is as before."""
    sure = [each for each in found if each.sure]
    texts = max(each.difference.n for each in found)
    accuracy = [each for each in found if each.metric == ACCURACY]
    chosen = max(sure or accuracy or found, key=lambda each: abs(each.difference.mean))
    gap = chosen.difference
    method = f" of {chosen.method}" if chosen.method else ""
    what = f"{spoken(chosen.metric)}{method} of {chosen.model} in {language_name(chosen.lang)}"
    lead = (
        f"{len(sure)} of {len(found)} quantities changed, most of all {what}, by"
        if sure
        else f"None of {len(found)} quantities changed significantly; {what} changed by"
    )
    bounds = value_range(gap.low, gap.high) if isfinite(gap.low) else "not defined"
    sentence = Markup("{} {} (interval {}).").format(lead, signed(gap.mean), bounds)
    gaps = [each.difference for each in found]
    same = all(each.mean == each.low == each.high == 0 for each in gaps)
    if same:
        sentence = Markup("All {} quantities are as before.").format(len(found))
    row = {"model": chosen.model, "lang": chosen.lang, "method": chosen.method,
           "metric": chosen.metric}  # fmt: skip
    columns = (("change", gap.mean), ("low", gap.low), ("high", gap.high))
    counts = (Reference(FILE, {}, "", len(found)), Reference(FILE, {"sure": True}, "", len(sure)))
    references = (*counts, *(Reference(FILE, row, name, value) for name, value in columns))
    chart = _chart(found, chosen)
    verdict = "yes" if sure else "no" if same else "undecided"
    says = "Nothing changed" if same else ""
    return Answer(verdict, sentence, references, chart, texts, says)


def _chart(found: Sequence[Change], chosen: Change) -> Chart:
    """The same quantity as in the sentence, by model and language, the largest change first."""
    alike = [
        each for each in found
        if (each.metric, each.method) == (chosen.metric, chosen.method)
        and isfinite(each.difference.mean)
    ]  # fmt: skip
    ranked = sorted(alike, key=lambda each: -abs(each.difference.mean))[:SHOWN]
    rows = [
        Row(
            listed([each.model, language_name(each.lang)], "in"),
            (mark(each.difference, listed([each.model, each.lang])),),
        )
        for each in ranked
    ]
    method = f" of {chosen.method}" if chosen.method else ""
    title = f"change of {spoken(chosen.metric)}{method} by model and language"
    return dot_plot(title, "change", rows, zero=True, width=300, small=True)


def changes_csv(found: Sequence[Change]) -> str:
    """One line per quantity; `sure` where its interval and its adjusted p agree."""
    rows = [
        (each.model, each.lang, each.method, each.metric, each.before, each.after,
         each.difference.mean, each.difference.low, each.difference.high, each.difference.n, each.p,
         each.sure)
        for each in found
    ]  # fmt: skip
    columns = [*KEYS, "before", "after", "change", "low", "high", "n", "p", "sure"]
    return csv_text(pd.DataFrame(rows, columns=columns))
