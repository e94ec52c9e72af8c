"""The cost of a large study is that of its parts."""

from __future__ import annotations

import pytest
from benchmarks import scale_out
from benchmarks.scale_out import Scale, extrapolate

from babelscope.methods import METHODS
from babelscope.study.measure import Cost, Measured

MEASURED = Measured(
    "m", "t", startup=5.0, texts=Cost(2.0, 0.5), per_language=1.0, shared=Cost(0, 0),
    rows=Cost(0, 0), passes=Cost(0.0, 100.0), bytes=Cost(0.0, 4000.0), parameters=1_000_000,
    characters=50.0, tokens=Cost(0.0, 3000.0), growth=1.0,
)  # fmt: skip


def test_the_numbers_follow_from_the_unit_costs() -> None:
    """3 models, 4 languages of 10 texts, models ten times as large: 40 texts a model.

    passes 3 x 40 x 100; seconds 5 + 3 (2 + 2 x 1 + 10 x .5 x 40); operations 2 x 1e7 x 3 x 40 x
    3000 at 1.2e13 a second.
    """
    cost = extrapolate(MEASURED, Scale(4, 3, 10, 1e7, euros_processor=2.0, euros_gpu=3.0))
    assert cost.passes == 12_000
    assert cost.processor_hours == pytest.approx((5 + 3 * (4 + 200)) / 3600)
    assert cost.gpu_hours == pytest.approx(7.2e12 / 1.2e13 / 3600)
    assert cost.gigabytes == pytest.approx(3 * 40 * 4000 / 1e9)
    assert cost.euros_processor == pytest.approx(2 * cost.processor_hours)
    assert cost.euros_gpu == pytest.approx(3 * cost.gpu_hours)


def test_twice_the_models_take_twice_as_much() -> None:
    few, many = (extrapolate(MEASURED, Scale(models=count)) for count in (25, 50))
    assert many.passes == 2 * few.passes
    assert many.gigabytes == pytest.approx(2 * few.gigabytes)
    start = MEASURED.startup / 3600
    assert many.processor_hours - start == pytest.approx(2 * (few.processor_hours - start))


def test_the_page_has_the_whole_study() -> None:
    assert len(scale_out.METHODS) == 20
    assert set(scale_out.METHODS) <= set(METHODS)
    assert "| 100 | 50 | 200 |" in scale_out.section(MEASURED)
