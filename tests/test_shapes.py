"""The checks of annotations that all tests run under are on."""

from __future__ import annotations

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation

from babelscope.stats import correlations, rankings
from babelscope.types import Target


def test_a_wrong_number_of_axes_is_refused() -> None:
    with pytest.raises(BeartypeCallHintViolation, match="task method"):
        rankings.friedman(np.zeros(3))


def test_axes_of_one_name_are_compared_within_a_call() -> None:
    x, orders = np.zeros(3), np.zeros((2, 4))
    with pytest.raises(BeartypeCallHintViolation, match="order point"):
        correlations._pearson(x, orders)


def test_the_fields_of_a_dataclass_are_checked() -> None:
    with pytest.raises(BeartypeCallHintViolation):
        Target("first")  # type: ignore[arg-type]
