"""The transfer matrix: what is invariant, what adds up, and what intervals and tests respect."""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.analyses.tradeoffs.behaviour import (
    diagonal_columns,
    factorial,
    preference,
    relative_transfer,
    specialisation,
    transfer_gap,
    two_way,
)
from babelscope.analyses.tradeoffs.intervals import comparisons, intervals
from babelscope.errors import InputError

SOURCES, TARGETS = ("en", "hi", "sw"), ("sw", "en", "de", "hi")
OWN = diagonal_columns(SOURCES, TARGETS)


def matrix(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).uniform(0.3, 0.9, shape)


def judged(seeds: int = 2, examples: int = 60) -> np.ndarray:
    return (np.random.default_rng(5).random((seeds, 3, 4, examples)) < 0.7).astype(float)


def test_each_source_finds_its_column_and_a_missing_one_has_none() -> None:
    assert OWN == [1, 3, 0]
    assert diagonal_columns(("en", "fr"), TARGETS) == [1, -1]


def test_own_cells_are_zero_and_leading_axes_are_kept() -> None:
    many = matrix(5, 3, 4)
    for found in (preference(many, OWN), transfer_gap(many, OWN)):
        assert found.shape == many.shape
        for row, place in enumerate(OWN):
            np.testing.assert_array_equal(found[:, row, place], 0)
    np.testing.assert_array_equal(preference(many, OWN)[2], preference(many[2], OWN))
    np.testing.assert_array_equal(np.diagonal(specialisation(many, OWN), axis1=1, axis2=2), 0)


def test_a_target_without_a_model_has_no_gap_and_an_untested_source_no_preference() -> None:
    found = transfer_gap(matrix(3, 4), OWN)
    assert np.isnan(found[:, TARGETS.index("de")]).all()
    assert np.isfinite(found[:, OWN]).all()
    assert np.isnan(preference(matrix(3, 4), [1, -1, 0])[1]).all()
    assert np.isnan(specialisation(matrix(3, 4), [1, -1, 0])[1]).all()


def test_difficulty_moves_preference_but_neither_gap_nor_specialisation() -> None:
    before = matrix(3, 4)
    easier = before.copy()
    easier[:, TARGETS.index("en")] += 0.07
    assert preference(easier, OWN)[0, 2] == pytest.approx(preference(before, OWN)[0, 2] + 0.07)
    np.testing.assert_allclose(transfer_gap(easier, OWN), transfer_gap(before, OWN), atol=1e-12)
    np.testing.assert_allclose(specialisation(easier, OWN), specialisation(before, OWN), atol=1e-12)


def test_specialisation_is_symmetric_and_blind_to_rows_and_columns() -> None:
    before = matrix(3, 4)
    found = specialisation(before, OWN)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    moved = before + np.array([[0.1], [-0.2], [0.05]]) + np.array([[0.0, 0.3, -0.1, 0.02]])
    np.testing.assert_allclose(specialisation(moved, OWN), found, atol=1e-12)
    matched = before.copy()
    matched[0, OWN[0]] += 0.1
    assert specialisation(matched, OWN)[0, 1] == pytest.approx(found[0, 1] + 0.05), (
        "a better match is half seen"
    )


def test_what_the_published_asymmetry_measures() -> None:
    """P[s, t] - P[t, s] is twice the effect of the input: the interaction cancels."""
    for seed in range(20):
        square = np.random.default_rng(seed).uniform(0, 1, (2, 2))
        own = preference(square, [0, 1])
        assert own[0, 1] - own[1, 0] == pytest.approx(2 * factorial(square).input, abs=1e-12)
        specialised = square + np.array([[0.2, -0.2], [-0.2, 0.2]])
        again = preference(specialised, [0, 1])
        assert again[0, 1] - again[1, 0] == pytest.approx(own[0, 1] - own[1, 0], abs=1e-12)
        assert factorial(specialised).interaction == pytest.approx(
            factorial(square).interaction + 0.4
        )
        assert specialisation(square, [0, 1])[0, 1] == pytest.approx(factorial(square).interaction)


def test_exchanging_the_models_keeps_the_input_and_negates_the_rest() -> None:
    square = matrix(2, 2)
    one, two = factorial(square), factorial(square[::-1])
    assert (two.input, two.model, two.interaction) == pytest.approx(
        (one.input, -one.model, -one.interaction)
    )


