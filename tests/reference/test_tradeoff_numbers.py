"""Slow reference implementations of the trade-off numbers, written from their formulas
with loops.
"""

from __future__ import annotations

from itertools import permutations
from math import log, sqrt

import numpy as np
import pytest
from scipy.special import softmax

from babelscope.analyses.tradeoffs.activations import debiased_cka, linear_cka, retrieval
from babelscope.analyses.tradeoffs.attention import language_effect, spread
from babelscope.analyses.tradeoffs.behaviour import specialisation, transfer_gap, two_way
from babelscope.analyses.tradeoffs.confidence import brier, class_ece, ece, nll, risk_coverage
from babelscope.analyses.tradeoffs.reliability import temperature

RNG = np.random.default_rng


def test_debiased_cka_is_the_mean_over_distinct_texts() -> None:
    """The estimator of HSIC is a U-statistic: the mean over ordered quadruples of distinct texts of
    K_ij (L_ij + L_kl - 2 L_ik) (Song et al. 2012, eq. 3)."""
    x, y = RNG(0).normal(size=(7, 3)), RNG(1).normal(size=(7, 4)) + 2
    y[:, :3] += x

    def h(one: np.ndarray, two: np.ndarray) -> float:
        k, m = one @ one.T, two @ two.T
        terms = [
            k[i, j] * (m[i, j] + m[u, v] - 2 * m[i, u]) for i, j, u, v in permutations(range(7), 4)
        ]
        return sum(terms) / len(terms)

    assert debiased_cka([(x, y)]) == pytest.approx(h(x, y) / sqrt(h(x, x) * h(y, y)), abs=1e-9)


def test_linear_cka_from_covariances() -> None:
    x, y = RNG(0).normal(size=(20, 3)), RNG(1).normal(size=(20, 4))

    def squares(one: np.ndarray, two: np.ndarray) -> float:
        return sum(
            float(np.cov(one[:, a], two[:, b])[0, 1]) ** 2
            for a in range(one.shape[1])
            for b in range(two.shape[1])
        )

    assert linear_cka(x, y) == pytest.approx(squares(x, y) / sqrt(squares(x, x) * squares(y, y)))


def test_retrieval_by_loops() -> None:
    x, y = RNG(0).normal(size=(30, 4)), RNG(1).normal(size=(30, 4))
    y += 1.2 * x
    a, b = x - x.mean(0), y - y.mean(0)
    hits = 0
    for i in range(30):
        cosines = [a[i] @ b[j] / np.linalg.norm(a[i]) / np.linalg.norm(b[j]) for j in range(30)]
        hits += max(range(30), key=lambda j: cosines[j]) == i
    assert retrieval(x, y)[0] == pytest.approx(hits / 30)
    assert 0.1 < hits / 30 < 1


def test_spread_by_loops() -> None:
    raw = np.exp(RNG(0).normal(size=(2, 2, 5, 5)))
    raw *= np.tril(np.ones((5, 5)))
    weights = raw / raw.sum(-1, keepdims=True)
    special = np.array([True, False, False, False, True])
    found = spread(weights, special, np.array([[-4, 0], [-4, 0]]))
    for layer in range(2):
        for head in range(2):
            nats, share, content, sink = [], [], [], []
            for q in range(5):
                p = [weights[layer, head, q, k] for k in range(q + 1)]
                nats.append(-sum(each * log(each) for each in p))
                if len(p) > 1:
                    share.append(nats[-1] / log(len(p)))
                inside = [each for k, each in enumerate(p) if not special[k]]
                if inside:
                    content.append(
                        -sum(each / sum(inside) * log(each / sum(inside)) for each in inside)
                    )
                sink.append(sum(each for k, each in enumerate(p) if special[k]))
            expected = [np.mean(each) for each in (nats, share, content, sink)]
            assert [part[layer, head] for part in found] == pytest.approx(expected)


