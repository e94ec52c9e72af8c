"""Which window of a long context a model answers from."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from babelscope.errors import InputError
from babelscope.model import targets
from babelscope.model.load import Model
from babelscope.types import Aim, Encoded


def best_windows(
    model: Model, encoded: Sequence[Encoded], outputs: Sequence[Tensor], aim: Aim
) -> list[int]:
    """For each example the number of the input whose answer has the highest sum of logits, as in
    the evaluation; of a named or gold answer, among the windows that hold it.

    *Law*: an example without windows keeps its only input.
    """
    if not model.row.spans:
        raise InputError(
            f"long 'best' is for answers; {model.name} ({model.task}) gives none: use window"
        )
    best: dict[str, tuple[float, int]] = {}
    for at, (row, output) in enumerate(zip(encoded, outputs)):
        name = row.example.id if row.window is None else row.window.of
        score = _score(model, row, output, aim)
        if name not in best or score > best[name][0]:
            best[name] = score, at
    return sorted(at for _, at in best.values())


def _score(model: Model, row: Encoded, output: Tensor, aim: Aim) -> float:
    """The sum of the logits of the answer; minus infinity where the window does not hold it."""
    try:
        target = targets.chosen(model, row, output, aim)
    except InputError:
        return float("-inf")
    return sum(float(vector[index]) for vector, index in model.functions.read(output, target))
