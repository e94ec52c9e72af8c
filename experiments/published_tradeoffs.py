"""The published trade-off figures of XLM-R fine-tuned on English and on Hindi: what follows?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from babelscope import options
from babelscope.analyses.tradeoffs.activations import debiased_cka, linear_cka
from babelscope.analyses.tradeoffs.behaviour import Factorial, factorial, preference
from babelscope.analyses.tradeoffs.confusions import label_shift, scores
from experiments.files import HERE

ROWS = pd.read_csv(HERE / "published-tradeoffs.csv", keep_default_na=False).set_index(["table", "model", "input", "item"])["value"].astype(float)  # fmt: skip


class Spec(options.Spec):
    languages: list[str]
    classes: list[str]
    rows: list[int]
    noise: dict[str, Any]


def square(name: str, item: str = "") -> np.ndarray:
    """Models by input languages."""
    return np.array([[ROWS[name, model, lang, item] for lang in ("en", "hi")] for model in ("en", "hi")])  # fmt: skip


def run(rows: int) -> dict[str, Any]:
    """Preferences with half widths of intervals as if rows were independent, and how many standard
    errors they lie apart."""
    accuracy = square(f"accuracy {rows}")
    own, error = preference(accuracy, [0, 1]), np.sqrt(accuracy * (1 - accuracy) / rows)
    both = [(float(own[at, 1 - at]), 1.96 * float(np.hypot(*error[at]))) for at in (0, 1)]
    steps = (both[0][0] - both[1][0]) / float(np.sqrt((error**2).sum()))
    return {"rows": rows, "preferences": both, "steps": steps, "effects": effects(f"accuracy {rows}")}  # fmt: skip


def effects(name: str, item: str = "") -> Factorial:
    return factorial(square(name, item))


def noise(texts: int, width: int, samples: int) -> np.ndarray:
    """CKA of two independent Gaussian matrices: biased and debiased."""
    pairs = [np.random.default_rng(seed).normal(size=(2, texts, width)) for seed in range(samples)]
    return np.mean([(linear_cka(x, y), debiased_cka([(x, y)])) for x, y in pairs], axis=0)


def values(spec: Spec) -> dict[str, Any]:
    counts = np.array([[int(ROWS["confusion", "en", "en", f"{gold} as {said}"]) for said in spec.classes] for gold in spec.classes])  # fmt: skip
    sizes = (spec.noise["width"], spec.noise["samples"])
    return {
        "runs": [run(rows) for rows in spec.rows], "counts": counts, "shift": label_shift(counts), "scores": scores(counts),
        "recall": {name: effects("recall", name) for name in spec.classes}, "entropy": square("entropy"),
        "similarity": [ROWS["cka", "", lang, "12"] for lang in spec.languages],
        "noise": {texts: noise(texts, *sizes) for texts in spec.noise["texts"]},
    }  # fmt: skip
