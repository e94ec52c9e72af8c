"""Slow reference implementations of the sampled and fitted methods: sums over all sets and orders,
one model call per set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, permutations, product
from math import comb, exp, factorial, log, sqrt

import numpy as np
import pytest
import torch
from test_methods import embedded, plain, slope

from babelscope import corpus
from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Example
from conftest import tiny

SHORT = [
    Example("a", ("good food but no room",), "en"),
    Example("b", ("nobody liked",), "en"),
    Example("c", ("no",), "en"),
    Example("d", ("good food", "no room"), "en"),
]
Game = Callable[[frozenset[int]], float]


def game(model: Model, row: Encoded, target: int) -> Game:
    """The logit with only the given content tokens kept, the others replaced by the mask (or
    padding) token.
    """
    filler = (
        model.tokenizer.mask_token_id
        if model.tokenizer.mask_token_id is not None
        else model.tokenizer.pad_token_id
    )
    places = np.flatnonzero(row.content)

    @cache
    def worth(kept: frozenset[int]) -> float:
        ids = torch.from_numpy(row.ids.copy())[None]
        for at, place in enumerate(places):
            if at not in kept:
                ids[0, place] = filler
        # a decoder's plain call would look for the last token that is not padding, hence the
        # embeddings
        given = (
            {"inputs_embeds": model.embeddings(ids).detach()}
            if model.reads_last_token
            else {"input_ids": ids}
        )
        return float(plain(model, row, **given)[target].detach())

    return worth


def subsets(n: int) -> list[frozenset[int]]:
    return [frozenset(members) for size in range(n + 1) for members in combinations(range(n), size)]


def shapley(worth: Game, n: int) -> np.ndarray:
    """sum over S without t of |S|! (n - |S| - 1)! / n! (v(S + t) - v(S))."""
    found = np.zeros(n)
    for t in range(n):
        for s in subsets(n):
            if t not in s:
                found[t] += (
                    factorial(len(s))
                    * factorial(n - len(s) - 1)
                    / factorial(n)
                    * (worth(s | {t}) - worth(s))
                )
    return found


def gains(worth: Game, order: tuple[int, ...]) -> np.ndarray:
    found = np.zeros(len(order))
    for at, token in enumerate(order):
        found[token] = worth(frozenset(order[: at + 1])) - worth(frozenset(order[:at]))
    return found


def halved(parts: list[object]) -> object:
    """A nested pair; the first half is the longer one."""
    if len(parts) == 1:
        return parts[0]
    cut = -(-len(parts) // 2)
    return (halved(parts[:cut]), halved(parts[cut:]))


def hierarchy(row: Encoded) -> object:
    texts: dict[int, dict[int, list[object]]] = {}
    places = np.flatnonzero(row.content)
    for at, place in enumerate(places):
        texts.setdefault(int(row.segment[place]), {}).setdefault(int(row.word[place]), []).append(
            at
        )
    return halved(
        [halved([halved(tokens) for tokens in words.values()]) for words in texts.values()]
    )


def members(tree: object) -> set[int]:
    return {tree} if isinstance(tree, int) else members(tree[0]) | members(tree[1])


def inner(tree: object) -> list[set[int]]:
    return [] if isinstance(tree, int) else [members(tree), *inner(tree[0]), *inner(tree[1])]


def together(order: tuple[int, ...], part: set[int]) -> bool:
    places = [at for at, token in enumerate(order) if token in part]
    return places[-1] - places[0] + 1 == len(places)


def reference_lime(model: Model, row: Encoded, target: int) -> np.ndarray:
    """Normal equations with a column of ones for the intercept, over all sets, each with its
    probability and kernel.
    """
    worth, n = game(model, row, target), int(row.content.sum())
    left, right = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    for s in subsets(n):
        x = np.array([1.0, *(float(t in s) for t in range(n))])
        weight = exp(-((1 - sqrt(len(s) / n)) ** 2) / 0.25**2) / ((n + 1) * comb(n, len(s)))
        left += weight * np.outer(x, x)
        right += weight * x * worth(s)
    left[1:, 1:] += 0.001 * np.eye(n)
    return np.linalg.solve(left, right)[1:]


def reference_shapley(model: Model, row: Encoded, target: int) -> np.ndarray:
    return shapley(game(model, row, target), int(row.content.sum()))


def reference_permutation_shapley(model: Model, row: Encoded, target: int) -> np.ndarray:
    """Eight orders and their reverses query at most 16 (n - 1) + 2 sets; where there are no more in
    all, the Shapley values."""
    worth, n = game(model, row, target), int(row.content.sum())
    if 2**n <= 16 * (n - 1) + 2:
        return shapley(worth, n)
    generator = keyed(0, "permutation_shapley", *identity(row))
    found = np.zeros(n)
    for _ in range(8):
        order = tuple(int(token) for token in generator.permutation(n))
        found += gains(worth, order) + gains(worth, tuple(reversed(order)))
    return found / 16


def reference_partition_shapley(model: Model, row: Encoded, target: int) -> np.ndarray:
    """The mean over all orders in which no part of the tree is interrupted."""
    worth, n = game(model, row, target), int(row.content.sum())
    parts = inner(hierarchy(row))
    kept = [
        order for order in permutations(range(n)) if all(together(order, part) for part in parts)
    ]
    assert len(kept) == 2 ** (n - 1)
    return np.mean([gains(worth, order) for order in kept], axis=0)


def reference_smooth_gradient(model: Model, row: Encoded, target: int) -> np.ndarray:
    e = embedded(model, row)
    table = model.embeddings.weight.detach().numpy()
    sigma = 0.1 * sqrt(float(((table - table.mean()) ** 2).mean()))
    total = torch.zeros_like(e[0])
    for pair, sign in product(range(16), (1, -1)):
        moved = e.clone()
        drawn = keyed(0, "smooth_gradient", *identity(row), pair).standard_normal(
            (int(row.content.sum()), e.shape[-1])
        )
        moved[0, torch.from_numpy(row.content)] += sign * sigma * torch.from_numpy(drawn)
        total += slope(model, row, moved, target) / 32
    return (total * e[0]).sum(-1).numpy()[row.content]


def reference_expected_gradients(model: Model, row: Encoded, target: int) -> np.ndarray:
    e = embedded(model, row)
    words = [
        token
        for token in range(len(model.tokenizer))
        if token not in model.tokenizer.all_special_ids
    ]
    total = np.zeros(len(row.ids))
    for draw in range(32):
        generator = keyed(0, "expected_gradients", *identity(row), draw)
        b = e.clone()
        b[0, torch.from_numpy(row.content)] = model.embeddings.weight[
            generator.choice(words, int(row.content.sum()))
        ].detach()
        share = (draw + generator.uniform()) / 64
        for point in (share, 1 - share):
            total += (slope(model, row, b + point * (e - b), target) * (e - b)[0]).sum(
                -1
            ).numpy() / 64
    return total[row.content]


def reference_inverse_frequency(model: Model, row: Encoded, target: int) -> np.ndarray:
    counts: dict[int, int] = {}
    for task in corpus.CORPORA:
        for one in corpus.read(task, "en", "train", 50):
            for text in one.texts:
                for token in model.tokenizer(text, add_special_tokens=False)["input_ids"]:
                    counts[token] = counts.get(token, 0) + 1
    total = sum(counts.values()) + len(model.tokenizer)
    return np.array(
        [-log((counts.get(int(token), 0) + 1) / total) for token in row.ids[row.content]]
    )


REFERENCES = {
    "inverse_frequency": (reference_inverse_frequency, 1e-12),
    "lime": (reference_lime, 1e-9),
    "kernel_shap": (reference_shapley, 1e-9),
    "permutation_shapley": (reference_permutation_shapley, 1e-9),
    "partition_shapley": (reference_partition_shapley, 1e-9),
    "smooth_gradient": (reference_smooth_gradient, 1e-9),
    "expected_gradients": (reference_expected_gradients, 1e-9),
}


@pytest.mark.parametrize("method", REFERENCES)
def test_method_equals_its_reference(model: Model, method: str) -> None:
    reference, tolerance = REFERENCES[method]
    # byte-level pieces are many, and orders of more than seven too many to be listed
    data = SHORT[:3] if model.reads_last_token else SHORT
    with torch.enable_grad():
        for one, row in zip(explain(model, data, method), encode(model, as_examples(data))):
            np.testing.assert_allclose(
                one.scores, reference(model, row, one.target_index), atol=tolerance
            )


@pytest.mark.parametrize("text", ["这个酒店的房间很干净", "lovely evening friends"])
def test_a_word_has_the_score_that_it_would_have_as_one_token(text: str) -> None:
    """The game of words: a word is in or out with all its tokens, and orders keep the same phrases
    together.
    """
    model = tiny("bert") if text[0] > "z" else tiny("gpt2")
    (row,) = encode(model, as_examples(text))
    (one,) = explain(model, text, "partition_shapley", options={"samples": 4096})
    worth, word = game(model, row, one.target_index), row.word[row.content]
    assert len(row.words) < len(word), "some word has several tokens"
    phrases = inner(halved(list(range(len(row.words)))))
    orders = [
        order
        for order in permutations(range(len(row.words)))
        if all(together(order, part) for part in phrases)
    ]

    def by_words(kept: frozenset[int]) -> float:
        return worth(frozenset(np.flatnonzero(np.isin(word, list(kept))).tolist()))

    np.testing.assert_allclose(
        one.word_scores, np.mean([gains(by_words, order) for order in orders], axis=0), atol=1e-9
    )
