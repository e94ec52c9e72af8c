"""The trade-off tables of references, probes, forgetting and attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from babelscope.analyses.tradeoffs import probing
from babelscope.analyses.tradeoffs.attention import language_effect
from babelscope.analyses.tradeoffs.cells import BASE, Answers, Dump, Tuned, answers, state_parts
from babelscope.analyses.tradeoffs.drift import language_loss, weight_drift
from babelscope.analyses.tradeoffs.intervals import intervals
from babelscope.analyses.tradeoffs.outer_tables import Grid, grid, of_kind, right
from babelscope.analyses.tradeoffs.state_tables import golds, probe_hits, whole
from babelscope.model.load import load
from babelscope.random import keyed
from babelscope.stats import estimate

TEXTS = 100
"""Texts per language whose language model loss is taken."""


def references(found: Dump, given: Grid) -> dict[str, Float[np.ndarray, "source target text"]]:
    """Who else is right on the same texts: nobody trained, the base with a probe, its head alone tuned, all languages tuned."""
    shape = (len(given.sources), len(given.targets), len(given.clusters))
    gold, made = given.gold, {}
    if "train" in found.corpus.texts:
        common = [
            np.bincount(golds(found, "train", s)).argmax() if s in found.corpus.texts["train"] else 0 for s in given.sources
        ]
        made["majority"] = np.stack([np.where(gold < 0, np.nan, (gold == each).astype(float)) for each in common])
    base = next(iter(of_kind(found, BASE)), None)
    if base is not None and all((base, "test", t) in found.states for t in given.targets):
        luck = [_random_head(found, base, given, k) for k in range(max(3, len(given.seeds)))]
        made["random_head"] = np.broadcast_to(np.mean(luck, axis=0), shape)
        if all((base, split, s) in found.states for split in ("train", "dev") for s in given.sources):
            hits = [probe_hits(found, base, source) for source in given.sources]
            made["probe"] = np.array([given.row(each) for each in hits])
    for kind in ("head_only", "joint"):
        other = grid(found, kind) if of_kind(found, kind) else None
        if other is not None and other.seeds and (kind == "joint" or set(other.sources) >= set(given.sources)):
            mean = right(other).mean(axis=0)
            order = [0] * len(given.sources) if kind == "joint" else [other.sources.index(s) for s in given.sources]
            made[kind] = mean[order]
    return made


def _random_head(found: Dump, base: Tuned, given: Grid, seed: int) -> Float[np.ndarray, "target text"]:
    """Right or wrong by a head of random weights on the base's first token."""
    hits = {}
    for target in given.targets:
        states = whole(found, base, "test", target, -1, "first")
        weights = keyed(seed, "random head").normal(size=(states.shape[1], len(found.labels)))
        hits[target] = ((states @ weights).argmax(axis=1) == golds(found, "test", target)).astype(float)
    return given.row(hits)


def probing_table(found: Dump, given: Grid) -> list[dict[str, Any]]:
    """Per layer of the base: a probe trained in each source, tested everywhere, and on labels that say nothing."""
    base = next(iter(of_kind(found, BASE)), None)
    if base is None or not all((base, split, s) in found.states for split in ("train", "dev") for s in given.sources):
        return []
    layers = _layers(found, base, given)
    made = []
    for source in given.sources:
        for layer in range(layers):
            task, control = (probe_hits(found, base, source, layer, control=control) for control in (False, True))
            for target, hits in task.items():
                one = estimate(hits.tolist(), [given.clusters[at] for at in given.places(target)])
                made.append(
                    {"source": source, "target": target, "layer": layer, "accuracy": [one.mean, one.low, one.high]}
                    | {"control": float(control[target].mean()), "selectivity": float(hits.mean() - control[target].mean())}
                )
    return made


def forgetting_table(found: Dump, given: Grid, *, seed: int = 0) -> list[dict[str, Any]]:
    """Of every tuned model in every source language: what a fresh probe no longer finds, and what only the head misses.

        forgotten[s, t] = probe_base(t -> t) - probe_tuned(t -> t);   misfit[s, t] = probe_tuned(t -> t) - A[s, t]

    Probes read the last layer. Intervals resample clusters.
    """
    base = next(iter(of_kind(found, BASE)), None)
    splits, made = ("train", "dev", "test"), []
    if base is None:
        return []
    for target, place in zip(given.sources, given.own):
        if place < 0 or not all((base, split, target) in found.states for split in splits):
            continue
        before = probe_hits(found, base, target)[target]
        for row, source in enumerate(given.sources):
            one = next(each for each in of_kind(found, "tuned") if (each.source, each.seed) == (source, given.seeds[0]))
            if not all((one, split, target) in found.states for split in splits):
                continue
            after = probe_hits(found, one, target)[target]
            mine = given.places(target)
            three = np.stack([before[None], after[None], right(given)[:1, row, place, mine]])[None]
            parts = intervals(three, [given.clusters[at] for at in mine], _steps, seed=seed)
            forgotten, misfit = ([float(edge[at]) for edge in parts] for at in (0, 1))
            made.append({"source": source, "target": target, "forgotten": forgotten, "misfit": misfit})
    return made


