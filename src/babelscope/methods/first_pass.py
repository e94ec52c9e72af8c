"""The first pass over the inputs: outputs, targets, the check against the model's own call, and for
a method that needs no other pass also its scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from babelscope.data.skipping import skipped_row
from babelscope.errors import InputError
from babelscope.methods.apply import apply_method
from babelscope.methods.own_call import (
    contradictions,
    example_id,
    keep_own,
    late_contradictions,
    own_outputs,
)
from babelscope.methods.row import Method
from babelscope.model import inference, targets
from babelscope.model.load import Model
from babelscope.model.plain import has_plain_batches
from babelscope.model.scopes import of_lower_precision
from babelscope.model.windows import best_windows
from babelscope.types import Aim, Encoded, Explained, Goal, SkippedRow, Target

Choice = tuple[Method, Mapping[str, Any]]
"""A method and its options."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstPass:
    """What is explained: inputs, the model's outputs for them, and their targets."""

    encoded: list[Encoded]
    outputs: list[torch.Tensor]
    targets: list[Target]
    skipped: tuple[SkippedRow, ...]
    explained: Mapping[str, list[Explained]]
    """By the method's name, where the first pass gave its scores too."""

    def without(self, faults: Mapping[str, SkippedRow]) -> list[int]:
        """The numbers of the inputs of examples without such a fault."""
        return [at for at, row in enumerate(self.encoded) if example_id(row) not in faults]


def first_pass(
    model: Model, encoded: Sequence[Encoded], chosen: Sequence[Choice],
    aim: Aim, quantity: str | None, long: str,
) -> FirstPass:  # fmt: skip
    """The inputs that can be explained, and the examples that cannot.

    *Law*: a method whose scores come from this pass has those that it has for the same targets
    alone.
    """
    lead = _lead(model, chosen, aim, long)
    if lead is not None:
        return _explaining_pass(model, encoded, lead, aim, quantity)
    queries = [inference.query(row) for row in encoded]
    plain = bool(encoded) and not model.in_half and has_plain_batches(model, queries)
    outputs = own_outputs(model, encoded) if plain else inference.outputs(model, queries)
    if plain:
        keep_own(model, queries, outputs)
    if long == "best":
        best = best_windows(model, encoded, outputs, aim)
        encoded, outputs = [encoded[at] for at in best], [outputs[at] for at in best]
    faults: dict[str, SkippedRow] = {}
    aims: list[Target | None] = []
    checked = contradictions(model, encoded, outputs, own=plain)
    for row, output, fault in zip(encoded, outputs, checked):
        target, wrong = _target(model, row, output, aim, quantity)
        aims.append(target)
        if (skip := wrong or fault) is not None:
            faults.setdefault(example_id(row), replace(skip, model=model.name))
    return _without(encoded, outputs, aims, faults, {})


def late_faults(model: Model, first: FirstPass) -> dict[str, SkippedRow]:
    """By example, where a method has read the input in our call and that is not the model's own."""
    faults = late_contradictions(model, first.encoded, first.outputs)
    return {
        example_id(row): replace(fault, model=model.name)
        for row, fault in zip(first.encoded, faults)
        if fault is not None
    }


def _lead(model: Model, chosen: Sequence[Choice], aim: Aim, long: str) -> Choice | None:
    """The method whose gradient pass is the first pass: its forward half finds the targets.

    None where a target needs more than the output of its own input (the best window), may be
    missing for a reason that only the output shows (the gold tag), or where the method runs in
    another precision than the model.
    """
    if long == "best" or (aim.name == "gold" and model.row.tags):
        return None
    folds = [
        (method, options)
        for method, options in chosen
        if method.one_pass
        and not (method.precise and of_lower_precision(model.hf, getattr(torch, method.precise)))
    ]
    plain = [choice for choice in folds if choice[0].family != "propagation"]
    return next(iter((*plain, *folds)), None)


def _explaining_pass(
    model: Model, encoded: Sequence[Encoded], lead: Choice, aim: Aim, quantity: str | None
) -> FirstPass:
    faults: dict[str, SkippedRow] = {}
    for row in encoded if aim.name == "gold" else ():
        wrong = _gold_fault(model, row)
        if wrong is not None:
            faults.setdefault(example_id(row), replace(wrong, model=model.name))
    rows = [row for row in encoded if example_id(row) not in faults]
    method, options = lead
    goals = [
        Goal(row, aim, quantity, row.example.label if aim.name == "gold" else None) for row in rows
    ]
    explained = apply_method(model, method, options, 0, rows, goals) if rows else []
    queries = [inference.query(row) for row in rows]
    outputs = inference.outputs(model, queries) if rows else []
    aims = [targets.resolved(model, *each) for each in zip(goals, outputs)]
    plain = has_plain_batches(model, queries)
    if plain:
        keep_own(model, queries, outputs)
    for row, fault in zip(rows, contradictions(model, rows, outputs, own=plain)):
        if fault is not None:
            faults.setdefault(example_id(row), replace(fault, model=model.name))
    return _without(rows, outputs, aims, faults, {method.name: explained})


def _without(
    encoded: Sequence[Encoded], outputs: Sequence[torch.Tensor], aims: Sequence[Target | None],
    faults: Mapping[str, SkippedRow], explained: Mapping[str, Sequence[Explained]],
) -> FirstPass:  # fmt: skip
    """The inputs of examples without a fault."""
    kept = [at for at, row in enumerate(encoded) if example_id(row) not in faults]
    return FirstPass(
        [encoded[at] for at in kept],
        [outputs[at] for at in kept],
        [target for at in kept if (target := aims[at]) is not None],
        tuple(faults.values()),
        {name: [rows[at] for at in kept] for name, rows in explained.items()},
    )


def _target(
    model: Model, row: Encoded, output: torch.Tensor, aim: Aim, quantity: str | None
) -> tuple[Target | None, SkippedRow | None]:
    """What is explained in an input; a gold label that is missing or unknown to the model is a
    fault of its row.
    """
    if aim.name != "gold":
        return targets.chosen(model, row, output, aim, quantity), None
    try:
        return targets.chosen(model, row, output, aim, quantity), None
    except InputError as error:
        return None, _label_fault(row, error)


def _gold_fault(model: Model, row: Encoded) -> SkippedRow | None:
    try:
        targets.gold(model, row)
    except InputError as error:
        return _label_fault(row, error)
    return None


def _label_fault(row: Encoded, error: InputError) -> SkippedRow:
    example = replace(row.example, id=example_id(row))
    reason = "unlabelled" if example.label is None else "label"
    return skipped_row(example, reason, str(error).removeprefix(f"{row.example.id}: "))
