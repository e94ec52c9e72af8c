"""What the faithfulness metrics cost: inputs requested, inputs computed, and the whole call
against the bare model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from unittest.mock import patch

from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.inference import Query
from babelscope.model.load import Model
from babelscope.types import Attribution
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
OPTIONS = {"draws": 8, "error": 1.0}
"""Of the soft metrics: eight draws, no more."""
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


def watched(model: Model, found: Sequence[Attribution], metrics: Sequence[str]) -> Run:
    """The calls themselves, with the requested inputs recorded."""
    soft = [name for name in metrics if name in SOFT]

    def measured() -> None:
        with model.inference.caching():
            if len(soft) < len(metrics):
                measure(model, found, [name for name in metrics if name not in SOFT])
            if soft:
                measure(model, found, soft, options=OPTIONS)

    before = model.inference.distinct
    with patch.object(inference, "outputs", wraps=inference.outputs) as spy:
        taken = seconds(measured)
    requested = [query for call in spy.call_args_list for query in call.args[1]]
    return Run(requested, model.inference.distinct - before, taken)


def parts(found: Sequence[Attribution]) -> list[list[Attribution]]:
    """The explanations of so many texts at a time, all methods together."""
    ids = list(dict.fromkeys(one.id for one in found))
    chunks = [set(ids[start : start + SIZE]) for start in range(0, len(ids), SIZE)]
    return [[one for one in found if one.id in mine] for mine in chunks]


def row(
    model: Model, found: Sequence[Attribution], name: str, metrics: Sequence[str]
) -> list[object]:
    """Counts over all texts, and per call the speed of the bare model on the same inputs over that
    of the whole call.
    """
    asked = distinct = computed = 0
    ratios = []
    for part in parts(found):
        one = watched(model, part, metrics)
        alone = {query.digest(): query for query in one.asked}
        run = calls(model, bare(model, list(alone.values())))
        ratios.append(seconds(run) / one.seconds)
        asked, distinct, computed = (
            asked + len(one.asked),
            distinct + len(alone),
            computed + one.computed,
        )
    if computed > distinct:
        raise SystemExit(
            f"{computed} inputs went through the model, but only {distinct} are distinct"
        )
    return [name, asked, distinct, computed, Ratio(tuple(ratios))]


def section() -> str:
    model = material.multilingual()
    found = list(explain(model, material.mixed(TEXTS), METHODS))
    rows = [row(model, found, *one) for one in (("hard", HARD), ("hard and soft", (*HARD, *SOFT)))]
    head = [
        "metrics",
        "inputs requested",
        "distinct among them",
        "computed",
        "throughput of `measure` / of the bare model",
    ]
    return f"""## The cost of measuring

Hard ({", ".join(HARD)}) and soft metrics ({", ".join(SOFT)}) of {TEXTS} texts explained by
{len(METHODS)} methods ({", ".join(METHODS)}) on {material.material().model}, {SIZE} texts in a call.
The soft ones take {OPTIONS["draws"]} samples per text. *Distinct* counts the distinct inputs among those that the metrics
request, *computed* those that the model processed: no input is computed twice. The throughput is that of
all of `measure` (encoding, erasing, sampling, packing, the model, the metrics) relative to the bare model on
the same inputs, known beforehand, as prepared tensors, in batches of exactly equal length; 1 means no overhead.

{table(head, rows)}
"""
