"""Measuring texts: they are explained first."""

from __future__ import annotations

import pytest

from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from conftest import tiny

TEXTS = ["the food was not good", "the room was lovely"]
METRICS = ("comprehensiveness", "sufficiency")


def test_texts_are_explained_and_then_measured() -> None:
    model = tiny("bert")
    attributions = explain(model, TEXTS, ["occlusion", "random"], lang="en")
    expected = measure(model, attributions, METRICS)
    assert list(measure(model, TEXTS, METRICS, method=["occlusion", "random"], lang="en")) == list(
        expected
    )
    assert {row.lang for row in expected} == {"en"}


def test_the_default_method_is_that_of_explain() -> None:
    measures = measure(tiny("bert"), TEXTS[0], "comprehensiveness")
    assert [row.method for row in measures] == ["integrated_gradients"]


def test_what_is_no_single_kind_of_data_is_refused_in_one_line() -> None:
    model = tiny("bert")
    attributions = explain(model, TEXTS[0], "occlusion")
    with pytest.raises(InputError, match="these are explanations already; method='lime' is for"):
        measure(model, attributions, method="lime")
    with pytest.raises(InputError, match="some of the data are explanations, and some str"):
        measure(model, [attributions[0], TEXTS[0]])
    with pytest.raises(InputError, match="no explanation to measure, and no text to explain"):
        measure(model, [])
