"""A function from texts to scores: words in place of tokens, and no more than outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from babelscope.data.segmentation import segment
from babelscope.model.encode import to_encoded
from babelscope.model.tasks.classification import (
    accuracy,
    classes,
    gold,
    labels,
    name,
    named,
    predicted,
    read,
    read_out,
)
from babelscope.model.tasks.functions import Arguments, TaskFunctions
from babelscope.model.tokenized import Tokenized
from babelscope.model.written import word_ids
from babelscope.types import Encoded, Example

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model


def activation(model: Model) -> str:
    """None of a function that gives scores; the sigmoid for a single label."""
    if model.hf.outputs == "scores":
        return "none"
    return "softmax" if len(model.labels) > 1 else "sigmoid"


def inputs(model: Model, example: Example, *, part: str, long: str) -> list[Encoded]:
    """Each word is a token; a function reads texts of any length."""
    offsets = [
        (which, span)
        for which, text in enumerate(example.texts)
        for span in (example.words[which] if example.words else segment(text, example.lang))
    ]
    words = tuple(example.texts[which][start:end] for which, (start, end) in offsets)
    tokens = Tokenized(
        tuple(word_ids(words)),
        None,
        tuple(span for _, span in offsets),
        words,
        tuple(which for which, _ in offsets),
    )
    return [to_encoded(example, [tokens], part)]


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    return list(output)


def plain_call(model: Model, encoded: Encoded) -> Arguments:
    return {"texts": [encoded.example.texts]}


FUNCTIONS = TaskFunctions(
    labels=labels, classes=classes, inputs=inputs, outputs=outputs, read=read, read_out=read_out,
    predicted=predicted, gold=gold, named=named, name=name, evaluate=accuracy,
    plain_call=plain_call, activation=activation,
)  # fmt: skip
