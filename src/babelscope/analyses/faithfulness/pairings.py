"""Multilingual beside monolingual models: what the page, its CSV and the studies' pages say about
the pairings of a study.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from babelscope.analyses.faithfulness.settings import read_named
from babelscope.analyses.faithfulness.summary import base, described, labelled
from babelscope.analyses.stored import stored_clusters, with_clusters, without_groups
from babelscope.display.sheets import csv_text
from babelscope.files import canonical
from babelscope.stats.correlations import Correlation, correlation
from babelscope.stats.disparity import (
    FORMS,
    SIDES,
    Claim,
    Disparity,
    Pairing,
    claims,
    compared,
    covariates,
    disparities,
    instances,
    points,
    ratios,
)
from babelscope.stats.paired import Paired
from babelscope.stats.specifications import Curve, specification_curve
from babelscope.store import (
    Store,
    read,
)
from babelscope.types import Estimate

CELL = ("pairing", "task", "lang", "method", "metric")
COVARIATES = ("accuracy", "fertility", "splitting")
NOTHING = Disparity((), (nan, nan), Paired(Estimate(nan, nan, nan, 0, 0), nan, True, nan, nan), nan)
"""A comparison without texts."""


@dataclass(frozen=True)
class Pairs:
    """The comparisons of a study: text by text, what each model read, and the metrics' first
    settings by their short names.
    """

    table: pd.DataFrame
    readings: pd.DataFrame
    pairings: tuple[Pairing, ...]
    main: Mapping[str, str]

    def rows(self, form: str = "above", *, correct: bool = True) -> pd.DataFrame:
        """The texts to compare by the first setting of every metric, under its short name."""
        first = self.table[self.table["metric"].isin(list(self.main))]
        return compared(
            first.assign(metric=first["metric"].map(dict(self.main))), form, correct=correct
        )


def pairs(
    store: Store,
    study: Mapping[str, Any],
    keys: Iterable[str] | None = None,
    left_out: frozenset[tuple[str, str]] = frozenset(),
) -> Pairs | None:
    """What the store holds about the study's pairings; nothing where it has none, or no texts that
    both models read.

    Translation groups that are `left_out`, by task, are not counted (`stored.skipped_groups`).
    """
    pairings = study_pairings(study)
    measured = measured_texts(store, study, keys, left_out) if pairings else None
    if measured is None:
        return None
    table = instances(measured.rows, measured.readings, pairings, lower=measured.lower)
    return Pairs(table, measured.readings, pairings, measured.main) if len(table) else None


def study_pairings(study: Mapping[str, Any]) -> tuple[Pairing, ...]:
    """The pairings that a study's block names."""
    return tuple(
        Pairing(models["multilingual"], tuple(models["monolingual"]))
        for models in study.get("pairings") or ()
    )


@dataclass(frozen=True)
class MeasuredTexts:
    """The values of all metrics under the study's names of models and their seeds, what each model
    read, the metrics' first settings by their short names, and those where less is better.
    """

    rows: pd.DataFrame
    readings: pd.DataFrame
    main: Mapping[str, str]
    lower: tuple[str, ...]

    def main_rows(self) -> pd.DataFrame:
        """By the first setting of every metric, under its short name."""
        first = self.rows[self.rows["metric"].isin(list(self.main))]
        return first.assign(metric=first["metric"].map(dict(self.main)))


def measured_texts(
    store: Store,
    study: Mapping[str, Any],
    keys: Iterable[str] | None = None,
    left_out: frozenset[tuple[str, str]] = frozenset(),
) -> MeasuredTexts | None:
    """The values that the store holds of the study's models; None where there are none."""
    measures = without_groups(read_named(store, "measures", keys), left_out).to_pandas()
    if not len(measures):
        return None
    owner = {
        row["name"]: (row["spec"], row["seed"])
        for row in described(study, "models")
        if "spec" in row
    }
    attributions = without_groups(read(store, "attributions", keys), left_out)
    known = readings(attributions, owner)
    rows = with_clusters(labelled(measures), stored_clusters(attributions))
    main = _main(measures, rows, study)
    rows = _owned(rows, owner)
    higher = {row["name"]: row.get("higher_is_better", True) for row in described(study, "metrics")}
    lower = [name for name in rows["metric"].unique() if not higher.get(base(name), True)]
    return MeasuredTexts(rows, known, main, tuple(lower))


def readings(attributions: pa.Table, owner: Mapping[str, tuple[str, int]]) -> pd.DataFrame:
    """What each model read, once per text: whether it was right, how many tokens and
    words it saw, and how many of the words have two tokens or more.
    """
    columns = attributions.select(["model", "task", "lang", "group", "id", "label", "gold"])
    for name, lists in (("tokens", "tokens"), ("words", "words")):
        columns = columns.append_column(name, pc.list_value_length(attributions[lists]))
    columns = columns.append_column("word_index", attributions["word_index"])
    known = _owned(columns.to_pandas().drop_duplicates(["model", "task", "lang", "id"]), owner)
    split = [_split(np.asarray(index, dtype=np.int64)) for index in known["word_index"]]
    right = known["label"] == known["gold"]
    return known.drop(columns="word_index").assign(right=right, split=split)


def _split(word_index: NDArray[np.int64]) -> int:
    """How many words have two tokens or more."""
    return int((np.bincount(word_index[word_index >= 0]) > 1).sum())


