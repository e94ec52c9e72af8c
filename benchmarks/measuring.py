"""What measuring costs: inputs asked for against inputs computed, time against the bare model's."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import torch

from babelscope.model import forward
from babelscope.model.forward import Query
from babelscope.model.load import Model
from babelscope.study.explain import explain
from babelscope.study.measure import measure
from babelscope.types import Attribution
from benchmarks import material
from benchmarks.door import bare, calls
from benchmarks.timing import Ratio, seconds, table

METHODS = ("random", "position", "gradient_norm", "input_x_gradient", "attention")
METRICS = ("comprehensiveness", "sufficiency", "normalised_comprehensiveness", "normalised_sufficiency")
TEXTS = 200
PARTS, SIZE = 4, 25
"""Timed are that many parts of so many texts."""


def queries(model: Model, found: Sequence[Attribution], metrics: Sequence[str]) -> list[Query]:
    """What the metrics ask the door for; the answers are made up, as no metric's question depends on an answer."""
    blank = torch.zeros(len(model.labels), dtype=torch.float64)
    with patch.object(forward, "scores", side_effect=lambda _, asked: [blank] * len(asked)) as door:
        measure(model, found, metrics)
    return [query for call in door.call_args_list for query in call.args[1]]


def counts(name: str, model: Model, found: Sequence[Attribution], metrics: Sequence[str]) -> list[object]:
    asked = queries(model, found, metrics)
    distinct = {query.digest(): len(query.ids) for query in asked}
    tokens = sum(len(query.ids) for query in asked)
    return [name, len(asked), len(distinct), f"{len(asked) / len(distinct):.1f}", tokens, sum(distinct.values())]


def timed(model: Model, found: Sequence[Attribution]) -> Ratio:
    """The whole call of `measure` against the bare model, part by part in turn."""
    ids = list(dict.fromkeys(one.id for one in found))
    ratios = []
    for number in range(PARTS):
        mine = set(ids[number * SIZE : (number + 1) * SIZE])
        part = [one for one in found if one.id in mine]
        alone = calls(model, bare(model, queries(model, part, METRICS)))
        if number % 2:
            ours, theirs = seconds(lambda part=part: measure(model, part, METRICS)), seconds(alone)  # type: ignore[misc]
        else:
            theirs, ours = seconds(alone), seconds(lambda part=part: measure(model, part, METRICS))  # type: ignore[misc]
        ratios.append(ours / theirs)
    return Ratio(tuple(ratios))


def section() -> str:
    model = material.multilingual()
    found = explain(model, material.mixed(TEXTS), METHODS)
    one = [each for each in found if each.method == METHODS[0]]
    rows = [
        counts("1 method, 1 metric", model, one, METRICS[:1]),
        counts("1 method, 4 metrics", model, one, METRICS),
        counts("5 methods, 1 metric", model, found, METRICS[:1]),
        counts("5 methods, 4 metrics", model, found, METRICS),
    ]
    head = ["measured", "inputs asked for", "computed", "asked / computed", "tokens asked for", "tokens computed"]
    return f"""## What measuring costs

The hard faithfulness metrics ({", ".join(METRICS)}) of {TEXTS} texts explained by {len(METHODS)} methods
({", ".join(METHODS)}) on {material.material().model}.
The metrics share their perturbed inputs, and explanations that choose the same words share them too, so fewer are computed
than asked for.

{table(head, rows)}

The whole call of `measure` for 5 methods and 4 metrics (encoding, erasing, the model, the metrics) takes {timed(model, found)}
times as long as the bare model alone on the computed inputs, known beforehand, in batches of equal length ({PARTS} parts of
{SIZE} texts).
"""
