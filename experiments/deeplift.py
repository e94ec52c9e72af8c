"""How complete DeepLIFT is on every architecture, here and in Captum."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from babelscope import options
from babelscope.methods.explain import explain
from experiments.captum_deeplift import captum_gap

TESTS = Path(__file__).resolve().parents[1] / "tests"


class Spec(options.Spec):
    text: str
    baseline: str
    architectures: list[str] | None = None
    """Names in the table of the tests; all by default."""


def values(spec: Spec) -> dict[str, Any]:
    sys.path[:0] = [str(TESTS), str(TESTS / "support")]
    from zoo import MODELS, build, main_task

    rows = []
    for name in spec.architectures or MODELS:
        model = build(name, main_task(name))
        model.hf.float()
        (attribution,) = explain(model, spec.text, "deeplift", options={"baseline": spec.baseline})
        index = attribution.target_index
        expected = attribution.value - (attribution.reference_value or 0.0)
        try:
            theirs = captum_gap(model, index, spec.text, spec.baseline, expected)
        except Exception as error:  # whatever another package raises is the result
            theirs = f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
        gap = abs(float(sum(attribution.scores)) - expected)
        rows.append({"name": name, "difference": expected, "gap": gap, "captum": theirs})
    return {"rows": rows}
