"""Released and defined variants of metrics, similarity and entropy, on one model each."""

from __future__ import annotations

from typing import Any

import numpy as np

from babelscope import options
from babelscope.analyses.tradeoffs.activations import debiased_cka, linear_cka
from babelscope.analyses.tradeoffs.attention import entropy
from babelscope.analyses.tradeoffs.readings import read_texts
from babelscope.data.examples import examples
from babelscope.data.spec import DataSpec
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.metrics.released import DEVIATIONS
from babelscope.model import activations, inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from experiments.definition_models import Named, model_of

METRICS = ("released_sufficiency", "released_comprehensiveness")
COLUMNS = {"released": DEVIATIONS} | {
    f"without {name}": tuple(each for each in DEVIATIONS if each != name) for name in DEVIATIONS
} | {"defined": ()}  # fmt: skip


class Spec(options.Spec):
    texts: int
    samples: int
    methods: list[str]
    absolute: list[str]
    summed: list[str]
    """Gradient methods, whose released scores are summed over the occurrences of a token."""
    models: list[Named]
    states: dict[str, list[Any]]
    heads: str
    """The mask of masked relevance propagation."""
    explained: list[Named]
    """Models of masked relevance propagation."""
    samples_of_slalom: list[int]
    slalom: list[Named]


def ratios(spec: Spec, named: Named) -> list[dict[str, Any]]:
    """The ratio to random of every method, with all deviations, all but one, and none."""
    model, texts = model_of(named), examples(named.data, "en")
    chance = [explain(model, texts, "random", part=named.part, seed=at)
              for at in range(spec.samples)]  # fmt: skip
    scored = {method: explain(model, texts, method, part=named.part) for method in spec.methods}
    listed = []
    for metric in METRICS:
        cells: dict[str, list[float]] = {method: [] for method in spec.methods}
        for on in COLUMNS.values():
            null = np.mean([mean(model, each, metric, null_on(on)) for each in chance])
            for method in spec.methods:
                sign = "abs" if method in spec.absolute else "signed"
                used = on if method in spec.summed else null_on(on)
                cells[method].append(mean(model, scored[method], metric, used, sign) / null)
        listed += [{"model": named.name, "metric": metric, "method": method, "cells": each}
                   for method, each in cells.items()]  # fmt: skip
    return listed


def null_on(on: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in on if each != "occurrences")


def mean(
    model: Model, scored: Any, metric: str, on: tuple[str, ...], sign: str = "signed"
) -> float:
    settings = {"deviations": on, "sign": sign}
    measured = [each.value for each in measure(model, scored, metric, options=settings)]
    return float(np.nanmean(measured))


def similarities(spec: Spec, model: Model) -> list[tuple[int, float, float]]:
    """Two languages of one model, last layer: biased and debiased, for several numbers of texts."""
    listed = []
    for count in spec.states["texts"]:
        data = DataSpec(builtin="sentiment", examples=count)
        sides = []
        for lang in spec.states["languages"]:
            states = [each.states for each in read_texts(model, examples(data, lang))]
            sides.append(
                np.array([np.reshape(each.mean, (each.layers, -1))[-1] for each in states])
            )
        listed.append((count, linear_cka(*sides), debiased_cka([(sides[0], sides[1])])))
    return listed


def entropies(spec: Spec, model: Model) -> list[tuple[str, float, float]]:
    """Attention entropy in nats: heads averaged after it is taken, and before, as published."""
    listed = []
    for lang in spec.states["languages"]:
        rows = encode(model, examples(DataSpec(builtin="sentiment", examples=spec.texts), lang))
        pairs = activations.attentions(
            model, [inference.query(row) for row in rows],
            lambda _, weights: (float(entropy(weights.double().numpy()).mean()),
                                float(entropy(weights.double().mean(dim=1).numpy()).mean())),
        )  # fmt: skip
        listed.append((lang, *np.mean(list(pairs), axis=0)))
    return listed
