"""Does splitting words into more tokens make explanations less faithful? The same model and texts,
segmented otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.trust.checks import similarity
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.methods.attribution import word_scores
from babelscope.metrics import METRICS
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.resegmentation import Resegmentation, fertility, frequent, resegment
from babelscope.options import (
    choose,
    resolve_options,
)
from babelscope.types import DoseOutcome, Encoded, Example, Target

AGREEMENT = "agreement"
"""The outcome that is no metric: rank agreement of the words' scores with those of the text as the
tokenizer segments it.
"""
RATES = (0.0, 0.25, 0.5, 0.75, 1.0)
METRIC_OPTIONS: dict[str, dict[str, Any]] = {
    "soft_comprehensiveness": {"budget": 0.5},
    "soft_sufficiency": {"budget": 0.5},
}
"""Options other than the defaults: soft metrics at equal mean shares, as doses must not differ in
how much is erased.
"""

Scores = list[NDArray[np.float64]]


def graded(
    model: Model,
    ways: Sequence[str],
    rates: Sequence[float],
    sizes: Sequence[int],
    known: Sequence[Encoded],
    seed: int,
) -> list[tuple[str, float, Resegmentation | None]]:
    """The re-segmentations of every kind at every rate; of `truncate` one for each size of the
    vocabulary that is left, counted in `known`. Its doses are 0 for the whole vocabulary, then 1,
    2, ..."""
    cuts: list[tuple[str, float, Resegmentation | None]] = []
    for way in ways:
        if way == "truncate":
            kept = [frequent(model, known, size) for size in sizes] if known else []
            if not kept:
                raise InputError(
                    "the way 'truncate' needs 'pieces': how many tokens of the vocabulary are left"
                )
            cuts += [
                (way, 0.0, None),
                *(
                    (way, float(at), Resegmentation(way, kept=pieces, seed=seed))
                    for at, pieces in enumerate(kept, 1)
                ),
            ]
        else:
            cuts += [
                (way, rate, Resegmentation(way, rate, seed=seed) if rate else None)
                for rate in rates
            ]
    return cuts


def intervene(
    model: Model, examples: Sequence[Example],
    cuts: Sequence[tuple[str, float, Resegmentation | None]], methods: Sequence[str],
    metrics: Sequence[str], *, progress: Progress | None = None,
) -> list[DoseOutcome]:  # fmt: skip
    """What becomes of explanations when words are segmented otherwise, while the model and the
    words stay the same.

    `cuts` are (arm, dose, how); None leaves the text as the tokenizer segments it. Everything is
    counted in words: scores are of words, budgets are shares of words, whole words are erased. The
    explained class is the one predicted for the text as the tokenizer segments it.

    *Laws*: a dose that changes nothing has the outcomes of the text itself, and agreement 1; the
    order of cuts changes nothing.
    """
    for name in methods:
        choose(METHODS, name, "method")
    for name in metrics:
        if name != AGREEMENT:
            choose(METRICS, name, "metric")
    rows = encode(model, examples)
    if len({row.example.id for row in rows}) < len(rows):
        raise InputError(
            "two examples have the same id; an intervention compares every text with itself, by "
            "its id"
        )
    goals = [targets.predicted(model, row, out) for row, out in zip(rows, _outputs(model, rows))]
    scores = {name: scored(model, rows, goals, name) for name in methods}
    outcomes: list[DoseOutcome] = []
    whole: list[DoseOutcome] = []
    with model.inference.reporting_progress(progress):
        for arm, dose, how in cuts:
            if how is not None:
                outcomes += _outcomes(
                    model, rows, resegment(model, rows, how), goals, scores, metrics, arm, dose
                )
            else:
                whole = whole or _outcomes(model, rows, rows, goals, scores, metrics, arm, dose)
                outcomes += [replace(outcome, arm=arm, dose=dose) for outcome in whole]
    return outcomes


def trained(
    arm: str, models: Sequence[tuple[float, Model, Resegmentation | None]],
    examples: Sequence[Example], methods: Sequence[str], metrics: Sequence[str],
) -> list[DoseOutcome]:  # fmt: skip
    """The same outcomes where every dose is a model of its own, fine-tuned on words segmented so.

    Each model is explained for its own prediction, on the texts that all models of the arm get
    right: otherwise a model that is wrong more often would be measured on other texts. `kept` says
    which these are. Agreement is with the first model.
    """
    read = [_read(model, examples, how) for _, model, how in models]
    common = [row.id for row in examples if all(row.id in correct for _, _, correct in read)]
    outcomes: list[DoseOutcome] = []
    first: dict[str, Scores] = {}
    for (dose, model, _), (inputs, predictions, correct) in zip(models, read):
        kept, goals = [inputs[name] for name in common], [predictions[name] for name in common]
        tokens = {name: fertility(row) for name, row in inputs.items()}
        with model.inference.caching():
            for method in methods:
                scores = scored(model, kept, goals, method) if kept else []
                before = first.setdefault(method, scores)
                for metric in metrics:
                    values = _values(model, kept, scores, goals, metric, before)
                    known = dict(zip(common, values))
                    outcomes += [
                        DoseOutcome(
                            arm, dose, row.id, row.group, row.lang, method, metric,
                            known.get(row.id, nan), tokens.get(row.id, nan), row.id in correct,
                        )
                        for row in examples
                    ]  # fmt: skip
    return outcomes


def _read(
    model: Model, examples: Sequence[Example], how: Resegmentation | None
) -> tuple[dict[str, Encoded], dict[str, Target], set[str]]:
    """The inputs that the segmentation permits and the model's predictions, by the example's id;
    and the ids of those that it gets right."""
    rows = encode(model, examples)
    segmented = list[Encoded | None](rows) if how is None else resegment(model, rows, how)
    inputs = {row.example.id: row for row in segmented if row is not None}
    outputs = _outputs(model, list(inputs.values()))
    predictions = {
        name: targets.predicted(model, row, output)
        for (name, row), output in zip(inputs.items(), outputs)
    }
    correct = {
        name
        for name, row in inputs.items()
        if predictions[name].index == targets.gold(model, row).index
    }
    return inputs, predictions, correct


def _values(
    model: Model,
    rows: Sequence[Encoded],
    scores: Scores,
    goals: Sequence[Target],
    metric: str,
    before: Scores,
) -> list[float]:
    if metric == AGREEMENT:
        return [similarity(old, new) for old, new in zip(before, scores)]
    return measured(model, rows, scores, goals, metric) if rows else []


def scored(model: Model, rows: Sequence[Encoded], goals: Sequence[Target], method: str) -> Scores:
    """The words' scores of segmented inputs, by a method with its defaults."""
    row = METHODS[method]
    explanations = row.function(model, rows, goals, **resolve_options(row, {}))
    return [
        word_scores(encoded, np.asarray(each.scores, dtype=np.float64), row.words)
        for encoded, each in zip(rows, explanations)
    ]


