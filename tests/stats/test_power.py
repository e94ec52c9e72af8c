"""How many texts a comparison needs, by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from babelscope.errors import InputError
from babelscope.stats.power import texts_needed


def test_by_hand() -> None:
    # (1.95996 + 0.84162)^2 = 7.84888; times 5^2
    assert texts_needed(0.5, 0.1) == 197
    assert texts_needed(0.5, 0.05) == 785
    assert texts_needed(0.5, 0.1, power=0.9) > 197
    assert texts_needed(0.0, 0.1) == 0


def test_so_many_texts_find_the_difference_four_times_in_five() -> None:
    count, generator = texts_needed(0.5, 0.1), np.random.default_rng(0)
    trials = generator.normal(0.1, 0.5, (2000, count))
    found = float((ttest_1samp(trials, 0, axis=1).pvalue < 0.05).mean())
    # 2000 trials: a standard error of .009
    assert found == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize("difference", [0.0, -1.0])
def test_a_difference_of_nothing_is_refused(difference: float) -> None:
    with pytest.raises(InputError, match="a difference above 0"):
        texts_needed(0.5, difference)
