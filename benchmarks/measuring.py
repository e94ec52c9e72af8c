"""What the faithfulness metrics cost: inputs requested, inputs computed, the whole call against the
bare model, and how wide the intervals of the soft ones are.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import torch

from babelscope.methods.explain import explain
from babelscope.metrics import soft
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.inference import Query
from babelscope.model.load import Model
from babelscope.types import Attribution, Example, Measure
from benchmarks import material
from benchmarks.inference import bare, calls
from benchmarks.timing import Ratio, table

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
    Design(TEXTS, 0, 0, soft.TURNS),
    Design(TEXTS, 0, 4, soft.TURNS),
    Design(TEXTS, 2, 2, soft.TURNS),
    Design(MORE, 2, 4, soft.TURNS),
    Design(MORE, 2, 2, soft.TURNS),
)
TIMED = 3
"""Of so many calls the bare model is timed beside one."""


@dataclass(frozen=True, slots=True)
class Run:
    """One call of `measure`: the requested inputs, the computed ones, and how long the whole
    call took.
    """

    requested: list[Query]
    computed: int
    seconds: float
    values: list[Measure]

    def alone(self) -> list[Query]:
        """The distinct inputs among the requested ones."""
        return list({query.digest(): query for query in self.requested}.values())


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
        taken = cpu_seconds(measured)
    requested = [query for call in spy.call_args_list for query in call.args[1]]
    return Run(requested, model.inference.distinct - before, taken, values)


def parts(attributions: Sequence[Attribution], texts: int) -> list[list[Attribution]]:
    """The explanations of the first texts, `SIZE` texts at a time, all methods together."""
    ids = list(dict.fromkeys(each.id for each in attributions))[:texts]
    chunks = [set(ids[start : start + SIZE]) for start in range(0, len(ids), SIZE)]
    return [[each for each in attributions if each.id in chunk] for chunk in chunks]


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts over all texts, and the values."""

    requested: int
    distinct: int
    values: list[Measure]


@dataclass(frozen=True, slots=True)
class Speed:
    """Of some calls, the CPU time of the bare model on the same inputs over that of the whole call,
    and the bare model's seconds of an input."""

    ratio: Ratio
    each: float


def usual(model: Model, chunks: Sequence[Sequence[Attribution]]) -> tuple[Cost, Speed]:
    """The first design; in every third call with the bare model beside it."""
    runs, ratios, each = [], [], []
    for turn, part in enumerate(chunks):
        run = watched(model, part, DESIGNS[0])
        runs.append(run)
        alone = run.alone()
        if run.computed > len(alone):
            raise SystemExit(
                f"{run.computed} inputs went through the model, but only {len(alone)} are distinct"
            )
        if turn % TIMED == 0:
            bare_seconds = cpu_seconds(calls(model, bare(model, alone)))
            ratios.append(bare_seconds / run.seconds)
            each.append(bare_seconds / len(alone))
        print(f"{DESIGNS[0]}: call {turn + 1} of {len(chunks)}", file=sys.stderr, flush=True)
    return _total(runs), Speed(Ratio(tuple(ratios)), float(np.mean(each)))


def others(model: Model, chunks: Sequence[Sequence[Attribution]]) -> list[Cost]:
    """The designs that share random numbers, call by call one after the other: an input that
    another design has computed is not computed again, but counts as if it were.
    """
    runs: dict[Design, list[Run]] = {design: [] for design in DESIGNS[1:]}
    for turn, part in enumerate(chunks):
        with model.inference.caching():
            for design in DESIGNS[1:]:
                if turn * SIZE < design.texts:
                    model.inference.cache.erasures.clear()  # type: ignore[union-attr]
                    runs[design].append(watched(model, part, design))
        print(f"others: call {turn + 1} of {len(chunks)}", file=sys.stderr, flush=True)
    return [_total(each) for each in runs.values()]


def _total(runs: Sequence[Run]) -> Cost:
    return Cost(
        sum(len(run.requested) for run in runs),
        sum(len(run.alone()) for run in runs),
        [value for run in runs for value in run.values],
    )


def summaries(values: Sequence[Measure], metric: str) -> tuple[list[float], list[float]]:
    """Of each method the mean over texts, and the width of its 95 % interval."""
    means, widths = [], []
    for method in METHODS:
        every = [each.value for each in values if (each.metric, each.method) == (metric, method)]
        defined = np.array(every)[np.isfinite(every)]
        means.append(float(defined.mean()))
        widths.append(2 * 1.96 * float(defined.std(ddof=1)) / float(np.sqrt(len(defined))))
    return means, widths


