"""Similarity of states and entropy of attention, as published and corrected."""

from __future__ import annotations

from typing import Any

import numpy as np

from babelscope.analyses.tradeoffs.activations import debiased_cka, linear_cka
from babelscope.analyses.tradeoffs.attention import entropy
from babelscope.analyses.tradeoffs.readings import read_texts
from babelscope.data.examples import examples
from babelscope.data.spec import DataSpec
from babelscope.model import activations, inference
from babelscope.model.encode import encode
from babelscope.model.load import Model


def similarities(spec: Any, model: Model) -> list[tuple[int, float, float]]:
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


def entropies(spec: Any, model: Model) -> list[tuple[str, float, float]]:
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