def test_the_two_way_parts_add_up() -> None:
    many = matrix(6, 3, 4)
    found = two_way(many)
    rebuilt = (
        found.mean[:, None, None]
        + found.donor[..., None]
        + found.difficulty[:, None]
        + found.interaction
    )
    np.testing.assert_allclose(rebuilt, many, atol=1e-12)
    for part in (
        found.donor.sum(-1),
        found.difficulty.sum(-1),
        found.interaction.sum(-1),
        found.interaction.sum(-2),
    ):
        np.testing.assert_allclose(part, 0, atol=1e-12)
    np.testing.assert_allclose(found.shares.sum(-1), 1)
    total = ((many - many.mean(axis=(1, 2), keepdims=True)) ** 2).sum(axis=(1, 2))
    np.testing.assert_allclose(
        found.shares[:, 1] * total, 3 * (found.difficulty**2).sum(-1), rtol=1e-10
    )
    additive = np.array([[0.1], [0.2], [0.6]]) + np.array([[0.0, 0.1, 0.25, 0.3]])
    assert two_way(additive).shares[2] == pytest.approx(0, abs=1e-12)
    assert np.isnan(two_way(np.full((3, 4), 0.5)).shares).all()


def test_relative_transfer() -> None:
    found = relative_transfer(matrix(3, 4), OWN, 0.25)
    np.testing.assert_allclose([found[row, place] for row, place in enumerate(OWN)], 1)
    low = matrix(3, 4)
    low[2, 0], low[0, 0] = 0.269, 0.25
    assert np.isnan(relative_transfer(low, OWN, 0.25)[:, 0]).all(), "its own model is at chance"
    low[2, 0] = 0.35
    assert relative_transfer(low, OWN, 0.25)[0, 0] == pytest.approx(0)
    with pytest.raises(InputError, match="chance"):
        relative_transfer(low, OWN, 1.0)


def test_intervals_enclose_ignore_order_and_texts_are_left_out_of_all_cells() -> None:
    right = judged()
    clusters = [f"c{at // 3}" for at in range(60)]
    found = intervals(right, clusters, lambda a: a)
    np.testing.assert_allclose(found.value, right.mean(axis=(0, 3)))
    assert ((found.low <= found.value) & (found.value <= found.high)).all()
    order = np.random.default_rng(0).permutation(60)
    again = intervals(right[..., order], [clusters[at] for at in order], lambda a: a)
    np.testing.assert_allclose(found.low, again.low, atol=1e-12)
    twice = np.concatenate([right[:, :1], right[:, :1], right[:, :1]], axis=1)
    apart = intervals(twice, clusters, lambda a: a[..., 0, :] - a[..., 1, :])
    np.testing.assert_allclose(
        (apart.low, apart.high),
        0,
        atol=1e-12,
        err_msg="equal models lack the same texts",
    )
    constant = intervals(np.ones_like(right), clusters, lambda a: a)
    np.testing.assert_allclose((constant.low, constant.high), 1, atol=1e-12)


def test_one_cluster_has_no_interval_and_three_seeds_widen_it() -> None:
    right = judged(3)
    alone = intervals(right, ["c"] * 60, lambda a: a)
    assert np.isnan(alone.low).all()
    assert np.isnan(alone.high).all()
    right[0], right[1:] = 1.0, 0.0  # the seed decides everything
    two, three = (
        intervals(right[:many], list(map(str, range(60))), lambda a: a) for many in (2, 3)
    )
    np.testing.assert_allclose(two.high - two.low, 0, atol=1e-12)
    assert (three.high - three.low > 0.5).all()
    with pytest.raises(InputError, match="60 examples were judged, 59"):
        intervals(right, ["c"] * 59, lambda a: a)


