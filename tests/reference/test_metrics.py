"""Slow reference implementations of the metrics beyond the hard ones: one text at a time, plain
model calls, loops.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
import torch
from test_methods import embedded, plain

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Example
from conftest import PAIRS, TEXTS, tiny

Probability = Callable[[set[int]], float]


def logits(model: Model, row: Encoded, gone: set[int]) -> torch.Tensor:
    """With the words in `gone` masked."""
    ids = torch.from_numpy(row.ids.copy())[None]
    for token in range(len(row.ids)):
        if row.content[token] and int(row.word[token]) in gone:
            ids[0, token] = model.tokenizer.mask_token_id
    return plain(model, row, input_ids=ids).detach()


def reference_curves(p: Probability, n: int, score: np.ndarray) -> dict[str, float]:
    """Every word one by one (the texts have fewer than 20), by the trapezoid rule."""
    order = sorted(range(n), key=lambda word: -score[word])
    down = [p(set(order[:k])) for k in range(n + 1)]
    up = [p(set(order[k:])) for k in range(n + 1)]
    areas = [sum((curve[k] + curve[k + 1]) / 2 for k in range(n)) / n for curve in (down, up)]
    return {"deletion_area": areas[0], "insertion_area": areas[1]}


def reference_stepwise(p: Probability, n: int, score: np.ndarray) -> dict[str, float]:
    """With two words at a time kept: everything else is gone."""
    order = sorted(range(n), key=lambda word: -score[word])
    sizes = [k for k in range(1, n + 1) if k % 2 == 0]
    lowest = [p(set(order[: n - k])) for k in sizes]
    highest = [p(set(order[k:])) for k in sizes]
    return {
        "stepwise_deletion": 1 - sum(lowest) / len(sizes),
        "stepwise_insertion": 1 - sum(highest) / len(sizes),
    }


def reference_agreement(p: Probability, n: int, score: np.ndarray) -> dict[str, float]:
    """Kendall's tau-b by counting pairs; the signs of what each word adds, the smallest score
    first.
    """
    effect = [p(set()) - p({word}) for word in range(n)]
    agree = ties_a = ties_b = pairs = 0
    for i in range(n):
        for j in range(i):
            a, b = np.sign(score[i] - score[j]), np.sign(effect[i] - effect[j])
            agree, ties_a, ties_b, pairs = (
                agree + a * b,
                ties_a + (a == 0),
                ties_b + (b == 0),
                pairs + 1,
            )
    size = np.sqrt((pairs - ties_a) * (pairs - ties_b))
    weakest = sorted(range(n), key=lambda word: abs(score[word]))
    right = 0.0
    for k, word in enumerate(weakest):
        gain = p(set(weakest[k + 1 :])) - p(set(weakest[k:]))
        right += (
            0.5 if abs(gain) < 1e-12 or score[word] == 0 else float((gain > 0) == (score[word] > 0))
        )
    return {"loo_correlation": agree / size if size else np.nan, "monotonicity": right / n}


def reference_infidelity(
    value: Probability, n: int, score: np.ndarray, name: tuple[str, ...]
) -> dict[str, float]:
    """The best factor by search over a grid and its refinement, not by its formula."""
    rng = keyed("infidelity", *name)
    sets = [{word for word, luck in enumerate(line) if luck < 0.5} for line in rng.random((64, n))]
    said = [sum(score[word] for word in one) for one in sets]
    done = [value(set()) - value(one) for one in sets]

    def left(factor: float) -> float:
        return sum((factor * a - b) ** 2 for a, b in zip(said, done)) / sum(b * b for b in done)

    low, high = 0.0, 1e4
    for _ in range(200):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if left(a) < left(b) else (a, high)
    return {"infidelity": min(left(low), left(0.0))}


def reference_complexity(score: np.ndarray) -> dict[str, float]:
    total = sum(abs(one) for one in score)
    entropy = -sum(abs(one) / total * log(abs(one) / total) for one in score if one)
    return {"complexity": entropy, "effective_units": exp(entropy)}


def reference_soft(model: Model, row: Encoded, score: np.ndarray, target: int) -> dict[str, float]:
    """Six draws, number by number: a group of four turned ones, and two of the next."""
    low, high = min(score), max(score)
    share = [(one - low) / (high - low) if high > low else 0.5 for one in score]
    own = embedded(model, row)[0]

    def p(point: torch.Tensor) -> float:
        return float(
            torch.softmax(plain(model, row, inputs_embeds=point[None]), -1)[target].detach()
        )

    blank = own.clone()
    blank[torch.from_numpy(row.content)] = 0
    full, null = p(own), p(blank)
    found: dict[str, list[float]] = {}
    for group, turn in ((0, 0.0), (0, 0.5), (0, 0.25), (0, 0.75), (1, 0.0), (1, 0.5)):
        luck = keyed("soft", *identity(row), group).random(tuple(own.shape)) + turn
        luck = np.where(luck >= 1, luck - 1, luck)
        lefts = []
        for kept in (False, True):
            point = own.clone()
            for token in np.flatnonzero(row.content):
                chance = share[row.word[token]] if kept else 1 - share[row.word[token]]
                for place in range(own.shape[1]):
                    if luck[token, place] >= chance:
                        point[token, place] = 0
            lefts.append(p(point))
        erased, saved = lefts
        found.setdefault("soft_comprehensiveness", []).append(full - erased)
        found.setdefault("soft_sufficiency", []).append(full - saved)
        if full - null >= 1e-3:
            s0 = 1 - (full - null)
            found.setdefault("normalised_soft_comprehensiveness", []).append(
                min(1, max(0, full - erased) / (1 - s0))
            )
            soft = 1 - max(0, full - saved)
            found.setdefault("normalised_soft_sufficiency", []).append(max(0, soft - s0) / (1 - s0))
    return {name: float(np.mean(many)) for name, many in found.items()}


def check(
    model: Model, one: object, expected: dict[str, float], options: dict[str, object]
) -> set[str]:
    """Every metric against its reference; those that had a value here."""
    defined = set()
    for metric, want in expected.items():
        (got,) = measure(model, [one], metric, options=options)
        if np.isfinite(got.value):
            assert got.value == pytest.approx(want, abs=1e-8), metric
            defined.add(metric)
        else:
            assert got.reason
    return defined


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "distilbert"])
def test_metrics_equal_their_references(architecture: str) -> None:
    model = tiny(architecture)
    data = [TEXTS[0], TEXTS[3], PAIRS[0]]
    wanted: set[str] = set()
    defined: set[str] = set()
    for one, row in zip(explain(model, data, "occlusion"), encode(model, as_examples(data))):
        score, n, at = np.array(one.word_scores), len(row.words), one.target_index

        def p(gone: set[int], row: Encoded = row, at: int = at) -> float:
            return float(torch.softmax(logits(model, row, gone), -1)[at])

        def value(gone: set[int], row: Encoded = row, at: int = at) -> float:
            return float(logits(model, row, gone)[at])

        expected = (
            reference_curves(p, n, score)
            | reference_agreement(p, n, score)
            | reference_complexity(score)
        )
        expected |= reference_infidelity(value, n, score, identity(row))
        soft = reference_soft(model, row, score, at)
        defined |= check(model, one, expected, {}) | check(
            model, one, soft, {"draws": 6, "error": 1.0}
        )
        stepwise = reference_stepwise(p, n, score)
        defined |= check(model, one, stepwise, {"step": 2, "unit": "word"})
        wanted |= {*expected, *soft, *stepwise}
    assert defined == wanted, "every metric has a value for one of the texts"


def test_position_equals_its_reference() -> None:
    """Comprehensiveness at one word, from single erasures: the floor is the mean over the drawn
    first words, the ceiling the best of the largest single fall and of the word that alone keeps
    most."""
    model = tiny("bert")
    (one,), (row,) = explain(model, TEXTS[0], "random"), encode(model, as_examples(TEXTS[0]))
    words = set(range(len(row.words)))

    def p(gone: set[int]) -> float:
        return float(torch.softmax(logits(model, row, gone), -1)[one.target_index])

    def fall(order: list[int]) -> float:
        return float(
            np.mean([p(set()) - p(set(order[:k])) for k in (1, 2, 5)])
        )  # 10 words, grid 1, 5, 10, 20, 50 %

    assert len(words) == 10
    effects = {word: p({word}) for word in words}
    ways = [sorted(words, key=lambda word: effects[word])]
    for kept in (False, True):
        order: list[int] = []
        while len(order) < len(words):
            rest = sorted(words - set(order))
            left = {
                word: p(words - {*order, word}) if kept else -p({*order, word}) for word in rest
            }
            order.append(max(rest, key=lambda word: left[word]))
        ways.append(order)
    floor = np.mean(
        [fall(keyed("floor", *identity(row), draw).permutation(10).tolist()) for draw in range(6)]
    )
    ceiling = max(fall(order) for order in ways)
    own = fall(sorted(words, key=lambda word: -one.word_scores[word]))
    (got,) = measure(model, [one], "chance_corrected", options={"draws": 6})
    assert got.value == pytest.approx((own - floor) / (ceiling - floor), abs=1e-8)


def test_rationales_equal_their_references() -> None:
    """By counting pairs, and by walking down the scores."""
    model = tiny("bert")
    text = TEXTS[0]
    spans, start = [], 0
    for word in text.split():
        spans.append((start, start + len(word)))
        start += len(word) + 1
    marks = tuple(at in (3, 4, 9) for at in range(len(spans)))
    example = Example("r", (text,), "en", words=(tuple(spans),), rationale=(marks,))
    for one in explain(model, [example], ["occlusion", "random", "attention"]):
        score = list(one.word_scores)
        pairs = [
            (score[u], score[v])
            for u in range(len(score))
            for v in range(len(score))
            if marks[u] and not marks[v]
        ]
        area = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)
        average, seen = 0.0, 0
        for rank, word in enumerate(sorted(range(len(score)), key=lambda word: -score[word]), 1):
            if marks[word]:
                seen += 1
                average += seen / rank / 3
        expected = {"rationale_auroc": area, "rationale_auprc": average}
        assert check(model, one, expected, {}) == set(expected)


def test_naive_bayes_equals_its_reference(tmp_path: Path) -> None:
    """Counts by a loop over the tokenizer's own tokens, ranks by counting smaller values."""
    model = tiny("bert")
    rows = [("the food was good", "a"), ("the food was bad bad", "b"), ("good good room", "a")]
    names = {"a": model.labels[0], "b": model.labels[1]}
    lines = [json.dumps({"text": text, "label": names[label]}) for text, label in rows]
    file = tmp_path / "texts.jsonl"
    file.write_text("\n".join(lines))
    text = "the good food was bad and bad the room"
    (one,) = explain(model, text, "occlusion", target=model.labels[0])
    tokens = [model.tokenizer.tokenize(each) for each, _ in rows]
    distinct = list(dict.fromkeys(one.tokens))

    def times(token: str, wanted: str) -> int:
        return sum(many.count(token) for many, (_, label) in zip(tokens, rows) if label == wanted)

    def ranks(values: list[float]) -> list[float]:
        return [
            sum(other < value for other in values) + sum(other == value for other in values) / 2
            for value in values
        ]

    for smoothing in (20.0, 1.0):
        evidence = [
            log(times(token, "a") + smoothing) - log(times(token, "b") + smoothing)
            for token in distinct
        ]
        scores = [one.scores[one.tokens.index(token)] for token in distinct]
        expected = float(np.corrcoef(ranks(scores), ranks(evidence))[0, 1])
        options = {"texts": str(file), "smoothing": smoothing}
        (got,) = measure(model, [one], "naive_bayes_agreement", options=options)
        assert got.value == pytest.approx(expected, abs=1e-12)
