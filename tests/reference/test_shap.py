"""Shapley and Owen values against the shap package, which gets the same game: kept tokens in, the
model's logit out.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from test_sampled_methods import Game, game, hierarchy

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Encoded
from conftest import TEXTS

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    shap = pytest.importorskip("shap", reason="shap is not installed (extra: peers)")

DATA = TEXTS[3:6]


def linkage(tree: object, n: int) -> np.ndarray:
    """The tree as scipy writes one: per inner node its two parts, a height and a size; tokens are
    0..n-1.
    """
    rows: list[list[float]] = []

    def place(part: object) -> tuple[int, float, int]:
        if isinstance(part, int):
            return part, 0.0, 1
        (left, low, few), (right, high, many) = place(part[0]), place(part[1])
        rows.append([left, right, max(low, high) + 1, few + many])
        return n + len(rows) - 1, rows[-1][2], few + many

    place(tree)
    return np.array(rows)


def theirs(method: str, worth: Game, row: Encoded) -> np.ndarray:
    n = int(row.content.sum())
    nothing, everything = np.zeros((1, n)), np.ones((1, n))

    def play(kept: np.ndarray) -> np.ndarray:
        return np.array(
            [worth(frozenset(np.flatnonzero(mine).tolist())) for mine in np.asarray(kept)]
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if method == "kernel_shap":
            # left to itself it would keep the ten best tokens and give the others 0
            return shap.KernelExplainer(play, nothing).shap_values(
                everything, nsamples=2**n, l1_reg=False, silent=True
            )[0]
        masker = shap.maskers.Partition(nothing, clustering=linkage(hierarchy(row), n))
        return shap.explainers.ExactExplainer(play, masker)(everything).values[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["kernel_shap", "partition_shapley"])
def test_equal_to_shap(bert: Model, method: str) -> None:
    for one, row in zip(explain(bert, DATA, method), encode(bert, as_examples(DATA))):
        np.testing.assert_allclose(
            one.scores, theirs(method, game(bert, row, one.target_index), row), atol=1e-9
        )
