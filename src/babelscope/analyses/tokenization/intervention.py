"""Does cutting words into more pieces make explanations less faithful? The same model and texts,
other pieces.
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
from babelscope.methods.explain import word_scores
from babelscope.metrics import METRICS
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.resegmentation import Cut, fertility, frequent, resegment
from babelscope.options import (
    choose,
    resolve_options,
)
from babelscope.types import DoseOutcome, Encoded, Example, Target

AGREEMENT = "agreement"
"""The outcome that is no metric: rank agreement of the words' scores with those of the text as the
tokenizer cuts it.
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
) -> list[tuple[str, float, Cut | None]]:
    """The cuts of every way at every rate; of `truncate` one for each number of pieces that are
    left, counted in `known`. Its doses are 0 for the whole vocabulary, then 1, 2, ..."""
    cuts: list[tuple[str, float, Cut | None]] = []
    for way in ways:
        if way == "truncate":
            kept = [frequent(model, known, size) for size in sizes] if known else []
            if not kept:
                raise InputError("the way 'truncate' needs to know how many pieces are left")
            cuts += [
                (way, 0.0, None),
                *(
                    (way, float(at), Cut(way, kept=one, seed=seed))
                    for at, one in enumerate(kept, 1)
                ),
            ]
        else:
            cuts += [(way, rate, Cut(way, rate, seed=seed) if rate else None) for rate in rates]
    return cuts


def intervene(
    model: Model, examples: Sequence[Example], cuts: Sequence[tuple[str, float, Cut | None]],
    methods: Sequence[str], metrics: Sequence[str], *, progress: Progress | None = None,
) -> list[DoseOutcome]:  # fmt: skip
    """What becomes of explanations when words are cut into other pieces, the model and the words
    staying the same.

    `cuts` are (arm, dose, how); None leaves the text as the tokenizer cuts it. Everything is
    counted in words: scores are of words, budgets are shares of words, whole words are erased. The
    explained class is the one predicted for the text as the tokenizer cuts it.

    *Laws*: a dose that changes nothing has the outcomes of the text itself, and agreement 1; the
    order of cuts changes nothing. Source: spec of the study, 17.1, arms A1, A3 and A6.
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
    wanted = [targets.predicted(model, row, out) for row, out in zip(rows, _outputs(model, rows))]
    own = {name: scored(model, rows, wanted, name) for name in methods}
    found: list[DoseOutcome] = []
    whole: list[DoseOutcome] = []
    with model.inference.reporting_progress(progress):
        for arm, dose, how in cuts:
            if how is not None:
                found += _outcomes(
                    model, rows, resegment(model, rows, how), wanted, own, metrics, arm, dose
                )
            else:
                whole = whole or _outcomes(model, rows, rows, wanted, own, metrics, arm, dose)
                found += [replace(one, arm=arm, dose=dose) for one in whole]
    return found


def trained(
    arm: str, models: Sequence[tuple[float, Model, Cut | None]], examples: Sequence[Example],
    methods: Sequence[str], metrics: Sequence[str],
) -> list[DoseOutcome]:  # fmt: skip
    """The same outcomes where every dose is a model of its own, tuned on words in those pieces.

    Each model is explained for its own prediction, on the texts that all models of the arm get
    right: otherwise a model that is wrong more often would be measured on other texts. `kept` says
    which these are. Agreement is with the first model.

    Source: spec of the study, 17.1, arms A2, A3 and A5.
    """
    read = []
    for _, model, how in models:
        rows = encode(model, examples)
        made = list[Encoded | None](rows) if how is None else resegment(model, rows, how)
        inputs = [one for one in made if one is not None]
        said = dict(zip((one.example.id for one in inputs), _outputs(model, inputs)))
        right = {
            one.example.id: targets.predicted(model, one, said[one.example.id]) for one in inputs
        }
        wins = {
            one.example.id
            for one in inputs
            if right[one.example.id].index == targets.gold(model, one).index
        }
        read.append(({one.example.id: one for one in inputs}, right, wins))
    common = [row.id for row in examples if all(row.id in wins for _, _, wins in read)]
    found: list[DoseOutcome] = []
    first: dict[str, Scores] = {}
    for (dose, model, _), (inputs_of, said_of, wins) in zip(models, read):
        kept, goals = [inputs_of[name] for name in common], [said_of[name] for name in common]
        with model.inference.caching():
            for method in methods:
                scores = scored(model, kept, goals, method) if kept else []
                before = first.setdefault(method, scores)
                for metric in metrics:
                    values = _values(model, kept, scores, goals, metric, before)
                    known = dict(zip(common, values))
                    found += [
                        DoseOutcome(arm, dose, row.id, row.group, row.lang, method, metric,
                                    known.get(row.id, nan),
                              fertility(inputs_of[row.id]) if row.id in inputs_of else nan,
                              row.id in wins)
                        for row in examples
                    ]  # fmt: skip
    return found


def _values(
    model: Model,
    rows: Sequence[Encoded],
    scores: Scores,
    wanted: Sequence[Target],
    metric: str,
    before: Scores,
) -> list[float]:
    if metric == AGREEMENT:
        return [similarity(old, new) for old, new in zip(before, scores)]
    return measured(model, rows, scores, wanted, metric) if rows else []


def scored(model: Model, rows: Sequence[Encoded], wanted: Sequence[Target], method: str) -> Scores:
    """The words' scores of inputs that are already cut, by a method with its defaults."""
    row = METHODS[method]
    made = row.function(model, rows, wanted, **resolve_options(row, {}))
    return [
        word_scores(one, np.asarray(each.scores, dtype=np.float64), row.words)
        for one, each in zip(rows, made)
    ]


def measured(
    model: Model, rows: Sequence[Encoded], scores: Scores, wanted: Sequence[Target], metric: str
) -> list[float]:
    """A metric of these scores in words, on inputs that are already cut."""
    row = METRICS[metric]
    return [
        one.value
        for one in row.function(
            model, rows, scores, wanted, **resolve_options(row, METRIC_OPTIONS.get(metric, {}))
        )
    ]


def _outputs(model: Model, rows: Sequence[Encoded]) -> list[Any]:
    return inference.outputs(model, [inference.query(row) for row in rows])


def _outcomes(
    model: Model, rows: Sequence[Encoded], made: Sequence[Encoded | None], wanted: Sequence[Target],
    own: dict[str, Scores], metrics: Sequence[str], arm: str, dose: float,
) -> list[DoseOutcome]:  # fmt: skip
    read = [at for at, one in enumerate(made) if one is not None]
    inputs = [one for one in made if one is not None]
    said = [
        targets.predicted(model, one, out).index
        for one, out in zip(inputs, _outputs(model, inputs))
    ]
    left = [(at, one) for at, one, label in zip(read, inputs, said) if label == wanted[at].index]
    places, kept, goals = (
        [at for at, _ in left],
        [one for _, one in left],
        [wanted[at] for at, _ in left],
    )
    found = []
    with model.inference.caching():
        for method, before in own.items():
            scores = scored(model, kept, goals, method) if kept else []
            for metric in metrics:
                values = _values(model, kept, scores, goals, metric, [before[at] for at in places])
                known = dict(zip(places, values))
                for at, row in enumerate(rows):
                    cut = made[at]
                    told = DoseOutcome(arm, dose, row.example.id, row.example.group,
                                       row.example.lang, method, metric,
                                 known.get(at, nan), nan if cut is None else fertility(cut),
                                 at in known)  # fmt: skip
                    found.append(told)
    return found
