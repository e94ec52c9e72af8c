"""The laws of METRICS, run over the table, in float64."""

from __future__ import annotations

import copy
from itertools import permutations, product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics import METRICS
from babelscope.metrics.erased import ranking
from babelscope.metrics.hard import lengths
from babelscope.metrics.measure import measure
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.erase import OPERATORS, erase
from babelscope.model.load import Model
from babelscope.model.targets import predicted
from babelscope.options import defaults
from babelscope.training.small import ARCHITECTURES
from babelscope.types import Example, Target
from conftest import PAIRS, TEXTS, tiny, tiny_reader
from planted import WEIGHTS, planted_model

SMALL = {
    "soft": {"draws": 2, "error": 1.0},
    "chance_corrected": {"draws": 2},
    "diagnosticity": {"draws": 2},
    "infidelity": {"draws": 6},
}
"""Fewer draws than by default, where a law does not depend on their number."""


def small(metric: str) -> dict[str, object]:
    return next((options for name, options in SMALL.items() if name in metric), {})


def values(
    model: Model, rows: object, scores: list[np.ndarray], metric: str, **options: object
) -> list[float]:
    """By words, whatever the metric's own default."""
    options = {"unit": "word", **options}
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    targets = [predicted(model, row, output) for row, output in zip(rows, outputs)]
    return [one.value for one in METRICS[metric].function(model, rows, scores, targets, **options)]


@pytest.mark.parametrize(
    ("architecture", "metric", "unit"), list(product(ARCHITECTURES, METRICS, ("token", "word")))
)
def test_alone_is_in_a_batch_within_bounds(architecture: str, metric: str, unit: str) -> None:
    model = tiny(architecture)
    texts = (
        TEXTS[2:4] if metric in ("chance_corrected", "diagnosticity") else TEXTS
    )  # greedy orders ask for many erased texts
    data = [Example(f"t{at}", (text,)) for at, text in enumerate(texts)]
    found = explain(model, data, ["occlusion", "random"])
    options = {"unit": unit, **small(metric)}
    together = measure(model, found, metric, options=options)
    alone = [measure(model, [one], metric, options=options)[0] for one in found[::-1]][::-1]
    low, high = METRICS[metric].bounds
    for one, other in zip(together, alone):
        assert one.value == pytest.approx(
            other.value, abs=1e-9, nan_ok=METRICS[metric].may_be_undefined
        )
        assert low <= one.value <= high or (np.isnan(one.value) and one.reason)


@pytest.mark.parametrize(
    "metric", [row.name for row in METRICS.values() if "operator" in defaults(row)]
)
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_on_pairs(
    xlmr: Model, writers: dict[str, str], metric: str, operator: str
) -> None:
    how = f"sampled:{writers['xlm-roberta']}" if operator == "sampled" else operator
    for part in ("all", "first", "second"):
        found = explain(xlmr, PAIRS, "random", part=part)
        for one in measure(xlmr, found, metric, options={"operator": how, **small(metric)}):
            assert np.isfinite(one.value) or one.reason


@pytest.mark.parametrize("metric", [row.name for row in METRICS.values() if row.order_only])
def test_only_the_order_of_the_scores_matters(bert: Model, metric: str) -> None:
    rows = encode(bert, as_examples(list(TEXTS)))
    rng = np.random.default_rng(0)
    scores = [rng.normal(size=len(row.words)) for row in rows]
    plain = values(bert, rows, scores, metric)
    for change in (np.exp, np.cbrt, lambda score: 3 * score - 7):
        np.testing.assert_allclose(
            values(bert, rows, [change(score) for score in scores], metric), plain, atol=1e-12
        )


@pytest.mark.parametrize(
    "metric",
    [
        "comprehensiveness",
        "sufficiency",
        "aopc",
        "lodds",
        "soft_comprehensiveness",
        "soft_sufficiency",
    ],
)
def test_a_constant_model_gives_zero(bert: Model, metric: str) -> None:
    constant = Model(copy.deepcopy(bert.hf), bert.tokenizer, "constant", bert.task)
    with torch.no_grad():
        constant.hf.classifier.weight.zero_()
    found = explain(constant, list(TEXTS), "random")
    np.testing.assert_allclose(
        [one.value for one in measure(constant, found, metric)], 0, atol=1e-12
    )


@pytest.mark.parametrize("metric", [name for name in METRICS if name.startswith("normalised")])
def test_undefined_is_nan_with_a_reason(bert: Model, metric: str) -> None:
    constant = Model(copy.deepcopy(bert.hf), bert.tokenizer, "constant", bert.task)
    with torch.no_grad():
        constant.hf.classifier.weight.zero_()
    found = measure(constant, explain(constant, list(TEXTS), "random"), metric)
    assert all(np.isnan(one.value) and "less than 0.001" in one.reason for one in found)
    ((_, summary),) = found.summary()
    assert (summary.n, summary.undefined) == (0, len(TEXTS))


def test_erasing_is_keeping_the_rest(bert: Model) -> None:
    """p(x without R) at the k of a ranking equals p(only the complement) at n - k of the reversed
    one, to the bit.
    """
    (row,) = encode(bert, as_examples(TEXTS[0]))
    n = len(row.words)
    rng = np.random.default_rng(1)
    score = rng.normal(size=n)
    for k in range(1, n):
        erased = values(bert, [row], [score], "comprehensiveness", grid=(k / n,))
        kept = values(bert, [row], [-score], "sufficiency", grid=((n - k) / n,))
        assert erased == kept


@pytest.mark.parametrize("metric", ["normalised_comprehensiveness", "normalised_sufficiency"])
def test_normalised_is_one_at_the_whole(model: Model, metric: str) -> None:
    rows = encode(model, as_examples([text for text in TEXTS if len(text.split()) > 2]))
    scores = [np.arange(len(row.words), dtype=float) for row in rows]
    found = [one for one in values(model, rows, scores, metric, grid=(1.0,)) if np.isfinite(one)]
    assert found
    np.testing.assert_allclose(found, 1.0, atol=1e-12)


def test_null_and_full_are_the_ends_of_the_erasure(model: Model) -> None:
    """Erasing nothing is the input; the null keeps the special tokens and erases everything else
    by the same operator.
    """
    for operator in OPERATORS:
        if operator == "sampled":  # needs a model of its own: tests/model/test_operators.py
            continue
        if operator in ("mask", "unk") and getattr(model.tokenizer, f"{operator}_token_id") is None:
            continue
        for row in encode(model, as_examples(list(TEXTS))):
            same = erase(model, row, np.zeros_like(row.content), operator)
            assert same is not None
            assert same.digest() == inference.query(row).digest()
            null = erase(model, row, row.content, operator)
            if null is None:
                assert not (~row.content).any()
            elif operator in ("mask", "pad", "unk"):
                filler = getattr(model.tokenizer, f"{operator}_token_id")
                assert (null.ids[row.content] == filler).all()
                assert (null.ids[~row.content] == row.ids[~row.content]).all()


def test_the_fixed_text_of_a_pair_is_in_every_input(model: Model) -> None:
    (row,) = encode(model, as_examples([PAIRS[0]]), part="first")
    second = row.segment == 1
    assert second.any()
    assert not (row.content & second).any()
    gone = erase(model, row, row.content, "pad")
    assert gone is not None
    assert (gone.ids[second] == row.ids[second]).all()


def test_the_truth_is_the_best_of_all_rankings() -> None:
    """On a model that adds one weight per token, all 720 rankings of six words: none beats the true
    weights, none is below the negated ones, and the mean over all (a random ranking) lies strictly
    between."""
    model = planted_model()
    words = ["good", "the", "great", "film", "bad", "fine"]
    (row,) = encode(model, as_examples(" ".join(words)))
    target = Target(1)
    truth = np.array([WEIGHTS[word] for word in words])
    orders = [np.array(order, dtype=float) for order in permutations(range(len(words)))]
    for metric, better in (
        ("comprehensiveness", 1), ("sufficiency", -1), ("aopc", 1), ("lodds", -1),
        ("deletion_area", -1),
        ("insertion_area", 1), ("loo_correlation", 1),
    ):  # fmt: skip
        with model.inference.caching():
            call = METRICS[metric].function
            many = [
                one.value
                for one in call(model, [row] * len(orders), orders, [target] * len(orders))
            ]
            (true,), (negated,) = (
                call(model, [row], [score], [target]) for score in (truth, -truth)
            )
        assert better * true.value >= max(better * one for one in many) - 1e-12
        assert better * negated.value <= min(better * one for one in many) + 1e-12
        assert better * negated.value < better * float(np.mean(many)) < better * true.value


