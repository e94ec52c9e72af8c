"""Every public result has a short plain text, and HTML in which nothing becomes markup."""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import babelscope
from babelscope.study.config import demo_study
from babelscope.study.run import Outcome
from babelscope.types import Failure, Measure
from conftest import tiny

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    model = tiny("bert")
    text = f"the food was lovely {HOSTILE}"
    attributions = babelscope.explain(model, [text], "slalom", lang="en")
    measures = babelscope.measure(model, attributions, ["comprehensiveness"])
    return {
        "attributions": attributions,
        "attribution": attributions[0],
        "measures": measures,
        "measure": measures[0],
        "undefined": Measure("1", "1", "en", HOSTILE, "m", "sufficiency", {}, nan, HOSTILE),
        "trust": babelscope.trust(model, attributions, draws=1, seeds=1)[0],
        "consistency": babelscope.consistency(np.ones(2), np.ones(2), np.eye(2)),
        "model": model,
        "function": babelscope.from_function(
            lambda texts: [[0.5, 0.5]] * len(texts), labels=[HOSTILE, "b"], name=HOSTILE
        ),
        "study": demo_study(),
        "outcome": Outcome(Path("store"), 3, 1, (Failure({}, HOSTILE),)),
    }


NAMES = (
    "attributions", "attribution", "measures", "measure", "undefined", "trust", "consistency",
    "model", "function", "study", "outcome",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_its_plain_text_is_one_short_line(results: dict[str, Any], name: str) -> None:
    shown = repr(results[name])
    assert shown.startswith("<")
    assert "\n" not in shown
    assert len(shown) <= 200


@pytest.mark.parametrize("name", NAMES)
def test_its_html_is_safe(results: dict[str, Any], name: str) -> None:
    shown = results[name]._repr_html_()
    assert "<" in shown
    assert "<script" not in shown.replace('<script type="application/json">', "")


def test_an_example_is_a_card() -> None:
    example = babelscope.Example("1", (HOSTILE, "two"), "en", label="x")
    shown = example._repr_html_()
    assert "<script" not in shown
    assert all(part in shown for part in ("text 1", "text 2", "label", "Example 1"))