def measured(
    model: Model, rows: Sequence[Encoded], scores: Scores, goals: Sequence[Target], metric: str
) -> list[float]:
    """A metric of these scores of words, on segmented inputs."""
    row = METRICS[metric]
    return [
        measure.value
        for measure in row.function(
            model, rows, scores, goals, **resolve_options(row, METRIC_OPTIONS.get(metric, {}))
        )
    ]


def _outputs(model: Model, rows: Sequence[Encoded]) -> list[Any]:
    return inference.outputs(model, [inference.query(row) for row in rows])


def _outcomes(
    model: Model, rows: Sequence[Encoded], segmented: Sequence[Encoded | None],
    targets_before: Sequence[Target], scores_before: dict[str, Scores], metrics: Sequence[str],
    arm: str, dose: float,
) -> list[DoseOutcome]:  # fmt: skip
    """The outcomes of one dose; those of texts that cannot be segmented so, or whose prediction
    changes, are NaN."""
    inputs = {at: row for at, row in enumerate(segmented) if row is not None}
    outputs = _outputs(model, list(inputs.values()))
    kept = {
        at: row
        for (at, row), output in zip(inputs.items(), outputs)
        if targets.predicted(model, row, output).index == targets_before[at].index
    }
    texts, goals = list(kept.values()), [targets_before[at] for at in kept]
    tokens = [nan if row is None else fertility(row) for row in segmented]
    outcomes = []
    with model.inference.caching():
        for method, before in scores_before.items():
            scores = scored(model, texts, goals, method) if texts else []
            for metric in metrics:
                values = _values(model, texts, scores, goals, metric, [before[at] for at in kept])
                known = dict(zip(kept, values))
                outcomes += [
                    DoseOutcome(
                        arm, dose, row.example.id, row.example.group, row.example.lang, method,
                        metric, known.get(at, nan), tokens[at], at in known,
                    )
                    for at, row in enumerate(rows)
                ]  # fmt: skip
    return outcomes
