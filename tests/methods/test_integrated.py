"""The quadrature of integrated gradients: its rule, and the two errors that it states."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from transformers import PretrainedConfig

from babelscope.methods import integrated
from babelscope.methods.explain import explain
from babelscope.methods.integrated import kronrod
from babelscope.model.load import Model, load
from conftest import tiny
from planted import WEIGHTS, PlantedForSequenceClassification, planted_model

STEEP, CENTRE = 60.0, 0.37


class TwistedForSequenceClassification(PlantedForSequenceClassification):
    """The planted model plus (a - b) tanh(60 (a - .37)), with a and b the first two words' weights
    relative to those of "great" and "awful".

    On the path from padding a = b = s: the added term is 0 with the derivative 0 along the path,
    but its derivatives by a and b are tanh(60 (s - .37)) and its negative.
    """

    def forward(
        self,
        input_ids: Any = None,
        attention_mask: Any = None,
        inputs_embeds: Any = None,
        position_ids: Any = None,
    ) -> Any:
        output = super().forward(input_ids, attention_mask, inputs_embeds, position_ids)
        embedded = self.words(input_ids) if inputs_embeds is None else inputs_embeds
        a, b = (
            embedded.sum(dim=-1)[:, 1] / WEIGHTS["great"],
            embedded.sum(dim=-1)[:, 2] / WEIGHTS["awful"],
        )
        output.logits[:, 1] += (a - b) * torch.tanh(STEEP * (a - CENTRE))
        return output


def twisted() -> Model:
    base = planted_model()
    config = PretrainedConfig(**base.hf.config.to_dict())
    return load((TwistedForSequenceClassification(config).double().eval(), base.tokenizer))


def test_token_errors_that_cancel_in_the_sum_are_seen() -> None:
    """The integral of tanh(60 (s - .37)) over [0, 1] is (log cosh 37.8 - log cosh 22.2) / 60 = .26:
    "great" gets 2.9 + .26 and "awful" -3 - .26. Their errors are equal and opposite, so that the
    completeness gap is 0 with any nodes.
    """
    (attribution,) = explain(twisted(), "great awful", "integrated_gradients", target="positive")
    np.testing.assert_allclose(attribution.scores, [3.16, -3.26], atol=1e-3)
    assert attribution.details["token_error"] <= 1e-3
    assert attribution.details["completeness_gap"] < 1e-9
    assert not attribution.flags


def test_a_text_that_needs_too_many_nodes_states_both_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(integrated, "MOST_NODES", 20)
    (attribution,) = explain(twisted(), "great awful", "integrated_gradients", target="positive")
    (flag,) = attribution.flags
    assert flag.startswith("completeness gap ")
    assert "largest token error 0." in flag
    true_error = np.abs(np.array(attribution.scores) - [3.16, -3.26]).max()
    assert 1e-3 < true_error <= attribution.details["token_error"]


def test_the_laws_hold_with_kinks_on_the_path() -> None:
    """A DistilBERT, in whose head units of a ReLU switch: the sum is exact to the tolerance, and so
    is every token; in batches of one and in another order the scores are the same.
    """
    model = tiny("distilbert")
    data = ["no", "good food", ("the food", "no")]
    together = explain(model, data, "integrated_gradients", options={"tolerance": 0.02})
    exact = explain(model, data[:2], "integrated_gradients")
    for attribution, tolerance in [
        *((each, 0.02) for each in together),
        *((each, 1e-3) for each in exact),
    ]:
        gap = sum(attribution.scores) - (attribution.value - attribution.reference_value)
        assert abs(gap) == pytest.approx(attribution.details["completeness_gap"], abs=1e-9)
        assert abs(gap) <= tolerance
        assert attribution.details["token_error"] <= tolerance
        assert not attribution.flags
    for coarse, fine in zip(together, exact):
        np.testing.assert_allclose(coarse.scores, fine.scores, atol=0.02 + 1e-3)
    budget = model.inference.budget
    try:
        model.inference.budget = 16
        narrow = explain(model, data[::-1], "integrated_gradients", options={"tolerance": 0.02})
    finally:
        model.inference.budget = budget
    for one, other in zip(together, narrow[::-1]):
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 10])
def test_both_rules_are_exact_for_polynomials(count: int) -> None:
    """The integral of x^k over [-1, 1] is 2 / (k + 1) for even k, else 0."""
    nodes, (fine, coarse) = kronrod(count)
    for degree in range(3 * count + 2):
        exact = 2 / (degree + 1) if degree % 2 == 0 else 0.0
        assert fine @ nodes**degree == pytest.approx(exact, abs=1e-12)
        if degree < 2 * count:
            assert coarse @ nodes**degree == pytest.approx(exact, abs=1e-12)
    assert (fine > 0).all()
    assert (np.abs(nodes) < 1).all()


def test_the_rule_is_that_of_quadpack() -> None:
    """The largest nodes and weights of the 15-point rule, from the tables of QUADPACK (qk15)."""
    nodes, (fine, _) = kronrod(7)
    order = np.argsort(-nodes)
    np.testing.assert_allclose(nodes[order][:2], [0.991455371120813, 0.949107912342759], atol=1e-12)
    np.testing.assert_allclose(fine[order][:2], [0.022935322010529, 0.063092092629979], atol=1e-12)
