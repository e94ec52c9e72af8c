"""The trade-off tables of hidden states: how alike models and languages are, layer by layer, and what a probe finds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.analyses.tradeoffs import probing
from babelscope.analyses.tradeoffs.activations import (
    Gram,
    depth_slope,
    folds,
    gram,
    hsic,
    jackknifed,
    paired_cosine,
    retrieval,
    similarity,
)
from babelscope.analyses.tradeoffs.cells import BASE, Dump, Tuned, state_parts
from babelscope.analyses.tradeoffs.outer_tables import Grid, of_kind
from babelscope.random import keyed

POOLINGS = ("mean", "first", "last")
Replicates = Float[np.ndarray, "pair layer replicate"]


def activations_table(found: Dump, *, pooling: str = "mean") -> list[dict[str, Any]]:
    """Per language whose states are kept: similarity of tuned models to the base, to each other, and of seeds to each other.

    `beyond` is by how much models of different sources differ more than seeds of one source do, and `slope` how that grows per
    layer; without a second seed there is no such floor.
    """
    tuned = of_kind(found, "tuned")
    langs = [lang for lang in found.corpus.texts["test"] if all((one, "test", lang) in found.states for one in tuned)]
    return [_language(found, tuned, lang, pooling) for lang in langs]


def _language(found: Dump, tuned: Sequence[Tuned], lang: str, pooling: str) -> dict[str, Any]:
    bases = [one for one in of_kind(found, BASE) if (one, "test", lang) in found.states]
    every = [*tuned, *bases]
    place = {one: at for at, one in enumerate(every)}
    pairs = {
        "to_base": [(place[one], place[base]) for one in tuned for base in bases],
        "between_sources": [(place[a], place[b]) for a, b in combinations(tuned, 2) if a.seed == b.seed],
        "between_seeds": [(place[a], place[b]) for a, b in combinations(tuned, 2) if a.source == b.source],
    }
    sums = _summed(found, every, lang, pooling, [pair for some in pairs.values() for pair in some])
    row: dict[str, Any] = {"lang": lang, "pooling": pooling}
    means: dict[str, Float[np.ndarray, "layer replicate"]] = {}
    start = 0
    for name, some in pairs.items():
        if some:
            means[name] = sums[start : start + len(some)].mean(axis=0)
            row[name] = [list(jackknifed(layer)) for layer in means[name]]
        start += len(some)
    if "between_sources" in means and "between_seeds" in means:
        beyond = means["between_seeds"] - means["between_sources"]
        row["beyond"] = [list(jackknifed(layer)) for layer in beyond]
        row["slope"] = list(jackknifed(depth_slope(beyond.T)))
    row["exchanged"] = _exchanged(found, every[0], lang, pooling)
    row["cosine"] = _cosines(found, tuned, bases, lang, pooling)
    return row


def _summed(found: Dump, every: Sequence[Tuned], lang: str, pooling: str, pairs: Sequence[tuple[int, int]]) -> Replicates:
    """dCKA of every pair, layer and replicate, its h added up over the parts of the texts."""
    rows = found.corpus.texts["test"][lang]
    out = folds([found.corpus.clusters[row.group] for row in rows])
    both: Any = 0.0
    alone: Any = 0.0
    at = 0
    for several in zip(*(state_parts(found, one, "test", lang, pooling) for one in every), strict=True):
        mine = out[at : at + len(several[0])]
        at += len(mine)
        grams: list[list[Gram]] = [[gram(states[:, layer], mine) for layer in range(states.shape[1])] for states in several]
        alone = alone + np.array([[hsic(each, each) for each in model] for model in grams])
        both = both + np.array([[hsic(one, two) for one, two in zip(grams[a], grams[b])] for a, b in pairs])
    return np.array(
        [[similarity(both[p, k], alone[a, k], alone[b, k]) for k in range(both.shape[1])] for p, (a, b) in enumerate(pairs)]
    )


def _exchanged(found: Dump, one: Tuned, lang: str, pooling: str) -> list[float]:
    """The null: a model against itself with the texts exchanged, per layer, on the first part."""
    states = next(state_parts(found, one, "test", lang, pooling))
    turned = keyed("exchanged", lang).permutation(len(states))
    made = []
    for layer in range(states.shape[1]):
        one_side, other = gram(states[:, layer]), gram(states[turned, layer])
        made.append(float(similarity(hsic(one_side, other), hsic(one_side, one_side), hsic(other, other))[0]))
    return made


def _cosines(found: Dump, tuned: Sequence[Tuned], bases: Sequence[Tuned], lang: str, pooling: str) -> dict[str, list[float]]:
    """Mean cosine of the first tuned seed to the base per layer, raw and centred, on the first part of the texts."""
    if not bases:
        return {}
    base = next(state_parts(found, bases[0], "test", lang, pooling))
    made: dict[str, list[float]] = {}
    for name, centred in (("raw", False), ("centred", True)):
        each = []
        for one in tuned:
            if one.seed == tuned[0].seed:
                mine = next(state_parts(found, one, "test", lang, pooling))
                each.append([paired_cosine(mine[:, k], base[:, k], centred=centred) for k in range(mine.shape[1])])
        made[name] = np.mean(each, axis=0).tolist()
    return made


def alignment_table(found: Dump, given: Grid, *, pooling: str = "mean") -> list[dict[str, Any]]:
    """Per model of the first seed (and the base): how well translations find each other, layer by layer, on the first part."""
    tuned = [one for one in of_kind(found, "tuned") if one.seed == given.seeds[0]]
    made: list[dict[str, Any]] = []
    if not given.parallel:
        return made
    for one in (*of_kind(found, BASE), *tuned):
        langs = [lang for lang in given.targets if (one, "test", lang) in found.states]
        held = {lang: next(state_parts(found, one, "test", lang, pooling)) for lang in langs}
        for first, second in combinations(langs, 2):
            x, y = held[first], held[second]
            layers = range(x.shape[1])
            row = {"model": one.source, "kind": one.kind, "first": first, "second": second}
            grams = [(gram(x[:, k]), gram(y[:, k])) for k in layers]
            alike = [float(similarity(hsic(a, b), hsic(a, a), hsic(b, b))[0]) for a, b in grams]
            found_ = [retrieval(x[:, k], y[:, k]) for k in layers]
            made.append({**row, "similarity": alike, "retrieval": [float(np.mean(each)) for each in found_]})
    return made


def whole(found: Dump, one: Tuned, split: str, lang: str, layer: int, pooling: str = "mean") -> Float[np.ndarray, "text dim"]:
    """One layer of all texts: what a probe is fitted on."""
    return np.concatenate([part[:, layer] for part in state_parts(found, one, split, lang, pooling)])


def golds(found: Dump, split: str, lang: str) -> NDArray[np.int64]:
    order = {label: at for at, label in enumerate(found.labels)}
    return np.array([order[str(row.label)] for row in found.corpus.texts[split][lang]], dtype=np.int64)


def probe_hits(
    found: Dump, one: Tuned, source: str, layer: int = -1, *, control: bool = False
) -> dict[str, NDArray[np.float64]]:
    """For every language with states: which test texts a probe gets right that was trained on the states in `source`."""
    truth = {split: _truth(found, split, source, control) for split in ("train", "dev")}
    train, dev = (whole(found, one, split, source, layer) for split in ("train", "dev"))
    fitted = probing.probe(train, truth["train"], dev, truth["dev"], len(found.labels))
    made = {}
    for lang in found.corpus.texts["test"]:
        if (one, "test", lang) in found.states:
            said = probing.logits(fitted, whole(found, one, "test", lang, layer)).argmax(axis=1)
            made[lang] = (said == _truth(found, "test", lang, control)).astype(float)
    return made


def _truth(found: Dump, split: str, lang: str, control: bool) -> NDArray[np.int64]:
    gold = golds(found, split, lang)
    return probing.control_labels([row.group for row in found.corpus.texts[split][lang]], gold) if control else gold
