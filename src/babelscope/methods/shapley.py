"""Shapley values by permutations: tokens are put back one after the other, and each gets what it
adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from math import comb
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from babelscope.errors import InputError
from babelscope.methods.coalitions import Coalitions, Values, every, explained, values
from babelscope.methods.interactions import MOST_SETS, distinct, game_at, likeliest_point
from babelscope.methods.likeliest import chosen, likeliest_values, pairwise_scores
from babelscope.model.load import Model
from babelscope.model.units import player_count, players
from babelscope.random import identity, keyed
from babelscope.stats.threads import one_thread
from babelscope.types import Encoded, Explained, Target

FEWEST_ORDERS = 4
"""From so many orders on the gains are adjusted by a model of the game."""
MOST_ALLOWED = 4096
"""Sets that a tree allows (about 75 tokens) of which unqueried ones are inferred."""
Orders = Int[np.ndarray, "walk token"]
Tree = Any
"""A token (an int), or a tuple of the two trees that make up a part."""


def permutation_shapley(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    permutations: int = 8,
    operator: str | None = None,
    seed: int = 0,
) -> list[Explained]:
    """What a token adds to those before it, averaged over random orders and their reverses.

        a_t = mean over orders o and reversed orders of  F(before_o(t) + t) - F(before_o(t))

    F(S) the explained value with all content tokens but S erased, before_o(t) the tokens that
    precede t in the order o. The orders are sampled uniformly, keyed to the seed and the input
    (its id, language and token ids); each is also taken in reverse. Where all 2^n sets of the n
    tokens are no more than the sets that these orders would query, all of them are queried and the
    scores are the Shapley values:

        a_t = sum over S without t of  |S|! (n - |S| - 1)! / n!  (F(S + t) - F(S))

    From four orders on, what is averaged of an order is what the tokens add to F - G, and the
    Shapley values of G, known exactly, are added: G is the likeliest game through the values of all
    other orders (`likeliest_game`; how much tokens interact is inferred from every second order,
    for the others). So G does not depend on the order, and the mean over orders is the same.

    The details hold each token's `standard_error` over the orders, each averaged with its reverse:
    0 for all sets, undefined for one order.

    *Laws*: complete exactly, and with every order; for any orders an additive model gives its
    weights, one whose tokens interact only in pairs its Shapley values, and an ignored token scores
    0; the scores approach the Shapley values, and are these where all sets are queried; the
    standard error is that of the mean.
    Source: Strumbelj and Kononenko 2010, algorithm 1; Mitchell et al. 2022 (reversed orders);
    Witter et al. 2025 (regression-adjusted estimators).
    """
    if permutations < 1:
        raise InputError(f"permutations must be at least 1, not {permutations}")
    orders = [_sampled_orders(row, permutations, seed) for row in inputs]
    kept = [
        every(player_count(row)) if walks is None else _prefixes(walks)
        for row, walks in zip(inputs, orders)
    ]
    results = []
    for row, sets, walks, target, amounts in zip(
        inputs, kept, orders, targets, values(model, inputs, targets, kept, operator)
    ):
        if walks is None:
            scores = _shapley(sets, amounts)
            errors = np.zeros(len(scores))
        else:
            gains = _gains_of_orders(walks, amounts)
            scores, errors = gains.mean(axis=0), _standard_error(gains)
        result = explained(model, row, target, scores, amounts, float(amounts[0]))
        listed = [float(error) if np.isfinite(error) else None for error in errors[players(row)]]
        results.append(replace(result, details={"standard_error": listed}))
    return results


def partition_shapley(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    samples: int = 512,
    operator: str | None = None,
    seed: int = 0,
) -> list[Explained]:
    """Owen values: Shapley values of tokens that enter with their word, and words with their
    phrase.

        a_t = 2^-d sum over subsets C of {B_1, ..., B_d} of  F(union of C + t) - F(union of C)

    The text is a binary tree: the texts of a pair, halves of a text by its number of words, halves
    of these, down to words; tokens of a word are halved likewise. B_1, ..., B_d are the siblings of
    t and of its ancestors in the tree, which allows no other sets. Where these sets,

        2 + sum over pairs of siblings of 2^(d + 1),   d the number of their ancestors' siblings

    are at most `samples`, the formula is evaluated exactly. Otherwise it is evaluated with the
    known values of some sets and the likeliest ones of the others (`likeliest_values`). As many
    sets are queried as m = max(1, samples // 2n) orders of the n tokens and their reverses have
    at most, 2 m (n - 1) + 2: the prefixes of an order that keeps all parts together and of its
    reverse, keyed to the seed and the input, and the sets after whose values the Owen values are
    known best (`chosen`). For m = 1, and of trees that allow more than MOST_ALLOWED sets, the
    scores are the mean over m such orders and their reverses.

    *Laws*: complete exactly; an additive model gives its weights, one whose tokens interact only in
    pairs its Shapley values; an ignored token scores 0; the formula is the mean over all orders
    that keep every part together, and the scores approach it with the samples, sampled orders
    without bias; by the formula a
    word has the score that it would have as a single token; where the formula is evaluated exactly,
    as many sets are queried as are counted above.
    *Left open by the paper*: the partition. Halves by words are the same for every tokenizer.
    Source: Owen 1977 (values of games with a priori unions); Winter 1989 for more than two levels;
    Rasmussen and Williams 2006, section 5.4.1, and Cohn 1996 for the sets that are not queried.
    """
    if samples < 1:
        raise InputError(f"samples must be at least 1, not {samples}")
    plans = [_plan(row, samples, seed) for row in inputs]
    kept = [plan.queried for plan in plans]
    results = []
    for row, plan, target, amounts in zip(
        inputs, plans, targets, values(model, inputs, targets, kept, operator)
    ):
        result = explained(model, row, target, plan.scores(amounts), amounts, float(amounts[0]))
        results.append(result)
    return results


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """The sets that are queried, and the scores by their values; the first set is empty."""

    queried: Coalitions
    scores: Callable[[Values], Float[np.ndarray, " token"]]


@one_thread()
def _plan(row: Encoded, samples: int, seed: int) -> _Plan:
    tree, n = _tree(row), player_count(row)
    blocks, count = dict(_beside(tree)), _set_count(tree)
    if count <= samples:
        return _Plan(_allowed(blocks), partial(_owen, blocks))
    pairs = max(1, samples // (2 * n))
    walks = _consistent(row, pairs, seed)
    if pairs == 1 or count > MOST_ALLOWED:
        return _Plan(_prefixes(walks), lambda amounts: _gains(walks, amounts).mean(axis=0))
    sets, place = np.unique(_allowed(blocks), axis=0, return_inverse=True)
    place = place.reshape(-1)
    at = {kept.tobytes(): index for index, kept in enumerate(sets)}
    first = list(dict.fromkeys(at[kept.tobytes()] for kept in _prefixes(walks[:2])))
    queried = chosen(sets, _shares(blocks, place), first, min(count, 2 * pairs * (n - 1) + 2))

    @one_thread()
    def scores(amounts: Values) -> Float[np.ndarray, " token"]:
        pairwise = pairwise_scores(sets[queried], amounts)
        if pairwise is not None:
            return pairwise
        return _owen(blocks, likeliest_values(sets, queried, amounts)[place])

    return _Plan(sets[queried], scores)


def _and_back(orders: Sequence[np.ndarray]) -> Orders:
    return np.stack([walk for order in orders for walk in (order, order[::-1])]).astype(np.int64)


def _prefixes(orders: Orders) -> Coalitions:
    """For every order, the sets of its first 0, 1, ..., n tokens."""
    n = orders.shape[1]
    ranks = orders.argsort(axis=1)
    kept: np.ndarray = ranks[:, None, :] < np.arange(n + 1)[:, None]
    return kept.reshape(-1, n)


def _gains(orders: Orders, amounts: Values) -> Float[np.ndarray, "walk token"]:
    """What each token adds in each order."""
    steps = np.diff(amounts.reshape(len(orders), -1), axis=1)
    gains: np.ndarray = np.take_along_axis(steps, orders.argsort(axis=1), axis=1)
    return gains


@one_thread()
def _gains_of_orders(walks: Orders, amounts: Values) -> Float[np.ndarray, "order token"]:
    """What each token adds in each order and its reverse on average, as an estimate of its Shapley
    value: with the likeliest game through the other orders, where these are enough.
    """
    orders, n = walks[::2], walks.shape[1]
    by_walk = amounts.reshape(len(walks), -1)
    odd = (by_walk[::2] - by_walk[1::2, ::-1]) / 2
    plain = _gains(orders, odd.ravel())
    if len(orders) < FEWEST_ORDERS or (len(orders) - 1) * n > MOST_SETS or np.isnan(odd).any():
        return plain
    adds = np.abs(plain).max(axis=0) > 1e-12 * np.abs(odd).max()
    if adds.sum() < 3:  # no three tokens interact
        return plain
    kept = _prefixes(orders).reshape(len(orders), n + 1, n)[:, :, adds]
    points = [
        likeliest_point(*distinct(np.concatenate(kept[half::2]), odd[half::2].ravel()))
        for half in (0, 1)
    ]
    gains = plain.copy()
    for at in range(len(orders)):
        others = np.arange(len(orders)) != at
        sets, values = distinct(np.concatenate(kept[others]), odd[others].ravel())
        game = game_at(sets, values, points[1 - at % 2])
        gains[at] = _gains(orders[at : at + 1], odd[at] - game(kept[at]))[0]
        gains[at, adds] += game.shapley()
    return gains


def _standard_error(gains: Float[np.ndarray, "order token"]) -> Float[np.ndarray, " token"]:
    """Of the mean over orders."""
    if len(gains) < 2:
        return np.full(gains.shape[1], np.nan)
    errors: np.ndarray = gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    return errors


def _sampled_orders(row: Encoded, permutations: int, seed: int) -> Orders | None:
    """Random orders and their reverses; None where all sets are no more than theirs."""
    n = player_count(row)
    if 2.0**n <= 2 * permutations * (n - 1) + 2:
        return None
    generator = keyed(seed, "permutation_shapley", *identity(row))
    return _and_back([generator.permutation(n) for _ in range(permutations)])


def _shapley(kept: Coalitions, amounts: Values) -> Float[np.ndarray, " token"]:
    """Shapley values from all sets."""
    n = kept.shape[1]
    size = kept.sum(axis=1)
    joined = np.array([0.0, *(1 / (n * comb(n - 1, k - 1)) for k in range(1, n + 1))])
    apart = np.array([*(1 / (n * comb(n - 1, k)) for k in range(n)), 0.0])
    weights = np.where(kept, joined[size][:, None], -apart[size][:, None])
    scores: np.ndarray = amounts @ weights
    return scores


def _halves(parts: Sequence[Tree]) -> Tree:
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return _halves(parts[:middle]), _halves(parts[middle:])


def _tree(row: Encoded) -> Tree:
    """Texts, halves of words, words, halves of a word's tokens; tokens are counted among the
    content tokens. Of other units: texts, halves of a text by its number of units, units."""
    if row.units is not None:
        segments = np.array(row.units.segment)
        members = [np.flatnonzero(segments == text).tolist() for text in np.unique(segments)]
        return _halves([_halves(units) for units in members])
    segment, word = row.segment[row.content], row.word[row.content]
    tokens = sorted(range(len(word)), key=lambda at: (segment[at], word[at], at))
    texts = []
    for _, text in groupby(tokens, key=lambda at: int(segment[at])):
        texts.append(
            _halves(
                [
                    _halves(list(members))
                    for _, members in groupby(text, key=lambda at: int(word[at]))
                ]
            )
        )
    return _halves(texts)


def _leaves(tree: Tree) -> list[int]:
    return [tree] if isinstance(tree, int) else _leaves(tree[0]) + _leaves(tree[1])


def _beside(
    tree: Tree, around: tuple[list[int], ...] = ()
) -> Iterator[tuple[int, tuple[list[int], ...]]]:
    """Every token with its siblings and those of its ancestors."""
    if isinstance(tree, int):
        yield tree, around
        return
    left, right = tree
    yield from _beside(left, (*around, _leaves(right)))
    yield from _beside(right, (*around, _leaves(left)))


def _set_count(tree: Tree, depth: int = 0) -> int:
    """How many sets the tree allows: the empty and the full one, and for every pair of siblings
    each of both beside any of their ancestors' siblings."""
    if isinstance(tree, int):
        return 0 if depth else 2
    pairs: int = 2 ** (depth + 1) + sum(_set_count(part, depth + 1) for part in tree)
    return pairs if depth else pairs + 2


def _allowed(beside: dict[int, tuple[list[int], ...]]) -> Coalitions:
    """Token by token, all sets of its siblings and its ancestors' siblings, without it and with it;
    the first is empty."""
    rows = []
    for token in range(len(beside)):
        sets = np.zeros((1, len(beside)), dtype=bool)
        for block in beside[token]:
            joined = sets.copy()
            joined[:, block] = True
            sets = np.concatenate((sets, joined))
        joined = sets.copy()
        joined[:, token] = True
        rows += [sets, joined]
    return np.concatenate(rows)


def _owen(beside: dict[int, tuple[list[int], ...]], amounts: Values) -> Float[np.ndarray, " token"]:
    scores, start = [], 0
    for token in range(len(beside)):
        count = 2 ** len(beside[token])
        without, joined = amounts[start : start + count], amounts[start + count : start + 2 * count]
        scores.append(float((joined - without).mean()))
        start += 2 * count
    return np.array(scores)


def _shares(
    beside: dict[int, tuple[list[int], ...]], place: Int[np.ndarray, " row"]
) -> Float[np.ndarray, "token set"]:
    """The weights of the values of all distinct sets in the formula; `place` is that of the rows of
    `_allowed`."""
    shares = np.zeros((len(beside), place.max() + 1))
    start = 0
    for token in range(len(beside)):
        count = 2 ** len(beside[token])
        shares[token, place[start : start + count]] = -1 / count
        shares[token, place[start + count : start + 2 * count]] = 1 / count
        start += 2 * count
    return shares


def _consistent(row: Encoded, count: int, seed: int) -> Orders:
    """Sampled orders that keep every part of the tree together, with their reverses."""
    generator = keyed(seed, "partition_shapley", *identity(row))

    def order(part: Tree) -> list[int]:
        if isinstance(part, int):
            return [part]
        left, right = order(part[0]), order(part[1])
        return left + right if generator.random() < 0.5 else right + left

    return _and_back([np.array(order(_tree(row))) for _ in range(count)])
