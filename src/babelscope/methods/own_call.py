"""Whether what is explained is what the model says itself, in its plain call on the same ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from babelscope.data.skipping import skipped_row
from babelscope.model import inference, targets
from babelscope.model.load import Model
from babelscope.model.output_layer import in_float32, label_tokens
from babelscope.types import Encoded, SkippedRow

OWN_TOLERANCE = 1e-4
"""How far the explained probability may be from the one of the model's own call."""
HALF_TOLERANCE = 2e-2
"""The same in half precision, where a batch and a single text round differently."""


def example_id(row: Encoded) -> str:
    """The id of the example, also of a window of it."""
    return row.example.id if row.window is None else row.window.of


def contradictions(
    model: Model, encoded: Sequence[Encoded], outputs: Sequence[torch.Tensor]
) -> list[SkippedRow | None]:
    """The inputs whose explained output is not the model's own: the plain Hugging Face call on the
    tokenizer's ids gives another one.

    The plain call derives positions and masks itself, one text at a time, so that an error of ours
    cannot hide in it.
    """
    rows: list[SkippedRow | None] = []
    with (
        model.inference_mode(padding_id=-1),
        in_float32(model.hf, label_tokens(model)),
        torch.no_grad(),
    ):
        for row, output in zip(encoded, outputs):
            answer = model.hf(**model.functions.plain_call(model, row))
            (again,) = model.functions.outputs(model, answer, [inference.query(row)], None)
            differs = _repeated if model.row.reads_text else _plain
            detail = differs(model, row, output, again.double().to("cpu"))
            example = replace(row.example, id=example_id(row))
            rows.append(skipped_row(example, "contradicted", detail) if detail else None)
    return rows


def _plain(model: Model, row: Encoded, output: torch.Tensor, again: torch.Tensor) -> str:
    """How the explained probability differs from that of the plain call; empty if it does not."""
    target = targets.predicted(model, row, output)
    what, of = ("value", targets.value) if model.activation == "none" else (
        "probability", targets.probability)  # fmt: skip
    first, second = (float(of(model, each, target)) for each in (output, again))
    gap, scale = abs(first - second), max(1.0, abs(first)) if what == "value" else 1.0
    if gap <= scale * (HALF_TOLERANCE if model.in_half else OWN_TOLERANCE):
        return ""
    return (
        f"the explained {what} differs by {gap:.2g} from that of {type(model.hf).__name__} "
        "itself; this architecture reads its input in a way that is not understood here: please "
        "report it"
    )


def _repeated(model: Model, row: Encoded, output: torch.Tensor, again: torch.Tensor) -> str:
    """How a function's answer to the text alone differs from that in a batch; endpoints round a
    little differently.
    """
    target = targets.predicted(model, row, output)
    of = targets.value if model.activation == "none" else targets.probability
    first, second = (float(of(model, each, target)) for each in (output, again))
    if abs(first - second) <= HALF_TOLERANCE * max(1.0, abs(first)):
        return ""
    return (
        f"{model.name} answers {first:.4g} and then {second:.4g} to the same text; make it "
        "deterministic (temperature 0, dropout off)"
    )
