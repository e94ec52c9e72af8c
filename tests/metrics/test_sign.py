"""Ranking by the absolute value of the scores."""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import InputError
from babelscope.metrics import METRICS
from babelscope.metrics.erased import by_sign
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Example, Target
from conftest import TEXTS, tiny_reader

RANKED = [row.name for row in METRICS.values() if "sign" in row.options]
READING = ("answer_precision", "answer_recall")
FEWER = {"chance_corrected": {"draws": 2}, "diagnosticity": {"draws": 2}}


def test_by_hand() -> None:
    (absolute,) = by_sign([np.array([-3.0, 1.0, 0.0, np.nan])], "abs")
    np.testing.assert_array_equal(absolute, [3, 1, 0, np.nan])
    (signed,) = by_sign([np.array([-3.0, 1.0])], "signed")
    np.testing.assert_array_equal(signed, [-3, 1])
    with pytest.raises(InputError, match="sign 'positive' is not one of: signed, abs"):
        by_sign([np.zeros(1)], "positive")


def test_every_metric_that_reads_the_order_of_importance_has_the_option() -> None:
    """`loo_correlation` compares with signed effects: without signs it would be another metric.
    `naive_bayes_agreement` has `against`, which takes both sides without signs. The released
    definitions scale scores, and have the option all the same.
    """
    ordered = {row.name for row in METRICS.values() if row.order_only}
    released = {name for name in METRICS if name.startswith("released_")}
    assert set(RANKED) == (
        ordered - {"loo_correlation", "naive_bayes_agreement"}
        | {"chance_corrected", "diagnosticity"}
        | released
    )


@pytest.mark.parametrize("metric", [name for name in RANKED if name not in READING])
def test_absolute_scores_of_a_metric_are_its_scores_without_signs(bert: Model, metric: str) -> None:
    reviews = [Example("r", (TEXTS[2],)), Example("s", (TEXTS[3],))]
    rows = encode(bert, reviews)
    rng = np.random.default_rng(3)
    scores = [rng.normal(size=len(row.words)) for row in rows]
    assert _values(bert, rows, scores, metric, sign="abs") == _values(
        bert, rows, [np.abs(each) for each in scores], metric
    )
    negated = [-each for each in scores]
    assert _values(bert, rows, scores, metric, sign="abs") == _values(
        bert, rows, negated, metric, sign="abs"
    )


def test_the_order_changes_the_value(bert: Model) -> None:
    """A strongly negative word is erased last by its sign, and first by its size."""
    (row,) = encode(bert, as_examples([TEXTS[3]]))
    scores = np.arange(len(row.words), dtype=np.float64)
    scores[0] = -100
    by_size = np.abs(scores)
    first = _values(bert, [row], [scores], "comprehensiveness", sign="abs")
    assert first == _values(bert, [row], [by_size], "comprehensiveness")
    assert first != _values(bert, [row], [scores], "comprehensiveness")


@pytest.mark.parametrize("metric", READING)
def test_answers(metric: str) -> None:
    reader = tiny_reader()
    (row,) = encode(reader, [Example("q", ("Who won?", "Ada won the race in May."))])
    scores = [np.linspace(-2, 1, len(row.words))]
    targets = [Target(int(np.flatnonzero(row.content)[0]), int(np.flatnonzero(row.content)[0]))]
    function = METRICS[metric].function
    by_size = function(reader, [row], scores, targets, unit="word", k=1, sign="abs")
    plain = function(reader, [row], scores, targets, unit="word", k=1)
    # The first word has the largest score by size and the lowest by sign
    assert (by_size[0].value, plain[0].value) == (1.0, 0.0)


def _values(
    model: Model, rows: object, scores: list[np.ndarray], metric: str, **options: object
) -> list[str]:
    targets = [Target(1)] * len(scores)
    measured = METRICS[metric].function(
        model, rows, scores, targets, unit="word", **FEWER.get(metric, {}), **options
    )
    return [f"{each.value:.17g} {each.reason}" for each in measured]
