"""The published mono/multi table: the published p, and what a re-analysis by hand found with the
task as the unit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from experiments import files
from experiments import mono_vs_multi_published as published

from babelscope.stats.corrections import holm
from babelscope.stats.method_tables import compare_tables

SPEC = files.parsed("mono-vs-multi-published")
SHOWN = published.values(SPEC)
CLAIMS = SHOWN["claims"]

FOUND = [
    # difference, published p, t, Wilcoxon, sign flips, t by language, one text: log difference and
    # p
    (+0.0719, 0.004592, 0.098, 0.121, 0.060, 0.011, +0.104, 0.020),
    (-0.1002, 0.006411, 0.109, 0.107, 0.051, 0.063, -0.141, 0.023),
    (+0.0997, 0.006577, 0.143, 0.639, 0.097, 0.113, +0.096, 0.12),
    (-0.2256, 4.56e-7, 0.0132, 0.0043, 0.0052, 0.052, -0.226, 0.004),
]
"""In the order of `claims`, to the digits in which they were told."""


def test_the_table_is_whole() -> None:
    assert published.ROWS.shape == (60, 12)
    assert sorted(set(published.ROWS.index.get_level_values("dataset"))) == sorted(
        task for tasks in SPEC.languages.values() for task in tasks
    )


@pytest.mark.parametrize(
    ("claim", "told"), list(zip(CLAIMS, FOUND)), ids=[claim["name"] for claim in CLAIMS]
)
def test_the_claims(claim: dict[str, Any], told: tuple[float, ...]) -> None:
    difference, cells, t, wilcoxon, flips, languages, single, p = told
    tasks = claim["tasks"]
    assert tasks.units.effect == pytest.approx(difference, abs=5e-5)
    assert tasks.cells == pytest.approx(cells, rel=1e-3)
    assert tasks.units.n == 15
    assert tasks.units.t == pytest.approx(t, abs=5e-4)
    assert tasks.units.wilcoxon == pytest.approx(wilcoxon, abs=5e-4)
    assert claim["distinct"].sign_flip == pytest.approx(flips, abs=5e-4)
    assert (claim["languages"].n, claim["single"].n) == (5, 9)
    assert claim["languages"].t == pytest.approx(languages, abs=6e-4)  # told twice rounded
    assert claim["single"].effect == pytest.approx(single, abs=5e-4)
    assert claim["single"].sign_flip == pytest.approx(p, abs=2e-3)
    assert tasks.interval.low < difference < tasks.interval.high


def test_one_method_makes_cells_and_units_the_same() -> None:
    """And the order of methods does not matter to units."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 6, 3))
    units = list("abcdef")
    single = compare_tables(first[:, :1], second[:, :1], units)
    assert single.cells == pytest.approx(single.units.t)
    assert single.methods == (pytest.approx(single.units.t),)
    every = compare_tables(first, second, units)
    turned = compare_tables(first[:, ::-1], second[:, ::-1], units)
    assert turned.units.t == pytest.approx(every.units.t)
    assert turned.interval.mean == pytest.approx(every.interval.mean)


def test_corrected_for_four_claims_and_for_five_methods() -> None:
    assert holm([claim["tasks"].units.t for claim in CLAIMS]) == pytest.approx(
        [0.293, 0.293, 0.293, 0.053], abs=5e-4
    )
    below = {
        (claim["name"], method): p
        for claim in CLAIMS
        for method, p in zip(SPEC.methods, claim["tasks"].methods)
        if p < 0.05
    }
    assert below == {
        ("mBERT - BERT, sufficiency", "ig"): pytest.approx(0.015, abs=5e-4),
        ("XLM-R - RoBERTa, comprehensiveness", "ixg"): pytest.approx(0.019, abs=5e-4),
    }


def test_six_points_and_accuracy() -> None:
    found = {(measure, metric): each for measure, metric, each in SHOWN["points"]}
    told = {
        ("fertility", "suff"): (-0.81, -0.22), ("fertility", "comp"): (-0.92, -0.66),
        ("splitting", "suff"): (-0.65, +0.33), ("splitting", "comp"): (-0.79, -0.20),
    }  # fmt: skip
    assert {name: (one.r, one.within) for name, one in found.items()} == {
        name: (pytest.approx(r, abs=6e-3), pytest.approx(within, abs=6e-3))
        for name, (r, within) in told.items()
    }
    assert all(one.exact and one.low <= one.r <= one.high for one in found.values())
    sure = SHOWN["accuracy"]
    assert (sure.r, sure.n) == (pytest.approx(0.41, abs=5e-3), 60)
    assert sure.p < 0.01


@pytest.mark.parametrize(
    "name", ["mono-vs-multi-published", "published-consistency", "published-tradeoffs"]
)
def test_the_page_is_what_the_experiment_writes(name: str) -> None:
    shown = files.module(name).values(files.parsed(name))
    assert files.render(name, shown) == (files.PAGES / f"{name}.md").read_text("utf-8")
