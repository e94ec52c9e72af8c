"""Text generation: the next token of a causal language model, or a label of a verbalizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from babelscope.model.tasks.classification import (
    accuracy,
    classes,
    gold,
    inputs,
    name,
    plain_call,
    predicted,
    read,
    read_out,
)
from babelscope.model.tasks.functions import TaskFunctions
from babelscope.model.verbalizer import label_logits
from babelscope.model.verbalizer import token as token_of
from babelscope.types import Encoded, Target

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model


def labels(model: Model) -> tuple[str, ...]:
    """The verbalizer's labels, else the vocabulary."""
    if model.verbalizer:
        return tuple(model.verbalizer)
    size, known = model.hf.config.get_text_config().vocab_size, len(model.tokenizer)
    tokens = model.tokenizer.convert_ids_to_tokens(list(range(min(size, known))))
    return (*tokens, *(f"<{index}>" for index in range(known, size)))


def kept(model: Model, batch: Sequence[Query]) -> list[int] | None:
    """The positions at which a row of the batch ends: logits at all of them would be large."""
    return (
        sorted({len(each.ids) - 1 for each in batch}) if "logits_to_keep" in model.accepts else None
    )


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    """The logits of the next token, or of the labels."""
    ends = [len(each.ids) - 1 for each in batch]
    places = ends if kept is None else [kept.index(end) for end in ends]
    return [verbalized(model, output.logits[row, place]) for row, place in enumerate(places)]


def verbalized(model: Model, logits: Tensor) -> Tensor:
    return label_logits(logits.double().to("cpu"), model.verbalizer) if model.verbalizer else logits


def named(model: Model, encoded: Encoded, label: str, token: int) -> Target:
    """The label; without a verbalizer the token that the word would be, continuing the text."""
    return Target(model.label_index(label) if model.verbalizer else token_of(model, label), token)


FUNCTIONS = TaskFunctions(
    labels=labels, classes=classes, inputs=inputs, outputs=outputs, read=read, read_out=read_out,
    predicted=predicted, gold=gold, named=named, name=name, evaluate=accuracy,
    plain_call=plain_call, kept=kept,
)  # fmt: skip
