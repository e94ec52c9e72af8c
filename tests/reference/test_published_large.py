"""The published disparities of XLM-R large and base: what the page on them says."""

from __future__ import annotations

import pytest
from experiments.published_rest import counts, large


def test_larger_is_less_faithful_by_sufficiency_alone() -> None:
    """By language en, zh, es, fr, hi: sufficiency -.300 -.116 -.240 -.236 -.035 (large) against
    -.143 -.005 -.153 -.193 -.009 (base); comprehensiveness -.250 -.183 -.099 -.434 -.018 against
    -.378 -.157 -.121 -.455 -.018."""
    sufficiency, comprehensiveness = large()
    assert (sufficiency["steps"] < 0).all()
    assert sufficiency["steps"]["en"] == pytest.approx(-0.157)
    # all five have one sign: 2 of 32 flips are as large
    assert sufficiency["tests"][1].p == pytest.approx(2 / 32)
    assert (comprehensiveness["steps"] < 0).sum() == 1
    assert comprehensiveness["steps"].mean() == pytest.approx(0.029)


def test_counts_of_ratios_above_one() -> None:
    """Multilingual 224 of 300, monolingual 226; by language -9, +2, -5, +14, -4."""
    table = counts()
    assert (table["total"]["multilingual"], table["total"]["monolingual"]) == (224, 226)
    assert table["by_lang"].to_dict() == {"en": -9, "es": 2, "fr": -5, "hi": 14, "zh": -4}
