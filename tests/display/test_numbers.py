"""Numbers as people read them: one format everywhere."""

from __future__ import annotations

from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import babelscope
from babelscope.display.numbers import (
    bounds,
    compact,
    estimate_text,
    interval,
    items,
    listed,
    number,
    p_value,
    percent,
    signed,
    significant,
    spoken,
    value_range,
)
from babelscope.types import Estimate

FORMATS = (number, signed, significant, percent, compact, p_value)


def test_no_p_is_shown_as_0() -> None:
    assert p_value(0.0) == p_value(0.00049) == "< 0.001"
    assert p_value(0.0006) == "0.001"
    assert (p_value(0.0412), p_value(1.0)) == ("0.041", "1.000")
    assert p_value(0.004, digits=2) == "< 0.01"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("value", [None, nan, inf, -inf])
def test_what_is_undefined_is_a_dash(form: object, value: float | None) -> None:
    assert callable(form)
    assert form(value) == "–"


@given(st.floats(-1e6, 1e6))
def test_a_number_can_be_read_back_and_has_a_true_minus(value: float) -> None:
    for form in (number, signed):
        text = form(value)
        assert "-" not in text
        assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.0005001)
    assert float(significant(value).replace("−", "-")) == pytest.approx(value, rel=0.005001)


def test_by_hand() -> None:
    assert [number(x) for x in (0.4125, -0.5, 12.0)] == ["0.412", "−0.500", "12.000"]
    assert [number(x, 2) for x in (0.996, 1.0)] == ["1.00", "1.00"]
    assert [signed(x) for x in (0.5, -0.5)] == ["+0.500", "−0.500"]
    assert {form(x) for form in (number, signed) for x in (0.0, -0.0, 1e-4, -1e-4)} == {"0.000"}
    assert [significant(x) for x in (0.000412, 41234.0, -1.0)] == ["0.000412", "4.12e+04", "−1"]
    assert significant(0.25, sign=True) == "+0.25"
    assert [percent(0.4125), percent(0.4125, 1), percent(-1.0)] == ["41 %", "41.2 %", "−100 %"]
    assert [compact(x) for x in (0.41, 0.0, 1.0, -0.3, 10.04)] == [
        ".41",
        ".00",
        "1.00",
        "−.30",
        "10.04",
    ]
    assert [compact(x, sign=True) for x in (0.41, -0.41)] == ["+.41", "−.41"]
    assert value_range(0.1, None) == "0.100 to –"
    assert estimate_text(Estimate(0.5, 0.4, 0.6, 9, 0)) == "0.500 [0.400, 0.600]"
    assert estimate_text(Estimate(0.5, nan, nan, 9, 0)) == "0.500"
    assert "one group, no interval" in interval(Estimate(0.5, nan, nan, 9, 0))
    assert [listed(names) for names in (["a"], ["a", "b"], ["a", "b", "c"])] == [
        "a",
        "a and b",
        "a, b and c",
    ]


def test_counts_agree_with_their_noun() -> None:
    assert [items(count, "cell") for count in (0, 1, 2)] == ["0 cells", "1 cell", "2 cells"]


def test_no_other_module_of_display_formats_numbers() -> None:
    """Coordinates of SVG (.1f) are for machines; everything else is `numbers`'s."""
    folder = Path(babelscope.__file__).parent / "display"
    for file in folder.glob("*.py"):
        if file.name != "numbers.py":
            text = file.read_text("utf-8")
            for form in (":.2f", ":.3f", ":+.3f", ".3g", ":.0%", ":.1%", ":g}"):
                assert form not in text, f"{file.name} formats numbers with {form}"


def test_an_interval_from_few_groups_is_marked() -> None:
    assert (
        estimate_text(Estimate(0.5, 0.4, 0.6, 30, 0, 9)) == "0.500 [0.400, 0.600] (only 9 groups)"
    )
    assert "(only 9 groups)" in interval(Estimate(0.5, 0.4, 0.6, 30, 0, 9))
    for groups in (0, 20):
        assert estimate_text(Estimate(0.5, 0.4, 0.6, 30, 0, groups)) == "0.500 [0.400, 0.600]"
    assert estimate_text(Estimate(0.5, nan, nan, 30, 0, 1)) == "0.500"


def test_metrics_are_spoken_with_their_acronyms_and_options() -> None:
    assert spoken("rationale_auroc[sign=abs]") == "rationale AUROC[sign=abs]"
    assert spoken("normalised_soft_sufficiency") == "normalised soft sufficiency"


def test_an_undefined_interval_is_said_in_words() -> None:
    assert bounds(-0.5, 0.25) == "interval −0.500 to 0.250"
    assert bounds(nan, nan) == bounds(None, None) == "no interval: too few texts"
