"""Text classification: one class for a text or a pair. Other tasks import what they share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from babelscope.errors import InputError, Undefined
from babelscope.model.encode import encode_texts
from babelscope.model.tasks.functions import Arguments, TaskFunctions, Training, to_device
from babelscope.model.tokenized import decoder_start, literal_specials
from babelscope.types import Encoded, Example, Target

if TYPE_CHECKING:
    from babelscope.model.forward import Query
    from babelscope.model.load import Model


FRACTION = re.compile(r"[+-]?\d*\.\d*[1-9]\d*(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
"""A label that is a score rather than the number of a class: 0.25 but not 1.0."""


def labels(model: Model) -> tuple[str, ...]:
    names = model.hf.config.id2label
    return tuple(str(names[index]) for index in range(model.hf.config.num_labels))


def classes(model: Model, encoded: Encoded) -> int:
    return len(model.labels)


def activation(model: Model) -> str:
    config = model.hf.config
    if config.problem_type == "regression":
        return "none"
    independent = config.problem_type == "multi_label_classification" or config.num_labels == 1
    return "sigmoid" if independent else "softmax"


def inputs(model: Model, example: Example, *, part: str, long: str) -> list[Encoded]:
    return encode_texts(model, example, part=part, long=long, after=decoder_start(model))


def outputs(
    model: Model, output: Any, batch: Sequence[Query], kept: Sequence[int] | None
) -> list[Tensor]:
    return [output.logits[row] for row in range(len(batch))]


def read(output: Tensor, target: Target) -> list[tuple[Tensor, int]]:
    return [inside(output, target.index)]


def inside(row: Tensor, index: int) -> tuple[Tensor, int]:
    """The logits and the index; refuses one that they do not have."""
    if not 0 <= index < len(row):
        raise Undefined(f"the target's position {index} is outside of the input")
    return row, index


def read_out(model: Model, target: Target) -> tuple[int, ...]:
    """The last token of a decoder, else the first."""
    return (-1,) if model.reads_last_token else (0,)


def predicted(model: Model, encoded: Encoded, output: Tensor, token: int) -> Target:
    return Target(int(output.argmax()))


def gold(model: Model, encoded: Encoded, token: int) -> Target:
    return model.functions.named(model, encoded, gold_label(encoded.example), token)


def gold_label(example: Example) -> str:
    if example.label is None:
        raise InputError(f"{example.id}: the target is its gold label, but it has none")
    return example.label


def named(model: Model, encoded: Encoded, label: str, token: int) -> Target:
    return Target(model.label_index(label), token)


def name(model: Model, encoded: Encoded, target: Target) -> str:
    return model.labels[target.index]


def accuracy(model: Model, answered: Sequence[tuple[Example, str]]) -> dict[str, list[float]]:
    for example, _ in answered:
        if example.label is None:
            raise InputError(f"{example.id}: no label to compare with")
    # label_index finds the class whatever the case of its name, and refuses one that is missing
    gold = [model.labels[model.label_index(str(example.label))] for example, _ in answered]
    return {"accuracy": [float(name == answer) for name, (_, answer) in zip(gold, answered)]}


def plain_call(model: Model, encoded: Encoded) -> Arguments:
    count = len(encoded.ids) - encoded.decoder
    arrays = {"input_ids": encoded.ids[:count], "attention_mask": np.ones(count, dtype=np.int64)}
    if encoded.types is not None and "token_type_ids" in model.accepts:
        arrays["token_type_ids"] = encoded.types
    return to_device(model, arrays)


def check_training(train: Sequence[Example], dev: Sequence[Example]) -> list[str]:
    names = sorted({row.label for row in train if row.label is not None})
    unlabelled = next((row for row in (*train, *dev) if row.label is None), None)
    if unlabelled is not None:
        pair = len(unlabelled.texts) == 2
        answer = " (nor an answer that is where it says to be in the context)" if pair else ""
        raise InputError(
            f"the row {unlabelled.id} has no label{answer}, and fine-tuning needs one on every "
            "row: name its column (--column label=COLUMN, in Python babelscope.read(data, "
            "columns={'label': COLUMN}))"
        )
    unseen = sorted({str(row.label) for row in dev} - {str(row.label) for row in train})
    if unseen:
        raise InputError(
            f"the development examples have the label {unseen[0]!r}, which no training example has"
        )
    if len(names) < 2:
        raise InputError(f"fine-tuning needs at least two classes; found only {', '.join(names)}")
    if fraction := next((name for name in names if FRACTION.fullmatch(name)), None):
        raise InputError(
            f"the label {fraction} is a number with a fraction, and fine-tuning learns classes; "
            "round the numbers or give the classes names (a regression model trained elsewhere can "
            "be explained)"
        )
    return names


def training_rows(
    tokenizer: Any, examples: Sequence[Example], names: Sequence[str], limit: int
) -> list[Arguments]:
    _check_counts(examples)
    rows = [
        tokenizer(
            *example.texts[:2], truncation=True, max_length=limit,
            split_special_tokens=literal_specials(tokenizer, example.texts),
        )
        for example in examples
    ]  # fmt: skip
    return [
        {**row, "labels": names.index(str(example.label))} for row, example in zip(rows, examples)
    ]


def _check_counts(examples: Sequence[Example]) -> None:
    """Refuses a mixture of pairs and single texts."""
    if len({min(len(row.texts), 2) for row in examples}) > 1:
        raise InputError(
            "some examples are pairs and some are single texts; a task has one or the other"
        )


def right(logits: Any, gold_index: Any) -> NDArray[np.bool_]:
    agree: NDArray[np.bool_] = np.argmax(logits, axis=-1) == gold_index
    return agree


FUNCTIONS = TaskFunctions(
    labels=labels, classes=classes, inputs=inputs, outputs=outputs, read=read, read_out=read_out,
    predicted=predicted, gold=gold, named=named, name=name, evaluate=accuracy,
    plain_call=plain_call, activation=activation, training=Training(lambda example: True,
    check_training, training_rows, right),
)  # fmt: skip
