"""Rationale lengths that are sampled for each text: an unbiased estimate from fewer inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import InputError
from babelscope.metrics import METRICS
from babelscope.metrics.hard import GRID, lengths, sampled_lengths
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Encoded, Target
from planted import WEIGHTS, planted_model

WORDS = ["good", "the", "great", "film", "bad", "fine", "dull", "the", "film", "great"] * 2
TRUTH = np.array([WEIGHTS[word] for word in WORDS])
SAMPLING = [name for name, row in METRICS.items() if "sampled" in row.options]
TEXTS = 600


@pytest.fixture(scope="module")
def model() -> Model:
    return planted_model()


@pytest.fixture(scope="module")
def rows(model: Model) -> list[Encoded]:
    """One text under many names: only the sampled lengths differ."""
    (row,) = encode(model, as_examples(" ".join(WORDS)))
    return [
        replace(row, example=replace(row.example, id=f"text {number}")) for number in range(TEXTS)
    ]


def values(name: str, model: Model, rows: list[Encoded], sampled: int) -> np.ndarray:
    count = len(rows)
    with model.inference.caching():
        measured = METRICS[name].function(
            model, rows, [TRUTH] * count, [Target(1)] * count, sampled=sampled
        )
    return np.array([each.value for each in measured])


@pytest.mark.parametrize("sampled", [1, 2, 3])
def test_every_length_is_sampled_equally_often(rows: list[Encoded], sampled: int) -> None:
    """Of n = 20 units the grid has the four lengths 1, 2, 4 and 10, each taken with probability
    m / 4; a share of 600 texts is within four standard errors, 4 sqrt(p (1 - p) / 600)."""
    every = lengths(20, GRID)
    assert every == [1, 2, 4, 10]
    chosen = [sampled_lengths(row, 20, GRID, sampled) for row in rows]
    assert all(len(set(sizes)) == sampled and sizes == sorted(sizes) for sizes in chosen)
    share = sampled / 4
    bound = 4 * np.sqrt(share * (1 - share) / TEXTS)
    for length in every:
        assert abs(np.mean([length in sizes for sizes in chosen]) - share) < bound


@pytest.mark.parametrize("name", SAMPLING)
def test_the_mean_over_texts_is_that_of_all_lengths(
    name: str, model: Model, rows: list[Encoded]
) -> None:
    """One text under 600 names has one value with all lengths; with a part of them its values
    differ, and their mean is that value within four standard errors."""
    (exact,) = set(values(name, model, rows, 0).tolist())
    for sampled in (1, 2):
        estimates = values(name, model, rows, sampled)
        error = estimates.std(ddof=1) / np.sqrt(TEXTS)
        assert error > 0
        assert abs(estimates.mean() - exact) < 4 * error


@pytest.mark.parametrize("name", SAMPLING)
def test_as_many_as_there_are_is_all_of_them(name: str, model: Model, rows: list[Encoded]) -> None:
    few = rows[:5]
    assert np.array_equal(values(name, model, few, 4), values(name, model, few, 0))
    assert np.array_equal(values(name, model, few, 9), values(name, model, few, 0))


def test_fewer_lengths_need_fewer_inputs(model: Model, rows: list[Encoded]) -> None:
    """Two of four lengths, each erased and kept, beside the full text and the erased one: 6 inputs
    in place of 10. Another text's number is that of its own lengths."""
    counts = {}
    for sampled in (0, 2):
        before = model.inference.queries
        values("comprehensiveness", model, rows[:1], sampled)
        counts[sampled] = model.inference.queries - before
    assert counts == {0: 10, 2: 6}


def test_a_sample_is_not_taken_for_all_lengths(model: Model, rows: list[Encoded]) -> None:
    """Also where both are measured at once and share what was computed."""
    alone = [values("sufficiency", model, rows[:5], sampled) for sampled in (0, 1)]
    with model.inference.caching():
        together = [
            [
                each.value
                for each in METRICS["sufficiency"].function(
                    model, rows[:5], [TRUTH] * 5, [Target(1)] * 5, sampled=sampled
                )
            ]
            for sampled in (0, 1)
        ]
    assert np.array_equal(alone, together)
    assert not np.array_equal(alone[0], alone[1])


def test_lengths_depend_on_the_text_alone(rows: list[Encoded]) -> None:
    """Not on how it is tokenized, so that models are compared at the same lengths; translations
    that share an id, and texts without a name of their own, have their own lengths."""
    row = rows[0]
    tokens = replace(row, ids=row.ids + 1)
    assert sampled_lengths(tokens, 20, GRID, 2) == sampled_lengths(row, 20, GRID, 2)
    langs = ("en", "de", "hi", "sw", "zh", "ar", "th", "es", "fr", "ru", "tr", "vi")
    named = [replace(row, example=replace(row.example, lang=lang)) for lang in langs]
    assert len({tuple(sampled_lengths(each, 20, GRID, 1)) for each in named}) > 1
    other = [replace(row, example=replace(row.example, texts=(lang,))) for lang in langs]
    assert len({tuple(sampled_lengths(each, 20, GRID, 1)) for each in other}) > 1


@pytest.mark.parametrize("name", SAMPLING)
def test_a_negative_number_is_refused(name: str, model: Model, rows: list[Encoded]) -> None:
    with pytest.raises(InputError, match="sampled is a number of lengths, or 0 for all"):
        values(name, model, rows[:1], -1)
