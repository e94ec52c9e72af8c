"""The published mono/multi table: the published p, and what a re-analysis by hand found with the
task as the unit.
"""

from __future__ import annotations

import pytest
from experiments import published

from babelscope.stats.corrections import holm

ROWS = published.ratios()
CLAIMS = published.claims(ROWS)

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
    assert ROWS.shape == (60, 12)
    assert sorted(set(ROWS.index.get_level_values(0))) == sorted(
        task for each in published.LANGUAGES.values() for task in each
    )


@pytest.mark.parametrize(
    ("one", "told"), list(zip(CLAIMS, FOUND)), ids=lambda each: getattr(each, "metric", "")
)
def test_the_claims(one: published.Claim, told: tuple[float, ...]) -> None:
    difference, cells, t, wilcoxon, flips, languages, single, p = told
    assert one.tasks.effect == pytest.approx(difference, abs=5e-5)
    assert one.cells == pytest.approx(cells, rel=1e-3)
    assert one.tasks.n == 15
    assert one.tasks.t == pytest.approx(t, abs=5e-4)
    assert one.tasks.wilcoxon == pytest.approx(wilcoxon, abs=5e-4)
    assert one.distinct.sign_flip == pytest.approx(flips, abs=5e-4)
    assert (one.languages.n, one.single.n) == (5, 9)
    assert one.languages.t == pytest.approx(languages, abs=6e-4)  # told twice rounded
    assert one.single.effect == pytest.approx(single, abs=5e-4)
    assert one.single.sign_flip == pytest.approx(p, abs=2e-3)
    assert one.interval.low < difference < one.interval.high


def test_corrected_for_four_claims_and_for_five_methods() -> None:
    assert holm([one.tasks.t for one in CLAIMS]) == pytest.approx(
        [0.293, 0.293, 0.293, 0.053], abs=5e-4
    )
    below = {
        (one.metric, one.pairing[0], name): p
        for one in CLAIMS
        for name, p in one.methods.items()
        if p < 0.05
    }
    assert below == {
        ("suff", "mbert", "ig"): pytest.approx(0.015, abs=5e-4),
        ("comp", "xlmr", "ixg"): pytest.approx(0.019, abs=5e-4),
    }


def test_six_points_and_accuracy() -> None:
    found = published.six()
    told = {
        ("fertility", "suff"): (-0.81, -0.22), ("fertility", "comp"): (-0.92, -0.66),
        ("splitting", "suff"): (-0.65, +0.33), ("splitting", "comp"): (-0.79, -0.20),
    }  # fmt: skip
    assert {name: (one.r, one.within) for name, one in found.items()} == {
        name: (pytest.approx(r, abs=6e-3), pytest.approx(within, abs=6e-3))
        for name, (r, within) in told.items()
    }
    assert all(one.exact and one.low <= one.r <= one.high for one in found.values())
    sure = published.accuracy(ROWS)
    assert (sure.r, sure.n) == (pytest.approx(0.41, abs=5e-3), 60)
    assert sure.p < 0.01


def test_the_page_stands_as_it_came_out() -> None:
    from experiments.__main__ import FILES, PAGES

    assert (PAGES / f"{FILES['published']}.md").read_text("utf-8") == published.page()
