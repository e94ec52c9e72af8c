"""The trust panel: every check of one explanation before it is believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import nan

import numpy as np

from babelscope.analyses.trust import checks
from babelscope.analyses.trust.checks import LONGEST, Scores
from babelscope.analyses.trust.shuffling import parts, shuffled
from babelscope.analyses.trust.values import (
    Check,
    Stage,
    Trust,
)
from babelscope.errors import InputError
from babelscope.files import (
    canonical,
)
from babelscope.methods import METHODS
from babelscope.methods.apply import ready
from babelscope.methods.attribution import word_scores
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.bounds import Bounds, bounds
from babelscope.metrics.measure import check_model, explained_target
from babelscope.model import inference, targets
from babelscope.model.encode import encode_readable
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.stored_input import encoded_input
from babelscope.random import identity
from babelscope.types import Aim, Attribution, Encoded, Example, Target

ORDERS = 20
"""Random orders that an explanation is measured against."""

Again = Callable[[int], list[Scores]]
"""From a seed to the words' scores of every explanation, made again by the model as it now is."""


def trust(
    model: Model, attributions: Sequence[Attribution], *, draws: int = 3, seeds: int = 4,
    siblings: Sequence[Model] = (), labelled: Sequence[Example] = (),
    progress: Progress | None = None,
) -> list[Trust]:  # fmt: skip
    """Whether explanations of this model can be trusted: one panel for each.

    `draws` is how often the model is shuffled, `seeds` how many other seeds a random method is run
    with. `siblings` are models fine-tuned as this one with other seeds. `labelled` are
    examples with gold labels, none of them trained on: they say how often the model is right when
    it is as sure as here. See `CHECKS` and docs/trust.md for the questions.

    *Laws*: the model is as it was, to the bit; a panel does not depend on the other explanations of
    the call.
    """
    if not attributions:
        raise InputError("there is no explanation to check; give at least one")
    for name, count in (("draws", draws), ("seeds", seeds)):
        if count < 1:
            raise InputError(f"{name} must be at least 1; {count} given")
    known = _outcomes(model, labelled)
    groups: dict[tuple[str, str, int], list[int]] = {}
    for at, attribution in enumerate(attributions):
        setting = (attribution.method, canonical(dict(attribution.options)), attribution.seed)
        groups.setdefault(setting, []).append(at)
    panels: dict[int, Trust] = {}
    with model.inference.reporting_progress(progress):
        for places in groups.values():
            chosen = [attributions[at] for at in places]
            calibrated = [checks.calibration(attribution, *known) for attribution in chosen]
            panels |= dict(zip(places, _panels(model, chosen, calibrated, draws, seeds, siblings)))
    return [panels[at] for at in range(len(attributions))]


def _panels(
    model: Model,
    attributions: Sequence[Attribution],
    calibrated: Sequence[Check],
    draws: int,
    seeds: int,
    siblings: Sequence[Model],
) -> list[Trust]:
    """The panels of explanations by one method with one setting, made together."""
    check_model(model, attributions)
    rows = [encoded_input(attribution) for attribution in attributions]
    goals = [explained_target(attribution) for attribution in attributions]
    scores = [np.array(attribution.word_scores) for attribution in attributions]

    def again(seed: int) -> list[Scores]:
        return _scores(model, attributions[0], rows, goals, seed)

    nulls = [checks.chance(each, *identity(row)) for each, row in zip(scores, rows)]
    repeated = (
        [again(attributions[0].seed + step) for step in range(1, seeds + 1)]
        if METHODS[attributions[0].method].seeded
        else []
    )
    others = [[_sibling(other, attribution) for attribution in attributions] for other in siblings]
    with model.inference.caching():
        left = METRICS["loo_correlation"].function(model, rows, scores, goals)
        places = {
            name: _bounds(model, rows, scores, goals, name)
            for name in ("comprehensiveness", "sufficiency")
        }
    faded = _faded(model, attributions[0].seed, scores, nulls, again, draws)
    panels = []
    for at, attribution in enumerate(attributions):
        stages, untrained = faded[at]
        lines = (
            checks.completeness(attribution),
            checks.stability(attribution, scores[at], [each[at] for each in repeated], nulls[at]),
            checks.siblings(scores[at], [each[at] for each in others], nulls[at]),
            checks.leave_one_out(left[at].value, left[at].reason, nulls[at]),
            *(checks.place(name, bound[at], len(scores[at])) for name, bound in places.items()),
            checks.randomisation(stages, untrained),
            calibrated[at],
        )
        panels.append(Trust(attribution, lines, stages, untrained))
    return panels


