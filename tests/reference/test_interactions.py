"""The likeliest game through some queried sets: against sums over all sets, all products of signs
and finite differences.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from test_sampled_methods import shapley as reference_shapley

from babelscope.methods import interactions, shapley, surrogates
from babelscope.methods.coalitions import every
from babelscope.methods.interactions import distinct, game_at, likeliest_game, odd_part
from babelscope.model.encode import encode
from babelscope.types import Example
from planted import planted_model

N = 7


def products(sets: np.ndarray, order: int) -> np.ndarray:
    """A column per set of so many tokens: the product of their signs."""
    signs = np.where(sets, 1.0, -1.0)
    return np.array([signs[:, list(a)].prod(axis=1) for a in combinations(range(N), order)]).T


def values(threes: float, seed: int = 0) -> np.ndarray:
    """A game on all sets: single tokens, pairs, and threes of the first five tokens."""
    generator = np.random.default_rng(seed)
    amounts = products(every(N), 1) @ generator.normal(size=N)
    amounts += products(every(N), 2) @ generator.normal(size=21)
    among = np.array([max(a) < 5 for a in combinations(range(N), 3)])
    return amounts + threes * products(every(N), 3) @ (among * generator.normal(size=35))


def sampled(count: int, seed: int = 0) -> np.ndarray:
    """The whole text and other sets, none of them the complement of another."""
    order = np.random.default_rng(seed).permutation(2 ** (N - 1) - 1)[: count - 1]
    return np.concatenate((np.ones((1, N), dtype=bool), every(N)[::-1][1 + order]))


def odd(sets: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    numbers = sets @ (1 << np.arange(N))
    return (amounts[numbers] - amounts[2**N - 1 - numbers]) / 2


def test_the_shapley_values_of_a_game_are_the_sums_over_all_sets() -> None:
    sets = sampled(40)
    game = likeliest_game(sets, odd(sets, values(0.5)))
    assert np.abs(game.weights).max() > 1e-3
    expected = reference_shapley(
        lambda kept: float(game(np.isin(np.arange(N), [*kept])[None])[0]), N
    )
    np.testing.assert_allclose(game.shapley(), expected, atol=1e-9)


def test_it_is_the_posterior_mean_of_independent_coefficients_of_all_odd_products() -> None:
    """Written out: the coefficient of the product over A has the variance C prod tanh(a_t), those
    of single tokens any, and what the values have beside them is noise. In the limit of a wide
    prior of the single tokens; 1e8 leaves 1e-6."""
    sets = sampled(30)
    known = odd(sets, values(0.5))
    point = np.append(np.log(np.linspace(0.1, 0.6, N)), -1.0)
    strengths = np.exp(point[:-1])
    columns, variances, share = [], [], []
    for order in range(1, N + 1, 2):
        columns.append(products(sets, order))
        for a in combinations(range(N), order):
            between = np.cosh(strengths).prod() * np.tanh(strengths[list(a)]).prod()
            variances.append(between if order > 1 else 1e8)
            share.append([2 / order if t in a else 0.0 for t in range(N)])
    table, spread = np.concatenate(columns, axis=1), np.diag(variances)
    third = sum(v for v in variances if v < 1e8)
    noise = np.full(len(sets), np.exp(-1.0) * third)
    noise[0] = interactions.EXACT * third
    inverse = np.linalg.inv(table @ spread @ table.T + np.diag(noise))
    expected = np.array(share).T @ (spread @ table.T @ inverse @ known)
    np.testing.assert_allclose(game_at(sets, known, point).shapley(), expected, atol=1e-5)


def test_the_gradient_of_the_likelihood_is_that_of_its_differences() -> None:
    sets = sampled(30)
    signs, known = np.where(sets, 1.0, -1.0), odd(sets, values(0.5))
    point = np.append(np.random.default_rng(1).normal(-2, 0.5, N), -1.0)
    _, gradient = interactions._objective(point, signs, known)
    for at, step in enumerate(1e-5 * np.eye(N + 1)):
        up, down = (
            interactions._objective(point + side * step, signs, known)[0] for side in (1, -1)
        )
        assert gradient[at] == pytest.approx((up - down) / 2e-5, abs=1e-5)


def test_the_whole_text_has_its_value_and_a_linear_game_its_coefficients() -> None:
    sets = sampled(30)
    known = odd(sets, values(0.5))
    assert likeliest_game(sets, known)(sets)[0] == pytest.approx(known[0], abs=1e-4)
    linear = odd(sets, values(0.0))
    game = likeliest_game(sets, linear)
    assert not game.weights.any()
    np.testing.assert_allclose(game(sets), linear, atol=1e-12)


def test_the_odd_part_has_the_shapley_values_of_the_game() -> None:
    """Also from a list with the sets in any order, each several times or without a complement."""
    amounts = values(0.5)
    order = np.random.default_rng(0).permutation(2**N)
    sets, known = odd_part(every(N)[order], amounts[order])
    assert len(sets) == 2 ** (N - 1)
    assert sets[0].all()
    both, signed = np.concatenate((~sets, sets)), np.concatenate((-known, known))
    numbers = np.argsort(both @ (1 << np.arange(N)))
    np.testing.assert_allclose(
        shapley._shapley(every(N), signed[numbers]), shapley._shapley(every(N), amounts), atol=1e-12
    )
    some, _ = odd_part(every(N)[1:], amounts[1:])
    assert len(some) == 2 ** (N - 1) - 1
    again, twice = distinct(np.concatenate((sets, ~sets)), np.concatenate((known, -known)))
    np.testing.assert_array_equal(again, sets)
    np.testing.assert_array_equal(twice, known)


def error(scores: np.ndarray, exact: np.ndarray) -> float:
    return float(np.sqrt(((scores - exact) ** 2).mean()))


def test_kernel_shap_is_nearer_with_the_game_where_tokens_interact_in_threes() -> None:
    """Of ten games the errors of 62 sets: in total less than half of those without the game, and
    equal where only pairs interact."""
    text = "good bad fine great dull film the"
    rows = encode(planted_model(), [Example(str(seed), (text,)) for seed in range(10)])
    ratios = []
    for seed, row in enumerate(rows):
        kept, weights = surrogates._by_kernel(row, 62, 0)
        assert len(np.unique(kept, axis=0)) == len(kept) == 62
        for threes in (0.5, 0.0):
            amounts = values(threes, seed)
            known = amounts[kept @ (1 << np.arange(N))]
            exact = shapley._shapley(every(N), amounts)
            scores = surrogates._adjusted(kept, known, weights)
            assert scores.sum() == pytest.approx(amounts[-1] - amounts[0], abs=1e-9)
            if threes:
                plain = surrogates._constrained(kept, known, weights)
                ratios.append((error(scores, exact), error(plain, exact)))
            else:
                assert error(scores, exact) < 1e-9
    with_game, without = np.array(ratios).T
    assert np.sqrt((with_game**2).mean()) < 0.5 * np.sqrt((without**2).mean())


def test_orders_are_adjusted_by_a_game_of_the_other_orders() -> None:
    """Of 60 samples of eight orders: less than two thirds of the error of the plain mean, no bias,
    and the same scores for pairs only; an ignored token scores 0."""
    amounts = values(0.5)
    exact = shapley._shapley(every(N), amounts)
    adjusted, plain = [], []
    for seed in range(60):
        generator = np.random.default_rng(seed)
        walks = shapley._and_back([generator.permutation(N) for _ in range(8)])
        known = amounts[shapley._prefixes(walks) @ (1 << np.arange(N))]
        adjusted.append(shapley._gains_of_orders(walks, known).mean(axis=0))
        plain.append(shapley._gains(walks, known).mean(axis=0))
        assert adjusted[-1].sum() == pytest.approx(amounts[-1] - amounts[0], abs=1e-9)
    assert error(np.array(adjusted), exact) < 2 / 3 * error(np.array(plain), exact)
    off = (np.mean(adjusted, axis=0) - exact) / (np.std(adjusted, axis=0, ddof=1) / np.sqrt(60))
    assert np.abs(off).max() < 4
    pairs = values(0.0)[shapley._prefixes(walks) @ (1 << np.arange(N))]
    both_ways = shapley._gains(walks, pairs).reshape(8, 2, N).mean(axis=1)
    np.testing.assert_allclose(shapley._gains_of_orders(walks, pairs), both_ways, atol=1e-9)
    without_last = amounts[shapley._prefixes(walks) @ np.append(1 << np.arange(N - 1), 0)]
    scores = shapley._gains_of_orders(walks, without_last).mean(axis=0)
    assert scores[-1] == 0
    assert np.abs(scores[:-1]).min() > 0


def test_weights_of_sampled_sets_have_the_mass_of_their_sizes_on_average() -> None:
    """A pair is sampled with the probability by which its weight is divided: so over 400 samples
    the sum of all weights is the mass of all sets of these sizes, within 4 standard errors."""
    mass = {k: (N - 1) / (k * (N - k)) for k in (2, 3, 4, 5)}
    totals = []
    for seed in range(400):
        half, weights = surrogates._distinct_pairs(np.random.default_rng(seed), mass, N, 20)
        assert len(np.unique(np.where(half[:, :1], half, ~half), axis=0)) == 20
        totals.append(2 * weights.sum())
    off = (np.mean(totals) - sum(mass.values())) / (np.std(totals, ddof=1) / np.sqrt(400))
    assert abs(off) < 4


def test_an_order_is_held_out_of_its_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changed values of one order change every order's scores but leave the game of its own."""
    games = []

    def watched(sets: np.ndarray, known: np.ndarray, point: np.ndarray) -> interactions.Game:
        games.append(game_at(sets, known, point))
        return games[-1]

    monkeypatch.setattr(shapley, "game_at", watched)
    orders = [np.random.default_rng(seed).permutation(N) for seed in range(4)]
    walks = shapley._and_back(orders)
    known = values(0.5)[shapley._prefixes(walks) @ (1 << np.arange(N))]
    shapley._gains_of_orders(walks, known)
    changed = known.copy()
    changed[2 : N - 2] += 1.0  # of the first order, none of its sets is in another order
    shapley._gains_of_orders(walks, changed)
    before, after = games[:4], games[4:]
    np.testing.assert_array_equal(before[0].sets, after[0].sets)
    np.testing.assert_array_equal(before[0].weights, after[0].weights)
    assert all(
        (first.weights != second.weights).any() for first, second in zip(before[1:], after[1:])
    )
