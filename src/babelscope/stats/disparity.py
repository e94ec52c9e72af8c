"""Multilingual against monolingual models on the same texts: by language, by method, across tasks,
beside covariates.

There is one row per text. A model's value of a text is first compared with its *control*, the mean
over random scores on that text: a model that reacts more to any erasure has higher values for every
method, which says nothing about explanations.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from babelscope.errors import InputError
from babelscope.stats.corrections import holm
from babelscope.stats.intervals import hierarchical, of_sums, ratio
from babelscope.stats.paired import Paired, paired
from babelscope.stats.units import Across, Equivalence, across, equivalence
from babelscope.types import Estimate

CONTROL = "random"
FORMS = ("above", "plain")
"""The value above the control of the same model and text, or the value as it is."""
TEXT = ["seed", "task", "lang", "cluster", "id"]
SIDES = ("multilingual", "monolingual")


@dataclass(frozen=True, slots=True)
class Pairing:
    """A multilingual model and its counterpart: one model, or one for each language."""

    multilingual: str
    monolingual: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.multilingual} − {', '.join(self.monolingual)}"


@dataclass(frozen=True, slots=True)
class Disparity:
    """A comparison within texts. `place` names it (pairing, language, ...); `adjusted` is p by Holm
    among its pairing's."""

    place: tuple[str, ...]
    means: tuple[float, float]
    """Of the multilingual and the monolingual model, over the texts that both have."""
    paired: Paired
    adjusted: float


@dataclass(frozen=True, slots=True)
class Claim:
    """A comparison across tasks and languages, each of them one unit; `adjusted` is the sign-flip p
    by Holm among all."""

    place: tuple[str, ...]
    interval: Estimate
    across: Across
    adjusted: float
    alike: Equivalence


def instances(
    measures: pd.DataFrame,
    predictions: pd.DataFrame,
    pairings: Sequence[Pairing],
    *,
    lower: Collection[str] = (),
) -> pd.DataFrame:
    """For every text both models' values, their controls, and whether both predict the gold label.

        control = mean over samples of random scores of the metric on this text

    `measures` has the columns model, seed, task, lang, cluster, id, method, metric, value;
    `predictions` model, seed, task, lang, id, right. Metrics in `lower` are negated, so that higher
    is always better. The result has the columns pairing, seed, task, lang, cluster, id, method,
    metric, multilingual, monolingual, multilingual_control, monolingual_control, correct.

    *Laws*: the order of the rows does not matter; exchanging the two models exchanges their
    columns; texts that one of them lacks are dropped.
    """
    joined = with_controls(measures, predictions, lower)
    return pd.concat([_both(joined, pairing) for pairing in pairings], ignore_index=True)


def with_controls(
    measures: pd.DataFrame, predictions: pd.DataFrame, lower: Collection[str] = ()
) -> pd.DataFrame:
    """Every model's value of a text by a method beside its control, and whether it is right."""
    keys = [*TEXT, "metric"]
    values = measures.groupby(["model", *keys, "method"], as_index=False)["value"].mean()
    values.loc[values["metric"].isin(list(lower)), "value"] *= -1
    random = values["method"] == CONTROL
    if not random.any():
        raise InputError(
            f"a comparison of models needs random scores as the control; add {CONTROL!r} to the "
            "methods"
        )
    controls = values[random].drop(columns="method").rename(columns={"value": "control"})
    joined = values[~random].merge(controls, on=["model", *keys])
    right = predictions[["model", "seed", "task", "lang", "id", "right"]]
    table: pd.DataFrame = joined.merge(right, on=["model", "seed", "task", "lang", "id"])
    return table


def _both(joined: pd.DataFrame, pairing: Pairing) -> pd.DataFrame:
    first, second = (
        joined[joined["model"].isin(names)].drop(columns="model")
        for names in ((pairing.multilingual,), pairing.monolingual)
    )
    both = first.merge(second, on=[*TEXT, "metric", "method"], suffixes=SIDES)
    names = {f"value{side}": side for side in SIDES} | {
        f"control{side}": f"{side}_control" for side in SIDES
    }
    correct = both["rightmultilingual"] & both["rightmonolingual"]
    named = both.rename(columns=names).assign(pairing=pairing.name, correct=correct)
    return named.drop(columns=[f"right{side}" for side in SIDES])


def compared(table: pd.DataFrame, form: str = "above", *, correct: bool = True) -> pd.DataFrame:
    """The rows to compare, with first, second and difference: of all texts, or of those that both
    models predict correctly."""
    if form not in FORMS:
        raise InputError(f"form {form!r} is not one of: {', '.join(FORMS)}")
    rows = table[table["correct"].astype(bool)] if correct else table
    weight = 1.0 if form == "above" else 0.0
    first, second = (rows[side] - weight * rows[f"{side}_control"] for side in SIDES)
    return rows.assign(first=first, second=second, difference=first - second)


