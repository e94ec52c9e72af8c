"""Reviews explained by SLALOM and by other methods, and the time that each method takes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from babelscope.methods.explain import explain
from babelscope.methods.slalom.methods import text_units
from babelscope.methods.slalom.scores import score
from babelscope.methods.slalom.surrogate import Mixture
from babelscope.model.encode import encode
from babelscope.model.erase import default_operator
from babelscope.model.load import Model
from babelscope.types import Attribution, Example
from experiments.review_measures import ExplainedText, erased

SAMPLED = ("lime", "kernel_shap")
OTHERS = (*SAMPLED, "occlusion", "integrated_gradients", "random")
SCORES = ("value", "importance", "lin", "shapley")
"""What one fitted SLALOM gives."""
SLALOM, DELETION = "slalom", "slalom, deletion"


def explained(
    model: Model, examples: Sequence[Example], others: Sequence[str], samples: int
) -> tuple[list[ExplainedText], dict[str, float]]:
    """Every text with the scores of SLALOM and the other methods, and the seconds that each method
    took."""
    rows = encode(model, examples)
    # A model without special tokens has an empty input when all is deleted: words are replaced.
    operator = default_operator(model) if rows[0].content.all() else "delete"
    options: dict[str, dict[str, Any]] = {
        **{name: {"samples": samples, "operator": operator} for name in SAMPLED},
        "occlusion": {"operator": operator},
        DELETION: {"design": "deletion"},
    }
    attributions, seconds = {}, {}
    for name in (SLALOM, DELETION, *others):
        method = SLALOM if name == DELETION else name
        begin = time.perf_counter()
        attributions[name] = _attributions(model, examples, method, options.get(name, {}))
        seconds[name] = time.perf_counter() - begin
    texts = []
    for at, (example, row) in enumerate(zip(examples, rows)):
        by_method = {name: each[at] for name, each in attributions.items()}
        surrogates = {name: _mixture(by_method.pop(name)) for name in (SLALOM, DELETION)}
        scores = {name: score(name, surrogates[SLALOM]) for name in SCORES}
        scores |= {name: np.array(each.scores) for name, each in by_method.items()}
        texts.append(ExplainedText(example, text_units(row, "token"), scores, surrogates))
    return texts, seconds


def by_budget(model: Model, examples: Sequence[Example], budgets: Sequence[int]) -> list[float]:
    """The deletion score of SLALOM's Shapley values by number of queries."""
    units = [text_units(row, "token") for row in encode(model, examples)]
    areas = []
    for samples in budgets:
        attributions = _attributions(model, examples, SLALOM, {"samples": samples})
        texts = [
            ExplainedText(example, row, {"shapley": np.array(each.scores)}, {})
            for example, row, each in zip(examples, units, attributions)
        ]
        areas.append(float(np.mean(erased(model, texts, "shapley", insertion=False))))
    return areas


def _attributions(
    model: Model, examples: Sequence[Example], method: str, options: Mapping[str, Any]
) -> Sequence[Attribution]:
    return explain(
        model, examples, method, target="positive", quantity="log_odds", options=dict(options)
    )


def _mixture(attribution: Attribution) -> Mixture:
    """The SLALOM that an explanation was computed from."""
    return Mixture(
        np.array(attribution.details["importance"], np.float64),
        np.array(attribution.details["value"], np.float64),
    )
