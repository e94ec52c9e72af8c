"""How far the scores of a method move on a real model when only the arithmetic changes."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.model.inference_state import InferenceState
from babelscope.model.load import Model
from babelscope.propagation.jitter import REPEATS, UNSTABLE, jittered
from babelscope.types import Attribution, Example

TOLERANCES = {"alone": 1e-3, "precision": 1e-3, "completeness": 1e-3, "sensitivity": UNSTABLE}
"""How much each measure may be before the explanation must be flagged. A thousandth of the largest
score is what a table or a page shows; completeness is in units of the explained value, as the
tolerance of integrated_gradients and the flag of deeplift are."""
WARNINGS = ("not stable", "completeness gap", "undefined")
"""How the flags start that say that the numbers are not to be relied on."""


@dataclass(frozen=True, slots=True)
class Row:
    """A method on a real model: the largest value of each measure over the texts."""

    model: str
    method: str
    precision_used: str
    """The precision that the method computes in, whatever the model's."""
    texts: int
    tokens: int
    """Of all texts, without special tokens."""
    alone: float
    precision: float
    completeness: float
    """NaN where the method is not complete."""
    sensitivity: float
    changes: int
    """How often the weights were changed for the sensitivity."""
    flagged: int
    """Texts with a warning."""
    unflagged: tuple[str, ...]
    """The measures that exceed their tolerance on a text without a warning."""
    reason: str
    """Why there are no values; empty where there are."""
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Variants:
    """A model as users load it, the same in float64, and that with changed weights."""

    default: Model
    exact: Model
    changed: tuple[Model, ...]
    """In float64, with the weights changed in their last digit, each in another way."""


def variants(model: Model, changes: int = REPEATS) -> Variants:
    """The model with its copies, made once for all methods."""
    exact = replace(model, hf=copy.deepcopy(model.hf).double(), inference=InferenceState())
    changed = []
    for number in range(changes):
        with jittered(exact, number):
            hf = copy.deepcopy(exact.hf)
        changed.append(replace(model, hf=hf, inference=InferenceState()))
    return Variants(model, exact, tuple(changed))


def measured(model: Variants, method: str, examples: Sequence[Example]) -> Row:
    """The row of a method; one that refuses the model has a reason and no values.

        alone = max_t | a_t - a'_t | / max_t | a_t |       a' the text alone, a in a batch
        precision = the same, a' with the model in float64
        completeness = | sum_t a_t - (F(x) - F(reference)) |
        sensitivity = the same as precision, in float64, a' with the weights w (1 +- 6e-8)

    Each is the largest over the texts. Other errors than a refusal are not caught.
    """
    start = time.perf_counter()
    try:
        batch = list(explain(model.default, examples, method))
    except (UnsupportedModel, InputError) as error:
        return _refused(model.default, method, str(error), time.perf_counter() - start)
    columns = _columns(model, method, examples, batch)
    warned = [any(flag.startswith(WARNINGS) for flag in each.flags) for each in batch]
    unflagged = tuple(
        name
        for name, values in columns.items()
        if any(exceeds(name, value) and not flag for value, flag in zip(values, warned))
    )
    return Row(
        model.default.name, method, precision_used(model.default, method), len(batch),
        sum(len(each.scores) for each in batch),
        **{name: largest(values) for name, values in columns.items()},
        changes=REPEATS if "sensitivity" in batch[0].details else len(model.changed),
        flagged=sum(warned), unflagged=unflagged, reason="",
        seconds=time.perf_counter() - start,
    )  # fmt: skip


def _columns(
    model: Variants, method: str, examples: Sequence[Example], batch: Sequence[Attribution]
) -> dict[str, list[float]]:
    """Each measure, per text."""
    alone = [explain(model.default, example, method)[0] for example in examples]
    exact = explain(model.exact, examples, method)
    if all("sensitivity" in each.details for each in exact):  # the method has measured it itself
        movements = [[float(each.details["sensitivity"]) for each in exact]]
    else:
        movements = [
            [deviation(*pair) for pair in zip(exact, changed)]
            for changed in (explain(each, examples, method) for each in model.changed)
        ]
    return {
        "alone": [deviation(*pair) for pair in zip(batch, alone)],
        "precision": [deviation(*pair) for pair in zip(exact, batch)],
        "completeness": [gap(each) if METHODS[method].complete else nan for each in batch],
        "sensitivity": [max(column) for column in zip(*movements)],
    }


def deviation(first: Attribution, second: Attribution) -> float:
    """The largest difference of two explanations of one text, as a share of the largest score of
    the first; infinite where they differ in what is explained or defined."""
    if (first.target, first.tokens) != (second.target, second.tokens):
        return inf
    a, b = np.array(first.scores), np.array(second.scores)
    if (np.isnan(a) != np.isnan(b)).any():
        return inf
    size, change = (float(np.nanmax(np.abs(x), initial=0.0)) for x in (a, a - b))
    return change / size if size else (inf if change else 0.0)


def gap(attribution: Attribution) -> float:
    """How far the scores of a complete method are from summing to value - reference value;
    infinite where one of them is undefined."""
    if attribution.reference_value is None or not np.isfinite(attribution.scores).all():
        return inf
    difference = attribution.value - attribution.reference_value
    return abs(float(np.sum(attribution.scores)) - difference)


def largest(values: Sequence[float]) -> float:
    """The largest value; NaN where none is defined."""
    defined = [value for value in values if value == value]
    return max(defined, default=nan)


def precision_used(model: Model, method: str) -> str:
    """The precision that a method computes in on this model."""
    weights = str(next(iter(model.hf.parameters())).dtype).removeprefix("torch.")
    return "float64" if METHODS[method].precise == "float64" else weights


def exceeds(name: str, value: float) -> bool:
    """Whether a measure is above its tolerance; one that is NaN does not apply."""
    return value > TOLERANCES[name]


def _refused(model: Model, method: str, reason: str, seconds: float) -> Row:
    return Row(
        model.name, method, precision_used(model, method), 0, 0, nan, nan, nan, nan, 0, 0, (),
        reason, seconds,
    )  # fmt: skip
