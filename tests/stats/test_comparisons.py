"""The laws of the tests: paired, across tasks, corrected, of equivalence, of rankings and of
correlations.
"""

from __future__ import annotations

from itertools import permutations, product
from math import factorial, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from babelscope.errors import InputError
from babelscope.stats.components import Components, components
from babelscope.stats.corrections import benjamini_hochberg, holm
from babelscope.stats.correlations import correlation
from babelscope.stats.paired import mcnemar, paired, sign_flip, sign_flips
from babelscope.stats.rankings import friedman
from babelscope.stats.units import across, equivalence, unit_means

WHOLE = st.integers(-20, 20).map(lambda each: each / 4)
SHARES = st.floats(0, 1)


def names(count: int) -> list[str]:
    return [f"g{at}" for at in range(count)]


@given(st.lists(st.tuples(WHOLE, st.integers(0, 4)), min_size=1, max_size=12))
@settings(max_examples=100, deadline=None)
def test_sign_flips_are_all_flips_of_whole_groups(rows: list[tuple[float, int]]) -> None:
    values, groups = [value for value, _ in rows], [f"g{group}" for _, group in rows]
    found = sign_flip(values, groups)
    every = sorted(set(groups))
    sums = [sum(value for value, mine in zip(values, groups) if mine == group) for group in every]
    flips = [
        abs(sum(sign * each for sign, each in zip(signs, sums)))
        for signs in product((1, -1), repeat=len(sums))
    ]
    assert found.p == pytest.approx(
        sum(each >= abs(sum(sums)) - 1e-9 for each in flips) / len(flips)
    )
    assert (found.groups, found.exact) == (len(every), True)
    assert found.effect == pytest.approx(np.mean(values))
    back = sign_flip([-3 * value for value in values], groups)
    assert (back.p, back.effect) == (found.p, pytest.approx(-3 * found.effect))


def test_nothing_differs_gives_one_and_undefined_is_left_out() -> None:
    assert sign_flip([0.0] * 7).p == 1
    assert sign_flip([0.0] * 30).p == 1
    assert sign_flip([1.0, nan, 2.0]) == sign_flip([1.0, 2.0])
    assert isnan(sign_flip([nan]).p)


