"""Values of sets that were not queried."""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.methods import likeliest, shapley
from babelscope.methods.explain import explain
from babelscope.methods.likeliest import MEANS, chosen, likeliest_values, objective, pairwise_scores
from babelscope.methods.shapley import _allowed, _beside, _halves, _owen, _prefixes, _shares
from babelscope.model.load import Model
from babelscope.random import keyed

N = 12
TEXT = "the food was not good but the room was lovely and the staff were not so kind to all of us"
BESIDE = dict(_beside(_halves(list(range(N)))))
SETS = np.unique(_allowed(BESIDE), axis=0)
PLACE = np.unique(_allowed(BESIDE), axis=0, return_inverse=True)[1].reshape(-1)


def smooth(sets: np.ndarray) -> np.ndarray:
    """A weighted mean over the tokens, with one that is ignored, as in attention."""
    generator = keyed(0, "smooth")
    weights, scores = generator.random(N), generator.standard_normal(N)
    weights[3] = 0
    values: np.ndarray = np.tanh(3 * (sets @ (weights * scores)) / (0.3 + sets @ weights))
    return values


def queried(count: int) -> np.ndarray:
    orders = np.array([np.arange(N), np.arange(N)[::-1]])
    at = {kept.tobytes(): index for index, kept in enumerate(SETS)}
    first = list(dict.fromkeys(at[kept.tobytes()] for kept in _prefixes(orders)))
    return chosen(SETS, _shares(BESIDE, PLACE), first, count)


def test_the_gradient_is_that_of_differences() -> None:
    generator = keyed(0, "gradient")
    sets = np.unique(generator.random((30, 8)) < 0.5, axis=0)
    amounts = generator.standard_normal(len(sets))
    point = np.concatenate((np.zeros(8), MEANS)) + 0.3 * generator.standard_normal(14)
    differences = [
        (objective(point + step, sets, amounts)[0] - objective(point - step, sets, amounts)[0])
        / 2e-5
        for step in 1e-5 * np.eye(14)
    ]
    np.testing.assert_allclose(objective(point, sets, amounts)[1], differences, atol=1e-6)


def test_shares_are_the_weights_of_the_formula() -> None:
    np.testing.assert_allclose(
        _shares(BESIDE, PLACE) @ smooth(SETS), _owen(BESIDE, smooth(SETS)[PLACE]), atol=1e-12
    )


def test_sets_are_chosen_once_and_some_with_their_complements() -> None:
    order = queried(60)
    assert len(set(order.tolist())) == 60
    known = {SETS[at].tobytes() for at in order}
    paired = sum((~SETS[at]).tobytes() in known for at in order)
    assert paired >= 2 * N + 2 * likeliest.COMPLEMENTS


def test_known_values_stay_and_an_ignored_token_adds_nothing() -> None:
    order = queried(60)
    values = likeliest_values(SETS, order, smooth(SETS[order]))
    assert (values[order] == smooth(SETS[order])).all()
    scores = _owen(BESIDE, values[PLACE])
    exact = _owen(BESIDE, smooth(SETS)[PLACE])
    assert scores[3] == exact[3] == 0
    assert scores.sum() == pytest.approx(exact.sum(), abs=1e-12)
    assert np.abs(scores - exact).max() < 0.1 * np.abs(exact).max()


def test_a_token_that_matters_only_beside_others_is_not_ignored() -> None:
    """Two tokens of which neither changes a known value, yet both together do."""
    sets = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=bool)
    assert likeliest._matters(sets, np.array([0.0, 1.0, 2.0, 4.0])).all()
    assert likeliest._matters(sets, np.array([0.0, 0.0, 2.0, 2.0])).tolist() == [False, False, True]


def test_undefined_values_stay_undefined() -> None:
    order = queried(40)
    amounts = smooth(SETS[order])
    amounts[5] = np.nan
    assert np.isnan(likeliest_values(SETS, order, amounts)).all()
    assert pairwise_scores(SETS[order], amounts) is None


def test_interactions_in_pairs_are_recognized_and_others_are_not() -> None:
    order = queried(40)
    kept = SETS[order].astype(float)
    pairs = 0.3 + kept @ np.arange(N) + 2 * kept[:, 0] * kept[:, 5]
    expected = np.arange(N) + np.isin(np.arange(N), (0, 5))
    scores = pairwise_scores(SETS[order], pairs)
    assert scores is not None
    np.testing.assert_allclose(scores, expected, atol=1e-9)
    threes = pairs + kept[:, 1] * kept[:, 6] * kept[:, 9]
    assert pairwise_scores(SETS[order], threes) is None


def test_inferred_values_are_nearer_than_orders_and_approach_the_exact_scores(
    bert: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root mean square errors over 10 seeds, with a pair of orders, three and six."""
    exact = np.array(explain(bert, TEXT, "partition_shapley")[0].scores)

    def error(pairs: int) -> float:
        options = {"samples": 2 * pairs * len(exact)}
        scores = [
            explain(bert, TEXT, "partition_shapley", options=options, seed=seed)
            for seed in range(10)
        ]
        off = np.array([one.scores for (one,) in scores]) - exact
        return float(np.sqrt((off**2).mean()))

    inferred = [error(pairs) for pairs in (1, 3, 6)]
    monkeypatch.setattr(shapley, "MOST_ALLOWED", 0)
    sampled = [error(pairs) for pairs in (1, 3, 6)]
    assert inferred[0] == sampled[0]
    assert inferred[1] < 0.8 * sampled[1]
    assert inferred[2] < 0.5 * sampled[2]
    assert inferred[2] < 0.5 * inferred[1] < 0.25 * inferred[0]