def compared(design: Design, after: Cost, before: Cost) -> list[str]:
    """Per metric the mean over methods of the intervals' widths over those before, and the largest
    difference of a method's mean. Without draws nothing is said of the soft metrics."""
    cells = []
    for metric in (*HARD, *(SOFT if design.draws else ())):
        (means, widths), (old_means, old_widths) = (
            summaries(each.values, metric) for each in (after, before)
        )
        ratio = float(np.mean(np.array(widths) / old_widths))
        off = float(np.abs(np.array(means) - old_means).max())
        cells.append(f"{ratio:.3f} ({off:.3f})")
    return cells + [""] * (len(HARD) + len(SOFT) - len(cells))


def explaining(model: Model, examples: Sequence[Example]) -> tuple[list[Attribution], float]:
    """The explanations of all texts, and the CPU seconds that a text of the additional ones takes."""
    attributions = list(explain(model, examples[:TEXTS], METHODS))
    begin = time.process_time()
    attributions += explain(model, examples[TEXTS:], METHODS)
    return attributions, (time.process_time() - begin) / (len(examples) - TEXTS)


def section() -> str:
    torch.set_num_threads(1)
    model = material.multilingual()
    attributions, text = explaining(model, material.mixed(MORE))
    before, speed = usual(model, parts(attributions, TEXTS))
    rows = []
    for design, cost in zip(DESIGNS, [before, *others(model, parts(attributions, MORE))]):
        kind = "independent" if design.turns == INDEPENDENT else "in groups of four"
        more = round((design.texts - TEXTS) * text / speed.each)
        rows.append(
            [
                design.texts, design.lengths or "all", f"{design.draws} {kind}" if design.draws else "none",
                cost.requested, cost.distinct, f"{cost.distinct / before.distinct:.3f}", more,
                f"{(cost.distinct + more) / before.distinct:.3f}", *compared(design, cost, before),
            ]
        )  # fmt: skip
    head = [
        "texts", "lengths per text", "draws per text", "inputs requested", "distinct among them",
        "distinct / in the first design",
        "explaining the additional texts, in inputs", "distinct and explaining / in the first design",
        *(f"`{name}`" for name in (*HARD, *SOFT)),
    ]  # fmt: skip
    half = min(
        (row for row in rows[1:] if "none" not in str(row[2]) and row[0] == MORE),
        key=lambda row: row[4],
    )
    widest = max(float(str(cell).split()[0]) for cell in half[8:])
    return f"""## The cost of measuring

**Intervals at most {widest:.2f} times as wide take {half[5]} of the distinct inputs; {half[7]} with explaining the additional texts.**

Hard ({", ".join(HARD)}) and soft metrics ({", ".join(SOFT)}) of texts explained by
{len(METHODS)} methods ({", ".join(METHODS)}) on {material.material().model}, {SIZE} texts in a call, one thread.
*Distinct* counts the distinct inputs among those that the metrics request; no input is computed twice. In the first design, all of `measure` (encoding, erasing, sampling, packing, the
model, the metrics) has {speed.ratio} of the throughput of the bare model on the same inputs, known beforehand, as prepared tensors, in batches of
exactly equal length, in CPU time; 1 means no overhead.
The columns of the metrics have the widths of the 95 % intervals of a method's mean over the texts, relative to the first design (all lengths, 8
independent draws), the mean ratio over the methods; in brackets the largest difference of a method's mean. Hard metrics of the same texts at all lengths
have no chance in them, so that only more texts, each at fewer lengths (`sampled`), can make them cheaper. The additional texts have to be explained: that takes the
CPU time of so many inputs of the bare model as the column says, for all {len(METHODS)} methods together.

{table(head, rows)}

Of the same texts alone an interval would be wider than the first design's by what the fourth row says; texts that are {MORE / TEXTS:.3f} times as many make it narrower by {(TEXTS / MORE) ** 0.5:.3f}, if they are
as different from each other as the first {TEXTS}. How to ask for such a design: [fewer inputs for the same interval](trust.md#fewer-inputs-for-the-same-interval).
"""


def cpu_seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin
