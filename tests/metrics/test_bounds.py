"""Planted truth: on a model whose evidence is known, every faithfulness metric must find it. And
floor, ceiling, position.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics import METRICS
from babelscope.metrics.bounds import Bounds, bounds, greedy, wins
from babelscope.metrics.hard import pooled_shares
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Encoded, Target
from conftest import TEXTS
from planted import WEIGHTS, planted_model

WORDS = ["good", "the", "great", "film", "bad", "fine", "dull"]
TRUTH = np.array([WEIGHTS[word] for word in WORDS])
BALANCED = [*WORDS[:-1], "awful"]
"""Weights whose sum, 0.5, is small: of random orders of their negatives half agree with them. Of
WORDS' only 2.6% do: for all others infidelity has its worst value, 1, as for the negatives
themselves."""
FAITHFULNESS = [name for name, row in METRICS.items() if row.family == "faithfulness"]
BOUNDED = [name for name in FAITHFULNESS if name not in ("chance_corrected", "diagnosticity")]
SURE = {name: {"draws": 0} for name in BOUNDED if "soft" in name}
"""The soft metrics without luck, where a law is exact."""


def text(words: list[str] = WORDS) -> tuple[Model, Encoded]:
    model = planted_model()
    (row,) = encode(model, as_examples(" ".join(words)))
    return model, row


def scored(
    name: str, many: list[np.ndarray], words: list[str] = WORDS, **options: object
) -> np.ndarray:
    model, row = text(words)
    with model.inference.caching():
        found = METRICS[name].function(
            model, [row] * len(many), many, [Target(1)] * len(many), **options
        )
    return np.array([one.value for one in found]) * (1 if METRICS[name].higher_is_better else -1)


def shuffled(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [rng.permutation(TRUTH) for _ in range(count)]


@pytest.mark.parametrize("metric", FAITHFULNESS)
def test_the_truth_is_best_and_its_opposite_below_random(metric: str) -> None:
    """Of the true weights, 40 shuffles of them and the negated ones; for the soft metrics also with
    luck, where the truth must beat the mean of the shuffles and not each of them."""
    count = 8 if metric in ("chance_corrected", "diagnosticity") else 40
    values = scored(metric, [TRUTH, -TRUTH, *shuffled(count)], **SURE.get(metric, {}))
    true, negated, others = values[0], values[1], values[2:]
    assert np.isfinite(values).all()
    assert true >= others.max() - 1e-9
    assert negated < others.mean() < true
    if "soft" in metric:
        lucky = scored(metric, [TRUTH, -TRUTH, *shuffled(10)], draws=32, error=1.0)
        assert lucky[1] < lucky[2:].mean() < lucky[0]


@pytest.mark.parametrize("metric", BOUNDED)
def test_the_truth_is_at_the_ceiling(metric: str) -> None:
    """A model that weighs words one by one: greedy erasure, greedy keeping and leaving one out all
    find the true order.
    """
    truth = np.array([WEIGHTS[word] for word in BALANCED])
    true, negated = scored("chance_corrected", [truth, -truth], BALANCED, metric=metric)
    assert true == pytest.approx(1.0, abs=1e-9)
    assert negated < 0


def test_greedy_orders_are_the_true_order() -> None:
    model, row = text()
    for steps, kept in ((1, False), (3, False), (3, True), (10, True)):
        (order,) = greedy(model, [row], [Target(1)], "word", None, steps, kept=kept)
        assert order.tolist() == np.argsort(-TRUTH).tolist()


def test_greedy_looks_again_after_each_step(bert: Model) -> None:
    """By hand on a real model: at every step the chosen word is the one whose loss, with the
    earlier ones, costs most.
    """
    (row,) = encode(bert, as_examples(TEXTS[0]))
    (order,) = greedy(bert, [row], [Target(1)], "word", "mask", 4, kept=False)
    assert sorted(order.tolist()) == list(range(len(row.words)))

    def left(words: list[int]) -> float:
        ids = np.where(
            np.isin(row.word, words) & row.content, bert.tokenizer.mask_token_id, row.ids
        )
        given = {
            "input_ids": torch.from_numpy(ids)[None],
            "attention_mask": torch.ones(1, len(ids), dtype=torch.long),
        }
        return float(torch.softmax(bert.hf(**given).logits[0], -1)[1].detach())

    for step in range(4):
        before = order[:step].tolist()
        rest = {word: left([*before, word]) for word in range(len(row.words)) if word not in before}
        assert order[step] == min(rest, key=lambda word: rest[word])


def test_position_from_floor_and_ceiling(bert: Model) -> None:
    rows = encode(bert, as_examples(TEXTS[:2]))
    scores = [np.random.default_rng(7).normal(size=len(row.words)) for row in rows]
    targets = [Target(0), Target(1)]
    for metric in ("comprehensiveness", "sufficiency"):
        found = bounds(bert, rows, scores, targets, metric, "word", None, 5)
        placed = METRICS["chance_corrected"].function(
            bert, rows, scores, targets, metric=metric, draws=5
        )
        own = METRICS[metric].function(bert, rows, scores, targets)
        for one, position, value in zip(found, placed, own):
            assert one.value == pytest.approx(value.value, abs=1e-12)
            assert position.value == pytest.approx(
                (one.value - one.floor.mean()) / (one.ceiling - one.floor.mean()), abs=1e-12
            )
            assert len(one.floor) == 5
            assert len(set(one.floor.tolist())) > 1


def test_the_floor_of_a_soft_metric_has_the_scores_own_spread() -> None:
    """One word far above all others: shares of nearly 0 but one. A floor of random scores with
    their own spread would erase half of the text; the own scores in other orders erase one word."""
    model, row = text()
    sparse = np.zeros(len(WORDS))
    sparse[2] = 1.0
    (one,) = bounds(model, [row], [sparse], [Target(1)], "soft_comprehensiveness", "word", None, 12)
    falls = [
        scored("soft_comprehensiveness", [np.eye(len(WORDS))[place]])[0]
        for place in range(len(WORDS))
    ]
    assert all(min(abs(found - fall) for fall in falls) < 1e-9 for found in one.floor)
    assert one.ceiling == pytest.approx(falls[2], abs=1e-9)


def test_a_random_order_is_at_zero_and_wins_half_of_the_time() -> None:
    """40 random orders of one text, floors of 20: the mean position is 0 within three standard
    errors, of both means.
    """
    many = shuffled(40)
    places = scored("chance_corrected", many)
    assert abs(places.mean()) < 3 * places.std() * np.sqrt(1 / 40 + 1 / 20)
    won = scored("diagnosticity", many)
    assert abs(won.mean() - 0.5) < 3 * won.std() * np.sqrt(1 / 40 + 1 / 20)


def test_ties_are_half_a_win() -> None:
    """Of four random values one is beaten, two are equal and one is better: (1 + 2 / 2) / 4, half
    of them ties.
    """
    floor = np.array([0.1, 0.3, 0.3, 0.7])
    assert wins(Bounds(0.3, floor, 1.0, True)) == (0.5, 0.5)
    assert wins(Bounds(0.4, floor, 1.0, True)) == (0.75, 0.0)
    assert wins(Bounds(0.4, floor, 1.0, False)) == (0.25, 0.0)


def test_a_constant_model_has_no_position_and_only_ties(bert: Model) -> None:
    constant = Model(copy.deepcopy(bert.hf), bert.tokenizer, "constant", bert.task)
    with torch.no_grad():
        constant.hf.classifier.weight.zero_()
    found = explain(constant, list(TEXTS[:2]), "random")
    for one in measure(constant, found, "chance_corrected", options={"draws": 2}):
        assert np.isnan(one.value)
        assert "no better than random" in one.reason
    assert [
        one.value for one in measure(constant, found, "diagnosticity", options={"draws": 2})
    ] == [0.5, 0.5]


def test_only_faithfulness_has_bounds(bert: Model) -> None:
    found = explain(bert, TEXTS[0], "random")
    for metric in ("complexity", "chance_corrected", "nothing"):
        with pytest.raises(InputError, match="no floor and ceiling"):
            measure(bert, found, "chance_corrected", options={"metric": metric})


def test_pooled_shares_need_no_exclusion(model: Model) -> None:
    """For one text the pooled form is the text's own; for several it is the mean weighted by what
    there is to lose.
    """
    rows = encode(model, as_examples([text for text in TEXTS if text != "no"]))
    scores = [np.random.default_rng(9).normal(size=len(row.words)) for row in rows]
    targets = [Target(1)] * len(rows)
    own = [
        [one.value for one in METRICS[f"normalised_{name}"].function(model, rows, scores, targets)]
        for name in ("comprehensiveness", "sufficiency")
    ]
    alone = [pooled_shares(model, [row], [score], [Target(1)]) for row, score in zip(rows, scores)]
    defined = [at for at, value in enumerate(own[0]) if np.isfinite(value)]
    for at in defined:
        assert alone[at][1] == pytest.approx(own[1][at], abs=1e-9)
        assert alone[at][0] >= own[0][at] - 1e-9
    lost, saved = pooled_shares(model, rows, scores, targets)
    assert np.isfinite([lost, saved]).all() == bool(defined) or not defined
    if defined:
        assert 0 <= saved <= 1
