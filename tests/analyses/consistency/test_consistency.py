"""The laws of transport, weights and consistency (I1 to I20 of the specification), on random
texts.
"""

from __future__ import annotations

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import ortho_group

from babelscope import corpus
from babelscope.analyses.consistency.links import link_similarity
from babelscope.analyses.consistency.nulls import uniform
from babelscope.analyses.consistency.score import (
    Consistency,
    consistency,
    kappa,
    sensitivity,
)
from babelscope.analyses.consistency.transport import transport, transport_value
from babelscope.analyses.consistency.weights import NORMS, weights
from babelscope.data.formats.alignments import alignment
from babelscope.errors import InputError, Undefined
from babelscope.types import Example

SEEDS = st.integers(0, 10**6)
MANY = settings(max_examples=40, deadline=None)


def instance(seed: int, most: int = 9) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heavy-tailed signed scores with zeros among them, and cosines of random vectors: about half
    are negative.
    """
    rng = np.random.default_rng(seed)
    m, n = rng.integers(1, most + 1, 2)
    one, two = vectors(rng, m), vectors(rng, n)
    scores = [rng.standard_t(2, size) * (rng.random(size) > 0.2) for size in (m, n)]
    for each in scores:
        each[0] += 1.0 if not np.any(each) else 0.0
    return scores[0], scores[1], one @ two.T


def vectors(rng: np.random.Generator, units: int, width: int = 4) -> np.ndarray:
    drawn = rng.normal(size=(units, width))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def abs_weights(scores: np.ndarray) -> np.ndarray:
    return np.abs(scores) / np.abs(scores).sum()


def programme(a: np.ndarray, b: np.ndarray, similarity: np.ndarray) -> float:
    """The definition as it stands: flow >= 0 under two sets of inequalities, by SciPy's HiGHS on
    the raw similarities.
    """
    m, n = similarity.shape
    rows = np.kron(np.eye(m), np.ones(n))
    columns = np.kron(np.ones(m), np.eye(n))
    solved = linprog(
        -similarity.ravel(),
        A_ub=np.vstack([rows, columns]),
        b_ub=np.concatenate([a, b]),
        bounds=(0, None),
    )
    assert solved.success
    return float(-solved.fun)


def bare(
    source: np.ndarray, target: np.ndarray, similarity: np.ndarray, norm: str = "abs"
) -> float:
    return consistency(source, target, similarity, norm=norm, permutations=0).c


@given(SEEDS)
@MANY
def test_i10_equals_the_linear_programme(seed: int) -> None:
    source, target, similarity = instance(seed)
    a, b = abs_weights(source), abs_weights(target)
    assert bare(source, target, similarity) == pytest.approx(programme(a, b, similarity), abs=1e-8)


@given(SEEDS, st.floats(0.05, 3), st.floats(0.05, 3))
@MANY
def test_i10_totals_may_differ(seed: int, first: float, second: float) -> None:
    source, target, similarity = instance(seed)
    a, b = first * abs_weights(source), second * abs_weights(target)
    value, plan = transport(a, b, similarity)
    assert value == pytest.approx(programme(a, b, similarity), abs=1e-8)
    assert transport_value(a, b, np.clip(similarity, 0, 1)) == pytest.approx(value, abs=1e-9)
    assert (plan.sum(1) <= a + 1e-9).all()
    assert (plan.sum(0) <= b + 1e-9).all()
    assert plan.sum() == pytest.approx(min(a.sum(), b.sum()), abs=1e-9)


@given(SEEDS)
@MANY
def test_i16_i17_margins_and_total_of_the_plan(seed: int) -> None:
    source, target, similarity = instance(seed)
    found = consistency(source, target, similarity, permutations=0)
    assert found.plan is not None
    np.testing.assert_allclose(found.plan.sum(1), abs_weights(source), atol=1e-9)
    np.testing.assert_allclose(found.plan.sum(0), abs_weights(target), atol=1e-9)
    assert found.plan.sum() == pytest.approx(1, abs=1e-9)
    assert (found.plan >= 0).all()
    for earned in (found.earned_s, found.earned_t):
        assert earned is not None
        assert earned.sum() == pytest.approx(found.c, abs=1e-9)


@given(SEEDS)
@MANY
def test_i1_a_text_agrees_with_itself(seed: int) -> None:
    source, *_ = instance(seed)
    mine = vectors(np.random.default_rng(seed), len(source))
    for norm in NORMS:
        found = sensitivity(source, source, mine @ mine.T, permutations=0)[norm]
        assert (
            found.c == pytest.approx(1, abs=1e-9)
            or found.reason == "source: no attribution is positive"
        )


@given(SEEDS)
@MANY
def test_i2_symmetry(seed: int) -> None:
    source, target, similarity = instance(seed)
    for norm in NORMS:
        one, two = (
            consistency(source, target, similarity, norm=norm),
            consistency(target, source, similarity.T, norm=norm),
        )
        if one.reason:
            assert two.reason
            continue
        assert one.c == pytest.approx(two.c, abs=1e-9)
        assert (one.ceil_s, one.c_unif) == (
            pytest.approx(two.ceil_t, abs=1e-9),
            pytest.approx(two.c_unif, abs=1e-9),
        )


@given(SEEDS, st.sampled_from(sorted(NORMS)), st.booleans())
@MANY
def test_i3_bounds(seed: int, norm: str, halves: bool) -> None:
    source, target, similarity = instance(seed)
    rng = np.random.default_rng(seed)
    segments = (
        tuple(rng.integers(0, 2, size).tolist() for size in similarity.shape) if halves else None
    )
    found = consistency(source, target, similarity, norm=norm, segments=segments)
    if found.reason:
        return
    assert -1e-12 <= found.c_indep <= found.c + 1e-9
    assert found.c <= found.ceil + 1e-9
    assert found.ceil == min(found.ceil_s, found.ceil_t)
    assert found.ceil <= max(similarity.max(), 0) + 1e-9
    assert found.c_perm <= 1 + 1e-9
    assert found.lift == found.c - found.c_perm
    assert 1 / 21 - 1e-12 <= found.p <= 1


@given(SEEDS)
@MANY
def test_i4_order_i5_splitting_i6_weightless_units(seed: int) -> None:
    source, target, similarity = instance(seed)
    rng = np.random.default_rng(seed)
    c = bare(source, target, similarity)
    rows, columns = rng.permutation(len(source)), rng.permutation(len(target))
    assert bare(source[rows], target[columns], similarity[np.ix_(rows, columns)]) == pytest.approx(
        c, abs=1e-9
    )
    share = rng.random()
    split = np.append(source, source[0] * share)
    split[0] *= 1 - share
    assert bare(split, target, np.vstack([similarity, similarity[:1]])) == pytest.approx(
        c, abs=1e-9
    )
    longer = np.hstack([similarity, rng.uniform(-1, 1, (len(source), 2))])
    plain, padded = (consistency(source, each, s, permutations=0) for each, s in
                     ((target, similarity), (np.append(target, [0.0, 0.0]), longer)))  # fmt: skip
    assert padded.c == pytest.approx(c, abs=1e-9)
    assert padded.ceil_t == pytest.approx(plain.ceil_t, abs=1e-9)


@given(SEEDS)
@MANY
def test_i7_monotone_i8_lipschitz_i14_concave(seed: int) -> None:
    source, target, similarity = instance(seed)
    rng = np.random.default_rng(seed)
    a, b = abs_weights(source), abs_weights(target)
    value, _ = transport(a, b, similarity)
    raised = similarity + rng.random(similarity.shape) * (1 - similarity) * (
        rng.random(similarity.shape) < 0.3
    )
    assert transport(a, b, raised)[0] >= value - 1e-9
    other, further = rng.dirichlet(np.full(len(a), 0.5)), rng.dirichlet(np.full(len(b), 0.5))
    clipped = np.clip(similarity, 0, 1)
    variation = np.abs(a - other).sum() / 2
    assert abs(transport(other, b, similarity)[0] - value) <= variation * np.ptp(clipped) + 1e-9
    middle = transport((a + other) / 2, (b + further) / 2, similarity)[0]
    assert middle >= (value + transport(other, further, similarity)[0]) / 2 - 1e-9


@given(SEEDS, st.floats(1e-3, 1e3))
@MANY
def test_i9_scale_and_sign_of_the_scores(seed: int, scale: float) -> None:
    source, target, similarity = instance(seed)
    for norm, row in NORMS.items():
        if norm == "positive" and not (source > 0).any():
            continue
        same = np.allclose(weights(scale * source, norm), weights(source, norm), atol=1e-9)
        if row.scale:
            assert same
        if row.flip:
            assert bare(-source, target, similarity, norm) == pytest.approx(
                bare(source, target, similarity, norm), abs=1e-9
            )
    both = bare(-source, -target, similarity, "signed")
    assert both == pytest.approx(bare(source, target, similarity, "signed"), abs=1e-9)
    np.testing.assert_allclose(
        weights(-source, "signed"), weights(source, "signed")[:, ::-1], atol=1e-12
    )


def test_i9_softmax_alone_depends_on_the_scale() -> None:
    scores = np.array([1.0, 2.0, -1.0])
    changed = {
        name for name in NORMS if not np.allclose(weights(3 * scores, name), weights(scores, name))
    }
    assert changed == {name for name, row in NORMS.items() if not row.scale} == {"softmax"}


def test_i11_nothing_similar_gives_zero() -> None:
    found = consistency(np.array([1.0, 2.0]), np.array([3.0, 1.0]), -np.ones((2, 2)) / 2)
    assert (found.c, found.ceil, found.c_unif) == (0, 0, 0)
    assert isnan(found.kappa)


@given(SEEDS)
@MANY
def test_i12_uniform_weights_are_an_assignment(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    similarity = vectors(rng, n) @ vectors(rng, n).T
    equal = np.full(n, 1 / n)
    assert uniform(similarity) == pytest.approx(transport(equal, equal, similarity)[0], abs=1e-9)


@given(SEEDS)
@MANY
def test_i13_turning_the_space_changes_nothing(seed: int) -> None:
    source, target, _ = instance(seed)
    rng = np.random.default_rng(seed)
    one, two = vectors(rng, len(source)), vectors(rng, len(target))
    turn = ortho_group.rvs(4, random_state=seed)
    assert bare(source, target, (one @ turn) @ (two @ turn).T) == pytest.approx(
        bare(source, target, one @ two.T), abs=1e-9
    )


@given(SEEDS)
@MANY
def test_i15_equal_weights_have_no_lift(seed: int) -> None:
    *_, similarity = instance(seed)
    found = consistency(
        np.full(similarity.shape[0], -0.3),
        np.full(similarity.shape[1], 2.0),
        similarity,
        permutations=5,
    )
    assert found.c_perm == pytest.approx(found.c_unif, abs=1e-9)
    assert found.lift == pytest.approx(0, abs=1e-9)
    assert found.p == 1


@given(SEEDS)
@MANY
def test_i18_signed_is_below_abs_and_its_own_bound(seed: int) -> None:
    source, target, similarity = instance(seed)
    found = bare(source, target, similarity, "signed")
    assert found <= bare(source, target, similarity) + 1e-9
    positive = [np.maximum(each, 0).sum() / np.abs(each).sum() for each in (source, target)]
    assert found <= 1 - abs(positive[0] - positive[1]) + 1e-9
    doubled = np.kron(np.eye(2), np.clip(similarity, 0, 1))
    sides = [
        np.concatenate([np.maximum(each, 0), np.maximum(-each, 0)]) / np.abs(each).sum()
        for each in (source, target)
    ]
    assert found == pytest.approx(programme(sides[0], sides[1], doubled), abs=1e-8)


@given(SEEDS)
@MANY
def test_i19_segments(seed: int) -> None:
    source, target, similarity = instance(seed)
    rng = np.random.default_rng(seed)
    left, right = (rng.integers(0, 2, size) for size in similarity.shape)
    found = consistency(
        source, target, similarity, segments=(left.tolist(), right.tolist()), permutations=3
    )
    a, b = abs_weights(source), abs_weights(target)
    overlap = sum(min(a[left == part].sum(), b[right == part].sum()) for part in (0, 1))
    assert found.c <= bare(source, target, similarity) + 1e-9
    assert found.c <= overlap + 1e-9
    assert found.c_perm <= overlap + 1e-9, "weight was permuted across the border of the texts"
    apart = [programme(a[left == part], b[right == part], similarity[np.ix_(left == part,
    right == part)])
             for part in (0, 1) if (left == part).any() and (right == part).any()]  # fmt: skip
    assert found.c == pytest.approx(sum(apart), abs=1e-8)


def test_i19_no_draw_carries_weight_across_the_border() -> None:
    """All weight of the source in its first text, all of the target in its second: whatever is
    permuted, nothing meets.
    """
    source, target = np.array([2.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 3.0, 1.0])
    found = consistency(
        source, target, np.ones((4, 4)), segments=([0, 0, 1, 1], [0, 0, 1, 1]), permutations=20
    )
    assert (found.c, found.c_perm) == (0, 0)


@given(SEEDS)
@MANY
def test_i20_the_ceiling_is_reached(seed: int) -> None:
    source, _, similarity = instance(seed)
    a = abs_weights(source)
    nearest = np.bincount(similarity.argmax(1), weights=a, minlength=similarity.shape[1])
    assert transport(a, nearest, similarity)[0] == pytest.approx(
        consistency(source, nearest, similarity).ceil_s, abs=1e-9
    )


def test_by_hand() -> None:
    """a = (.7, .3), b = (.4, .6) on the identity: .4 stays on the first word, .3 on the second."""
    found = consistency(np.array([0.7, 0.3]), np.array([-4.0, 6.0]), np.eye(2), permutations=999)
    assert found.c == pytest.approx(0.7)
    assert found.c_indep == pytest.approx(0.7 * 0.4 + 0.3 * 0.6)
    assert (found.ceil, found.c_unif) == (pytest.approx(1), 1)
    # Of the four permutations two give .7 again and two min(.7, .6) + min(.3, .4) = .9: C is never
    # beaten downwards.
    assert found.p == 1
    assert found.c_perm == pytest.approx(0.8, abs=0.02)
    assert found.lift == pytest.approx(-0.1, abs=0.02)
    assert kappa(0.7, 0.8, 1.0) == pytest.approx(-0.5)


def test_the_draw_belongs_to_the_key() -> None:
    source, target, similarity = instance(3)
    one, two, three = (
        consistency(source, target, similarity, key=key) for key in ((0, "a"), (0, "a"), (0, "b"))
    )
    assert one.c_perm == two.c_perm != three.c_perm


def test_peaked_weights_score_low_without_any_disagreement() -> None:
    """Independent weights on one similarity matrix: C rises with their evenness, lift
    stays at 0.
    """
    rng = np.random.default_rng(0)
    similarity = vectors(rng, 20, 16) @ vectors(rng, 20, 16).T
    means = []
    for evenness in (0.1, 1.0, 100.0):
        found = [consistency(rng.dirichlet(np.full(20, evenness)), rng.dirichlet(np.full(20,
        evenness)), similarity)
                 for _ in range(60)]  # fmt: skip
        means.append((np.mean([one.c for one in found]), np.mean([one.lift for one in found])))
    assert means[0][0] < means[1][0] - 0.05 < means[2][0] - 0.1
    assert max(abs(lift) for _, lift in means) < 0.03


def test_undefined_has_a_reason() -> None:
    ones, similarity = np.ones(2), np.eye(2)
    reasons = {
        "source: all attributions are zero": (np.zeros(2), ones, similarity, "abs"),
        "target: no attribution is positive": (ones, -ones, similarity, "positive"),
        "target: an attribution is not finite: nan": (
            ones,
            np.array([1.0, nan]),
            similarity,
            "abs",
        ),
        "a similarity is not finite": (ones, ones, np.array([[1.0, nan], [0.0, 1.0]]), "abs"),
        "a text has no unit": (ones, np.ones(0), np.ones((2, 0)), "abs"),
    }
    for reason, (source, target, matrix, norm) in reasons.items():
        found = consistency(source, target, matrix, norm=norm)
        assert found.reason == reason
        assert all(
            isnan(getattr(found, name))
            for name in ("c", "c_unif", "c_perm", "ceil", "lift", "kappa", "p")
        )
    for norm in NORMS:
        with pytest.raises(Undefined, match="zero"):
            weights(np.zeros(3), norm)


def test_one_unit_on_a_side() -> None:
    found = consistency(np.array([2.0]), np.array([1.0, 3.0]), np.array([[0.8, -0.5]]))
    assert found.c == pytest.approx(0.25 * 0.8)


def test_misfits_are_refused() -> None:
    with pytest.raises(InputError, match="3 source scores for a similarity of 2 units"):
        consistency(np.ones(3), np.ones(2), np.eye(2))
    with pytest.raises(InputError, match="no norm 'l2'"):
        consistency(np.ones(2), np.ones(2), np.eye(2), norm="l2")
    with pytest.raises(InputError, match="must not be negative"):
        transport(np.array([1.0, -1.0]), np.ones(2), np.eye(2))


def reasons(example: Example) -> set[str]:
    """The concepts that a marked word expresses."""
    assert example.concepts is not None
    assert example.rationale is not None
    return {
        name
        for names, mark in zip(example.concepts[0], example.rationale[0])
        if mark
        for name in names
    }


def rationale_weights(example: Example, deciding: set[str]) -> np.ndarray:
    """One unit of weight for each deciding concept, shared by the marked words that express it."""
    assert example.concepts is not None
    assert example.rationale is not None
    words = example.concepts[0]
    found = np.zeros(len(words))
    for name in deciding:
        places = [
            at for at, names in enumerate(words) if name in names and example.rationale[0][at]
        ]
        found[places] += 1 / len(places)
    return found


def linked_words(one: Example, two: Example) -> np.ndarray:
    assert one.concepts is not None
    assert two.concepts is not None
    return link_similarity(alignment(one, two)[0], (len(one.concepts[0]), len(two.concepts[0])))


def of_corpus(rows: list[Consistency]) -> float:
    return kappa(
        *(
            float(np.mean([getattr(row, field) for row in rows]))
            for field in ("c", "c_perm", "ceil")
        )
    )


@pytest.mark.parametrize("lang", [lang for lang in corpus.LANGUAGES if lang != "en"])
@pytest.mark.parametrize("task", ["sentiment", "topic"])
def test_a_consistent_explainer_has_kappa_one_and_a_shuffled_one_zero(task: str, lang: str) -> None:
    """What decides is what a marked word expresses in both languages. A marked word may express
    more: the Arabic verb holds its subject, so that it is one word for "find" (marked in English)
    and "I" (not marked there). With weight on that too, the two explainers differ, and kappa says
    so: C is below 1 only where the marked concepts differ."""
    rng = np.random.default_rng(0)
    gold: list[Consistency] = []
    shuffled: list[Consistency] = []
    for one, two in zip(corpus.read(task, "en", "test", 40), corpus.read(task, lang, "test", 40)):
        similarity, shared = linked_words(one, two), reasons(one) & reasons(two)
        source, target = rationale_weights(one, shared), rationale_weights(two, shared)
        gold.append(consistency(source, target, similarity, key=(0, one.id)))
        for _ in range(6):
            mixed = rng.permutation(source), rng.permutation(target)
            shuffled.append(consistency(*mixed, similarity, permutations=10, key=(0, one.id)))
        own = rationale_weights(one, reasons(one)), rationale_weights(two, reasons(two))
        assert consistency(*own, similarity, permutations=0).c > 1 - 1e-9 or reasons(
            one
        ) != reasons(two), (one.id, lang)
    assert of_corpus(gold) == pytest.approx(1, abs=1e-9)
    assert abs(of_corpus(shuffled)) < 0.2
