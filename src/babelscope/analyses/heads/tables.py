"""From the stored counts to everything that the section shows: masks, thresholds, agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from babelscope.analyses.heads.ablation import KIND as ABLATIONS
from babelscope.analyses.heads.ablation import Ablation, summaries
from babelscope.analyses.heads.agreement import Agreement, Step, agreements, likeness, sensitivity
from babelscope.analyses.heads.rows import KIND, restore
from babelscope.analyses.heads.spec import Spec
from babelscope.analyses.stored import stored_keys
from babelscope.display.sheets import csv_text
from babelscope.model.head_masks import HeadMask, head_mask, margins_keeping
from babelscope.model.head_statistics import HeadStatistics, accuracy
from babelscope.store import Store, read

NAME = "heads"


@dataclass(frozen=True, slots=True, eq=False)
class LanguageHeads:
    """The heads of a model in one language: what they point at, and what is kept of them."""

    statistics: HeadStatistics
    masks: Mapping[str, HeadMask]
    """By kind, in the order of the study; the first is the one that is shown."""
    curve: Sequence[Step]
    """How many heads pass as the thresholds vary."""

    @property
    def lang(self) -> str:
        return self.statistics.lang

    @property
    def mask(self) -> HeadMask:
        """The mask that is shown and compared."""
        return next(iter(self.masks.values()))


@dataclass(frozen=True, slots=True, eq=False)
class ModelHeads:
    """The heads of one model on one task, in all languages that it reads."""

    model: str
    task: str
    languages: Sequence[LanguageHeads]
    agreements: Sequence[Agreement]
    """Of the masks of every two languages."""
    likeness: Sequence[float]
    """Of the accuracies of every two languages, in the same order."""
    ablations: Sequence[Ablation] = ()
    """What the model predicts with the heads of a mask alone, or without them."""

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, heads."""
        return self.languages[0].statistics.shape


def tables(store: Store, study: Mapping[str, Any]) -> list[ModelHeads] | None:
    """The heads of every model, in the order of the study; None where nothing is counted.

    Models that are trained separately for each language have one name and different heads, so each
    of them has its own entry, and only heads of the same weights are compared.
    """
    keys = stored_keys(store, study, NAME)
    rows = read(store, KIND, keys).to_pylist()
    if not rows:
        return None
    switched_off = read(store, ABLATIONS, keys).to_pylist()
    switched_off.sort(key=lambda row: _order(study, row))
    spec = Spec.model_validate(study["analyses"][NAME])
    groups: dict[tuple[str, str, str], list[LanguageHeads]] = {}
    for row in sorted(rows, key=lambda row: _order(study, row)):
        weights = (row["model"], row["task"], row["fingerprint"])
        groups.setdefault(weights, []).append(_language(restore(row), spec))
    return [
        replace(_model(*place[:2], languages), ablations=_ablations(switched_off, place))
        for place, languages in groups.items()
    ]


def _ablations(rows: Sequence[Mapping[str, Any]], place: tuple[str, str, str]) -> list[Ablation]:
    """Those of one model on one task."""
    names = ("model", "task", "fingerprint")
    return summaries(row for row in rows if tuple(row[name] for name in names) == place)


def _order(study: Mapping[str, Any], row: Mapping[str, Any]) -> tuple[int, ...]:
    """Where the study lists the model, the task and the language."""
    listed = (
        (row["model"], [model["name"] for model in study["models"]]),
        (row["task"], [task["name"] for task in study["tasks"]]),
        (row["lang"], study["languages"]),
    )
    return tuple(names.index(name) if name in names else len(names) for name, names in listed)


def _language(statistics: HeadStatistics, spec: Spec) -> LanguageHeads:
    return LanguageHeads(statistics, derived(statistics, spec), sensitivity(statistics))


def derived(statistics: HeadStatistics, spec: Spec) -> dict[str, HeadMask]:
    """The masks of a block by kind."""
    fixed = (spec.margin, spec.positional)
    margin, positional = margins_keeping(statistics, spec.part) if spec.part else fixed
    return {
        kind: head_mask(
            statistics,
            kind,
            margin=margin,
            positional=positional,
            seed=spec.seed,
            rate=spec.rate,
        )
        for kind in spec.kinds
    }


def _model(model: str, task: str, languages: Sequence[LanguageHeads]) -> ModelHeads:
    compared = agreements({language.lang: language.mask for language in languages})
    pairs = combinations([language.statistics for language in languages], 2)
    return ModelHeads(model, task, languages, compared, [likeness(*pair) for pair in pairs])


def heads_csv(models: Sequence[ModelHeads]) -> str:
    """One line per model, task, language and head; undefined accuracies are empty."""
    rows: list[dict[str, Any]] = []
    for model in models:
        for language in model.languages:
            rows += _lines(model, language)
    return csv_text(pd.DataFrame(rows))


def _lines(model: ModelHeads, language: LanguageHeads) -> list[dict[str, Any]]:
    statistics, accuracies = language.statistics, accuracy(language.statistics)
    named = {"model": model.model, "task": model.task, "lang": language.lang}
    lines = []
    for layer, head in np.ndindex(*statistics.shape):
        values = zip(statistics.relations, accuracies[layer, head].tolist())
        shares = ("positional", "offset", "sink")
        lines.append(
            {**named, "layer": layer, "head": head}
            | {f"accuracy_{relation}": value for relation, value in values}
            | {name: getattr(statistics, name)[layer, head] for name in shares}
            | {f"kept_{kind}": int(mask.keep[layer][head]) for kind, mask in language.masks.items()}
        )
    return lines
