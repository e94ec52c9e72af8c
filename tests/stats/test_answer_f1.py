"""F1 of answers, by hand."""

from __future__ import annotations

import pytest

from babelscope.stats.answers import answer_f1, answer_words


def test_shared_words_by_hand() -> None:
    """Two of three words, and two of four: 2 * 2 / (3 + 4)."""
    answer = answer_words("the old town hall", "en")
    expected = answer_words("Town hall, of Bern!", "en")
    assert answer == ["old", "town", "hall"]
    assert expected == ["town", "hall", "of", "bern"]
    assert answer_f1(answer, expected) == pytest.approx(4 / 7)
    assert answer_f1(expected, answer) == pytest.approx(4 / 7)
    assert answer_f1(answer, answer) == 1
    assert answer_f1(answer, ["bern"]) == 0


def test_a_word_that_occurs_twice_counts_twice() -> None:
    """One of two `very` is found: 2 * 2 / (2 + 3)."""
    assert answer_f1(["very", "good"], ["very", "very", "good"]) == pytest.approx(0.8)


def test_scripts_without_spaces_are_compared_by_character() -> None:
    assert answer_words("很好吃", "zh") == ["很", "好", "吃"]
    assert answer_f1(answer_words("好吃", "zh"), answer_words("很好吃", "zh")) == pytest.approx(0.8)
