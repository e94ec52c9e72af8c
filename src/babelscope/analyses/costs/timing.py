"""What a computation with a model took: seconds, and what the model read."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import torch

if TYPE_CHECKING:
    from babelscope.model.load import Model

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of the processor (all threads together) and of the clock on the wall, and the tokens,
    backward tokens and different inputs that the model read meanwhile."""

    processor: float
    wall: float
    tokens: int
    backward: int
    queries: int


def timed(model: Model, work: Callable[[], Result]) -> tuple[Result, Spent]:
    """The result of some work, and what it took.

        after - before

    of both clocks and of the three counts of the model's inference (`InferenceState`). Nothing that
    is cached from before is used, and an accelerator has finished what it was given before a clock
    is read.

    *Laws*: the counts depend on the work alone, not on what the model read before; the seconds are
    never negative, and no other number depends on them.
    """
    state = model.inference
    with state.without_cache():
        _finish(model)
        counts = state.tokens, state.backward, state.distinct
        processor, wall = time.process_time(), time.perf_counter()
        result = work()
        _finish(model)
        seconds = time.process_time() - processor, time.perf_counter() - wall
    tokens, backward, queries = counts
    return result, Spent(
        *seconds, state.tokens - tokens, state.backward - backward, state.distinct - queries
    )


def device_name(model: Model) -> str:
    """cpu, or the accelerator's kind and name."""
    device = model.device
    if device.type == "cuda":
        return f"cuda, {torch.cuda.get_device_name(device)}"
    return str(device.type)


def threads() -> int:
    """Threads that a computation on the processor may use."""
    return torch.get_num_threads()


def _finish(model: Model) -> None:
    """Waits until the model's device has done all that it was given."""
    kind = model.device.type
    if kind == "cuda":
        torch.cuda.synchronize(model.device)
    elif kind == "mps":
        torch.mps.synchronize()
