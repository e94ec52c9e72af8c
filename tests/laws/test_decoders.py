"""Every metric on decoders: a head on the last token, and a language model that labels by words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import zoo
from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.display.results import Attributions
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.erase import default_operator, erase
from babelscope.model.load import Model
from babelscope.model.targets import probability
from babelscope.types import Example, Target
from conftest import TEXTS

DECODERS = ("gpt2", "llama")
WORDS = {"good": "good", "bad": "the"}
MARKED = Example(
    "marked", (TEXTS[0],), "en", label="name", words=(((0, 3), (4, 8), (9, 12), (13, 16), (17, 21),
                                                       (22, 25)),),
    rationale=((False, False, False, True, True, False),),
)  # fmt: skip


@cache
def decoder(name: str, kind: str) -> Model:
    if kind == "last token":
        return zoo.shared(name, "text-classification")
    return zoo.build(name, "text-generation", verbalizer=WORDS)


every = pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name in DECODERS for kind in ("last token", "verbalizer")]
)


@every
@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_has_a_value_in_its_bounds_or_a_reason(
    name: str, kind: str, metric: str
) -> None:
    model = decoder(name, kind)
    assert model.reads_last_token
    one = replace(MARKED, label=model.labels[0], texts=("the food was not good but",))
    found = Attributions(())
    for label in model.labels[:2]:  # erasing lowers the probability of one of them at least
        found += explain(model, [one], "input_x_gradient", target=label)
    values = list(measure(model, found, metric))
    row = METRICS[metric]
    for value in values:
        assert (
            value.reason
            if np.isnan(value.value)
            else row.bounds[0] - 1e-9 <= value.value <= row.bounds[1] + 1e-9
        )
    expected = row.family != "evidence" and "texts" not in row.options
    if metric.startswith("released_stepwise") and len(model.labels) != 2:
        expected = False
    assert any(np.isfinite(value.value) for value in values) == expected, (
        "a classifier has no answer span, naive Bayes needs labelled texts, and the first of two "
        "classes is turned round"
    )


@every
def test_the_ends_of_the_erasure_are_the_decoders_own(name: str, kind: str) -> None:
    """With everything erased, comprehensiveness is the probability's fall to the empty text, asked
    of the model directly.
    """
    model = decoder(name, kind)
    (row,) = encode(model, as_examples(TEXTS[0]))
    empty = erase(model, row, row.content, default_operator(model))
    assert empty is not None
    full, gone = (
        probability(model, out, Target(0))
        for out in inference.outputs(model, [inference.query(row), empty])
    )
    scores = [np.arange(float(len(row.words)))]
    (whole,) = METRICS["comprehensiveness"].function(model, [row], scores, [Target(0)], grid=(1.0,))
    assert whole.value == pytest.approx(full - gone, abs=1e-9)
    (kept,) = METRICS["sufficiency"].function(model, [row], scores, [Target(0)], grid=(1.0,))
    assert kept.value == pytest.approx(0.0, abs=1e-9)


@every
def test_alone_as_in_a_batch(name: str, kind: str) -> None:
    """Left padding, other texts and their lengths change no value."""
    model = decoder(name, kind)
    found = explain(model, TEXTS[:4], "occlusion")
    for metric in ("comprehensiveness", "soft_sufficiency", "loo_correlation", "infidelity"):
        together = [one.value for one in measure(model, found, metric)]
        alone = [measure(model, [one], metric)[0].value for one in found]
        np.testing.assert_allclose(together, alone, atol=1e-5 if name in zoo.ROUGH else 1e-9)
