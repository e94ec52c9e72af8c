"""The published trade-off figures of XLM-R fine-tuned on English and on Hindi: what follows?"""

from __future__ import annotations

from typing import Any

import numpy as np

from babelscope import options
from babelscope.analyses.tradeoffs.activations import debiased_cka, linear_cka
from babelscope.analyses.tradeoffs.confusions import label_shift, scores
from experiments.published_charts import figures
from experiments.tradeoff_figures import ROWS, effects, run, square


class Spec(options.Spec):
    languages: list[str]
    classes: list[str]
    rows: list[int]
    noise: dict[str, Any]


def noise(texts: int, width: int, samples: int) -> np.ndarray:
    """CKA of two independent Gaussian matrices: biased and debiased."""
    pairs = [np.random.default_rng(seed).normal(size=(2, texts, width)) for seed in range(samples)]
    return np.mean([(linear_cka(x, y), debiased_cka([(x, y)])) for x, y in pairs], axis=0)


def values(spec: Spec) -> dict[str, Any]:
    pairs = [f"{gold} as {predicted}" for gold in spec.classes for predicted in spec.classes]
    confusion = np.array([int(ROWS["confusion", "en", "en", pair]) for pair in pairs])
    counts = confusion.reshape(len(spec.classes), -1)
    sizes = (spec.noise["width"], spec.noise["samples"])
    return {
        "runs": [run(rows) for rows in spec.rows],
        "counts": counts,
        "shift": label_shift(counts),
        "scores": scores(counts),
        "recall": {name: effects("recall", name) for name in spec.classes},
        "entropy": square("entropy"),
        "similarity": [ROWS["cka", "", lang, "12"] for lang in spec.languages],
        "figures": figures(),
        "noise": {texts: noise(texts, *sizes) for texts in spec.noise["texts"]},
    }