def test_ties_are_not_broken_by_position() -> None:
    """A constant attribution must score like chance, not like "the first word": over many texts
    whose only evidence comes first, it finds the evidence first in about 1 of n cases."""
    firsts = [ranking(np.zeros(8), f"example {at}")[0] for at in range(400)]
    assert 20 <= sum(first == 0 for first in firsts) <= 85
    assert len(set(firsts)) == 8


def test_ranking_is_by_falling_score() -> None:
    assert ranking(np.array([0.1, 3.0, -2.0, 1.0]), "any").tolist() == [1, 3, 0, 2]


@given(st.integers(1, 300), st.lists(st.floats(0.01, 1.0), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_rationale_lengths_are_distinct_and_cover_the_ratios(n: int, grid: list[float]) -> None:
    found = lengths(n, grid)
    assert found == sorted(set(found))
    assert found[0] >= 1
    assert found[-1] <= n
    for ratio in grid:
        assert any(k - 1 < ratio * n + 1e-6 and k >= ratio * n - 1e-6 for k in found)


def test_equal_rationales_count_once() -> None:
    """n = 10 with the usual grid: ceil gives 1, 1, 1, 2, 5, which are three rationales."""
    assert lengths(10, (0.01, 0.05, 0.10, 0.20, 0.50)) == [1, 2, 5]


def test_word_units_erase_whole_words(xlmr: Model) -> None:
    (row,) = encode(xlmr, as_examples("unbelievable lovely"))
    first = row.word == 0
    assert first.sum() > 1
    assert len(row.words) == 2
    only = (
        METRICS["comprehensiveness"]
        .function(xlmr, [row], [np.array([1.0, 0.0])], [Target(0)], grid=(0.5,))[0]
        .value
    )
    full, gone = (
        torch.softmax(output, -1)[0]
        for output in inference.outputs(
            xlmr, [inference.query(row), erase(xlmr, row, first, "mask")]
        )
    )
    assert only == pytest.approx(float(full - gone), abs=1e-12)


def test_nothing_left_to_read_is_undefined_with_its_reason() -> None:
    model = tiny("gpt2")
    found = explain(model, "no", "random")
    for operator in ("attention_zero", "delete"):
        (one,) = measure(model, found, "comprehensiveness", options={"operator": operator})
        assert np.isnan(one.value)
        assert one.reason == "nothing is left to read"


def test_levels_by_hand(bert: Model) -> None:
    """20 words and 9 levels: 2, 4, 7, 9, 11, 13, 16, 18 and 20 words are gone; the lowest word is
    the last to go.
    """
    (row,) = encode(bert, as_examples("the food was not good but the room was lovely " * 2))
    assert len(row.words) == 20
    score = np.arange(20, dtype=float)[::-1]
    sizes = [2, 4, 7, 9, 11, 13, 16, 18, 20]
    queries = [
        erase(bert, row, np.isin(row.word, range(size)) & row.content, "pad")
        for size in [0, *sizes]
    ]
    full, *left = (
        float(torch.softmax(output, -1)[1]) for output in inference.outputs(bert, queries)
    )
    (lost,) = METRICS["aopc"].function(bert, [row], [score], [Target(1)], operator="pad")
    assert lost.value == pytest.approx(full - np.mean(left), abs=1e-12)
    (ratio,) = METRICS["lodds"].function(bert, [row], [score], [Target(1)], operator="pad")
    assert ratio.value == pytest.approx(np.mean(np.log(left)) - np.log(full), abs=1e-12)


def test_answer_tokens_among_the_highest() -> None:
    """An answer of three tokens at ranks 1, 2 and 21: two of three are found by 20, all by 21; of
    the top 20 two are it.
    """
    model = tiny_reader()
    (row,) = encode(
        model,
        [Example("q", ("who was good", "the food was not good but the room was lovely " * 3))],
    )
    inside = np.flatnonzero(row.content)
    answer = inside[10:13]
    score = -np.arange(len(inside), dtype=float) - 100
    score[10], score[11], score[12] = (
        2.0,
        1.0,
        -100 - 20.5,
    )  # eighteen others stand between the second and the third
    found = {k: [METRICS[name].function(model, [row], [score], [Target(int(answer[0]),
    int(answer[-1]))], k=k)[0].value
                 for name in ("answer_recall", "answer_precision")] for k in (20, 21)}  # fmt: skip
    assert found[20] == pytest.approx([2 / 3, 2 / 20])
    assert found[21] == pytest.approx([1.0, 3 / 21])
