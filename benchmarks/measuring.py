"""What the faithfulness metrics cost: inputs requested, inputs computed, the whole call against the
bare model, and how wide the intervals of the soft ones are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np

from babelscope.methods.explain import explain
from babelscope.metrics import soft
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.inference import Query
from babelscope.model.load import Model
from babelscope.types import Attribution, Measure
from benchmarks import material
from benchmarks.inference import bare, calls
from benchmarks.timing import Ratio, seconds, table

METHODS = ("random", "attention", "scaled_attention", "input_x_gradient", "deeplift")
HARD = (
    "comprehensiveness",
    "sufficiency",
    "normalised_comprehensiveness",
    "normalised_sufficiency",
)
SOFT = ("normalised_soft_comprehensiveness", "normalised_soft_sufficiency")
INDEPENDENT = (0.0,)
"""Turns with which every draw is a group of its own, as they all were formerly."""
DRAWS = ((8, INDEPENDENT), (8, soft.TURNS), (6, soft.TURNS), (4, soft.TURNS), (2, soft.TURNS))
"""Of the soft metrics: so many draws, no more, independent or in groups."""
TEXTS, SIZE = 200, 25
"""All texts, and how many are measured in one call."""


@dataclass(frozen=True, slots=True)
class Run:
    """One call of `measure`: the requested inputs, the computed ones, and how long the whole
    call took.
    """

    asked: list[Query]
    computed: int
    seconds: float
    values: list[Measure]


def watched(
    model: Model, found: Sequence[Attribution], draws: int, turns: tuple[float, ...]
) -> Run:
    """The calls themselves, with the requested inputs recorded; the soft metrics only with draws."""
    values: list[Measure] = []

    def measured() -> None:
        with model.inference.caching():
            values.extend(measure(model, found, HARD))
            if draws:
                options = {"draws": draws, "error": 1.0}
                values.extend(measure(model, found, SOFT, options=options))

    before = model.inference.distinct
    with (
        patch.object(soft, "TURNS", turns),
        patch.object(inference, "outputs", wraps=inference.outputs) as spy,
    ):
        taken = seconds(measured)
    requested = [query for call in spy.call_args_list for query in call.args[1]]
    return Run(requested, model.inference.distinct - before, taken, values)


def parts(found: Sequence[Attribution]) -> list[list[Attribution]]:
    """The explanations of so many texts at a time, all methods together."""
    ids = list(dict.fromkeys(one.id for one in found))
    chunks = [set(ids[start : start + SIZE]) for start in range(0, len(ids), SIZE)]
    return [[one for one in found if one.id in mine] for mine in chunks]


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts over all texts; per call the speed of the bare model on the same inputs over that of
    the whole call; and the values."""

    asked: int
    distinct: int
    computed: int
    speed: Ratio
    values: list[Measure]


def cost(model: Model, found: Sequence[Attribution], draws: int, turns: tuple[float, ...]) -> Cost:
    asked = distinct = computed = 0
    ratios = []
    values: list[Measure] = []
    for part in parts(found):
        one = watched(model, part, draws, turns)
        alone = {query.digest(): query for query in one.asked}
        run = calls(model, bare(model, list(alone.values())))
        ratios.append(seconds(run) / one.seconds)
        asked, distinct, computed = (
            asked + len(one.asked),
            distinct + len(alone),
            computed + one.computed,
        )
        values += one.values
    if computed > distinct:
        raise SystemExit(
            f"{computed} inputs went through the model, but only {distinct} are distinct"
        )
    return Cost(asked, distinct, computed, Ratio(tuple(ratios)), values)


def summaries(values: Sequence[Measure], metric: str) -> tuple[list[float], list[float]]:
    """Of each method the mean over texts, and the width of its 95 % interval."""
    means, widths = [], []
    for method in METHODS:
        mine = [one.value for one in values if (one.metric, one.method) == (metric, method)]
        defined = np.array(mine)[np.isfinite(mine)]
        means.append(float(defined.mean()))
        widths.append(2 * 1.96 * float(defined.std(ddof=1)) / float(np.sqrt(len(defined))))
    return means, widths


def compared(one: Cost, before: Cost) -> list[str]:
    """Per soft metric the mean over methods of the intervals' widths over those before, and the
    largest difference of a method's mean."""
    cells = []
    for metric in SOFT:
        (means, widths), (old_means, old_widths) = (
            summaries(each.values, metric) for each in (one, before)
        )
        ratio = float(np.mean(np.array(widths) / old_widths))
        off = float(np.abs(np.array(means) - old_means).max())
        cells.append(f"{ratio:.3f} ({off:.3f})")
    return cells


def section() -> str:
    model = material.multilingual()
    found = list(explain(model, material.mixed(TEXTS), METHODS))
    hard = cost(model, found, 0, soft.TURNS)
    costs = [cost(model, found, *one) for one in DRAWS]
    before = costs[0]
    rows: list[list[object]] = [
        ["hard", "", hard.asked, hard.distinct, hard.computed, hard.speed, "", "", ""]
    ]
    for (draws, turns), one in zip(DRAWS, costs):
        kind = "independent" if turns == INDEPENDENT else "in groups of four"
        rows.append(
            [
                "hard and soft",
                f"{draws} {kind}",
                one.asked,
                one.distinct,
                one.computed,
                one.speed,
                f"{one.distinct / before.distinct:.2f}",
                *compared(one, before),
            ]
        )
    head = [
        "metrics",
        "draws per text",
        "inputs requested",
        "distinct among them",
        "computed",
        "throughput of `measure` / of the bare model",
        "distinct / with 8 independent draws",
        *(f"width of the intervals of {name} / with 8 independent draws" for name in SOFT),
    ]
    return f"""## The cost of measuring

Hard ({", ".join(HARD)}) and soft metrics ({", ".join(SOFT)}) of {TEXTS} texts explained by
{len(METHODS)} methods ({", ".join(METHODS)}) on {material.material().model}, {SIZE} texts in a call.
*Distinct* counts the distinct inputs among those that the metrics
request, *computed* those that the model processed: no input is computed twice. The throughput is that of
all of `measure` (encoding, erasing, sampling, packing, the model, the metrics) relative to the bare model on
the same inputs, known beforehand, as prepared tensors, in batches of exactly equal length; 1 means no overhead.
Widths are of the 95 % intervals of a method's mean over the texts, the mean ratio over the methods; in brackets the largest
difference of a method's mean. The hard metrics have no chance in them and need the same inputs for any interval.

{table(head, rows)}
"""
