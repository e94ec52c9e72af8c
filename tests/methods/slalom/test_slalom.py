"""The laws of the SLALOM surrogate: model, scores, Shapley values, fits and samples, on arrays in
float64.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial

import numpy as np
import pytest
import torch

from babelscope.errors import InputError, Undefined
from babelscope.methods.slalom.design import (
    DEFAULT,
    Design,
    parse_design,
    sample_size,
    sample_texts,
)
from babelscope.methods.slalom.exact import recover
from babelscope.methods.slalom.fit import Problem, fit
from babelscope.methods.slalom.joint import joint_fit
from babelscope.methods.slalom.scores import SCORES, grad, lin, removal, score, share, without
from babelscope.methods.slalom.shapley import shapley
from babelscope.methods.slalom.surrogate import Mixture, counted, predict
from babelscope.methods.slalom.text import fit_answers, plan_queries, text_gap

SIZES = (1, 2, 3, 7, 40)


def truth(size: int, seed: int = 0, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    importance = spread * generator.normal(size=size)
    return importance - importance.mean(), 2 * generator.normal(size=size)


def by_position(sequence: list[int], importance: np.ndarray, value: np.ndarray) -> float:
    """Equation 4 as it stands: a softmax over positions."""
    weight = [np.exp(importance[unit]) for unit in sequence]
    return sum(w * value[unit] for w, unit in zip(weight, sequence)) / sum(weight)


def mixture(size: int, seed: int, context: bool, repeated: bool = True) -> Mixture:
    importance, value = truth(size, seed)
    places = np.random.default_rng(seed).integers(0, size, size) if repeated else np.arange(size)
    return Mixture(importance[places], value[places], (0.4, -1.3) if context else None)


def answer(one: Mixture, subset: list[int]) -> float:
    """F of a subset of the positions, from the definition."""
    weight = [np.exp(one.importance[i]) for i in subset] + (
        [np.exp(one.context[0])] if one.context else []
    )
    value = [one.value[i] for i in subset] + ([one.context[1]] if one.context else [])
    return sum(w * v for w, v in zip(weight, value)) / sum(weight) if weight else 0.0


def test_count_form_order_bounds_and_repetition() -> None:
    generator = np.random.default_rng(1)
    importance, value = truth(12)
    rows = [generator.integers(0, 12, generator.integers(1, 30)).tolist() for _ in range(50)]
    found = predict(counted(rows), importance, value)
    np.testing.assert_allclose(
        found, [by_position(row, importance, value) for row in rows], atol=1e-12
    )
    np.testing.assert_allclose(
        found, predict(counted([row[::-1] for row in rows]), importance, value), atol=1e-12
    )
    assert ((found >= value.min()) & (found <= value.max())).all()
    for copies in (1, 2, 9):
        np.testing.assert_allclose(
            predict(counted([[u] * copies for u in range(12)]), importance, value),
            value,
            atol=1e-12,
        )
    with pytest.raises(Undefined, match="empty text"):
        predict(counted([[], [1]]), importance, value)
    assert predict(counted([[]], always=3), importance, value)[0] == pytest.approx(value[3])


@pytest.mark.parametrize("size", SIZES)
def test_a_shift_of_importances_changes_nothing_and_one_of_values_shifts_the_answer(
    size: int,
) -> None:
    importance, value = truth(size)
    rows = counted([np.random.default_rng(at).integers(0, size, 5).tolist() for at in range(20)])
    plain = predict(rows, importance, value)
    np.testing.assert_allclose(predict(rows, importance + 7.3, value), plain, atol=1e-12)
    np.testing.assert_allclose(predict(rows, importance, value + 2.5), plain + 2.5, atol=1e-12)
    one = Mixture(importance, value)
    moved, raised = Mixture(importance + 7.3, value), Mixture(importance, value + 2.5)
    for name in ("value", "grad", "removal", "share", "shapley"):
        np.testing.assert_allclose(score(name, moved), score(name, one), atol=1e-10)
    assert (np.argsort(lin(moved)) == np.argsort(lin(one))).all()
    np.testing.assert_allclose(grad(raised), grad(one), atol=1e-12)
    np.testing.assert_allclose(removal(raised), removal(one), atol=1e-10)
    np.testing.assert_allclose(shapley(raised), shapley(one) + 2.5 / size, atol=1e-10)


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_grad_is_the_gradient_and_lin_is_not(size: int, context: bool) -> None:
    one = mixture(size, 2, context)
    present = torch.ones(size, dtype=torch.float64, requires_grad=True)
    weight = torch.from_numpy(np.exp(one.importance)) * present
    base = float(np.exp(one.context[0])) if one.context else 0.0
    full = ((weight * torch.from_numpy(one.value)).sum() + base * (one.context or (0, 0))[1]) / (
        weight.sum() + base
    )
    (slope,) = torch.autograd.grad(full, present)
    np.testing.assert_allclose(grad(one), slope.numpy(), atol=1e-12)
    if not context:
        assert grad(one).sum() == pytest.approx(0, abs=1e-12)
        assert share(one).sum() == pytest.approx(float(full.detach()), abs=1e-12)
    if size == 40:
        assert np.corrcoef(lin(one), grad(one))[0, 1] < 0.999


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_removal_is_the_fall_without_a_position(size: int, context: bool) -> None:
    one = mixture(size, 3, context)
    everything = list(range(size))
    if size == 1 and not context:
        assert np.isnan(removal(one)).all()
        with pytest.raises(Undefined, match="without any word"):
            without(one, np.array([True]))
        return
    for place in everything:
        rest = [other for other in everything if other != place]
        gone = np.arange(size) == place
        assert removal(one)[place] == pytest.approx(
            answer(one, everything) - answer(one, rest), abs=1e-12
        )
        assert without(one, gone) == pytest.approx(answer(one, rest), abs=1e-12)
    assert without(one, np.zeros(size, bool)) == pytest.approx(answer(one, everything), abs=1e-12)
    if context:
        assert without(one, np.ones(size, bool)) == one.context[1]


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 6, 7])
def test_shapley_is_the_mean_over_all_orders(size: int, context: bool) -> None:
    one = mixture(size, 4, context)
    total = np.zeros(size)
    for order in permutations(range(size)):
        for at, place in enumerate(order):
            total[place] += answer(one, list(order[: at + 1])) - answer(one, list(order[:at]))
    np.testing.assert_allclose(shapley(one), total / factorial(size), atol=1e-10)


@pytest.mark.parametrize("size", [8, 9, 10])
def test_shapley_is_the_sum_over_subsets(size: int) -> None:
    one = mixture(size, 5, False, repeated=False)
    expected = np.zeros(size)
    for code in range(2**size):
        subset = [place for place in range(size) if code >> place & 1]
        for place in set(range(size)) - set(subset):
            chance = factorial(len(subset)) * factorial(size - len(subset) - 1) / factorial(size)
            expected[place] += chance * (answer(one, [*subset, place]) - answer(one, subset))
    np.testing.assert_allclose(shapley(one), expected, atol=1e-10)


@pytest.mark.parametrize(("size", "spread"), [(200, 1.0), (200, 3.0), (700, 1.0)])
def test_shapley_sums_to_the_answer_of_a_long_text(size: int, spread: float) -> None:
    importance, value = truth(size, 6, spread)
    one = Mixture(importance, value)
    assert shapley(one).sum() == pytest.approx(one.weights()[2], abs=1e-9)
    around = Mixture(importance, value, (1.0, 0.7))
    assert shapley(around).sum() == pytest.approx(around.weights()[2] - 0.7, abs=1e-9)


def test_shapley_of_equal_positions_and_of_equal_values() -> None:
    one = Mixture(np.array([0.3, -1.0, 0.3, 2.0]), np.array([1.0, 2.0, 1.0, -1.0]))
    assert shapley(one)[0] == shapley(one)[2]
    np.testing.assert_allclose(shapley(Mixture(truth(9)[0], np.full(9, 1.7))), 1.7 / 9, atol=1e-12)


def test_an_unknown_score_is_refused() -> None:
    with pytest.raises(InputError, match="importance"):
        score("weight", mixture(3, 0, False))
    assert len(SCORES) == 7


@pytest.mark.parametrize("size", [2, 3, 10, 50])
def test_exact_recovery_from_two_t_minus_one_questions(size: int) -> None:
    importance, value = truth(size, size)
    asked: list[tuple[int, ...]] = []

    def ask(sequences: list[tuple[int, ...]]) -> np.ndarray:
        asked.extend(sequences)
        return np.array([by_position(list(one), importance, value) for one in sequences])

    found = recover(ask, size)
    assert len(asked) == len(set(asked)) == 2 * size - 1
    np.testing.assert_allclose(found.value, value, atol=1e-9)
    np.testing.assert_allclose(found.importance, importance, atol=1e-6)
    assert not found.outside.any()


def test_recovery_of_what_is_no_slalom_is_marked_and_of_a_constant_is_zero() -> None:
    found = recover(lambda asked: np.array([float(sum(one)) for one in asked]), 5)
    assert found.outside.any()
    assert np.isfinite(found.importance).all()
    assert (recover(lambda asked: np.full(len(asked), 3.0), 5).importance == 0).all()


def sampled(
    size: int, count: int, noise: float = 0.0, seed: int = 0
) -> tuple[list[list[int]], np.ndarray]:
    importance, value = truth(size, seed)
    generator = np.random.default_rng(seed + 1)
    rows = [generator.integers(0, size, generator.integers(1, 5)).tolist() for _ in range(count)]
    return rows, predict(counted(rows), importance, value) + noise * generator.normal(size=count)


@pytest.mark.parametrize("size", [10, 40])
def test_the_jacobian_is_the_central_difference(size: int) -> None:
    rows, found = sampled(size, 30)
    problem = Problem(counted(rows), found, np.linspace(0.5, 2, 30), size)
    at, step = np.random.default_rng(3).normal(size=2 * size), 1e-6
    matrix, slope = problem.normal(at)

    def answers(point: np.ndarray) -> np.ndarray:
        return predict(problem.texts, point[:size], point[size:])

    moves = np.eye(2 * size) * step
    jacobian = np.stack(
        [(answers(at + move) - answers(at - move)) / (2 * step) for move in moves], axis=1
    )
    np.testing.assert_allclose(matrix, jacobian.T @ (problem.weight[:, None] * jacobian), atol=1e-7)
    np.testing.assert_allclose(
        slope, jacobian.T @ (problem.weight * (answers(at) - found)), atol=1e-6
    )
    np.testing.assert_allclose(problem.gradient(at, 0.3), slope + 0.3 * at, atol=1e-10)
    by_importance, by_value, _ = problem.jacobian(at)
    np.testing.assert_allclose(by_importance.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(by_value.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("size", [5, 30, 120])
@pytest.mark.parametrize("ridge", [1e-6, None])
def test_the_fit_recovers_an_exact_slalom(size: int, ridge: float | None) -> None:
    rows, found = sampled(size, 12 * size)
    fitted = fit(counted(rows), found, size=size, ridge=ridge)
    importance, value = truth(size)
    fresh = counted([np.random.default_rng(at).integers(0, size, 3).tolist() for at in range(500)])
    gap = predict(fresh, fitted.importance, fitted.value) - predict(fresh, importance, value)
    assert (gap**2).mean() < 1e-8
    assert np.corrcoef(fitted.importance, importance)[0, 1] > 0.9999
    assert np.corrcoef(fitted.value, value)[0, 1] > 0.9999
    assert abs(fitted.importance.mean()) < 1e-9


@pytest.mark.parametrize("ridge", [1e-3, 1e-1])
def test_the_objective_never_rises_and_ends_below_the_best_linear_mixture(ridge: float) -> None:
    rows, found = sampled(20, 300, noise=0.5)
    fitted = fit(counted(rows), found, size=20, ridge=ridge)
    assert (np.diff(fitted.trace) < 0).all()
    problem = Problem(counted(rows), (found - found.mean()) / found.std(), np.ones(300), 20)
    shares = np.zeros((300, 20))
    for line, row in zip(shares, rows):
        for unit in row:
            line[unit] += 1 / len(row)
    linear = np.linalg.solve(shares.T @ shares + ridge * np.eye(20), shares.T @ problem.answer)
    assert fitted.trace[-1] < problem.objective(np.concatenate([np.zeros(20), linear]), ridge)


@pytest.mark.parametrize("ridge", [1e-2, 1e-1])
def test_both_solvers_reach_the_same_objective(ridge: float) -> None:
    rows, found = sampled(25, 400, noise=0.3)
    one, other = (
        fit(counted(rows), found, size=25, ridge=ridge, solver=name)
        for name in ("levenberg-marquardt", "l-bfgs")
    )
    assert one.trace[-1] == pytest.approx(other.trace[-1], rel=1e-4)
    np.testing.assert_allclose(one.value, other.value, atol=1e-3)
    with pytest.raises(InputError, match="l-bfgs"):
        fit(counted(rows), found, size=25, solver="adam")


@pytest.mark.parametrize("ridge", [1e-1, 1e-3])
def test_a_fit_that_starts_elsewhere_ends_at_the_same_objective(ridge: float) -> None:
    """From the fit to nine tenths of the answers, and from one to other answers, whose importances
    and values are far off.
    """
    rows, found = sampled(25, 300, noise=0.3)
    whole = fit(counted(rows), found, size=25, ridge=ridge)
    part = fit(counted(rows[:270]), found[:270], size=25, ridge=ridge)
    astray = fit(counted(rows), 3 - 2 * found, size=25, ridge=ridge)
    for start in (part, astray):
        again = fit(counted(rows), found, size=25, ridge=ridge, start=start)
        assert again.trace[-1] == pytest.approx(whole.trace[-1], rel=1e-6)
        np.testing.assert_allclose(again.value, whole.value, atol=1e-3)
    near = fit(counted(rows), found, size=25, start=part)
    assert near.ridge == part.ridge


@pytest.mark.slow
def test_very_many_units_are_fitted_without_a_matrix_and_without_deviations() -> None:
    """Every unit alone and 1000 longer texts; the singles alone fix the values up to the prior."""
    size, (importance, value) = 1600, truth(1600)
    asked = plan_queries([list(range(size))], parse_design("mix"), 2600, np.random.default_rng(0))
    answer = predict(counted([text[0] for text in asked.texts]), importance, value)
    found = fit_answers(asked, answer, np.random.default_rng(1))
    assert np.isnan(found.value_sd).all()
    assert any("no standard deviations" in flag for flag in found.flags)
    assert np.corrcoef(found.value, value)[0, 1] > 0.99


def test_a_weight_of_two_is_the_text_twice() -> None:
    rows, found = sampled(8, 100, noise=0.2)
    twice = fit(counted(rows + rows[:40]), np.concatenate([found, found[:40]]), size=8, ridge=1e-2)
    heavy = fit(
        counted(rows), found, size=8, ridge=1e-2, weight=np.where(np.arange(100) < 40, 2.0, 1.0)
    )
    np.testing.assert_allclose(heavy.value, twice.value, atol=1e-9)
    np.testing.assert_allclose(heavy.importance, twice.importance, atol=1e-9)
    np.testing.assert_allclose(heavy.importance_sd, twice.importance_sd, atol=1e-9)


@pytest.mark.slow
def test_the_standard_deviations_are_those_of_repeated_draws() -> None:
    """Over 60 draws of noise the errors divided by the stated deviations have deviation 1 (within
    a fifth).
    """
    size, rows = 10, sampled(10, 600)[0]
    importance, value = truth(size)
    clean = predict(counted(rows), importance, value)
    errors = []
    for seed in range(60):
        noisy = clean + 0.1 * np.random.default_rng(seed).normal(size=600)
        one = fit(counted(rows), noisy, size=size, ridge=1e-2 / clean.var())
        errors.append(
            np.stack(
                [
                    (one.importance - importance) / one.importance_sd,
                    (one.value - value) / one.value_sd,
                ]
            )
        )
    assert 0.8 < np.std(np.stack(errors)[:, 0]) < 1.2
    assert 0.8 < np.std(np.stack(errors)[:, 1]) < 1.2


def test_an_importance_without_evidence_is_not_identified() -> None:
    """A unit whose value is that of every company it keeps; here all others have value 1 and it
    has 1 too.
    """
    value, importance = np.array([1.0, 1.0, 1.0, -2.0]), np.array([0.5, -0.5, 1.0, -1.0])
    rows = [[a, b] for a in range(3) for b in range(3)] + [[3]]
    fitted = fit(counted(rows), predict(counted(rows), importance, value), size=4, ridge=1e-3)
    assert not fitted.identified[:3].any()
    assert np.isnan(fitted.importance_sd[:3]).all()
    constant = fit(counted(rows), np.full(10, 1.5), size=4)
    assert (constant.importance == 0).all()
    assert (constant.value == 1.5).all()
    assert not constant.identified.any()


def test_classes_share_importances_and_their_values_sum_to_zero() -> None:
    size, classes = 20, 4
    importance, _ = truth(size)
    generator = np.random.default_rng(8)
    value = generator.normal(size=(size, classes))
    value -= value.mean(axis=1, keepdims=True)
    rows = counted([generator.integers(0, size, 3).tolist() for _ in range(600)])
    logits = np.stack([predict(rows, importance, value[:, c]) for c in range(classes)], axis=1)
    found = joint_fit(rows, logits + generator.normal(size=(600, 1)), size=size, ridge=1e-8)
    np.testing.assert_allclose(found.importance, importance, atol=1e-4)
    np.testing.assert_allclose(found.value, value, atol=1e-4)
    np.testing.assert_allclose(found.value.sum(axis=1), 0, atol=1e-10)
    with pytest.raises(InputError, match="two classes"):
        joint_fit(rows, logits[:, :1], size=size)


def test_two_classes_together_are_the_binary_model() -> None:
    rows, found = sampled(15, 400, noise=0.2)
    joint = joint_fit(counted(rows), np.stack([-found / 2, found / 2], axis=1), size=15, ridge=1e-3)
    alone = fit(counted(rows), found, size=15, ridge=1e-3)
    np.testing.assert_allclose(joint.value[:, 1] - joint.value[:, 0], alone.value, atol=1e-5)
    np.testing.assert_allclose(joint.importance, alone.importance, atol=1e-5)


def test_samples_are_balanced_counted_and_the_same_for_a_seed() -> None:
    text = [0, 1, 2, 3, 4, 5, 6, 0, 1]
    drawn = sample_texts([text], parse_design("mix"), 500, np.random.default_rng(0))
    assert sum(drawn.values()) == 500
    assert all(drawn[((unit,),)] == 1 for unit in range(7))
    assert {len(one[0]) for one in drawn} == {1, 2, 3, 4}
    met = Counter(dict.fromkeys(range(7), 0))
    for (one,), times in drawn.items():
        met.update({unit: times * count for unit, count in Counter(one).items()})
    assert max(met.values()) - min(met.values()) <= 3
    assert drawn == sample_texts([text], parse_design("mix"), 500, np.random.default_rng(0))
    assert drawn != sample_texts([text], parse_design("mix"), 500, np.random.default_rng(1))
    assert {
        len(one[0])
        for one in sample_texts([text], parse_design("fixed(3)"), 100, np.random.default_rng(0))
    } == {3}


def test_few_units_are_enumerated() -> None:
    drawn = sample_texts([[4, 9, 4]], parse_design("mix"), 300, np.random.default_rng(0))
    assert len(drawn) == 2 + 4 + 8 + 16
    assert set(drawn.values()) == {1}
    assert len(sample_texts([[4]], parse_design("mix"), 300, np.random.default_rng(0))) == 4


def test_pairs_keep_a_unit_in_both_segments_and_deletions_keep_the_order() -> None:
    for name in ("mix", "mix+text", "near", "fixed(2)", "deletion", "mix+deletion+text"):
        for first, second in sample_texts(
            [[0, 1, 2, 3], [4, 5]], parse_design(name), 200, np.random.default_rng(0)
        ):
            assert set(first) <= {0, 1, 2, 3}
            assert set(second) <= {4, 5}
            assert first
            assert second
    drawn = sample_texts([list(range(12))], parse_design("deletion"), 300, np.random.default_rng(0))
    assert {len(one[0]) for one in drawn} == set(range(7, 13))
    assert all(list(one[0]) == sorted(one[0]) for one in drawn)


def test_designs_are_read_and_others_refused() -> None:
    assert parse_design("fixed(3)+context") == Design("fixed", 3, True)
    assert parse_design("mix+text+context") == Design("mix", 0, True, True)
    assert parse_design("mix+deletion+text") == Design("mix", text=True, deletion=True)
    assert parse_design("fixed(3)+context+deletion") == Design("fixed", 3, True, deletion=True)
    assert parse_design(DEFAULT) == Design("mix", text=True)
    wrong = (
        "mixed",
        "fixed",
        "fixed(0)",
        "mix+cls",
        "exact+context",
        "exact+text",
        "exact+deletion",
        "deletion+deletion",
        "mix+text+text",
        "mix+near",
    )
    for name in wrong:
        with pytest.raises(InputError):
            parse_design(name)
    assert [sample_size(size, 0) for size in (1, 50, 900)] == [300, 500, 5000]
    assert sample_size(900, 20) == sample_size(900, 20, "near") == 20
    assert [sample_size(size, 0, "near") for size in (1, 50, 900)] == [600, 1000, 5000]
    with pytest.raises(InputError, match="negative"):
        sample_size(3, -1)


def test_near_queries_units_alone_short_texts_parts_and_the_text_itself() -> None:
    """600 samples of 12 units: a tenth is the text, (600 - 60 - 12) / 4 = 132 are parts of it."""
    whole = tuple(range(12))
    sampled = sample_texts([whole], parse_design("near"), 600, np.random.default_rng(0))
    assert sampled[(whole,)] == 60
    assert sum(sampled.values()) == 600
    assert all(((unit,),) in sampled for unit in whole)
    # Longer than what mix samples, and in the order of the text: only parts of it
    long = {text: times for (text,), times in sampled.items() if 4 < len(text) < 12}
    assert all(list(text) == sorted(set(text)) for text in long)
    # Lengths 11 to 1 in turn, 12 of each: 7 of the 11 lengths are from 5 to 11
    assert sum(long.values()) == 7 * 12


def test_the_text_itself_is_one_query_with_the_weight_of_many() -> None:
    """300 samples of 12 units: 299 of mix, and the text with a weight of 0.3 x 300."""
    whole = tuple(range(12))
    sampled = sample_texts([whole], parse_design("mix+text"), 300, np.random.default_rng(0))
    plain = sample_texts([whole], parse_design("mix"), 299, np.random.default_rng(0))
    assert sampled == {**plain, (whole,): 90}
    assert sample_texts([whole], parse_design("mix+text"), 1, np.random.default_rng(0)) == {
        (whole,): 1
    }


@pytest.mark.parametrize("base", ["mix", "fixed(3)", "near"])
def test_a_quarter_of_the_samples_are_deletions_that_count_four_times(base: str) -> None:
    """200 samples of 23 units: 150 of the design, and 50 deletions of weight 4."""
    whole = tuple(range(23))
    design = parse_design(f"{base}+deletion")
    sampled = sample_texts([whole], design, 200, np.random.default_rng(0))
    assert sum(sampled.values()) == 150 + 4 * 50
    generator = np.random.default_rng(0)
    rest = sample_texts([whole], parse_design(base), 150, generator)
    deletions = Counter(sampled)
    deletions.subtract(rest)
    deletions = +deletions
    assert sum(deletions.values()) == 4 * 50
    assert all(times % 4 == 0 for times in deletions.values())
    assert all(list(text) == sorted(set(text)) for (text,) in deletions)
    # Rounds of 23, 12, 8 and 6 groups of up to 1, 2, 3 and 4, then one group of 5
    assert {23 - len(text) for (text,) in deletions} == {1, 2, 3, 4, 5}
    assert sampled == sample_texts([whole], design, 200, np.random.default_rng(0))
    assert sampled != sample_texts([whole], design, 200, np.random.default_rng(1))
    with_text = sample_texts(
        [whole], parse_design(f"{base}+deletion+text"), 201, np.random.default_rng(0)
    )
    assert Counter(with_text) == Counter(sampled) + Counter({(whole,): 60})


@pytest.mark.parametrize("size", [6, 7, 23, 60])
@pytest.mark.parametrize("samples", [4, 8, 28, 90, 96, 160, 800])
def test_deletions_remove_all_positions_equally_often(size: int, samples: int) -> None:
    whole = tuple(range(size))
    design = parse_design("fixed(64)+deletion")  # no other text has as few units
    sampled = sample_texts([whole], design, samples, np.random.default_rng(0))
    deletions = {text: times for (text,), times in sampled.items() if len(text) < 64}
    removed = Counter(dict.fromkeys(whole, 0))
    for text, times in deletions.items():
        assert 1 <= size - len(text) <= 5
        removed.update(dict.fromkeys(set(whole) - set(text), times // 4))
    assert sum(deletions.values()) == 4 * (samples // 4)
    assert max(removed.values()) - min(removed.values()) <= 1
    if samples // 4 >= size:
        assert all(whole[:at] + whole[at + 1 :] in deletions for at in whole)


def test_with_deletions_a_surrogate_is_nearer_to_the_model_near_the_text() -> None:
    """Ten models whose importances are others from six units on: at equal samples a quarter of
    deletions takes a fifth and more off the error on texts without one to three units, which were
    not queried.
    """
    size, samples = 20, 60
    squares: dict[str, list[float]] = {"mix+text": [], "mix+deletion+text": []}
    for seed in range(10):
        generator = np.random.default_rng(seed)
        value, importances = generator.normal(size=size), generator.normal(size=(2, size))

        def answer(text: tuple[int, ...]) -> float:
            weight = np.exp(importances[int(len(text) > 5)][list(text)])  # noqa: B023
            return float(weight @ value[list(text)] / weight.sum())  # noqa: B023

        near = [
            tuple(sorted(generator.permutation(size)[at % 3 + 1 :].tolist())) for at in range(60)
        ]
        for name, off in squares.items():
            plan = plan_queries(
                [range(size)], parse_design(name), samples, np.random.default_rng(1)
            )
            answers = np.array([answer(text) for (text,) in plan.texts])
            fitted = fit_answers(plan, answers, np.random.default_rng(2))
            unseen = [text for text in near if (text,) not in plan.texts]
            predicted = predict(counted(unseen), fitted.importance, fitted.value)
            off.append(float(np.mean((predicted - list(map(answer, unseen))) ** 2)))
    error = {name: np.sqrt(np.mean(off)) for name, off in squares.items()}
    assert error["mix+deletion+text"] < 0.8 * error["mix+text"]


def test_near_and_the_text_itself_are_right_on_the_text_where_mix_extrapolates() -> None:
    """A model that is a SLALOM on short texts and 2 lower from six units on."""
    size = 10
    generator = np.random.default_rng(0)
    value, importance = generator.normal(size=(2, size))

    def answer(text: tuple[int, ...]) -> float:
        weight = np.exp(importance[list(text)])
        return float(weight @ value[list(text)] / weight.sum()) - 2.0 * (len(text) > 5)

    gaps = {}
    for name in ("mix", "near", "mix+text", "mix+deletion+text"):
        plan = plan_queries([range(size)], parse_design(name), 0, np.random.default_rng(1))
        answers = np.array([answer(text) for (text,) in plan.texts])
        fitted = fit_answers(plan, answers, np.random.default_rng(2))
        gaps[name], _ = text_gap(fitted, np.arange(size), answer(tuple(range(size))))
    # mix has seen no long text: it misses the whole drop; near is pulled more than halfway
    assert gaps["mix"] > 1.9
    assert gaps["near"] < 1.0
    assert gaps["mix+text"] < 1.0
    assert gaps["mix+deletion+text"] < 1.0
