"""What a task's module provides: from examples to inputs, from outputs to targets, and how a model
of it is trained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babelscope.types import Encoded, Example, Target

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model

Arguments = dict[str, Any]


@runtime_checkable
class Inputs(Protocol):
    """An example as the model reads it; several inputs where a long text is split into windows."""

    def __call__(
        self, model: Model, example: Example, *, part: str, long: str
    ) -> list[Encoded]: ...


@runtime_checkable
class Outputs(Protocol):
    """Per query its output, from what the forward call returned for the batch. `kept` lists the
    positions whose logits were requested, None for all.
    """

    def __call__(
        self, model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
    ) -> list[Tensor]: ...


@dataclass(frozen=True, slots=True)
class Training:
    """How a model of the task is fine-tuned."""

    suits: Callable[[Example], bool]
    """Whether an example is one of this task's."""
    check: Callable[[Sequence[Example], Sequence[Example]], list[str]]
    """The classes in the order of the outputs, none where a task has none; refuses data that
    cannot be trained on.
    """
    rows: Callable[[Any, Sequence[Example], Sequence[str], int], list[Arguments]]
    """What the Trainer reads, from tokenizer, examples, classes and the largest number of tokens.
    """
    right: Callable[[Any, Any], NDArray[np.bool_]]
    """Which predictions agree with the gold, from logits and labels."""
    collator: str = "DataCollatorWithPadding"
    """The class of transformers that makes a batch of rows."""


@dataclass(frozen=True, slots=True)
class TaskFunctions:
    """The functions of one task, called with positional arguments."""

    labels: Callable[[Model], tuple[str, ...]]
    """Class names in the order of the outputs; empty where the classes are not the model's own."""
    classes: Callable[[Model, Encoded], int]
    """How many classes compete in an input; 0 where there are none."""
    inputs: Inputs
    outputs: Outputs
    read: Callable[[Tensor, Target], list[tuple[Tensor, int]]]
    """The vectors of logits that the target reads, and the index in each."""
    read_out: Callable[[Model, Target], tuple[int, ...]]
    """The positions at which the head reads the last layer."""
    predicted: Callable[[Model, Encoded, Tensor, int], Target]
    """What the model predicts; of a tagger at that token, or by its own choice for -1."""
    gold: Callable[[Model, Encoded, int], Target]
    """The example's own class, tag or answer."""
    named: Callable[[Model, Encoded, str, int], Target]
    """The target of that name."""
    name: Callable[[Model, Encoded, Target], str]
    """The target in words."""
    evaluate: Callable[[Model, Sequence[tuple[Example, str]]], dict[str, list[float]]]
    """Per measure one value for each example and the name of what was predicted."""
    plain_call: Callable[[Model, Encoded], Arguments]
    """The arguments of the plain Hugging Face call on one input."""
    quantity: Callable[[Model, Encoded], str] = lambda model, encoded: "logit"
    """Which part of the target is explained by default."""
    activation: Callable[[Model], str] = lambda model: "softmax"
    """How logits become probabilities: softmax, or sigmoid for independent labels."""
    kept: Callable[[Model, Sequence[Query]], list[int] | None] = lambda model, batch: None
    """The only positions whose logits are needed; None for all."""
    arguments: Callable[[Model, Arguments], Arguments] = lambda model, arguments: arguments
    """The arguments of the batched call in the shape that the model's class expects."""
    training: Training | None = None
    """None where models of the task are not fine-tuned here."""


def to_device(model: Model, arrays: Mapping[str, NDArray[np.int64]]) -> Arguments:
    return {name: torch.from_numpy(array)[None].to(model.device) for name, array in arrays.items()}
