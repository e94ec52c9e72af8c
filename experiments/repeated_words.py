"""What Kernel SHAP says of a word that is repeated."""

from __future__ import annotations

import numpy as np

from babelscope.data.synthetic import linear_words
from experiments.connected_network import Answers


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
