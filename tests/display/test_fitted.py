"""Tables in narrow terminals: no name and no number is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from babelscope.display.terminal import fitted, table

NAMES = ("multilingual-cased-large", "integrated_gradients", "normalised_comprehensiveness")


@pytest.mark.parametrize("width", [20, 40, 80, 160])
def test_every_name_and_number_is_whole(width: int) -> None:
    shown = table("means", ("model", "method", "metric", "mean"), [(*NAMES, 0.123456)])
    file = io.StringIO()
    Console(width=max(width, 50), file=file).print(fitted(shown, max(width, 50)))
    for part in (*NAMES, "0.123"):
        assert part in file.getvalue()


def test_a_table_that_fits_stays_a_table() -> None:
    shown = table("t", ("a", "b"), [("x", 1)])
    assert fitted(shown, 80) is shown
    assert fitted(shown, 5) is not shown
