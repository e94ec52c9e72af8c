"""The script that compares a GPU with the processor runs where there is none."""

from __future__ import annotations

from dataclasses import replace

from benchmarks import gpu

from babelscope.methods.explain import explain
from babelscope.model.load import load


def test_on_the_processor_float32_is_the_reference() -> None:
    """Every method in every precision; in float32 the scores are the reference's own."""
    report = gpu.report("demo-en", "cpu", 3)
    assert len(report["rows"]) == len(gpu.METHODS) * len(gpu.PRECISIONS)
    for row in report["rows"]:
        if row["precision"] == "float32":
            assert row["gap"]["cpu"] <= 1e-6
            assert row["within"]
    assert report["free bytes"] > 0


def test_the_gap_is_a_share_of_the_largest_score() -> None:
    (row,) = explain(load("demo-en"), ["the food was good"], "input_x_gradient")
    largest = max(abs(score) for score in row.scores)
    other = replace(row, scores=(row.scores[0] + largest / 2, *row.scores[1:]))
    assert abs(gpu.gap([row], [other]) - 0.5) < 1e-9
