"""Relevance by Chefer's rules: in float64 whatever the model's precision, with its sensitivity to
the last digit of the weights."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.model.load import Model, load
from babelscope.propagation.jitter import JITTER, jittered, with_sensitivity
from babelscope.types import Explained
from conftest import TEXTS

FAMILY = ("lrp", "partial_lrp", "transatt", "masked_lrp", "released_masked_lrp")


def single(model: Model) -> Model:
    """The same model with its weights in float32."""
    return load((copy.deepcopy(model.hf).float(), model.tokenizer))


def test_every_method_of_the_family_needs_float64() -> None:
    assert {row.name for row in METHODS.values() if row.precise == "float64"} == set(FAMILY)


@pytest.mark.parametrize("method", FAMILY)
def test_a_model_in_float32_is_explained_in_float64(bert: Model, method: str) -> None:
    """The scores are those of the same weights in float64, alone and in a batch, to 1e-9 of their
    size; the weights come back to the bit."""
    model = single(bert)
    weights = {name: weight.clone() for name, weight in model.hf.state_dict().items()}
    wide = load((copy.deepcopy(model.hf).double(), model.tokenizer))
    together = explain(model, TEXTS[:4], method)
    for text, attribution, exact in zip(TEXTS, together, explain(wide, TEXTS[:4], method)):
        (alone,) = explain(model, text, method)
        size = np.abs(exact.scores).max()
        np.testing.assert_allclose(attribution.scores, exact.scores, rtol=0, atol=1e-9 * size)
        np.testing.assert_allclose(alone.scores, exact.scores, rtol=0, atol=1e-9 * size)
    for name, weight in model.hf.state_dict().items():
        assert weight.dtype == weights[name].dtype
        assert torch.equal(weight, weights[name])


def test_scores_state_their_sensitivity(bert: Model) -> None:
    for method in FAMILY:
        (attribution,) = explain(bert, TEXTS[0], method)
        assert 0 < attribution.details["sensitivity"] < 1e-3
        assert not any("not stable" in flag for flag in attribution.flags)


def test_a_difference_of_nearly_equal_weights_is_not_stable(bert: Model) -> None:
    """With u the first weight and u' its value now, the scores (u' / u - 1 + 1e-7, 1e-7) move by
    6e-8, which is 0.6 of the largest; the scores (u', u' / 2) move by 6e-8 of their size."""
    before = float(next(bert.hf.parameters()).data.flatten()[0])

    def compute() -> list[Explained]:
        now = float(next(bert.hf.parameters()).data.flatten()[0])
        return [
            Explained(np.array([now / before - 1 + 1e-7, 1e-7])),
            Explained(np.array([now, now / 2])),
        ]

    ill, well = with_sensitivity(bert, compute)
    assert ill.details["sensitivity"] == pytest.approx(JITTER / 1e-7, rel=1e-3)
    assert ill.flags == (
        "not stable: a change of the weights by 6e-08 of their size moves the scores by 0.6 of the "
        "largest",
    )
    assert well.details["sensitivity"] == pytest.approx(JITTER, rel=1e-3)
    assert well.flags == ()


def test_jittered_weights_come_back_to_the_bit_after_a_failure(bert: Model) -> None:
    weights = {name: weight.clone() for name, weight in bert.hf.state_dict().items()}

    def failing() -> None:
        with jittered(bert, 0):
            name, weight = next(iter(bert.hf.named_parameters()))
            moved = (weight.data / weights[name] - 1).abs()
            assert float(moved[weights[name] != 0].max()) == pytest.approx(JITTER, rel=1e-3)
            raise RuntimeError("planted")

    with pytest.raises(RuntimeError, match="planted"):
        failing()
    assert all(torch.equal(weight, weights[name]) for name, weight in bert.hf.state_dict().items())


def test_the_published_variant_halves_the_relevance_in_every_layer(bert: Model) -> None:
    """Attention weighs half as much against the identity: more stays at the position that is read,
    which is not content, and less arrives at the content."""
    (ours,) = explain(bert, TEXTS[0], "transatt")
    (published,) = explain(bert, TEXTS[0], "transatt", options={"normalised": True})
    assert 0 < sum(published.scores) < sum(ours.scores)
    assert published.options == {"normalised": True}