def test_rows_of_one_premise_make_the_interval_wider() -> None:
    right = np.repeat(
        (np.random.default_rng(1).random((1, 1, 1, 200)) < 0.6).astype(float), 3, axis=3
    )
    apart, together = (
        intervals(right, names, lambda a: a)
        for names in ([str(k) for k in range(600)], [str(k // 3) for k in range(600)])
    )
    ratio = float(((together.high - together.low) / (apart.high - apart.low))[0, 0])
    assert ratio == pytest.approx(3**0.5, rel=0.1), "three copies of a text are one text"


@pytest.mark.slow
def test_intervals_cover_at_their_rate() -> None:
    rng, hits = np.random.default_rng(2), 0
    for _ in range(200):
        right = (rng.random((1, 1, 1, 80)) < 0.7).astype(float)
        found = intervals(right, list(map(str, range(80))), lambda a: a)
        hits += bool(found.low[0, 0] <= 0.7 <= found.high[0, 0])
    assert 0.88 <= hits / 200 <= 0.99


def test_comparisons_are_symmetric_and_adjusted() -> None:
    rng = np.random.default_rng(4)
    one, two = (
        (rng.random((1, 3, 40)) < 0.5).astype(float),
        (rng.random((1, 3, 40)) < 0.8).astype(float),
    )
    two[:, 2] = one[:, 2]
    names, alone = [("a", "x"), ("b", "x"), ("c", "x")], list(map(str, range(40)))
    found, turned = comparisons(one, two, names, alone), comparisons(two, one, names, alone)
    for here, there in zip(found, turned):
        assert here.effect == pytest.approx(-there.effect)
        assert (here.only_first, here.only_second) == (there.only_second, there.only_first)
        assert here.p == pytest.approx(there.p)
        assert here.p <= here.adjusted <= 1
        assert here.p == here.mcnemar, "independent texts and one seed"
    assert found[2].p == 1
    pairs = [str(at // 2) for at in range(40)]
    assert comparisons(one, two, names, pairs)[0].p != found[0].mcnemar


def test_languages_without_common_examples_are_not_paired() -> None:
    """A difference is as wide as both intervals together; where all is shared and equal it has no
    width.
    """
    draw = np.random.default_rng(3)
    one, two = (draw.random((1, 1, 1, many)) < 0.6 for many in (300, 200))
    right = np.full((1, 1, 2, 500), np.nan)
    right[..., 0, :300], right[..., 1, 300:] = one[..., 0, :], two[..., 0, :]
    names = list(map(str, range(500)))
    own = intervals(right, names, lambda a: a)
    np.testing.assert_allclose(own.value[0], [one.mean(), two.mean()], atol=1e-12)
    apart = intervals(right, names, lambda a: a[..., 0] - a[..., 1])
    np.testing.assert_allclose(apart.value, own.value[:, 0] - own.value[:, 1], atol=1e-12)
    assert (own.low < own.value).all()
    assert (own.value < own.high).all()
    widths = (own.high - own.low)[0]
    assert float((apart.high - apart.low)[0]) == pytest.approx(float(np.hypot(*widths)), rel=0.1)
    shared = intervals(
        np.repeat(one, 2, axis=2).astype(float), names[:300], lambda a: a[..., 0] - a[..., 1]
    )
    assert float((shared.high - shared.low)[0]) == 0.0


def test_a_comparison_leaves_out_what_its_language_does_not_have() -> None:
    draw = np.random.default_rng(4)
    one, two = (draw.random((2, 1, 40)) < share for share in (0.5, 0.8))
    wide = [np.concatenate([each, np.full((2, 1, 25), np.nan)], axis=2) for each in (one, two)]
    narrow = comparisons(
        one.astype(float), two.astype(float), [("en", "hi")], list(map(str, range(40)))
    )
    assert comparisons(wide[0], wide[1], [("en", "hi")], list(map(str, range(65)))) == narrow


def test_shares_of_variance_lie_inside_their_intervals() -> None:
    """Noise adds to the interaction, so that shares of resampled matrices are systematically other
    than those of the matrix; their percentiles excluded it."""
    rng = np.random.default_rng(0)
    accuracy = np.array([0.9, 0.7, 0.6])[None] + np.array([0.03, 0.0, -0.03])[:, None]
    for _ in range(20):
        right = (rng.random((1, 3, 3, 60)) < accuracy[None, ..., None]).astype(float)
        clusters = [str(at // 2) for at in range(60)]
        shares = intervals(right, clusters, lambda a: two_way(a).shares, scale="share")
        assert (shares.low <= shares.value).all()
        assert (shares.value <= shares.high).all()
        assert (shares.low >= 0).all()
        assert (shares.high <= 1).all()
        assert (shares.high - shares.low > 0.01).all()
