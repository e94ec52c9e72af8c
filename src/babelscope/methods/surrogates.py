"""Attributions from an additive model fitted to the values of partly erased texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from jaxtyping import Float

from babelscope.errors import InputError
from babelscope.methods.coalitions import Coalitions, Values, every, explained, values
from babelscope.methods.interactions import MOST_SETS, likeliest_game, odd_part
from babelscope.model.load import Model
from babelscope.model.units import player_count, unit_name
from babelscope.random import identity, keyed
from babelscope.stats.threads import one_thread
from babelscope.types import Encoded, Explained, Target

Weights = Float[np.ndarray, " coalition"]


def lime(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    samples: int = 512,
    width: float = 0.25,
    ridge: float = 0.001,
    operator: str | None = None,
    seed: int = 0,
) -> list[Explained]:
    """Weights of a linear model of kept tokens, fitted where most of the text is kept.

        min over a_0, a of  E_z [ w(k) (F(z) - a_0 - sum_{t in z} a_t)^2 ]  +  ridge sum_t a_t^2
        w(k) = exp(-(1 - sqrt(k / n))^2 / width^2)

    z the kept ones of n content tokens, k their number, F(z) the explained value with the others
    erased. E_z: k is uniform on 0..n and z uniform among the sets of k tokens. Where 2^n <= samples
    the expectation is taken over all sets, exactly; else it is the mean over `samples` random sets,
    keyed to the seed and the input. 1 - sqrt(k / n) is the cosine distance between z and the
    whole text. All tokens stay in the model: none is selected.

    *Laws*: for ridge 0 an additive model gives its weights; where all sets are taken,
    interchangeable tokens score alike; the sampled scores approach those of all sets.
    *Left open by the paper*: the kernel's width (0.25, as in the released program), the
    distribution of z, and the penalty: 0.001 on the mean is the released program's 1 on the sum of
    1000 samples. The intercept is not penalised.
    Source: Ribeiro, Singh and Guestrin 2016, eqs. 1 and 2.
    """
    if samples < 2 or not width > 0 or not ridge >= 0:
        raise InputError(
            f"samples must be 2 or more, width > 0, ridge >= 0, not {samples}, {width}, {ridge}"
        )
    sampled = [_subsets(row, samples, seed) for row in inputs]
    amounts_by_input = values(model, inputs, targets, [kept for kept, _ in sampled], operator)
    results = []
    for row, (kept, share), target, amounts in zip(inputs, sampled, targets, amounts_by_input):
        near = np.exp(-(((1 - np.sqrt(kept.mean(axis=1))) / width) ** 2))
        weights = _ridge(kept, amounts, share * near, ridge)
        results.append(explained(model, row, target, weights, amounts, None))
    return results


def kernel_shap(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    samples: int = 512,
    operator: str | None = None,
    seed: int = 0,
) -> list[Explained]:
    """Shapley values as the weights of a linear model of kept tokens under Shapley's kernel.

        min over a of  sum_z w(|z|) (F(z) - F(null) - sum_{t in z} a_t)^2
        with  sum_t a_t = F(x) - F(null)
        w(k) = (n - 1) / (C(n, k) k (n - k))

    z the kept ones of n content tokens, F(z) the explained value with the others erased, null the
    text with all erased. Sets of 1 and n - 1 tokens are all taken; further sizes from outside in,
    as long as all their sets fit into the samples by their share of the kernel. Sets of the
    remaining sizes are sampled by kernel weight, each once and together with its complement, keyed
    to the seed and the input; their weights are divided by the probability that they were sampled.
    Where 2^n <= samples all sets are taken. No token is left out of the model.

    Where sets are sampled, the sum is over F - G, G the likeliest game through the values
    (`likeliest_game`), and the Shapley values of G, known exactly, are added: what is estimated is
    the same, and only what G leaves is subject to chance.

    *Laws*: complete exactly; where all sets are taken it is the Shapley value, so that
    interchangeable tokens score alike and an ignored token scores 0; for any samples an additive
    model gives its weights, and one whose tokens interact only in pairs its Shapley values; the
    sampled scores approach the exact; where tokens interact in threes they are nearer than without
    G.
    *Left open by the paper*: which sets are sampled. With fewer samples than sets of 1 and n - 1
    tokens no other set is queried, and a flag says so.
    Source: Lundberg and Lee 2017, theorem 2; Covert and Lee 2021 (closed form, pairs); Witter et
    al. 2025 (regression-adjusted estimators).
    """
    if samples < 2:
        raise InputError(f"samples must be at least 2, not {samples}")
    sampled = [_by_kernel(row, samples, seed) for row in inputs]
    amounts_by_input = values(model, inputs, targets, [kept for kept, _ in sampled], operator)
    results = []
    for row, (kept, weights), target, amounts in zip(inputs, sampled, targets, amounts_by_input):
        n = kept.shape[1]
        few = n > 3 and len(kept) == 2 * n + 2
        only = f"only sets of 1 and {n - 1} were queried"
        flags = (f"{samples} samples for {n} {unit_name(row)}s: {only}",) if few else ()
        scores = _adjusted(kept, amounts, weights)
        null = float(amounts[0])
        results.append(explained(model, row, target, scores, amounts, null, flags))
    return results


def _subsets(row: Encoded, samples: int, seed: int) -> tuple[Coalitions, Weights]:
    """Sets with their probabilities: all of them, or a sample with equal weights."""
    n = player_count(row)
    if n < 63 and 2**n <= samples:
        kept = every(n)
        return kept, np.array([1 / ((n + 1) * comb(n, int(size))) for size in kept.sum(axis=1)])
    generator = keyed(seed, "lime", *identity(row))
    sizes = generator.integers(0, n + 1, samples)
    return _of_sizes(generator, sizes, n), np.full(samples, 1 / samples)


def _by_kernel(row: Encoded, samples: int, seed: int) -> tuple[Coalitions, Weights]:
    """The empty and the full set, without weight, then sets of the other sizes with their weights
    in the sum."""
    n = player_count(row)
    parts = [np.array([[False] * n, [True] * n])]
    weights = [np.zeros(2)]
    mass = {k: (n - 1) / (k * (n - k)) for k in range(1, n)}
    left = samples - 2
    for k in range(1, n // 2 + 1):
        sizes = sorted({k, n - k})
        count, share = (
            len(sizes) * comb(n, k),
            sum(mass[size] for size in sizes) / sum(mass.values()),
        )
        if k > 1 and count > left * share * (1 + 1e-9):
            break
        for size in sizes:
            parts.append(_of_size(n, size))
            weights.append(np.full(comb(n, size), mass.pop(size) / comb(n, size)))
        left -= count
    pairs = left // 2
    if mass and pairs > 0:
        generator = keyed(seed, "kernel_shap", *identity(row))
        half, shares = _distinct_pairs(generator, mass, n, pairs)
        parts += [half, ~half]
        weights += [shares, shares]
    return np.concatenate(parts), np.concatenate(weights)


def _distinct_pairs(
    generator: np.random.Generator, mass: dict[int, float], n: int, pairs: int
) -> tuple[Coalitions, Weights]:
    """So many sets, of which none is another's complement, sampled by the mass of their sizes; and
    their weights in the sum.

        w = m / (1 - (1 - 2 m / M)^d)

    m the kernel's weight of the set, M that of all sets of these sizes, d the number of samples
    that were taken until there were enough different pairs: the denominator is the probability that
    a pair is among them.
    """
    total = sum(mass.values())
    chances = np.array(list(mass.values())) / total
    known: dict[bytes, Coalitions] = {}
    drawn = 0
    while len(known) < pairs:
        sets = _of_sizes(generator, generator.choice(list(mass), pairs, p=chances), n)
        for kept in sets:
            drawn += 1
            known.setdefault((kept if kept[0] else ~kept).tobytes(), kept)
            if len(known) == pairs:
                break
    half = np.array(list(known.values()))
    each = np.array([mass[int(size)] / comb(n, int(size)) for size in half.sum(axis=1)])
    return half, each / -np.expm1(drawn * np.log1p(-2 * each / total))


@one_thread()
def _adjusted(kept: Coalitions, amounts: Values, weights: Weights) -> Float[np.ndarray, " token"]:
    """The Shapley values of the likeliest game, and the weighted least squares of what it leaves.

    Where all sets are queried, or too few to know how tokens interact, there is no such game.
    """
    n = kept.shape[1]
    if np.isnan(amounts).any() or len(kept) == 2**n or len(kept) <= 4 * n:
        return _constrained(kept, amounts, weights)
    sets, odd = odd_part(kept, amounts)
    game = likeliest_game(sets[:MOST_SETS], odd[:MOST_SETS])
    scores: np.ndarray = game.shapley() + _constrained(kept, amounts - game(kept), weights)
    return scores


def _of_size(n: int, size: int) -> Coalitions:
    """All sets of that many tokens."""
    members = np.array(list(combinations(range(n), size)))
    kept = np.zeros((len(members), n), dtype=bool)
    np.put_along_axis(kept, members, True, axis=1)
    return kept


def _of_sizes(generator: np.random.Generator, sizes: np.ndarray, n: int) -> Coalitions:
    """One set of each size, every set of the size equally likely."""
    ranks = generator.random((len(sizes), n)).argsort(axis=1).argsort(axis=1)
    kept: np.ndarray = ranks < np.asarray(sizes)[:, None]
    return kept


@one_thread()
def _ridge(
    kept: Coalitions, amounts: Values, weights: Weights, ridge: float
) -> Float[np.ndarray, " token"]:
    """Least squares with an intercept; the rows of the penalty are below those of the sets."""
    if np.isnan(amounts).any():
        return np.full(kept.shape[1], np.nan)
    root = np.sqrt(weights)
    centred = kept - np.average(kept, axis=0, weights=weights)
    target = root * (amounts - np.average(amounts, weights=weights))
    rows = np.concatenate((root[:, None] * centred, np.sqrt(ridge) * np.eye(kept.shape[1])))
    solution: np.ndarray = np.linalg.lstsq(
        rows, np.concatenate((target, np.zeros(kept.shape[1]))), rcond=None
    )[0]
    return solution


def _constrained(
    kept: Coalitions, amounts: Values, weights: Weights
) -> Float[np.ndarray, " token"]:
    """Least squares under the constraint that the scores sum to the whole difference: a Lagrange
    multiplier, closed form."""
    n = kept.shape[1]
    null, full = amounts[:2]
    if n == 1 or np.isnan(amounts).any():
        return np.full(n, full - null)
    sets = kept.astype(float)
    within = sets.T @ (weights[:, None] * sets)
    toward = np.linalg.solve(
        within, np.stack((sets.T @ (weights * (amounts - null)), np.ones(n)), axis=1)
    )
    free, ones = toward.T
    scores: np.ndarray = free - ones * (free.sum() - (full - null)) / ones.sum()
    return scores
