"""Stepwise deletion and insertion: laws, and a case by hand."""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import InputError
from babelscope.metrics.stepwise import stepwise_deletion, stepwise_insertion
from babelscope.model.encode import encode
from babelscope.types import Target
from conftest import tiny
from planted import planted_model

WORDS = ["good", "the", "great", "film", "bad", "fine"]


def test_by_hand() -> None:
    """Steps of 3 of six words, one weight per word: the three lowest kept, then all six.

    The probability of class 1 comes from the kept words' weights alone, with the operator delete.
    """
    model = planted_model()
    (row,) = encode(model, as_examples(" ".join(WORDS)))
    scores = np.array([5.0, 1.0, 6.0, 2.0, 0.0, 4.0])
    low, high, whole = (
        float(_probability(model, kept)) for kept in (["the", "film", "bad"],
                                                      ["good", "great", "fine"], WORDS)
    )  # fmt: skip
    options = {"unit": "word", "operator": "delete", "step": 3}
    (deleted,) = stepwise_deletion(model, [row], [scores], [Target(1)], **options)
    (inserted,) = stepwise_insertion(model, [row], [scores], [Target(1)], **options)
    assert deleted.value == pytest.approx(1 - (low + whole) / 2)
    assert inserted.value == pytest.approx(1 - (high + whole) / 2)


def _probability(model: object, words: list[str]) -> float:
    from babelscope.model import inference
    from babelscope.model.targets import probability

    (row,) = encode(model, as_examples(" ".join(words)))
    (output,) = inference.outputs(model, [inference.query(row)])
    return probability(model, output, Target(1))


def test_deletion_is_the_insertion_of_the_negated_scores() -> None:
    model = tiny("bert")
    rows = encode(model, as_examples(["the food was not good but the room was lovely"]))
    scores = [np.random.default_rng(0).normal(size=len(row.words)) for row in rows]
    options = {"unit": "word", "step": 2}
    deleted = stepwise_deletion(model, rows, scores, [Target(0)], **options)
    inserted = stepwise_insertion(model, rows, [-each for each in scores], [Target(0)], **options)
    assert deleted[0].value == pytest.approx(inserted[0].value, abs=1e-12)


def test_few_units_and_bad_steps() -> None:
    model = tiny("bert")
    (row,) = encode(model, as_examples("the food was good"))
    (value,) = stepwise_deletion(model, [row], [np.arange(4.0)], [Target(0)], unit="word")
    assert value.reason == "fewer than 5 words"
    with pytest.raises(InputError, match="step must be at least 1, not 0"):
        stepwise_insertion(model, [row], [np.arange(4.0)], [Target(0)], unit="word", step=0)
