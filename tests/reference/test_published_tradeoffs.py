"""The published trade-off figures: what follows from them is held here, derived from the figures
and not pasted.
"""

from __future__ import annotations

import numpy as np
import pytest
from experiments import files
from experiments import published_tradeoffs as published

from babelscope.analyses.tradeoffs.confusions import label_shift, scores

SPEC = files.parsed("published-tradeoffs")


@pytest.mark.parametrize("many", [500, 1000])
def test_the_asymmetry_of_preferences_is_twice_the_effect_of_the_input(many: int) -> None:
    a = published.square(f"accuracy {many}")
    one, two = published.run(many)["preferences"]
    assert one[0] == pytest.approx(a[0, 0] - a[0, 1])
    assert two[0] == pytest.approx(a[1, 1] - a[1, 0])
    easier = (a[0, 0] + a[1, 0]) / 2 - (a[0, 1] + a[1, 1]) / 2
    assert one[0] - two[0] == pytest.approx(2 * easier)
    assert published.effects(f"accuracy {many}").input == pytest.approx(easier)


def test_specialisation_is_there_and_as_large_as_the_specification_says() -> None:
    """Spec 2.1: +.056, +.026, +.066 for 500 rows; +.032, +.028, +.057 for 1000."""
    assert published.effects("accuracy 500") == pytest.approx((0.056, 0.026, 0.066), abs=5e-4)
    assert published.effects("accuracy 1000") == pytest.approx((0.0315, 0.0275, 0.0565), abs=5e-4)
    assert published.run(500)["steps"] == pytest.approx(2.5, abs=0.05)
    assert published.run(1000)["steps"] == pytest.approx(2.0, abs=0.05)
    (_, half), _ = published.run(500)["preferences"]
    assert half == pytest.approx(0.061, abs=5e-4)


def test_entailment_is_lost_with_the_input_and_neutral_with_the_match() -> None:
    entailment, neutral = (
        published.effects("recall", "entailment"),
        published.effects("recall", "neutral"),
    )
    assert entailment.input == pytest.approx(0.25)
    assert entailment.interaction == pytest.approx(0.06)
    assert neutral.interaction == pytest.approx(0.25)
    assert (
        max(SPEC.classes, key=lambda name: published.effects("recall", name).interaction)
        == "neutral"
    )


def test_the_published_confusions_give_the_published_shares() -> None:
    counts = published.values(SPEC)["counts"]
    assert counts.sum() == 1000
    assert np.trace(counts) / 1000 == pytest.approx(0.590)
    assert counts.sum(axis=0) / 1000 == pytest.approx([0.221, 0.429, 0.350])
    assert label_shift(counts).by_class[0] == pytest.approx(0.221 - 0.333)
    assert scores(counts).recall[0] == pytest.approx(164 / 333)


def test_noise_is_alike_by_the_biased_estimator_only() -> None:
    for n, biased in ((50, 0.942), (100, 0.886), (200, 0.790)):
        found = published.noise(n, 768, 5)
        assert found[0] == pytest.approx(biased, abs=0.006)
        assert abs(found[1]) < 0.03
