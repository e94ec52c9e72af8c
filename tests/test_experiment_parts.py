"""Parts that several experiments share: what is cached, bounds on queries, counts of slopes."""

from __future__ import annotations

from math import nan
from pathlib import Path

import numpy as np
import pytest
from experiments.black_boxes import BlackBox, exact_slalom, fresh_texts
from experiments.cached import cached
from experiments.corpus_scores import lowest, not_above
from experiments.intervention_tables import conclusion, slope_rows, tally
from experiments.query_bounds import cramer_rao, gradients
from experiments.query_counts import Counts, compare
from experiments.review_measures import mean_and_error

from babelscope.analyses.tokenization.responses import Response
from babelscope.types import Estimate


def test_what_is_cached_is_computed_once_for_each_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path))
    calls: list[int] = []

    def compute() -> list[int]:
        calls.append(len(calls))
        return [len(calls)]

    assert [cached("rows", {"size": size}, compute) for size in (1, 1, 2)] == [[1], [1], [2]]
    assert calls == [0, 1]


def test_the_bound_of_an_exact_slalom_and_of_a_trained_model() -> None:
    """30 units have 59 free parameters. Exact, noise 0.5 and error 0.125: 0.25 * 59 / 0.125 = 118.
    Trained, with error 1 at 59 queries: misfit 1 / (1 + 59 / 59) = 0.5, so 0.5 * 59 / 0.25 = 118
    for an error of 0.75. A large error needs as many queries as parameters."""
    exact = exact_slalom(30, 1.0, 0.5)
    trained = BlackBox("trained", 30, exact.answers)
    assert cramer_rao(exact, 0.125, fitted=nan, queries=1) == 118
    assert cramer_rao(trained, 0.75, fitted=1.0, queries=59) == 118
    assert cramer_rao(exact, 9.0, fitted=nan, queries=1) == 59


def test_gradients_of_a_slalom_sum_to_none_and_one() -> None:
    """The log-odds are a mean of values with weights that a constant added to all importances does
    not change."""
    box = exact_slalom(6, 1.0, 0.1)
    gradient = gradients(box, fresh_texts(box, 20)["1 to 8"][0])
    np.testing.assert_allclose(gradient[:, :6].sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(gradient[:, 6:].sum(axis=1), 1, atol=1e-12)


@pytest.mark.training
def test_the_fit_here_needs_fewer_queries_than_the_published_one() -> None:
    spec = Counts(queries=[200], tried=[50, 200], repeats=1, fresh=50, tolerance=1.1)
    (row,) = compare(exact_slalom(10, 1.0, 0.1), spec)
    published, same, here = row["errors"]
    assert same < published
    assert here < published
    assert all(count is not None and count <= 200 for count in row["enough"])
    (few,) = compare(exact_slalom(10, 1.0, 0.1), spec.model_copy(update={"tried": []}))
    assert few["enough"] == [None] * 4


def response(arm: str, low: float, high: float, outcome: str = "loo_correlation") -> Response:
    slope = Estimate((low + high) / 2, low, high, 9, 0)
    return Response(arm, "en", "lime", outcome, (), slope, Estimate(0.5, 0.25, 0.75, 9, 0))


def test_slopes_are_counted_by_the_side_of_zero_that_their_interval_is_on() -> None:
    """Of four slopes one interval is below 0, one above, one contains 0 and one is undefined."""
    intervals = [(-2.0, -1.0), (1.0, 2.0), (-1.0, 1.0), (nan, nan)]
    rows = [response("characters", *each) for each in intervals]
    rows += [response("same", -2.0, -1.0), response("characters", -2.0, -1.0, "complexity")]
    assert tally(rows, ["loo_correlation"], ["characters"]) == (3, 1, 1)


def test_slopes_of_arms_with_as_many_tokens_are_on_the_share_of_words() -> None:
    rows = [response("same", 1.0, 3.0), response("characters", 1.0, 3.0)]
    same, characters = slope_rows(rows, ["loo_correlation"])
    assert same == ["same", "en", "lime", "+0.500 (+0.250 to +0.750)"]
    assert characters == ["characters", "en", "lime", "+2.000 (+1.000 to +3.000)"]


def test_nothing_follows_from_models_that_did_not_learn() -> None:
    arms = ("characters, tuned", "truncate, tuned", "duplicate, tuned", "vocabulary, from scratch")
    wrong = dict(zip(arms, (0.4, 0.1, 0.0, 0.25)))
    doses = {(arm, "en", dose): (1.0, wrong[arm] * dose) for arm in arms for dose in (0.0, 1.0)}
    slopes = [response(arm, 1.0, 2.0) for arm in arms]
    lines = conclusion([], {"topic": slopes}, {"topic": doses})
    assert [line["name"] for line in lines if "wrong" in line] == ["topic, characters, tuned"]
    assert [line["tally"] for line in lines if "tally" in line] == [(0, 0, 0)] * 2 + [(1, 0, 1)] * 3


def test_languages_are_not_above_chance_by_the_lowest_interval() -> None:
    first = {lang: Estimate(0.7, low, 0.8, 9, 0) for lang, low in (("en", 0.4), ("hi", 0.6))}
    second = {lang: Estimate(0.7, low, 0.8, 9, 0) for lang, low in (("en", 0.4), ("hi", 0.5))}
    chance = {"en": 0.5, "hi": 0.5}
    assert not_above(first, chance) == []
    assert not_above(lowest([first, second]), chance) == ["hi"]


def test_a_mean_lists_how_many_values_are_defined() -> None:
    """Of 1, 2 and 3: mean 2, standard deviation 1, standard error 1 / sqrt(3) = 0.577."""
    assert mean_and_error([1.0, 2.0, 3.0]) == "2.000 ± 0.577"
    assert mean_and_error([1.0, nan, 2.0, 3.0]) == "2.000 ± 0.577 (3 of 4 texts)"
    assert mean_and_error([1.0, nan]) == "undefined"
