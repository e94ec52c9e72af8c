"""shap through a function of units that puts the mask token into prepared ids."""

from __future__ import annotations

from typing import Any

import numpy as np
import plain
import shap
from serve import Job, Method, Scores, serve


def method(name: str) -> Method:
    def scores(model: plain.Plain, texts: list[Job], options: dict[str, Any]) -> Scores:
        return [explained(name, model, text, options) for text in texts]

    return scores


def explained(name: str, model: plain.Plain, text: Job, options: dict[str, Any]) -> list[float]:
    play, n = plain.answers(model, text), len(text["spans"])
    nothing, everything = np.zeros((1, n)), np.ones((1, n))
    if name == "kernel_shap":
        explainer = shap.KernelExplainer(play, nothing)
        return list(
            explainer.shap_values(
                everything[0], nsamples=options["samples"], l1_reg=False, silent=True
            )
        )
    if name == "permutation_shapley":
        explainer = shap.PermutationExplainer(play, nothing, seed=options["seed"])
        most = options["orders"] * n + 1
        return list(explainer(everything, max_evals=most, silent=True).values[0])
    masker = shap.maskers.Partition(nothing, clustering=linkage(n))
    explainer = shap.PartitionExplainer(play, masker)
    return list(explainer(everything, max_evals=options["samples"], silent=True).values[0])


def linkage(n: int) -> np.ndarray:
    """Halves of the units as scipy writes hierarchies: the tree of our partition_shapley."""
    rows: list[list[float]] = []

    def place(first: int, last: int) -> tuple[int, int, int]:
        if last - first == 1:
            return first, 0, 1
        middle = first + (last - first + 1) // 2
        left, right = place(first, middle), place(middle, last)
        rows.append([left[0], right[0], max(left[1], right[1]) + 1, left[2] + right[2]])
        return n + len(rows) - 1, max(left[1], right[1]) + 1, left[2] + right[2]

    place(0, n)
    return np.array(rows, dtype=float)


METHODS = {
    name: method(name) for name in ("kernel_shap", "permutation_shapley", "partition_shapley")
}

if __name__ == "__main__":
    serve(plain.load, lambda: METHODS, plain.prepared)