def _scores(
    model: Model,
    attribution: Attribution,
    rows: Sequence[Encoded],
    goals: Sequence[Target],
    seed: int,
) -> list[Scores]:
    method = METHODS[attribution.method]
    extra = {"seed": seed} if method.seeded else {}
    with ready(model, method):
        explained = method.function(model, rows, goals, **attribution.options, **extra)
    return [
        word_scores(row, np.asarray(each.scores, dtype=np.float64), method.words)
        for row, each in zip(rows, explained)
    ]


def _faded(
    model: Model,
    seed: int,
    scores: Sequence[Scores],
    nulls: Sequence[Scores],
    again: Again,
    draws: int,
) -> list[tuple[tuple[Stage, ...], float]]:
    """Per explanation its stages, and how alike the explanations of wholly shuffled models are; a
    function of texts has no weights, and so no stages.
    """
    if model.row.reads_text:
        return [((), nan) for _ in scores]
    listed = parts(model)
    stages: list[list[Stage]] = [[] for _ in scores]
    shuffled_scores: list[list[Scores]] = []
    for count in range(1, len(listed) + 1):
        shuffled_scores = []
        for shuffle in range(draws):
            with shuffled(model, listed[:count], shuffle):
                shuffled_scores.append(again(seed))
        for at, trained in enumerate(scores):
            others = [each[at] for each in shuffled_scores]
            alike = checks.mean([checks.similarity(trained, other) for other in others])
            sizes = checks.mean(
                [checks.similarity(np.abs(trained), np.abs(other)) for other in others]
            )
            stages[at].append(
                Stage(listed[count - 1].name, alike, sizes, *checks.spread(nulls[at], draws))
            )
    untrained = [
        checks.mean([checks.similarity(a[at], b[at]) for a, b in combinations(shuffled_scores, 2)])
        for at in range(len(scores))
    ]
    return [(tuple(row), alike) for row, alike in zip(stages, untrained)]


def _sibling(other: Model, attribution: Attribution) -> Scores:
    """The same words' scores by another model, for the same target; NaN where it reads other
    words.
    """
    example = Example(attribution.id, attribution.texts, attribution.lang, attribution.group)
    aim = Aim(attribution.target, attribution.contrast)
    part = "all" if attribution.input is None else attribution.input.part
    (explained,) = explain(
        other,
        example,
        attribution.method,
        target=aim,
        quantity=attribution.quantity,
        options=attribution.options,
        seed=attribution.seed,
        part=part,
    )
    known = dict(zip(zip(explained.word_segment, explained.word_offsets), explained.word_scores))
    return np.array(
        [known.get(place, nan) for place in zip(attribution.word_segment, attribution.word_offsets)]
    )


def _bounds(
    model: Model,
    rows: Sequence[Encoded],
    scores: Sequence[Scores],
    goals: Sequence[Target],
    metric: str,
) -> list[Bounds | None]:
    """None where the text is too long."""
    short = [at for at, row_scores in enumerate(scores) if len(row_scores) <= LONGEST]
    if not short:
        return [None] * len(scores)
    texts, orders = [rows[at] for at in short], [scores[at] for at in short]
    explained = [goals[at] for at in short]
    known = bounds(model, texts, orders, explained, metric, "word", None, ORDERS)
    by_text = dict(zip(short, known))
    return [by_text.get(at) for at in range(len(scores))]


def _outcomes(
    model: Model, labelled: Sequence[Example]
) -> tuple[list[checks.Outcome], tuple[str, str]]:
    """The prediction for every labelled example, or the verdict and reason why there is none."""
    if not model.classifies:
        return [], ("does not apply", f"a {model.task} model has no single class to be right about")
    if not labelled:
        return [], ("not run", "no labelled examples were given")
    missing = next((row.id for row in labelled if row.label is None), None)
    if missing is not None:
        raise InputError(f"{missing}: calibration needs a label on every labelled example")
    rows = [row for row in encode_readable(model, labelled)[0] if _known(model, row)]
    if not rows:
        raise InputError(f"{labelled[0].id}: no labelled example has a label that {model.name} has")
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    predictions = [targets.predicted(model, row, output) for row, output in zip(rows, outputs)]
    sure = [
        targets.probability(model, output, prediction)
        for output, prediction in zip(outputs, predictions)
    ]
    right = [
        prediction.index == targets.gold(model, row).index
        for row, prediction in zip(rows, predictions)
    ]
    return [checks.Outcome(row.example.lang, *each) for row, each in zip(rows, zip(sure, right))], (
        "",
        "",
    )


def _known(model: Model, row: Encoded) -> bool:
    """Whether the model has the class that is the row's label."""
    try:
        targets.gold(model, row)
    except InputError:
        return False
    return True
