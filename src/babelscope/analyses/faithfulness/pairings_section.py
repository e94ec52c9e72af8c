"""The chapter of the report about pairings: sentences, tables, curves, and both models' rationales
side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup

from babelscope.analyses.faithfulness import pairings
from babelscope.analyses.faithfulness.pairings import Pairs
from babelscope.display.chart import Figure
from babelscope.display.curve import curve_figure
from babelscope.display.numbers import (
    interval,
    number,
    significant,
    spoken,
)
from babelscope.stats.correlations import Correlation
from babelscope.stats.disparity import CONTROL, Claim, Disparity, covariates
from babelscope.types import Estimate

SHOWN = 3
"""Translation groups of each task whose rationales are shown."""
SHARE = 0.2
"""Of the words, in a rationale."""


@dataclass(frozen=True, slots=True)
class Rationale:
    """What one model found in a text: its prediction, and by each method the top words, those of
    another model too marked.
    """

    model: str
    label: str
    right: bool
    words: dict[str, list[tuple[str, bool]]]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One text in one language, as every paired model reads it."""

    task: str
    group: str
    gold: str
    lang: str
    text: str
    rationales: list[Rationale]


@dataclass(frozen=True, slots=True)
class Chapter:
    """Everything that the template lays out."""

    sentences: list[Markup]
    claims: list[tuple[Claim, str]]
    languages: list[tuple[Disparity, str]]
    methods: list[Disparity]
    published: list[tuple[tuple[str, ...], tuple[Estimate, Estimate, Estimate]]]
    beside: list[tuple[str, str, str, Correlation]]
    curves: list[Figure]
    side_by_side: list[SideBySide]


def chapter(pairs: Pairs, attributions: pa.Table) -> Chapter:
    """The pairings of a study in the page's words."""
    claims = pairings.over_tasks(pairs)
    curves = [
        curve_figure(
            *pairings.specifications(pairs, pairing),
            f"{pairing.name}: every method, metric, setting and way to compare",
        )
        for pairing in pairs.pairings
    ]
    return Chapter(
        [sentence(claim) for claim in claims],
        [(claim, accuracy(pairs, claim.place[0])) for claim in claims],
        [(line, accuracy(pairs, *line.place[:2])) for line in pairings.by_language(pairs)],
        pairings.by_method(pairs),
        pairings.published(pairs),
        pairings.beside(pairs),
        curves,
        side_by_side(pairs, attributions),
    )


def sentence(claim: Claim) -> Markup:
    """A claim, no stronger than the corrected test over tasks allows."""
    pairing, metric = claim.place
    verdict = "is not shown to differ from 0"
    if claim.adjusted < 0.05:
        verdict = "is above 0" if claim.across.effect > 0 else "is below 0"
    elif claim.alike.p < 0.05:
        verdict = f"is smaller than {significant(claim.alike.margin)} in either direction"
    return Markup(
        "{}, {}: the difference {} {} over {} tasks and languages (p = {}, corrected {})."
    ).format(
        pairing,
        spoken(metric),
        interval(claim.interval),
        verdict,
        claim.across.n,
        number(claim.across.sign_flip),
        number(claim.adjusted),
    )


def accuracy(pairs: Pairs, pairing: str, lang: str | None = None) -> str:
    """Both models' accuracy, the mean over tasks (and languages): `0.94 / 0.91`."""
    each = covariates(pairs.readings)["accuracy"].reset_index()
    each = each if lang is None else each[each["lang"] == lang]
    models = next(row for row in pairs.pairings if row.name == pairing)
    sides = ((models.multilingual,), models.monolingual)
    means = (each[each["model"].isin(names)]["accuracy"].mean() for names in sides)
    return " / ".join(number(mean, 2) for mean in means)


def top(words: Sequence[str], scores: Sequence[float]) -> list[str]:
    """The highest scored words, a fifth of them and one at least, in the order of the text.

    *Laws*: never fewer than one word; equal scores go to the earlier word; undefined scores come
    last.
    """
    known = [score if score == score else float("-inf") for score in scores]
    chosen = sorted(range(len(words)), key=lambda at: (-known[at], at))[
        : max(1, ceil(SHARE * len(words)))
    ]
    return [words[at] for at in sorted(chosen)]


def side_by_side(pairs: Pairs, attributions: pa.Table) -> list[SideBySide]:
    """The same texts in both models and all languages; of several seeds the first."""
    names = list(
        dict.fromkeys(
            name for row in pairs.pairings for name in (row.multilingual, *row.monolingual)
        )
    )
    first = pairs.readings.sort_values("seed").drop_duplicates(["model", "task", "lang", "id"])
    counts = (
        first.groupby(["task", "group"])
        .agg(langs=("lang", "nunique"), models=("model", "nunique"))
        .reset_index()
    )
    counts = counts.sort_values(
        ["langs", "models", "group"], ascending=[False, False, True], kind="stable"
    )
    shown = []
    for task, part in counts.groupby("task", sort=False):
        for group in part["group"].head(SHOWN):
            texts = first[(first["task"] == task) & (first["group"] == group)]
            rows = attributions.filter(
                pc.and_(
                    pc.equal(attributions["task"], task), pc.equal(attributions["group"], group)
                )
            )
            shown += _texts(texts, rows.to_pandas(), names)
    return shown


def _texts(texts: pd.DataFrame, rows: pd.DataFrame, names: Sequence[str]) -> list[SideBySide]:
    listed = []
    for lang, part in texts.groupby("lang", sort=False):
        tops: dict[str, dict[str, list[str]]] = {}
        for name, stored in zip(part["model"], part["name"]):
            explained = rows[
                (rows["model"] == stored) & (rows["lang"] == lang) & (rows["method"] != CONTROL)
            ]
            tops[name] = {
                row.method: top(tuple(row.words), tuple(row.word_scores))
                for row in explained.itertuples()
            }
        text = rows[rows["lang"] == lang].iloc[0]
        known = part.drop_duplicates("model").set_index("model")
        rationales = [
            Rationale(name, str(known.loc[name, "label"]), bool(known.loc[name, "right"]), {
                method: [(word, _shared(word, method, name, tops)) for word in words] for method,
                words in tops[name].items()
            })
            for name in names if name in tops
        ]  # fmt: skip
        listed.append(
            SideBySide(
                text["task"],
                text["group"],
                str(text["gold"]),
                str(lang),
                " ".join(text["texts"]),
                rationales,
            )
        )
    return listed


def _shared(word: str, method: str, name: str, tops: dict[str, dict[str, list[str]]]) -> bool:
    """Whether another model has the word in its rationale too."""
    others = (top_words for other, top_words in tops.items() if other != name)
    return any(word in top_words.get(method, ()) for top_words in others)
