"""Kernel SHAP on words that add up: it finds their weights in a fully connected network, and not
in a transformer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from babelscope import options
from babelscope.data.synthetic import linear_words, sample
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted
from experiments.additive_figure import picture
from experiments.connected_network import connected
from experiments.slalom_models import answers, trained

Answers = Callable[[Sequence[Sequence[int]]], np.ndarray]


class Spec(options.Spec):
    copies: list[int]
    samples: int
    connected: dict[str, int]
    transformer: dict[str, Any]
    fitted: int


def mean_weight(model: Answers, copies: int, samples: int) -> float:
    """Kernel SHAP's mean weight of a place in that many copies of "perfect", against as many of
    "the"."""
    import shap  # an extra, and slow to import: for this page alone

    perfect, the = (linear_words().words.index(word) for word in ("perfect", "the"))
    explainer = shap.KernelExplainer(
        lambda present: model([[perfect if here else the for here in row] for row in present]),
        np.zeros((1, copies)),
    )
    np.random.seed(0)  # noqa: NPY002 (shap samples from the global generator)
    weights = explainer.shap_values(np.ones(copies), nsamples=samples, l1_reg=False, silent=True)
    return float(np.mean(weights))


def values(spec: Spec) -> dict[str, Any]:
    transformer = partial(answers, trained(linear_words(), seed=0, **spec.transformer))
    models = {"fully connected": connected(**spec.connected), "BERT, 1 layer": transformer}
    weights = {
        name: [mean_weight(model, copies, spec.samples) for copies in spec.copies]
        for name, model in models.items()
    }
    _, texts = sample(linear_words(), spec.fitted, seed=3)
    value = fit(counted(texts), transformer(texts), size=10).value
    words = [(linear_words().words[at], value[at]) for at in np.argsort(-value)]
    figures = {"additive.svg": picture(spec.copies, weights)}
    return {"spec": spec, "weights": weights, "words": words, "figures": figures}