def disparities(rows: pd.DataFrame, by: Sequence[str]) -> list[Disparity]:
    """Multilingual minus monolingual on the same texts, for every value of the columns `by`, the
    first of which is the pairing.

        d_i = first_i - second_i;
        `paired` with clusters flipped and left out whole;   Holm within the pairing

    `rows` are those of `compared`. Columns that are not in `by` are pooled: rows of one cluster
    stay together.

    *Laws*: those of `paired`; the family is all comparisons of a pairing; pooling one value changes
    nothing.
    """
    tests = [
        (
            tuple(map(str, place)),
            tuple(
                float(part.loc[part["difference"].notna(), name].mean())
                for name in ("first", "second")
            ),
            paired(part["first"], part["second"], part["cluster"].tolist()),
        )
        for place, part in rows.groupby(list(by), sort=False)
    ]
    adjusted: dict[tuple[str, ...], float] = {}
    for pairing in dict.fromkeys(place[0] for place, _, _ in tests):
        family = [(place, test.p) for place, _, test in tests if place[0] == pairing]
        adjusted |= dict(zip([place for place, _ in family], holm([p for _, p in family])))
    return [
        Disparity(place, (means[0], means[1]), test, adjusted[place])
        for place, means, test in tests
    ]


def claims(rows: pd.DataFrame, by: Sequence[str], *, margin: float = 0.05) -> list[Claim]:
    """Does the difference hold across tasks and languages? Each task in each language is one
    observation.

        d_u = mean of d over unit u's methods, seeds and texts;   `across` over the d_u;
        `equivalence` within the margin;
        interval by `hierarchical` (unit, seed, cluster);   Holm over all claims

    *Laws*: copying every row changes no effect and no p over units; exchanging the models negates
    the effect and keeps p.
    """
    tests = []
    for place, part in rows.groupby(list(by), sort=False):
        units = (part["task"] + " " + part["lang"]).tolist()
        levels = [units, part["seed"].astype(str).tolist(), part["cluster"].tolist()]
        tests.append((
            tuple(map(str, place)),
            hierarchical(part["difference"].tolist(), levels),
            across(part["first"], part["second"], units),
            equivalence(part["difference"], units, margin=margin),
        ))  # fmt: skip
    adjusted = holm([test.sign_flip for _, _, test, _ in tests])
    return [
        Claim(place, interval, test, p, alike)
        for (place, interval, test, alike), p in zip(tests, adjusted)
    ]


def ratios(rows: pd.DataFrame) -> tuple[Estimate, Estimate, Estimate]:
    """How many times the control, as in the published study: of both models, and the log of their
    quotient.

        r = sum_i value_i / sum_i control_i;
        log r_multilingual - log r_monolingual, the same texts left out of both

    *Laws*: equal models have a difference of 0 with zero width; exchanging them negates it;
    doubling one model's values and controls changes nothing; no interval where a control is not
    above 0.
    """
    clusters = rows["cluster"].tolist()
    sides = rows[[*SIDES, *(f"{side}_control" for side in SIDES)]].to_numpy(
        dtype=np.float64, copy=True
    )
    sides[~np.isfinite(sides).all(axis=1)] = np.nan

    def log_quotient(sums: np.ndarray) -> np.ndarray:
        logs = np.log(np.where(sums > 0, sums, np.nan))
        return np.asarray(logs[:, 0] - logs[:, 2] - logs[:, 1] + logs[:, 3])

    multilingual, monolingual = (ratio(sides[:, at], sides[:, at + 2], clusters) for at in (0, 1))
    return multilingual, monolingual, of_sums(sides, clusters, log_quotient)


def points(rows: pd.DataFrame, readings: pd.DataFrame, pairings: Sequence[Pairing]) -> pd.DataFrame:
    """One point per pairing, metric, task and language: the difference beside those in accuracy, in
    fertility and in splitting.

        accuracy = share of correct predictions;   fertility = sum of tokens / sum of words;
        splitting = words with two tokens or more / words;   all multilingual - monolingual

    `readings` has one row per model, seed, task, lang and id: right, tokens, words, split; all its
    texts count, predicted correctly or not.

    *Laws*: equal models have differences of 0 in everything; the order of the rows does not matter.
    """
    known = covariates(readings)
    models = {pairing.name: pairing for pairing in pairings}
    points = []
    for (pairing, metric, task, lang), part in rows.groupby(
        ["pairing", "metric", "task", "lang"], sort=False
    ):
        here = [
            (name, task, lang)
            for name in models[str(pairing)].monolingual
            if (name, task, lang) in known.index
        ]
        first, second = (
            known.loc[names].mean()
            for names in ([(models[str(pairing)].multilingual, task, lang)], here)
        )
        place = {
            "pairing": pairing,
            "metric": metric,
            "task": task,
            "lang": lang,
            "difference": part["difference"].mean(),
        }
        points.append(place | {str(name): first[name] - second[name] for name in known.columns})
    return pd.DataFrame(points)


def covariates(readings: pd.DataFrame) -> pd.DataFrame:
    """Accuracy, fertility and splitting of every model by task and language, as in `points`."""
    sums = (
        readings.assign(count=1)
        .groupby(["model", "task", "lang"])[["right", "tokens", "words", "split", "count"]]
        .sum()
    )
    return pd.DataFrame(
        {
            "accuracy": sums["right"] / sums["count"],
            "fertility": sums["tokens"] / sums["words"],
            "splitting": sums["split"] / sums["words"],
        }
    )
