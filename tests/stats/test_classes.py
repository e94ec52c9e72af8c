"""Macro-F1 with its interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from babelscope.stats.classes import macro_f1

CLASSES = st.sampled_from("abcd")


def test_by_hand() -> None:
    """a: gold 2, predicted 3, hits 2: F1 4/5. b: gold 2, predicted 1, hits 1: 2/3. c is predicted
    once and never gold: no F1 of its own. (4/5 + 2/3) / 2 = 11/15.
    """
    gold, predicted = list("aabbb"), list("aaabc")
    # With the fifth example b has gold 3, predicted 1, hits 1: F1 2/4
    estimate = macro_f1(gold, predicted, list("12345"))
    assert estimate.mean == pytest.approx((4 / 5 + 1 / 2) / 2)
    four = macro_f1(gold[:4], predicted[:4], list("1234"))
    assert four.mean == pytest.approx(11 / 15)
    assert 0 <= four.low <= four.mean <= four.high <= 1
    assert (four.n, four.groups) == (4, 4)


@given(st.lists(st.tuples(CLASSES, CLASSES), min_size=2, max_size=30))
@settings(max_examples=100, deadline=None)
def test_it_is_that_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = (list(column) for column in zip(*pairs))
    there = sorted(set(gold))
    expected = f1_score(gold, predicted, labels=there, average="macro", zero_division=0.0)
    estimate = macro_f1(gold, predicted, [str(at) for at in range(len(gold))])
    assert estimate.mean == pytest.approx(expected)
    assert np.isnan(estimate.low) or 0 <= estimate.low <= estimate.high <= 1


def test_copies_of_a_text_are_one_observation() -> None:
    gold, predicted = list("aabbab"), list("aababb")
    once = macro_f1(gold, predicted, list("123456"))
    thrice = macro_f1(gold * 3, predicted * 3, list("123456") * 3)
    assert (thrice.mean, thrice.low, thrice.high) == pytest.approx((once.mean, once.low, once.high))
