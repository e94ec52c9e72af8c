"""Kernel SHAP on words that add up: it finds their weights in a fully connected network, and not
in a transformer."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from babelscope import options
from babelscope.data.synthetic import linear_words, sample
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted
from experiments.additive_figure import picture
from experiments.connected_network import Answers, connected
from experiments.repeated_words import mean_weight
from experiments.slalom_models import answers, trained


class Spec(options.Spec):
    copies: list[int]
    samples: int
    connected: dict[str, int]
    transformer: dict[str, Any]
    fitted: int
    seeds: list[int]


def values(spec: Spec) -> dict[str, Any]:
    transformers: list[Answers] = [
        partial(answers, trained(linear_words(), seed=seed, **spec.transformer))
        for seed in spec.seeds
    ]
    networks = [connected(**spec.connected, seed=seed) for seed in spec.seeds]
    layers = spec.transformer["layers"]
    models: dict[str, list[Answers]] = {
        "fully connected": networks,
        f"BERT, {layers} layer{'' if layers == 1 else 's'}": transformers,
    }
    weights = {
        name: [
            float(np.mean([mean_weight(model, copies, spec.samples) for model in seeds]))
            for copies in spec.copies
        ]
        for name, seeds in models.items()
    }
    _, texts = sample(linear_words(), spec.fitted, seed=3)
    value = fit(counted(texts), transformers[0](texts), size=10).value
    words = [(linear_words().words[at], value[at]) for at in np.argsort(-value)]
    figures = {"additive.svg": picture(spec.copies, weights)}
    return {"spec": spec, "weights": weights, "words": words, "figures": figures}
