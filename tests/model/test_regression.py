"""Models that give a number: regression, cross-encoders for similarity and reranking, and
bi-encoders as a function of pairs.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import torch

from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model.functions import from_function
from babelscope.model.load import Model, load
from babelscope.training.evaluate import evaluate
from babelscope.types import Example
from conftest import tiny

PAIR = ("the food was good", "nobody liked the meal")


def one_output(problem: str | None) -> Model:
    """A cross-encoder: one output for a pair of texts, as rerankers have it."""
    model = tiny("bert")
    hf = copy.deepcopy(model.hf)
    hf.config.num_labels = hf.num_labels = 1
    hf.config.problem_type = problem
    torch.manual_seed(1)
    hf.classifier = torch.nn.Linear(hf.config.hidden_size, 1).double()
    return load((hf, model.tokenizer), name="cross-encoder")


def plain_value(model: Model, *texts: str) -> float:
    inputs = model.tokenizer(*texts, return_tensors="pt")
    return float(model.hf(**inputs).logits[0, 0].detach())


@pytest.mark.parametrize("problem", ["regression", None])
@pytest.mark.parametrize("method", ["occlusion", "integrated_gradients", "kernel_shap", "attnlrp"])
def test_the_predicted_number_is_explained(problem: str | None, method: str) -> None:
    model = one_output(problem)
    (attribution,) = explain(model, PAIR, method)
    assert attribution.value == pytest.approx(plain_value(model, *PAIR), abs=1e-9)
    assert np.isnan(attribution.probability) == (problem == "regression")
    if attribution.reference_value is not None:
        total = attribution.value - attribution.reference_value
        assert sum(attribution.scores) == pytest.approx(total, abs=5e-3)


@pytest.mark.parametrize("metric", METRICS)
def test_metrics_are_defined_or_say_that_there_is_no_probability(metric: str) -> None:
    model = one_output("regression")
    attributions = explain(model, PAIR, "occlusion")
    options = {"draws": 4} if "draws" in METRICS[metric].options else {}
    (value,) = measure(model, attributions, metric, options=options)
    needs = METRICS[metric].family == "faithfulness" and metric not in (
        "value_comprehensiveness", "value_sufficiency", "infidelity")  # fmt: skip
    assert ("without probabilities" in value.reason) == needs
    assert np.isnan(value.value) == (value.reason != "")


@pytest.mark.parametrize(("name", "of"), [("comprehensiveness", "value_comprehensiveness"),
                                          ("sufficiency", "value_sufficiency")])  # fmt: skip
def test_of_a_probability_the_fall_of_the_value_is_the_metric_itself(name: str, of: str) -> None:
    model = tiny("bert")
    attributions = explain(model, PAIR, "occlusion", quantity="probability")
    (expected,) = measure(model, attributions, name)
    (value,) = measure(model, attributions, of)
    assert value.value == pytest.approx(expected.value, abs=1e-12)


def test_the_fall_of_a_number_by_hand() -> None:
    """With the share 0.01 one word is erased, the one whose erasure lowers the value most."""
    model = one_output("regression")
    attributions = explain(model, PAIR, "occlusion", unit="word")
    (value,) = measure(model, attributions, "value_comprehensiveness", options={"grid": (0.01,)})
    assert attributions[0].units is not None
    assert value.value == pytest.approx(max(attributions[0].units.scores), abs=1e-9)


def test_what_a_number_does_not_have_is_refused_in_one_line() -> None:
    model = one_output("regression")
    with pytest.raises(InputError, match="gives scores without probabilities; explain the logit"):
        explain(model, PAIR, "occlusion", quantity="log_odds")
    with pytest.raises(InputError, match="gives numbers; evaluation knows classes and answers"):
        evaluate(model, [Example("1", PAIR, label="3")])


def test_a_bi_encoder_is_a_function_of_pairs() -> None:
    """The cosine of two sentence vectors, each the mean of the last states."""
    encoder = tiny("bert")

    def vectors(texts: list[str]) -> torch.Tensor:
        rows = [encoder.tokenizer(text or "[PAD]", return_tensors="pt") for text in texts]
        with torch.no_grad():
            return torch.stack(
                [encoder.hf.bert(**row).last_hidden_state[0].mean(0) for row in rows]
            )

    def similarity(pairs: list[Any]) -> torch.Tensor:
        firsts, seconds = (vectors([pair[side] for pair in pairs]) for side in (0, 1))
        return torch.cosine_similarity(firsts, seconds)

    model = from_function(similarity, labels=["similarity"], outputs="scores", pairs=True)
    attributions = explain(model, PAIR, "occlusion")
    assert attributions[0].value == pytest.approx(float(similarity([PAIR])[0]))
    assert len(attributions[0].words) == 8
    (value,) = measure(model, attributions, "value_comprehensiveness")
    assert np.isfinite(value.value)