def test_language_effect_by_dummy_variables() -> None:
    rng = RNG(3)
    values, tokens = rng.normal(size=(12, 3)), rng.integers(5, 30, (12, 3)).astype(float)
    rows, y = [], []
    for i in range(12):
        for lang in range(3):
            rows.append(
                [
                    *(float(i == k) for k in range(12)),
                    float(lang == 1),
                    float(lang == 2),
                    log(tokens[i, lang]),
                ]
            )
            y.append(values[i, lang])
    solved = np.linalg.lstsq(np.array(rows), np.array(y), rcond=None)[0]
    found = language_effect(values, tokens, list(map(str, range(12))))
    assert [*found.effects[1:], found.slope] == pytest.approx(solved[12:])


def logits(n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    return 2 * RNG(5).normal(size=(n, 3)), RNG(6).integers(0, 3, n)


def test_ece_by_loops() -> None:
    given, gold = logits()
    p = softmax(given, axis=1)
    for bins in (1, 5, 15):
        total = 0.0
        for k in range(bins):
            low, high = k / bins, (k + 1) / bins
            mine = [
                i for i in range(90) if low <= p[i].max() and (p[i].max() < high or k == bins - 1)
            ]
            if mine:
                accuracy = sum(p[i].argmax() == gold[i] for i in mine) / len(mine)
                total += len(mine) / 90 * abs(accuracy - sum(p[i].max() for i in mine) / len(mine))
        assert ece(p.max(axis=1), p.argmax(axis=1) == gold, bins=bins) == pytest.approx(total)
    apart = [ece(p[:, c], gold == c) for c in range(3)]
    assert class_ece(given, gold) == pytest.approx(sum(apart) / 3)


def test_brier_and_nll_by_loops() -> None:
    given, gold = logits()
    p = softmax(given, axis=1)
    total = sum((p[i, c] - (gold[i] == c)) ** 2 for i in range(90) for c in range(3)) / 90
    assert brier(given, gold).total == pytest.approx(total)
    reliability = 0.0
    for c in range(3):
        for k in range(15):
            mine = [i for i in range(90) if min(int(p[i, c] * 15), 14) == k]
            if mine:
                gap = sum(p[i, c] - (gold[i] == c) for i in mine) / len(mine)
                reliability += len(mine) / 90 * gap**2
    assert brier(given, gold).reliability == pytest.approx(reliability)
    assert nll(given, gold) == pytest.approx(-sum(log(p[i, gold[i]]) for i in range(90)) / 90)


def test_risk_coverage_by_loops() -> None:
    given, gold = logits()
    p = softmax(given, axis=1)
    order = sorted(range(90), key=lambda i: -p[i].max())
    wrong = [p[i].argmax() != gold[i] for i in order]
    risks = [sum(wrong[: k + 1]) / (k + 1) for k in range(90)]
    curve, area = risk_coverage(p.max(axis=1), p.argmax(axis=1) == gold)
    np.testing.assert_allclose(curve, risks)
    assert area == pytest.approx(sum(risks) / 90)


def test_temperature_by_a_fine_grid() -> None:
    given, gold = logits()
    grid = np.exp(np.linspace(-3, 3, 6001))
    best = min(grid, key=lambda t: -np.log(softmax(given / t, axis=1)[np.arange(90), gold]).mean())
    assert temperature(given, gold).value == pytest.approx(best, rel=2e-3)


def test_the_matrix_by_loops() -> None:
    a = RNG(0).uniform(size=(3, 3))
    own = [2, 0, 1]
    for s in range(3):
        for t in range(3):
            assert transfer_gap(a, own)[s, own[t]] == pytest.approx(a[t, own[t]] - a[s, own[t]])
            expected = ((a[s, own[s]] + a[t, own[t]]) - (a[s, own[t]] + a[t, own[s]])) / 2
            assert specialisation(a, own)[s, t] == pytest.approx(expected)
            rest = a[s, t] - sum(a[s]) / 3 - sum(a[:, t]) / 3 + a.sum() / 9
            assert two_way(a).interaction[s, t] == pytest.approx(rest)
