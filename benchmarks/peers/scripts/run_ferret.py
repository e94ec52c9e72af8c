"""ferret's explainers, text by text."""

from __future__ import annotations

from typing import Any

import plain
from ferret import (
    GradientExplainer,
    IntegratedGradientExplainer,
    LIMEExplainer,
    SHAPExplainer,
)
from serve import Job, Method, Scores, serve


def method(kind: Any, **fixed: Any) -> Method:
    """`fixed` are options of the explainer's constructor."""

    def scores(model: plain.Plain, texts: list[Job], options: dict[str, Any]) -> Scores:
        explainer = kind(model.hf, model.tokenizer, **fixed)
        more = options.get("call", {})
        rows = []
        for text in texts:
            explanation = explainer(text["text"], target=text["target"], **more)
            rows.append(plain.content(text, explanation.scores))
        return rows

    return scores


METHODS: dict[str, Method] = {
    "input_x_gradient": method(GradientExplainer, multiply_by_inputs=True),
    "integrated_gradients": method(IntegratedGradientExplainer, multiply_by_inputs=True),
    "lime": method(LIMEExplainer),
    "partition_shapley": method(SHAPExplainer),
}

if __name__ == "__main__":
    serve(plain.load, lambda: METHODS)
