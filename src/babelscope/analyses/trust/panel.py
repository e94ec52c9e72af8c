"""The trust panel: everything that can be asked of one explanation before it is believed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
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
from babelscope.methods.explain import explain, word_scores
from babelscope.metrics import METRICS
from babelscope.metrics.bounds import Bounds, bounds
from babelscope.metrics.measure import check_model, explained_target
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.model.stored_input import encoded_input
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

    `draws` is how often the model is shuffled, `seeds` how many other seeds a method that draws
    numbers is run with. `siblings` are models tuned as this one with other seeds. `labelled` are
    examples with gold labels, none of them trained on: they say how often the model is right when
    it is as sure as here. See `CHECKS` and docs/trust.md for what is asked.

    *Laws*: the model is as it was, to the bit; a panel does not depend on the other explanations of
    the call.
    """
    if not attributions:
        raise InputError("there is no explanation to look at")
    for name, given in (("draws", draws), ("seeds", seeds)):
        if given < 1:
            raise InputError(f"{name} must be at least 1; {given} given")
    known = _outcomes(model, labelled)
    groups: dict[tuple[str, str, int], list[int]] = {}
    for at, one in enumerate(attributions):
        groups.setdefault((one.method, canonical(dict(one.options)), one.seed), []).append(at)
    found: dict[int, Trust] = {}
    with model.inference.reporting_progress(progress):
        for places in groups.values():
            mine = [attributions[at] for at in places]
            calibrated = [checks.calibration(one, *known) for one in mine]
            found |= dict(zip(places, _panels(model, mine, calibrated, draws, seeds, siblings)))
    return [found[at] for at in range(len(attributions))]


def _panels(
    model: Model,
    mine: Sequence[Attribution],
    calibrated: Sequence[Check],
    draws: int,
    seeds: int,
    siblings: Sequence[Model],
) -> list[Trust]:
    """The panels of explanations by one method with one setting, made together."""
    check_model(model, mine)
    rows, wanted = [encoded_input(one) for one in mine], [explained_target(one) for one in mine]
    own = [np.array(one.word_scores) for one in mine]

    def again(seed: int) -> list[Scores]:
        return _scores(model, mine[0], rows, wanted, seed)

    luck = [checks.chance(one, row.example.id) for one, row in zip(own, rows)]
    repeated = (
        [again(mine[0].seed + step) for step in range(1, seeds + 1)]
        if METHODS[mine[0].method].seeded
        else []
    )
    kin = [[_sibling(other, one) for one in mine] for other in siblings]
    with model.inference.caching():
        left = METRICS["loo_correlation"].function(model, rows, own, wanted)
        places = {
            name: _bounds(model, rows, own, wanted, name)
            for name in ("comprehensiveness", "sufficiency")
        }
    faded = _faded(model, mine[0].seed, own, luck, again, draws)
    found = []
    for at, one in enumerate(mine):
        stages, untrained = faded[at]
        told = (
            checks.completeness(one),
            checks.stability(one, own[at], [each[at] for each in repeated], luck[at]),
            checks.siblings(own[at], [each[at] for each in kin], luck[at]),
            checks.leave_one_out(left[at].value, left[at].reason, luck[at]),
            *(checks.place(name, bound[at], len(own[at])) for name, bound in places.items()),
            checks.randomisation(stages, untrained),
            calibrated[at],
        )
        found.append(Trust(one, told, stages, untrained))
    return found


def _scores(
    model: Model, one: Attribution, rows: Sequence[Encoded], wanted: Sequence[Target], seed: int
) -> list[Scores]:
    method = METHODS[one.method]
    extra = {"seed": seed} if method.seeded else {}
    with model.full_precision() if method.precise else nullcontext():
        made = method.function(model, rows, wanted, **one.options, **extra)
    return [
        word_scores(row, np.asarray(each.scores, dtype=np.float64), method.words)
        for row, each in zip(rows, made)
    ]


def _faded(
    model: Model, seed: int, own: Sequence[Scores], luck: Sequence[Scores], again: Again, draws: int
) -> list[tuple[tuple[Stage, ...], float]]:
    """Per explanation its stages, and how alike the explanations of wholly shuffled models are."""
    listed = parts(model)
    stages: list[list[Stage]] = [[] for _ in own]
    made: list[list[Scores]] = []
    for count in range(1, len(listed) + 1):
        made = []
        for draw in range(draws):
            with shuffled(model, listed[:count], draw):
                made.append(again(seed))
        for at, mine in enumerate(own):
            alike = checks.mean([checks.similarity(mine, one[at]) for one in made])
            sizes = checks.mean([checks.similarity(np.abs(mine), np.abs(one[at])) for one in made])
            stages[at].append(
                Stage(listed[count - 1].name, alike, sizes, *checks.spread(luck[at], draws))
            )
    untrained = [
        checks.mean([checks.similarity(a[at], b[at]) for a, b in combinations(made, 2)])
        for at in range(len(own))
    ]
    return [(tuple(one), other) for one, other in zip(stages, untrained)]


def _sibling(other: Model, one: Attribution) -> Scores:
    """The same words' scores by another model, for the same target; NaN where it reads other
    words.
    """
    example = Example(one.id, one.texts, one.lang, one.group)
    aim = Aim(one.target, one.contrast)
    part = "all" if one.input is None else one.input.part
    (made,) = explain(
        other,
        example,
        one.method,
        target=aim,
        quantity=one.quantity,
        options=one.options,
        seed=one.seed,
        part=part,
    )
    known = dict(zip(zip(made.word_segment, made.word_offsets), made.word_scores))
    return np.array([known.get(place, nan) for place in zip(one.word_segment, one.word_offsets)])


def _bounds(
    model: Model,
    rows: Sequence[Encoded],
    own: Sequence[Scores],
    wanted: Sequence[Target],
    metric: str,
) -> list[Bounds | None]:
    """None where the text is too long."""
    short = [at for at, one in enumerate(own) if len(one) <= LONGEST]
    if not short:
        return [None] * len(own)
    texts, scores, goals = (
        [rows[at] for at in short],
        [own[at] for at in short],
        [wanted[at] for at in short],
    )
    found = dict(zip(short, bounds(model, texts, scores, goals, metric, "word", None, ORDERS)))
    return [found.get(at) for at in range(len(own))]


def _outcomes(model: Model, labelled: Sequence[Example]) -> tuple[list[checks.Outcome], str]:
    """What became of every labelled example; or why nothing can be said."""
    if not labelled:
        return [], "no labelled examples were given"
    if not model.classifies:
        return [], f"a {model.task} model has no single class to be right about"
    missing = next((row.id for row in labelled if row.label is None), None)
    if missing is not None:
        raise InputError(f"{missing}: calibration needs a label on every labelled example")
    rows = encode(model, labelled)
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    said = [targets.predicted(model, row, output) for row, output in zip(rows, outputs)]
    sure = [targets.probability(model, output, one) for output, one in zip(outputs, said)]
    right = [one.index == targets.gold(model, row).index for row, one in zip(rows, said)]
    return [
        checks.Outcome(row.example.lang, *each) for row, each in zip(rows, zip(sure, right))
    ], ""
