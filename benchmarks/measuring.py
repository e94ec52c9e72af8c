"""What the faithfulness metrics cost: inputs requested, inputs computed, the whole call against the
bare model, and how wide the intervals of the soft ones are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
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
TEXTS, MORE, SIZE = 200, 275, 25
"""The usual texts, more of them for the designs that measure each at fewer places, and how many are
measured in one call."""


class Design(NamedTuple):
    """What is measured of each text: the sampled rationale lengths (0: all) and the draws of the
    soft metrics, which share random numbers where they are turned."""

    texts: int
    lengths: int
    draws: int
    turns: tuple[float, ...]


DESIGNS = (
    Design(TEXTS, 0, 8, INDEPENDENT),
    Design(TEXTS, 0, 8, soft.TURNS),
    Design(TEXTS, 0, 6, soft.TURNS),
    Design(TEXTS, 0, 4, soft.TURNS),
    Design(TEXTS, 0, 2, soft.TURNS),
    Design(MORE, 2, 4, soft.TURNS),
    Design(MORE, 2, 2, soft.TURNS),
)
HARD_ALONE = Design(TEXTS, 0, 0, soft.TURNS)


@dataclass(frozen=True, slots=True)
class Run:
    """One call of `measure`: the requested inputs, the computed ones, and how long the whole
    call took.
    """

    requested: list[Query]
    computed: int
    seconds: float
    values: list[Measure]


def watched(model: Model, attributions: Sequence[Attribution], design: Design) -> Run:
    """The calls themselves, with the requested inputs recorded; the soft metrics only with draws."""
    values: list[Measure] = []

    def measured() -> None:
        with model.inference.caching():
            values.extend(measure(model, attributions, HARD, options={"sampled": design.lengths}))
            if design.draws:
                options = {"draws": design.draws, "error": 1.0}
                values.extend(measure(model, attributions, SOFT, options=options))

    before = model.inference.distinct
    with (
        patch.object(soft, "TURNS", design.turns),
        patch.object(inference, "outputs", wraps=inference.outputs) as spy,
    ):
        taken = seconds(measured)
    requested = [query for call in spy.call_args_list for query in call.args[1]]
    return Run(requested, model.inference.distinct - before, taken, values)


def parts(attributions: Sequence[Attribution], texts: int) -> list[list[Attribution]]:
    """The explanations of the first texts, so many texts at a time, all methods together."""
    ids = list(dict.fromkeys(each.id for each in attributions))[:texts]
    chunks = [set(ids[start : start + SIZE]) for start in range(0, len(ids), SIZE)]
    return [[each for each in attributions if each.id in chunk] for chunk in chunks]


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts over all texts; per call the speed of the bare model on the same inputs over that of
    the whole call; and the values."""

    requested: int
    distinct: int
    computed: int
    speed: Ratio
    values: list[Measure]


def cost(model: Model, attributions: Sequence[Attribution], design: Design) -> Cost:
    requested = distinct = computed = 0
    ratios = []
    values: list[Measure] = []
    for part in parts(attributions, design.texts):
        run = watched(model, part, design)
        alone = {query.digest(): query for query in run.requested}
        ratios.append(seconds(calls(model, bare(model, list(alone.values())))) / run.seconds)
        requested += len(run.requested)
        distinct += len(alone)
        computed += run.computed
        values += run.values
    if computed > distinct:
        raise SystemExit(
            f"{computed} inputs went through the model, but only {distinct} are distinct"
        )
    return Cost(requested, distinct, computed, Ratio(tuple(ratios)), values)


def summaries(values: Sequence[Measure], metric: str) -> tuple[list[float], list[float]]:
    """Of each method the mean over texts, and the width of its 95 % interval."""
    means, widths = [], []
    for method in METHODS:
        every = [each.value for each in values if (each.metric, each.method) == (metric, method)]
        defined = np.array(every)[np.isfinite(every)]
        means.append(float(defined.mean()))
        widths.append(2 * 1.96 * float(defined.std(ddof=1)) / float(np.sqrt(len(defined))))
    return means, widths


def compared(design: Cost, before: Cost) -> list[str]:
    """Per metric the mean over methods of the intervals' widths over those before, and the largest
    difference of a method's mean."""
    cells = []
    for metric in (*HARD, *SOFT):
        (means, widths), (old_means, old_widths) = (
            summaries(each.values, metric) for each in (design, before)
        )
        ratio = float(np.mean(np.array(widths) / old_widths))
        off = float(np.abs(np.array(means) - old_means).max())
        cells.append(f"{ratio:.3f} ({off:.3f})")
    return cells


def section() -> str:
    model = material.multilingual()
    attributions = list(explain(model, material.mixed(MORE), METHODS))
    hard = cost(model, attributions, HARD_ALONE)
    costs = [cost(model, attributions, design) for design in DESIGNS]
    before = costs[0]
    rows = [[TEXTS, "all", "none", *counts(hard), "", *[""] * len((*HARD, *SOFT))]]
    for design, each in zip(DESIGNS, costs):
        kind = "independent" if design.turns == INDEPENDENT else "in groups of four"
        rows.append(
            [
                design.texts, design.lengths or "all", f"{design.draws} {kind}", *counts(each),
                f"{each.distinct / before.distinct:.2f}", *compared(each, before),
            ]
        )  # fmt: skip
    head = [
        "texts", "lengths per text", "draws per text", "inputs requested", "distinct among them",
        "computed", "throughput of `measure` / of the bare model", "distinct / in the first design",
        *(f"`{name}`" for name in (*HARD, *SOFT)),
    ]  # fmt: skip
    return f"""## The cost of measuring

Hard ({", ".join(HARD)}) and soft metrics ({", ".join(SOFT)}) of texts explained by
{len(METHODS)} methods ({", ".join(METHODS)}) on {material.material().model}, {SIZE} texts in a call.
*Distinct* counts the distinct inputs among those that the metrics
request, *computed* those that the model processed: no input is computed twice. The throughput is that of
all of `measure` (encoding, erasing, sampling, packing, the model, the metrics) relative to the bare model on
the same inputs, known beforehand, as prepared tensors, in batches of exactly equal length; 1 means no overhead.
The columns of the metrics have the widths of the 95 % intervals of a method's mean over the texts, relative to the first design (all lengths, 8
independent draws), the mean ratio over the methods; in brackets the largest difference of a method's mean. Hard metrics of the same texts at all lengths
have no chance in them, so that only more texts, each at fewer lengths (`sampled`), can make them cheaper; the additional texts have to be explained.

{table(head, rows)}
"""


def counts(measured: Cost) -> list[object]:
    return [measured.requested, measured.distinct, measured.computed, measured.speed]
