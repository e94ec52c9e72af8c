"""How alike models and languages represent the same texts, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from babelscope.analyses.tradeoffs.activations import (
    Gram,
    depth_slope,
    folds,
    gram,
    hsic,
    jackknifed,
    linear_cka,
    paired_cosine,
    retrieval,
    similarity,
)
from babelscope.analyses.tradeoffs.grid import Grid
from babelscope.analyses.tradeoffs.provenance import SINGLE
from babelscope.analyses.tradeoffs.records import Records, state_parts
from babelscope.random import keyed
from babelscope.types import FineTuning

AS_PUBLISHED = 100
"""Texts of the published similarities, which depend on their number."""
Models = Sequence[FineTuning]
Pairs = Sequence[tuple[int, int]]
Replicates = Float[np.ndarray, "pair layer replicate"]


def activations_table(records: Records, *, pooling: str = "mean") -> list[dict[str, Any]]:
    """Per language whose states are stored: similarity of models to the base, to each other, and of
    seeds to each other.

    `beyond` is by how much models of different sources differ more than seeds of one source do, and
    `slope` how that grows per layer; without a second seed there is no such noise floor.
    """
    tuned = records.of_kind(SINGLE)
    langs = [lang for lang in records.texts["test"] if _stored(records, tuned, lang)]
    return [_row(records, tuned, lang, pooling) for lang in langs]


def states_stored(records: Records) -> bool:
    """Whether there is a language in which the states of all models are stored."""
    return any(_stored(records, records.of_kind(SINGLE), lang) for lang in records.texts["test"])


def _stored(records: Records, models: Models, lang: str) -> bool:
    return all(records.has_states(model, ["test"], [lang]) for model in models)


def _row(records: Records, tuned: Models, lang: str, pooling: str) -> dict[str, Any]:
    bases = (
        [records.base]
        if records.base and records.has_states(records.base, ["test"], [lang])
        else []
    )
    models = [*tuned, *bases]
    pairs = _pairs(tuned, models, bases)
    replicates = _similarities(
        records, models, lang, pooling, [pair for some in pairs.values() for pair in some]
    )
    used = np.unique(folds(records.texts["test"][lang].clusters))
    replicates = replicates[..., [0, *(1 + used)]]  # a fold without texts leaves nothing out
    row: dict[str, Any] = {"lang": lang, "pooling": pooling}
    means: dict[str, Float[np.ndarray, "layer replicate"]] = {}
    start = 0
    for name, some in pairs.items():
        if some:
            means[name] = replicates[start : start + len(some)].mean(axis=0)
            row[name] = [list(jackknifed(layer)) for layer in means[name]]
        start += len(some)
    if "between_sources" in means and "between_seeds" in means:
        beyond = means["between_seeds"] - means["between_sources"]
        row["beyond"] = [list(jackknifed(layer)) for layer in beyond]
        row["slope"] = list(jackknifed(depth_slope(beyond.T)))
    row["exchanged"] = _exchanged(records, models[0], lang, pooling)
    row["cosine"] = _cosines(records, tuned, bases, lang, pooling)
    row["as_published"] = _as_published(records, tuned, lang, pooling)
    return row


def _pairs(tuned: Models, models: Models, bases: Models) -> dict[str, list[tuple[int, int]]]:
    place = {model.model: at for at, model in enumerate(models)}
    couples = [(place[a.model], place[b.model], a, b) for a, b in combinations(tuned, 2)]
    return {
        "to_base": [(place[model.model], place[base.model]) for model in tuned for base in bases],
        "between_sources": [(at, to) for at, to, a, b in couples if a.seed == b.seed],
        "between_seeds": [(at, to) for at, to, a, b in couples if a.source == b.source],
    }


def _similarities(
    records: Records, models: Models, lang: str, pooling: str, pairs: Pairs
) -> Replicates:
    """dCKA of every pair, layer and replicate, its h added up over the parts of the texts."""
    fold = folds(records.texts["test"][lang].clusters)
    both: Any = 0.0
    alone: Any = 0.0
    at = 0
    for several in zip(
        *(state_parts(records, model, "test", lang, pooling) for model in models), strict=True
    ):
        left_out = fold[at : at + len(several[0])]
        at += len(left_out)
        grams = [_grams(states, left_out) for states in several]
        alone = alone + np.array([[hsic(layer, layer) for layer in layers] for layers in grams])
        both = both + np.array([[hsic(a, b) for a, b in zip(grams[i], grams[j])] for i, j in pairs])
    layers = range(both.shape[1])
    return np.array(
        [
            [similarity(both[p, k], alone[i, k], alone[j, k]) for k in layers]
            for p, (i, j) in enumerate(pairs)
        ]
    )


def _grams(
    states: Float[np.ndarray, "text layer dim"], fold: np.ndarray | None = None
) -> list[Gram]:
    return [gram(states[:, layer], fold) for layer in range(states.shape[1])]


def _alike(first: Gram, second: Gram) -> float:
    return float(similarity(hsic(first, second), hsic(first, first), hsic(second, second))[0])


def _exchanged(records: Records, model: FineTuning, lang: str, pooling: str) -> list[float]:
    """The null: a model against itself with the texts exchanged, per layer, on the first part."""
    states = next(state_parts(records, model, "test", lang, pooling))
    turned = states[keyed("exchanged", lang).permutation(len(states))]
    return [_alike(*pair) for pair in zip(_grams(states), _grams(turned))]


def _cosines(
    records: Records, tuned: Models, bases: Models, lang: str, pooling: str
) -> dict[str, list[float]]:
    """Mean cosine of the models of the first seed to the base per layer, raw and centred, on the
    first part."""
    if not bases:
        return {}
    base = next(state_parts(records, bases[0], "test", lang, pooling))
    first = [model for model in tuned if model.seed == tuned[0].seed]
    states = [next(state_parts(records, model, "test", lang, pooling)) for model in first]
    rows = {}
    for name, centred in (("raw", False), ("centred", True)):
        layers = range(base.shape[1])
        each = [
            [paired_cosine(tuned_states[:, k], base[:, k], centred=centred) for k in layers]
            for tuned_states in states
        ]
        rows[name] = np.mean(each, axis=0).tolist()
    return rows


def _as_published(
    records: Records, tuned: Models, lang: str, pooling: str
) -> dict[str, list[float]]:
    """Models of different sources as the trade-off study compares them: biased CKA and the raw
    cosine of the first 100 texts, per layer, averaged over pairs of the first seed."""
    first = [model for model in tuned if model.seed == tuned[0].seed]
    states = [next(state_parts(records, model, "test", lang, pooling)) for model in first]
    pairs = [(x[:AS_PUBLISHED], y[:AS_PUBLISHED]) for x, y in combinations(states, 2)]
    layers = range(states[0].shape[1]) if pairs else range(0)
    return {
        name: [float(np.mean([measure(x[:, k], y[:, k]) for x, y in pairs])) for k in layers]
        for name, measure in (("cka", linear_cka), ("cosine", paired_cosine))
    }


def alignment_table(
    records: Records, table: Grid, *, pooling: str = "mean"
) -> list[dict[str, Any]]:
    """Per model of the first seed (and the base): how well translations find each other, layer by
    layer, on the first part."""
    if not table.parallel:
        return []
    tuned = [model for model in records.of_kind(SINGLE) if model.seed == table.seeds[0]]
    rows = []
    for model in (*([records.base] if records.base else []), *tuned):
        langs = [lang for lang in table.targets if records.has_states(model, ["test"], [lang])]
        states = {lang: next(state_parts(records, model, "test", lang, pooling)) for lang in langs}
        for first, second in combinations(langs, 2):
            x, y = states[first], states[second]
            row: dict[str, Any] = {
                "model": model.source,
                "kind": model.kind,
                "first": first,
                "second": second,
            }
            row["similarity"] = [_alike(*pair) for pair in zip(_grams(x), _grams(y))]
            hits = [retrieval(x[:, k], y[:, k]) for k in range(x.shape[1])]
            rows.append(row | {"retrieval": [float(np.mean(each)) for each in hits]})
    return rows
