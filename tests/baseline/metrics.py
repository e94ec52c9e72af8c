"""Every metric with its defaults and with each option changed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from babelscope import corpus as builtin
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.agreement import sensitivity
from babelscope.metrics.measure import measure
from babelscope.model.load import Model
from babelscope.options import defaults
from babelscope.types import Attribution, Example
from baseline.methods import READING, SINGLE
from baseline.values import Values, put
from zoo import shared

METHODS = ("integrated_gradients", "occlusion", "random", "attention")
CHANGED: dict[str, tuple[Any, ...]] = {
    "unit": ("word", "token"),
    "operator": ("pad", "delete", "attention_zero", "mean_embedding"),
    "grid": ([0.2, 0.4],),
    "levels": (4,),
    "scaling": ("rank",),
    "budget": (0.5,),
    "draws": (0, 5),
    "error": (0.2,),
    "metric": ("sufficiency",),
    "k": (3,),
    "sign": (),
}
"""Other values of the options, by their names."""
FORMERLY = {"lodds": "log_odds", "chance_corrected": "position"}
"""Metrics that had another name when the values were recorded."""


def values() -> Values:
    entries: Values = {}
    for name in ("bert", "gpt2"):
        model = shared(name, "text-classification")
        attributions = explained(model, texts())
        for metric in METRICS:
            for label, options in settings(metric):
                put_all(
                    entries,
                    f"metrics/{name}/{FORMERLY.get(metric, metric)}/{label}",
                    model,
                    attributions,
                    metric,
                    options,
                )
    reader = shared("bert", "question-answering")
    answered = explained(reader, READING)
    for metric in METRICS:
        put_all(
            entries,
            f"metrics/reader/{FORMERLY.get(metric, metric)}/default",
            reader,
            answered,
            metric,
            {},
        )
    for method in METHODS:
        first, second = (
            next(item for item in attributions if item.method == each)
            for each in ("occlusion", method)
        )
        put(
            entries,
            f"metrics/sensitivity/{method}",
            sensitivity(*map(np.array, (first.word_scores, second.word_scores))),
        )
    return entries


def texts() -> list[Example]:
    """Texts of several languages, and reviews with a gold rationale; labels are left out."""
    gold = [
        row for lang in ("en", "hi", "zh") for row in builtin.read("sentiment", lang, "test", 1)
    ]
    return [SINGLE[0], SINGLE[2], SINGLE[5], *(replace(row, label=None) for row in gold)]


def explained(model: Model, rows: Sequence[Example]) -> list[Attribution]:
    return [item for method in METHODS for item in explain(model, rows, method)]


def settings(metric: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The defaults, then every option changed once."""
    yield "default", {}
    for option, usual in defaults(METRICS[metric]).items():
        for value in CHANGED[option]:
            if value != usual:
                yield f"{option}={value}", {option: value}


def put_all(
    entries: Values,
    key: str,
    model: Model,
    attributions: Sequence[Attribution],
    metric: str,
    options: dict[str, Any],
) -> None:
    """The values of a metric, one list per method, and the reasons where there are none."""
    try:
        measured = measure(model, attributions, metric, options=options)
    except Exception as error:  # a refusal is recorded like a number
        entries[f"{key}/error"] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
        return
    for method in METHODS:
        chosen = [item for item in measured if item.method == method]
        put(entries, f"{key}/{method}/values", [float(item.value) for item in chosen])
        if any(item.reason for item in chosen):
            put(entries, f"{key}/{method}/reasons", [item.reason for item in chosen])
