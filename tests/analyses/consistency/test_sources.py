"""One source language against another, from pairs made by hand."""

from __future__ import annotations

from math import isnan

import pytest

from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.analyses.consistency.pairs import Pair, Settings
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.sources import source_tests


def comparison(source: str, lifts: dict[str, list[float]]) -> Comparison:
    """Texts 0, 1, ... with these lifts: C with a C_perm of 0."""
    pairs = [
        Pair(str(text), lang, Consistency(c=lift, c_perm=0.0), cluster=str(text))
        for lang, each in lifts.items()
        for text, lift in enumerate(each)
    ]
    return Comparison(source, "space", Settings(), pairs, [])


def test_the_mean_difference_over_targets_that_are_neither_source() -> None:
    first = comparison("en", {"es": [9.0, 9.0], "hi": [0.5, 0.7], "zh": [0.3, 0.3]})
    second = comparison("es", {"en": [8.0, 8.0], "hi": [0.2, 0.4], "zh": [0.2, 0.2]})
    (test,) = source_tests([first, second])
    # per text: mean of (0.3, 0.1) = 0.2 for both; es and en themselves take no part
    assert (test.first, test.second, test.targets, test.texts) == ("en", "es", 2, 2)
    assert test.difference == pytest.approx(0.2)
    # of four flips of two equal differences, two are as large: 2/4
    assert test.p == test.adjusted == pytest.approx(0.5)
    (turned,) = source_tests([second, first])
    assert turned.difference == pytest.approx(-0.2)
    assert turned.p == test.p


def test_undefined_pairs_take_no_part_in_the_correction() -> None:
    lifts = [0.1 * at for at in range(8)]
    first = comparison("en", {"hi": [lift + 0.5 for lift in lifts]})
    second = comparison("es", {"hi": lifts})
    third = comparison("fr", {"sw": lifts})
    tests = source_tests([first, second, third])
    # 8 texts, all differences 0.5: two of 256 flips are as large
    assert tests[0].p == tests[0].adjusted == pytest.approx(2 / 256)
    assert [isnan(each.p) and isnan(each.adjusted) for each in tests[1:]] == [True, True]
    assert tests[1].texts == 0


def test_equal_lifts_do_not_differ() -> None:
    same = {"hi": [0.1, 0.2, 0.4]}
    (test,) = source_tests([comparison("en", same), comparison("es", same)])
    assert (test.difference, test.p) == (0.0, 1.0)
