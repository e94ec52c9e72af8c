"""Explanations do not depend on the mode that the caller's PyTorch is in."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.methods.propagation import LARGEST_GAP
from babelscope.model.load import Model
from conftest import TEXTS

FEW = {
    "inverse_frequency": {"corpus": "sentiment/en/train/20"},
    "lime": {"samples": 30},
    "kernel_shap": {"samples": 60},
    "permutation_shapley": {"permutations": 2},
    "partition_shapley": {"samples": 27},
    "smooth_gradient": {"samples": 4},
    "expected_gradients": {"baselines": 4},
}


@pytest.mark.parametrize("method", METHODS)
def test_gradients_are_computed_where_the_caller_switched_them_off(
    bert: Model, method: str
) -> None:
    options = FEW.get(method)
    (plain,) = explain(bert, TEXTS[0], method, options=options)
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            (attribution,) = explain(bert, TEXTS[0], method, options=options)
            assert not torch.is_grad_enabled()
        np.testing.assert_array_equal(attribution.scores, plain.scores)


def test_deeplift_states_its_gap(bert: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    (attribution,) = explain(bert, TEXTS[0], "deeplift")
    whole = attribution.value - attribution.reference_value
    gap = abs(sum(attribution.scores) - whole)
    assert attribution.details["completeness_gap"] == pytest.approx(gap, abs=1e-12)
    assert gap < 1e-8 < LARGEST_GAP
    assert attribution.flags == ()
    monkeypatch.setattr("babelscope.methods.propagation.LARGEST_GAP", -1.0)
    (flagged,) = explain(bert, TEXTS[0], "deeplift")
    assert flagged.flags == (f"completeness gap {flagged.details['completeness_gap']:.2g}",)