def _steps(a: Float[np.ndarray, "*draw 3 1"]) -> Float[np.ndarray, "*draw 2"]:
    """From three accuracies, one below the other: the first less the second, the second less the third."""
    return np.stack([a[..., 0, 0] - a[..., 1, 0], a[..., 1, 0] - a[..., 2, 0]], axis=-1)


def language_probe_table(found: Dump, given: Grid) -> list[dict[str, Any]]:
    """How well the language itself can be read off the last layer, before and after tuning."""
    langs = given.sources
    made = []
    for one in (*of_kind(found, BASE), *(each for each in of_kind(found, "tuned") if each.seed == given.seeds[0])):
        if len(langs) < 2 or not all(
            (one, split, lang) in found.states for split in ("train", "dev", "test") for lang in langs
        ):
            continue
        data = {}
        for split in ("train", "dev", "test"):
            states = [whole(found, one, split, lang, -1) for lang in langs]
            data[split] = np.concatenate(states), np.repeat(np.arange(len(langs)), [len(each) for each in states])
        fitted = probing.probe(*data["train"], *data["dev"], len(langs))
        x, y = data["test"]
        made.append({"model": one.source, "accuracy": float((probing.logits(fitted, x).argmax(axis=1) == y).mean())})
    return made


def drift_table(found: Dump, given: Grid, *, language_model: bool = True) -> list[dict[str, Any]]:
    """Per tuned model of the first seed: how far its weights moved, and its language model loss in every language beside the
    base's."""
    base = next(iter(of_kind(found, BASE)), None)
    if base is None:
        return []
    start = load(base.folder, task="text-classification", allow_untrained_head=True)
    texts = [row for rows in found.corpus.texts["test"].values() for row in rows[:TEXTS]] if language_model else []
    before = np.array(language_loss(base.folder, None, texts) if language_model else [])
    made = []
    for one in of_kind(found, "tuned"):
        if one.seed != given.seeds[0]:
            continue
        model = load(one.folder, task="text-classification")
        row: dict[str, Any] = {"source": one.source, "drift": {each.part: each.relative for each in weight_drift(start, model)}}
        losses = {}
        after = np.array(language_loss(base.folder, model, texts) if language_model else [])
        for lang in dict.fromkeys(each.lang for each in texts):
            mine = [at for at, each in enumerate(texts) if each.lang == lang]
            more = estimate((after - before)[mine].tolist(), [found.corpus.clusters[texts[at].group] for at in mine])
            means = {"base": float(before[mine].mean()), "tuned": float(after[mine].mean())}
            losses[lang] = {**means, "more": [more.mean, more.low, more.high]}
        made.append({**row, "language_loss": losses})
    return made


def attention_table(found: Dump, given: Grid, *, seed: int = 0) -> list[dict[str, Any]]:
    """Per model (base, and tuned of the first seed) and quantity: means by language and layer, languages at equal length, and
    what tuning changed, paired by text."""
    base = next(iter(of_kind(found, BASE)), None)
    held = (
        {} if base is None else {t: answers(found, base, "test", t) for t in given.targets if (base, "test", t) in found.cells}
    )
    models: list[tuple[str, dict[str, Answers]]] = [(BASE, held)] if held else []
    models += [(s, {t: given.test[given.seeds[0], s, t] for t in given.targets}) for s in given.sources]
    made = []
    for name, by_lang in models:
        if not all(one.spread for one in by_lang.values()):
            continue
        for quantity in ("nats", "share", "content", "sink"):
            row: dict[str, Any] = {"model": name, "quantity": quantity, "languages": list(by_lang)}
            row["layers"] = {t: np.nanmean(one.spread[quantity], axis=0).tolist() for t, one in by_lang.items()}
            row["heads"] = {t: by_lang[t].heads[quantity].tolist() for t in by_lang if t == name or name == BASE}
            if given.parallel and len(by_lang) > 1:
                row |= _at_equal_length(by_lang, quantity, given.clusters, seed)
            if held and name != BASE:
                row["less_base"] = {t: _changed(one, held[t], quantity, seed) for t, one in by_lang.items() if held[t].spread}
            made.append(row)
    return made


def _at_equal_length(by_lang: dict[str, Answers], quantity: str, clusters: Sequence[str], seed: int) -> dict[str, Any]:
    table = np.stack([one.spread[quantity].mean(axis=1) for one in by_lang.values()], axis=1)
    tokens = np.stack([one.tokens for one in by_lang.values()], axis=1)
    defined = np.isfinite(table).all(axis=1)
    if defined.sum() <= 3:
        return {}
    kept = [clusters[at] for at in np.flatnonzero(defined).tolist()]
    effect = language_effect(table[defined], tokens[defined], kept, seed=seed)
    parts = {t: [float(part[at]) for part in effect[:3]] for at, t in enumerate(by_lang)}
    return {"language_effect": parts, "slope": effect.slope}


def _changed(one: Answers, before: Answers, quantity: str, seed: int) -> list[float]:
    steps = one.spread[quantity].mean(axis=1) - before.spread[quantity].mean(axis=1)
    found = estimate(steps.tolist(), list(one.clusters), seed=seed)
    return [found.mean, found.low, found.high]


def _layers(found: Dump, base: Tuned, given: Grid) -> int:
    return int(next(state_parts(found, base, "test", given.targets[0], "mean")).shape[1])
