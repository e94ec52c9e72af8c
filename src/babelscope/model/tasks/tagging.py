"""Token classification: a tag for every word, read at the word's first token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from babelscope.errors import InputError, Undefined
from babelscope.model.tasks.classification import (
    classes,
    gold_label,
    inputs,
    inside,
    labels,
    name,
    named,
    plain_call,
)
from babelscope.model.tasks.functions import TaskFunctions
from babelscope.types import Encoded, Example, Target

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    """Tag logits, [token, tag]."""
    return [output.logits[row, : len(each.ids) - each.decoder] for row, each in enumerate(batch)]


def read(output: Tensor, target: Target) -> list[tuple[Tensor, int]]:
    if not 0 <= target.end < len(output):
        raise Undefined(f"the target's position {target.end} is outside of the input")
    return [inside(output[target.end], target.index)]


def read_out(model: Model, target: Target) -> tuple[int, ...]:
    return tuple(place for place in (target.end,) if place >= 0)


def predicted(model: Model, encoded: Encoded, output: Tensor, token: int) -> Target:
    place = token if token >= 0 else tagged_token(model, encoded, output, None)
    return Target(int(output[place].argmax()), place)


def tagged_token(model: Model, encoded: Encoded, output: Tensor, word: int | None) -> int:
    """The first token of the word; by default of the first word whose predicted tag is not O, or
    of the first word.
    """
    firsts = [int((encoded.word == each).argmax()) for each in range(len(encoded.words))]
    if word is not None:
        return firsts[word]
    return next(
        (token for token in firsts if model.labels[int(output[token].argmax())] != "O"), firsts[0]
    )


def gold(model: Model, encoded: Encoded, token: int) -> Target:
    """The label of an example holds one tag per word, separated by spaces."""
    tags = gold_label(encoded.example).split()
    if len(tags) != len(encoded.words):
        raise InputError(
            f"{encoded.example.id}: the label has {len(tags)} tags, separated by spaces, for "
            f"{len(encoded.words)} words"
        )
    return named(model, encoded, tags[int(encoded.word[token])], token)


def evaluate(model: Model, answered: Sequence[tuple[Example, str]]) -> dict[str, list[float]]:
    raise InputError(f"{model.name} tags words; evaluation knows classes and answers only")


FUNCTIONS = TaskFunctions(
    labels=labels, classes=classes, inputs=inputs, outputs=outputs, read=read, read_out=read_out,
    predicted=predicted, gold=gold, named=named, name=name, evaluate=evaluate,
    plain_call=plain_call,
)  # fmt: skip
