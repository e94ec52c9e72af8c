"""The checks of annotations that all tests run under are on."""

from __future__ import annotations

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import Float

from babelscope.stats import correlations, rankings
from babelscope.types import Target
from shapes import checked


def test_a_wrong_number_of_axes_is_refused() -> None:
    with pytest.raises(BeartypeCallHintViolation, match="task method"):
        rankings.friedman(np.zeros(3))


def test_axes_of_one_name_are_compared_within_a_call() -> None:
    x, orders = np.zeros(3), np.zeros((2, 4))
    with pytest.raises(BeartypeCallHintViolation, match="order point"):
        correlations._pearson(x, orders)


def test_an_axis_may_have_another_size_in_another_call_and_the_error_lists_the_sizes() -> None:
    """The second call is refused for its own axes: those of the first, of size 3, are forgotten."""
    assert correlations._pearson(np.arange(3.0), np.eye(3)).shape == (3,)
    with pytest.raises(BeartypeCallHintViolation) as caught:
        correlations._pearson(np.zeros(5), np.zeros((2, 4)))
    assert "point=5" in "".join(caught.value.__notes__)


def test_an_axis_that_an_argument_sizes_is_compared_with_it() -> None:
    assert sized(2, np.zeros((2, 1))).shape == (2, 1)
    with pytest.raises(BeartypeCallHintViolation, match=r"\{size\}"):
        sized(3, np.zeros((2, 1)))


@checked
def sized(size: int, rows: Float[np.ndarray, "row width"]) -> Float[np.ndarray, "{size} width"]:
    return rows


def test_the_fields_of_a_dataclass_are_checked() -> None:
    with pytest.raises(BeartypeCallHintViolation):
        Target("first")  # type: ignore[arg-type]
