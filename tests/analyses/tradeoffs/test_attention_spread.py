"""Entropy of attention: its bounds, what must not change it, and the effect of a language at equal
length.
"""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.analyses.tradeoffs.attention import entropy, language_effect, spread
from babelscope.errors import UnsupportedModel


def softmaxed(seed: int = 0, layers: int = 2, heads: int = 3, tokens: int = 7) -> np.ndarray:
    raw = np.exp(2 * np.random.default_rng(seed).normal(size=(layers, heads, tokens, tokens)))
    return raw / raw.sum(axis=-1, keepdims=True)


SPECIAL = np.array([True, False, False, False, False, False, True])


def test_uniform_and_single_keys() -> None:
    nowhere = np.zeros(7, dtype=bool)
    even = spread(np.full((2, 3, 7, 7), 1 / 7), nowhere)
    np.testing.assert_allclose(even.share, 1)
    np.testing.assert_allclose(even.nats, np.log(7))
    single = np.zeros((2, 3, 7, 7))
    single[..., 2] = 1
    found = spread(single, nowhere)
    np.testing.assert_allclose(found.nats, 0, atol=1e-12)
    np.testing.assert_allclose(found.share, 0, atol=1e-12)


def test_bounds_and_permuted_heads() -> None:
    weights = softmaxed()
    found = spread(weights, SPECIAL)
    assert ((found.share > 0) & (found.share < 1)).all()
    assert ((found.sink > 0) & (found.sink < 1)).all()
    np.testing.assert_allclose(found.share, found.nats / np.log(7))
    turned = spread(weights[:, [2, 0, 1]], SPECIAL)
    for one, two in zip(found, turned):
        np.testing.assert_allclose(one[:, [2, 0, 1]], two)
    plain = spread(weights, np.zeros(7, dtype=bool))
    np.testing.assert_allclose(plain.content, plain.nats)
    np.testing.assert_allclose(plain.sink, 0)


def test_content_is_what_is_left_without_sinks() -> None:
    weights = softmaxed()
    inside = weights[..., 1:6]
    left = entropy(inside / inside.sum(axis=-1, keepdims=True)).mean(axis=-1)
    np.testing.assert_allclose(spread(weights, SPECIAL).content, left)
    only = np.zeros((1, 1, 7, 7))
    only[..., 0] = 1
    assert np.isnan(spread(only, SPECIAL).content).all(), "nothing but sinks"
    assert spread(only, SPECIAL).sink == pytest.approx(1)


def test_a_causal_query_is_measured_against_what_it_sees() -> None:
    causal = np.tril(np.ones((7, 7)))[None, None]
    weights, nowhere = causal / causal.sum(axis=-1, keepdims=True), np.zeros(7, dtype=bool)
    found = spread(weights, nowhere, np.array([[-6, 0]]))
    np.testing.assert_allclose(
        found.share, 1, err_msg="uniform over the visible keys; the first query sees one only"
    )
    np.testing.assert_allclose(found.nats, np.log(np.arange(1, 8)).mean())
    assert spread(weights, nowhere).share < 0.8
    window = np.where(np.abs(np.subtract.outer(np.arange(7), np.arange(7))) <= 1, 1.0, 0.0)[
        None, None
    ]
    narrow = spread(window / window.sum(axis=-1, keepdims=True), nowhere, np.array([[-1, 1]]))
    np.testing.assert_allclose(narrow.share, 1)


def test_heads_are_never_averaged_first() -> None:
    for seed in range(5):
        weights = softmaxed(seed, heads=12)
        mixed = entropy(weights.mean(axis=1))
        assert (mixed >= entropy(weights).mean(axis=1) - 1e-12).all()
        assert mixed.mean() > entropy(weights).mean() + 0.1


def test_rows_that_do_not_sum_to_one_are_refused() -> None:
    weights = softmaxed()
    weights[1, 2, 3] *= 0.99
    with pytest.raises(UnsupportedModel, match=r"miss 1 by 0.01"):
        spread(weights, SPECIAL)


def planted(noise: float = 0.0) -> tuple[np.ndarray, np.ndarray, list[str]]:
    rng = np.random.default_rng(8)
    tokens = rng.integers(8, 40, (90, 1)) * np.array([1.0, 1.3, 1.6]) + rng.integers(0, 4, (90, 3))
    values = rng.normal(size=(90, 1)) + np.array([0.0, 0.05, -0.1]) + 0.2 * np.log(tokens)
    return (
        values + noise * rng.normal(size=values.shape),
        tokens,
        [f"c{at // 3}" for at in range(90)],
    )


def test_planted_effects_come_back() -> None:
    values, tokens, clusters = planted()
    found = language_effect(values, tokens, clusters)
    np.testing.assert_allclose(found.effects, [0, 0.05, -0.1], atol=1e-9)
    assert found.slope == pytest.approx(0.2)
    np.testing.assert_allclose((found.low, found.high), [found.effects] * 2, atol=1e-9)
    moved = language_effect(values + np.arange(90)[:, None], tokens, clusters)
    np.testing.assert_allclose(moved.effects, found.effects, atol=1e-9)


def test_longer_translations_alone_are_no_effect_of_the_language() -> None:
    rng = np.random.default_rng(1)
    tokens = rng.integers(10, 30, (200, 1)) * np.array([1.0, 2.0]) + rng.integers(0, 9, (200, 2))
    values = 0.3 * np.log(tokens) + 0.01 * rng.normal(size=(200, 2))
    assert (values[:, 1] - values[:, 0]).mean() > 0.15
    found = language_effect(values, tokens, list(map(str, range(200))))
    assert found.low[1] < 0 < found.high[1]


def test_noise_makes_intervals_and_a_copy_has_none() -> None:
    values, tokens, clusters = planted(0.05)
    found = language_effect(values, tokens, clusters)
    assert (found.low[1:] < found.effects[1:]).all()
    assert (found.effects[1:] < found.high[1:]).all()
    values[:, 2], tokens[:, 2] = values[:, 0], tokens[:, 0]
    copy = language_effect(values, tokens, clusters)
    np.testing.assert_allclose([edge[2] for edge in copy[:3]], 0, atol=1e-9)
    assert np.isnan(language_effect(values, tokens, ["c"] * 90).low).all()


def test_equal_lengths_leave_the_plain_difference() -> None:
    values, tokens, clusters = planted(0.05)
    found = language_effect(values, np.repeat(tokens[:, :1], 3, axis=1), clusters)
    np.testing.assert_allclose(found.effects, (values - values[:, :1]).mean(axis=0), atol=1e-9)
    assert found.slope == pytest.approx(0)
