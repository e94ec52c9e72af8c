"""From explanations to how far they can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from babelscope.display.results import Measures
from babelscope.errors import InputError
from babelscope.metrics import METRICS
from babelscope.model.encode import PARTS, encode
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model
from babelscope.options import (
    choose,
    resolve_options,
)
from babelscope.types import Attribution, Encoded, Example, Measure, Target


def measure(
    model: Model,
    attributions: Sequence[Attribution],
    metric: str | Sequence[str] = ("comprehensiveness", "sufficiency"),
    *,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Measures:
    """Is the explanation true of the model: one value per explanation and metric, NaN with a reason where undefined.

    The explanations must be of this model; they are scored from their stored scores, never made again. An input that
    several explanations or metrics ask for is computed once.
    """
    names = [metric] if isinstance(metric, str) else list(metric)
    rows = [choose(METRICS, name, "metric") for name in names]
    if not attributions:
        raise InputError("there is no explanation to measure")
    wanted = [target_of(model, one) for one in attributions]
    found: list[Measure] = []
    with model.door.remembering(), model.door.watched(progress):
        encoded = [restored(model, one) for one in attributions]
        for row in rows:
            mine = resolve_options(row, options or {})
            unit = mine.get("unit", "word")
            scores = [np.array(one.scores if unit == "token" else one.word_scores) for one in attributions]
            values = row.function(model, encoded, scores, wanted, **mine)
            found += [
                Measure(one.id, one.group, one.lang, one.model, one.method, row.name, mine, got.value, got.reason, one.task)
                for one, got in zip(attributions, values)
            ]
    return Measures(tuple(found))


def restored(model: Model, one: Attribution) -> Encoded:
    """The input that was explained, encoded again, checked token by token, with the explanation's own words."""
    windowed = any(flag.startswith("window ") for flag in one.flags)
    name, _, number = one.id.rpartition("#")
    example = Example(name if windowed else one.id, one.texts, one.lang, one.group, one.gold)
    explained = set(one.segment)
    part = "all" if len(explained) == len(one.texts) else PARTS[1 + explained.pop()]
    memory = {} if model.door.memory is None else model.door.memory
    known = ("encoded", example, part, windowed)
    if known not in memory:  # a text is explained by many methods
        memory[known] = encode(model, [example], part=part, long="window" if windowed else "truncate")
    row: Encoded = memory[known][int(number) - 1 if windowed else 0]
    if tuple(token for token, keep in zip(row.tokens, row.content) if keep) != one.tokens:
        raise InputError(
            f"{one.id}: the explanation is of another input than {model.name} reads; was it made by another model?"
        )
    word = np.full(len(row.ids), -1, dtype=np.int64)
    word[row.content] = one.word_index
    own = _with_rationale(replace(example, id=one.id), one)
    return replace(row, example=own, word=word, words=one.words, word_offsets=one.word_offsets, word_segment=one.word_segment)


def _with_rationale(example: Example, one: Attribution) -> Example:
    """The gold rationale as the explanation keeps it, over the words that it has."""
    if one.rationale is None:
        return example
    texts = range(len(one.texts))
    words = tuple(tuple(span for span, owner in zip(one.word_offsets, one.word_segment) if owner == text) for text in texts)
    marks = tuple(tuple(mark for mark, owner in zip(one.rationale, one.word_segment) if owner == text) for text in texts)
    return replace(example, words=words, rationale=marks)


def target_of(model: Model, one: Attribution) -> Target:
    """What was explained, as the model knows it."""
    if model.task != "question-answering" and model.label_index(one.target) != one.target_index:
        raise InputError(f"{one.id}: {one.target!r} is class {one.target_index} of the explanation, but not of {model.name}")
    quantity, _, other = one.quantity.partition(" to ")
    return Target(one.target_index, one.target_end, quantity, model.label_index(other) if other else -1)