def test_drawn_flips_are_near_the_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three Monte-Carlo standard errors of 10,000 draws at p near .1 are .009."""
    values = (np.random.default_rng(3).normal(0.4, 1, 18)).tolist()
    exact = sign_flip(values)
    monkeypatch.setattr("babelscope.stats.paired.EXACT", 5)
    drawn = sign_flip(values)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.009)
    largest = sign_flip([1.0 + at for at in range(40)])
    assert largest.p == 1 / 10_001, "the observed order itself is counted"


def test_sign_flips_find_nothing_at_the_nominal_rate() -> None:
    """Symmetric differences in 12 groups of 3 translations that share most of their noise: p <= .05
    in at most .05 + 3 standard errors (.029 at 500). Flipped one by one instead of by group it
    would be far more."""
    rng = np.random.default_rng(5)
    groups = np.repeat(names(12), 3).tolist()
    draws = [
        (rng.normal(size=12).repeat(3) + 0.2 * rng.normal(size=36)).tolist() for _ in range(500)
    ]
    assert np.mean([sign_flip(each, groups).p <= 0.05 for each in draws]) <= 0.079
    assert (
        np.mean([sign_flip(each, seed=at).p <= 0.05 for at, each in enumerate(draws[:100])]) > 0.15
    )


def test_paired_turns_around() -> None:
    rng = np.random.default_rng(2)
    first, second, groups = rng.normal(0.2, 1, 15), rng.normal(size=15), names(15)
    one, two = paired(first, second, groups), paired(second, first, groups)
    assert two.difference.mean == pytest.approx(-one.difference.mean)
    assert two.p == one.p
    assert two.d_z == pytest.approx(-one.d_z)
    assert one.d_z == pytest.approx((first - second).mean() / (first - second).std(ddof=1))
    assert two.superiority == pytest.approx(1 - one.superiority)
    same = paired(first, first, groups)
    assert (same.difference.mean, same.p, same.superiority) == (0, 1, 0.5)
    assert isnan(same.d_z)
    assert isnan(paired(first + 0.1, first, groups).d_z)
    lacking = paired([1.0, nan, 3.0], [0.0, 0.0, nan], names(3))
    assert (lacking.difference.n, lacking.difference.undefined) == (1, 2)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=18))
@settings(max_examples=100, deadline=None)
def test_mcnemar_is_the_exact_sign_flip_of_right_and_wrong(rows: list[tuple[bool, bool]]) -> None:
    one, two = [a for a, _ in rows], [b for _, b in rows]
    found = mcnemar(one, two)
    assert found.p == pytest.approx(sign_flip([float(a) - float(b) for a, b in rows]).p)
    assert found.p == mcnemar(two, one).p
    assert found.first - found.second == sum(one) - sum(two)


def test_across_takes_the_unit_not_the_cell() -> None:
    rng = np.random.default_rng(4)
    tasks = np.repeat(names(9), 4).tolist()
    first, second = rng.normal(0.3, 1, 36), rng.normal(size=36)
    one = across(first, second, tasks)
    means = [unit_means(each, tasks) for each in (first, second)]
    assert one.t == pytest.approx(stats.ttest_rel(*means).pvalue)
    assert one.wilcoxon == pytest.approx(stats.wilcoxon(*means).pvalue)
    assert one.sign_flip == sign_flip((means[0] - means[1]).tolist()).p
    back = across(second, first, tasks)
    assert back.effect == pytest.approx(-one.effect)
    assert (back.t, back.wilcoxon, back.sign_flip) == pytest.approx(
        (one.t, one.wilcoxon, one.sign_flip)
    )
    copied = across(np.repeat(first, 5), np.repeat(second, 5), np.repeat(tasks, 5).tolist())
    assert (copied.n, copied.t) == (9, pytest.approx(one.t))
    same = across(first, first, tasks)
    assert (same.t, same.wilcoxon, same.sign_flip) == (1, 1, 1)
    assert isnan(across([1.0], [0.0], ["a"]).t)


def test_equivalence_and_its_interval_say_the_same() -> None:
    rng = np.random.default_rng(6)
    for shift in (0.0, 0.02, 0.04, 0.2):
        values = rng.normal(shift, 0.05, 20)
        found = equivalence(values, names(20))
        assert (found.p < 0.05) == (found.low > -0.05 and found.high < 0.05)
        assert equivalence(-values, names(20)).p == pytest.approx(found.p)
        assert equivalence(values, names(20), margin=0.1).p < found.p
        at = equivalence(values - values.mean() + 0.05, names(20))
        assert at.p == pytest.approx(0.5)
    assert equivalence(np.zeros(5), names(5)).p == 0
    assert isnan(equivalence([0.0, 0.0], ["a", "a"]).p), "two translations of one text are one unit"


def test_equivalence_errs_at_most_at_its_level_on_the_margin() -> None:
    """1,000 samples whose true difference is the margin itself; three standard errors of .05 are
    .021.
    """
    rng = np.random.default_rng(7)
    called = [equivalence(rng.normal(0.05, 0.04, 12), names(12)).p < 0.05 for _ in range(1000)]
    assert 0.029 <= np.mean(called) <= 0.071


@given(st.lists(SHARES, min_size=1, max_size=8), st.randoms())
@settings(max_examples=100, deadline=None)
def test_corrections_grow_keep_the_order_and_do_not_depend_on_it(
    p: list[float], draw: object
) -> None:
    strict, mild = holm(p), benjamini_hochberg(p)
    m = len(p)
    for raw, one, two in zip(p, strict, mild):
        assert raw <= two + 1e-12
        assert two <= one + 1e-12
        assert one <= min(1, m * raw) + 1e-12
        # From the definitions: Holm is the largest of its steps up to this p, Benjamini and
        # Hochberg's the least from it on.
        ranked = sorted(p)
        assert one == pytest.approx(
            min(1, max((m - at) * each for at, each in enumerate(ranked) if each <= raw))
        )
        assert two == pytest.approx(
            min(1, *(m * each / (at + 1) for at, each in enumerate(ranked) if each >= raw))
        )
    order = list(range(m))
    draw.shuffle(order)  # type: ignore[attr-defined]
    assert holm([p[at] for at in order]) == [strict[at] for at in order]
    assert benjamini_hochberg([p[at] for at in order]) == pytest.approx([mild[at] for at in order])


def test_undefined_p_are_no_members_of_the_family() -> None:
    found = holm([0.01, nan, 0.04])
    assert isnan(found[1])
    assert found[::2] == holm([0.01, 0.04])
    assert (holm([0.03]), benjamini_hochberg([0.03])) == ([0.03], [0.03])
    assert benjamini_hochberg([0.2] * 4) == pytest.approx([0.2] * 4)


def test_holm_finds_nothing_in_a_family_of_nulls_at_the_nominal_rate() -> None:
    rng = np.random.default_rng(8)
    families = rng.uniform(size=(2000, 10))
    rate = np.mean([min(holm(each.tolist())) < 0.05 for each in families])
    assert 0.035 <= rate <= 0.065, "1 - .995^10 = .049; three standard errors at 2,000 are .015"


def grid(
    seeds: int, instances: int, draws: int, deviations: tuple[float, ...], rng: np.random.Generator
) -> np.ndarray:
    a, b, ab, e = (
        size * rng.normal(size=shape)
        for size, shape in zip(
            deviations,
            ((seeds, 1, 1), (1, instances, 1), (seeds, instances, 1), (seeds, instances, draws)),
        )
    )
    return 3 + a + b + ab + e


def test_components_find_the_planted_variances() -> None:
    """Means over 400 grids against the truth; four standard errors of those means, from the grids
    themselves.
    """
    rng = np.random.default_rng(9)
    truth = (0.5, 1.0, 0.3, 0.8)
    found = [components(grid(4, 12, 3, truth, rng)) for _ in range(400)]
    for name, deviation in zip(("seed", "instance", "interaction", "draw"), truth):
        values = np.array([getattr(each, name) for each in found])
        assert abs(values.mean() - deviation**2) < 4 * values.std() / 20, name
    means = np.array([each.mean for each in found])
    assert np.mean([each.of_mean for each in found]) == pytest.approx(means.var(), rel=0.3)


@pytest.mark.parametrize("source", range(4))
def test_one_source_has_all_the_variance(source: int) -> None:
    only = tuple(float(at == source) for at in range(4))
    table = grid(5, 6, 4, only, np.random.default_rng(10))
    found = components(table)
    parts = np.array([found.seed, found.instance, found.interaction, found.draw])
    assert parts[source] > 0.1
    if source < 2:  # a drawn interaction or noise leaves its trace in the means above it
        assert np.delete(parts, source) == pytest.approx([0, 0, 0], abs=1e-12)
    if source == 0:
        assert found.seed == pytest.approx(table[:, 0, 0].var(ddof=1))
        assert found.of_mean == pytest.approx(found.seed / 5)
    shifted, scaled = components(table + 7), components(3 * table)
    assert shifted.mean == pytest.approx(found.mean + 7)
    assert scaled.of_mean == pytest.approx(9 * found.of_mean)
    assert (shifted.seed, shifted.draw) == (pytest.approx(found.seed), pytest.approx(found.draw))


def test_components_leave_out_undefined_instances_and_need_a_grid() -> None:
    table = grid(3, 6, 2, (1, 1, 1, 1), np.random.default_rng(11))
    lacking = table.copy()
    lacking[1, 2, 0] = nan
    assert components(lacking) == components(np.delete(table, 2, axis=1))
    single = components(table[:, :, :1])
    assert isinstance(single, Components)
    assert isnan(single.draw)
    with pytest.raises(InputError, match="found 1 seeds"):
        components(table[:1])


@given(st.integers(2, 6), st.integers(3, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_friedman_equals_scipy_ties_too(tasks: int, methods: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, 4, (tasks, methods)).astype(float)
    found = friedman(table)
    assert 0 <= found.w <= 1
    assert sum(found.ranks) == pytest.approx(methods * (methods + 1) / 2)
    if (table != table[:, :1]).any():
        there = stats.friedmanchisquare(*table.T)
        assert (found.statistic, found.p) == (
            pytest.approx(there.statistic, abs=1e-9),
            pytest.approx(there.pvalue, abs=1e-9),
        )
        assert friedman(np.exp(table)) == found
    else:
        assert (found.w, found.p, found.permuted) == (0, 1, 1)


def test_agreement_of_orders() -> None:
    order = np.array([1.0, 4.0, 2.0, 3.0])
    assert friedman(np.stack([order] * 5)).w == pytest.approx(1)
    assert friedman(np.stack([order, -order])).w == pytest.approx(0)
    with pytest.raises(InputError, match="found 1 by 4"):
        friedman(order[None])


def test_the_permuted_p_is_the_share_of_all_shuffles() -> None:
    """Three tasks, three methods: 36 shuffles below a held first row; 3 standard errors of 10,000
    are at most .015.
    """
    table = np.array([[1.0, 2, 3], [1, 3, 2], [1, 2, 3]])
    found = friedman(table)
    orders = list(permutations((1.0, 2, 3)))
    every = [friedman_w(np.array([table[0], one, two])) for one in orders for two in orders]
    assert found.permuted == pytest.approx(
        np.mean([each >= friedman_w(table) - 1e-9 for each in every]), abs=0.015
    )


def friedman_w(ranks: np.ndarray) -> float:
    tasks, methods = ranks.shape
    return float(
        12
        * ((ranks.sum(0) - ranks.sum() / methods) ** 2).sum()
        / (tasks**2 * (methods**3 - methods))
    )


def test_nemenyi_reaches_its_published_critical_difference() -> None:
    """Demsar 2006: for 4 methods the critical value at .05 is 2.569, so mean ranks apart by 2.569
    sqrt(K(K+1)/6N) have p = .05. With N = 14: 2.569 sqrt(20/84) = 1.2535; 17.5 ranks of 14 tasks
    are 1.25, just short of it."""
    rows = [[1.0, 2, 3, 4]] * 7 + [[2.0, 3, 4, 1]] * 4 + [[3.0, 2, 1, 4]] * 3
    found = friedman(np.array(rows))
    apart = found.ranks[3] - found.ranks[0]
    critical = 2.569 * (20 / 84) ** 0.5
    assert (found.nemenyi[0][3] < 0.05) == (apart > critical)
    assert found.nemenyi[0][3] == pytest.approx(
        stats.studentized_range.sf(apart / critical * 2.569 * 2**0.5, 4, np.inf)
    )
    assert stats.studentized_range.sf(2.569 * 2**0.5, 4, np.inf) == pytest.approx(0.05, abs=1e-4)
    assert found.nemenyi[1] == tuple(row[1] for row in found.nemenyi)
    assert found.nemenyi[2][2] == 1


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=5))
@settings(max_examples=60, deadline=None)
def test_a_correlation_of_few_points(points: list[tuple[int, int]]) -> None:
    x, y = np.array(points, dtype=float).T
    found = correlation(x, y)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert isnan(found.r)
        return
    assert found.r == pytest.approx(np.corrcoef(x, y)[0, 1])
    every = [abs(np.corrcoef(x, order)[0, 1]) for order in permutations(y)]
    assert found.p == pytest.approx(np.mean(np.array(every) >= abs(found.r) - 1e-9))
    other = correlation(y, x)
    assert (other.r, other.p) == (pytest.approx(found.r), pytest.approx(found.p))
    turned = correlation(5 - 2 * x, 3 + 7 * y)
    assert (turned.r, turned.p) == (pytest.approx(-found.r), pytest.approx(found.p))
    assert found.low <= found.high or isnan(found.low)
    ranked = correlation(x, y, ranks=True)
    assert ranked.r == pytest.approx(stats.spearmanr(x, y).statistic)


def test_a_line_one_point_and_families() -> None:
    line = correlation(range(6), range(6))
    assert (line.r, line.p, line.exact) == (pytest.approx(1), 2 / factorial(6), True)
    lone = correlation([0.0, 1, 0, 1, 10], [0.0, 0, 1, 1, 10])
    assert lone.r > 0.97
    assert (lone.low, lone.high) == (
        pytest.approx(0),
        pytest.approx(correlation([0.0, 1, 0, 10], [0.0, 0, 1, 10]).r, abs=0.05),
    )
    two = correlation([0.0, 1, 2, 10, 11, 12], [2.0, 1, 0, 12, 11, 10], ["a"] * 3 + ["b"] * 3)
    assert two.r > 0.9
    assert two.within == pytest.approx(-1), "rises between the families, falls inside of them"
    with pytest.raises(InputError, match="as many x as y"):
        correlation([1.0], [1.0, 2.0])


def test_drawn_orders_are_near_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(12)
    x, y = rng.normal(size=8), rng.normal(size=8)
    exact = correlation(x, y)
    monkeypatch.setattr("babelscope.stats.correlations.EXACT", 3)
    drawn = correlation(x, y)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.015)


def test_sign_flips_of_several_are_those_of_each_alone() -> None:
    """With few groups and with many, with equally many and not, undefined values among them; and
    the reverse of each has the same p.
    """
    generator = np.random.default_rng(0)
    sizes = (0, 1, 7, 30, 30, 41)
    tests = [((generator.normal(0.2, 1, n)).tolist(), names(n)) for n in sizes]
    tests += [([nan, 1.0, 2.0], None), ([nan], ["a"])]
    tests += [([-value for value in values], groups) for values, groups in tests]
    together = sign_flips(tests)
    for (values, groups), test in zip(tests, together, strict=True):
        np.testing.assert_equal(test, sign_flip(values, groups))
    half = len(tests) // 2
    for test, reverse in zip(together[:half], together[half:], strict=True):
        np.testing.assert_equal((test.p, test.groups), (reverse.p, reverse.groups))