def by_language(pairs: Pairs) -> list[Disparity]:
    return disparities(pairs.rows(), ("pairing", "lang", "metric"))


def by_method(pairs: Pairs) -> list[Disparity]:
    return disparities(pairs.rows(), ("pairing", "method", "metric"))


def over_tasks(pairs: Pairs) -> list[Claim]:
    return claims(pairs.rows(), ("pairing", "metric"))


def beside(pairs: Pairs) -> list[tuple[str, str, str, Correlation]]:
    """Over tasks and languages: does the difference go with that in accuracy, or in fertility?"""
    table = points(pairs.rows(), pairs.readings, pairs.pairings)
    if table.empty:  # no text that both models classify correctly
        return []
    return [
        (
            str(pairing),
            str(metric),
            name,
            correlation(part[name], part["difference"], part["task"].tolist()),
        )
        for (pairing, metric), part in table.groupby(["pairing", "metric"], sort=False)
        for name in COVARIATES
    ]


def published(pairs: Pairs) -> list[tuple[tuple[str, ...], tuple[Estimate, Estimate, Estimate]]]:
    """The quantity of the published study, on all texts: ratios to random scores, and the
    logarithm of their quotient.
    """
    rows = pairs.rows(correct=False)
    return [
        (tuple(map(str, place)), ratios(part))
        for place, part in rows.groupby(["pairing", "metric"], sort=False)
    ]


def specifications(pairs: Pairs, pairing: Pairing) -> tuple[pd.DataFrame, Curve]:
    """Every method by every metric and setting, above the floor or plain, on all texts or those
    that both get right.

    The first table has one row per specification: method, metric, setting, form, texts; with the
    options of methods in a column of their own where a study has a method with several.
    """
    table = pairs.table[pairs.table["pairing"] == pairing.name]
    columns, kinds = [], []
    for form in FORMS:
        for correct in (True, False):
            rows = compared(table, form, correct=correct)
            place = ["cluster", "task", "lang", "id", "seed"]
            wide = rows.set_index([*place, "method", "metric"])["difference"].unstack(
                ["method", "metric"]
            )
            columns.append(wide)
            for method, metric in [(str(column[0]), str(column[1])) for column in wide.columns]:
                texts = "both right" if correct else "all"
                name, options = split_setting(method)
                kinds.append((name, options, *split_setting(metric), form, texts))
    whole = pd.concat(columns, axis=1)
    curve = specification_curve(
        whole.to_numpy(dtype=np.float64).T, whole.index.get_level_values("cluster").tolist()
    )
    names = ["method", "options", "metric", "setting", "form", "texts"]
    choices = pd.DataFrame(kinds, columns=names)
    varied = bool((choices["options"] != AS_GIVEN).any())
    return choices if varied else choices.drop(columns="options"), curve


AS_GIVEN = "as given"
"""The setting of a method or metric that a study names with one setting only."""


def split_setting(name: str) -> tuple[str, str]:
    """`integrated_gradients[baseline=zero]` as the name and its setting.

    *Law*: a name without a setting is `as given`.
    """
    plain, _, setting = name.partition("[")
    return plain, setting.rstrip("]") or AS_GIVEN


def csv(pairs: Pairs) -> str:
    """Every cell: pairing, task, language, method, metric and setting, with both models' accuracy
    and fertility; without numbers where there is no text that both get right."""
    known = covariates(pairs.readings).to_dict("index")
    by_name = {pairing.name: pairing for pairing in pairs.pairings}
    tests = {test.place: test for test in disparities(compared(pairs.table), CELL)}
    lines = []
    for place in pairs.table[list(CELL)].drop_duplicates().itertuples(index=False, name=None):
        test, (name, task, lang, *_) = tests.get(place, NOTHING), place
        models = (by_name[name].multilingual, *by_name[name].monolingual)
        sides = [known[model, task, lang] for model in models if (model, task, lang) in known][:2]
        d = test.paired.difference
        numbers = (d.mean, d.low, d.high, d.n, d.undefined, test.paired.p, test.adjusted)
        beside = [side[column] for column in COVARIATES for side in sides]
        lines.append((*place, *test.means, *numbers, *beside))
    head = [*CELL, *SIDES, "difference", "low", "high", "n", "undefined", "p", "p_holm"]
    head += [f"{column}_{side}" for column in COVARIATES for side in SIDES]
    return csv_text(pd.DataFrame(lines, columns=head))


def _owned(rows: pd.DataFrame, owner: Mapping[str, tuple[str, int]]) -> pd.DataFrame:
    """The rows of known models, under the study's names and seeds."""
    known = rows[rows["model"].isin(list(owner))]
    spec, seed = ({name: whose[at] for name, whose in owner.items()} for at in (0, 1))
    return known.assign(
        name=known["model"], seed=known["model"].map(seed), model=known["model"].map(spec)
    )


def _main(measures: pd.DataFrame, named: pd.DataFrame, study: Mapping[str, Any]) -> dict[str, str]:
    """The label of every metric's first setting in the study, and its short name; all labels where
    the study does not say.
    """
    labels = dict(zip(zip(measures["metric"], measures["options"]), named["metric"]))
    main: dict[str, str] = {}
    for row in described(study, "metrics"):
        label = labels.get((row["name"], canonical(row["options"]))) if "options" in row else None
        if label is not None and row["name"] not in main.values():
            main[label] = row["name"]
    return main or {str(name): str(name) for name in named["metric"].unique()}
