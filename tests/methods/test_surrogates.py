"""The laws of the methods that draw, fit or walk: on models whose Shapley values are known by
hand, and by convergence.
"""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError
from babelscope.methods import METHODS, shapley
from babelscope.methods.explain import (
    explain,
)
from babelscope.methods.shapley import _allowed, _beside, _tree
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.types import Example, Target
from conftest import PAIRS, TEXTS, tiny
from planted import WEIGHTS, PlantedForSequenceClassification, planted_model

SHAPLEY = ("kernel_shap", "permutation_shapley", "partition_shapley")
LONG = "the good film fine good bad the great dull film awful fine"
FEW = {
    "lime": {"samples": 60, "ridge": 0.0},
    "kernel_shap": {"samples": 40},
    "permutation_shapley": {"permutations": 1},
    "partition_shapley": {"samples": 24},
    "smooth_gradient": {"samples": 2, "noise": 3.0},
}
"""So few draws that nothing is exact but what must be exact for any draws."""


class SquaredForSequenceClassification(PlantedForSequenceClassification):
    """y + y^2 for the planted logit y: tokens interact in pairs, and only in pairs."""

    def forward(self, *given: Any, **named: Any) -> Any:
        logits = super().forward(*given, **named).logits
        return SimpleNamespace(logits=logits + logits**2)


@cache
def squared() -> Model:
    linear = planted_model()
    return load(
        (SquaredForSequenceClassification(linear.hf.config).double().eval(), linear.tokenizer)
    )


def copies(text: str, count: int) -> list[Example]:
    """One text under many ids: each has its own draws."""
    return [Example(f"copy{number}", (text,)) for number in range(count)]


@pytest.mark.parametrize(
    ("method", "operator"),
    [*product(("lime", *SHAPLEY), ("mask", "attention_zero", "delete")), ("smooth_gradient", None)],
)
def test_a_linear_model_gives_its_weights_for_any_draws(
    planted: Model, method: str, operator: str | None
) -> None:
    options = FEW[method] | ({"operator": operator} if operator else {})
    (one,) = explain(planted, LONG, method, options=options, target="positive")
    np.testing.assert_allclose(one.scores, [WEIGHTS[word] for word in LONG.split()], atol=1e-9)


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("method", SHAPLEY)
def test_pairs_share_what_they_add_together(method: str, few: bool) -> None:
    """v(S) = y + y^2 with y = b + sum of w over S. A single token adds w_t + 2 b w_t + w_t^2, and a
    pair 2 w_t w_u more, of which each gets half: a_t = w_t (1 + 2 b + sum of all w). So says every
    order with its reverse."""
    (one,) = explain(squared(), LONG, method, options=FEW[method] if few else {}, target="positive")
    weights = np.array([WEIGHTS[word] for word in LONG.split()])
    np.testing.assert_allclose(one.scores, weights * (1 + 2 * 0.3 + weights.sum()), atol=1e-9)


@pytest.mark.parametrize("method", SHAPLEY)
def test_completeness_is_exact(model: Model, method: str) -> None:
    for options, data in (({}, ["no", *PAIRS[:1]]), (FEW[method], [*TEXTS, *PAIRS])):
        for one in explain(model, data, method, options=options):
            assert sum(one.scores) == pytest.approx(one.value - one.reference_value, abs=1e-9)


def test_interchangeable_tokens_score_alike_and_ignored_ones_zero(planted: Model) -> None:
    """The probability is not additive in the words, but blind to their order and to "the"."""
    for method in ("lime", "kernel_shap"):
        (one,) = explain(
            planted, "good the bad good", method, quantity="probability", target="positive"
        )
        assert one.scores[0] == pytest.approx(one.scores[3], abs=1e-12)
        assert abs(one.scores[0]) > 0.01
    for method in SHAPLEY:
        (one,) = explain(
            planted, "good the bad good", method, quantity="probability", target="positive"
        )
        assert one.scores[1] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("method", [*FEW, "expected_gradients"])
def test_a_constant_model_gives_zero(bert: Model, method: str) -> None:
    constant = Model(copy.deepcopy(bert.hf), bert.tokenizer, "constant", bert.task)
    with torch.no_grad():
        constant.hf.classifier.weight.zero_()
    for one in explain(constant, TEXTS, method):
        np.testing.assert_allclose(one.scores, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("method", "few", "many", "exact"),
    [
        ("lime", {"samples": 40}, {"samples": 240}, ("lime", {"samples": 256})),
        ("kernel_shap", {"samples": 40}, {"samples": 160}, ("kernel_shap", {"samples": 256})),
        (
            "permutation_shapley",
            {"permutations": 2},
            {"permutations": 16},
            ("kernel_shap", {"samples": 256}),
        ),
        (
            "partition_shapley",
            {"samples": 32},
            {"samples": 171},
            ("partition_shapley", {"samples": 172}),
        ),
    ],
)
def test_draws_approach_the_exact_scores(
    bert: Model,
    method: str,
    few: dict[str, int],
    many: dict[str, int],
    exact: tuple[str, dict[str, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over 40 draws: the root mean square error falls with their size, and the mean of unbiased
    ones is the exact score. So it is with orders that a tree allows; `test_likeliest` is about
    values of a tree's sets that are inferred.

    Eight tokens have 256 sets. The tree of sixteen that halve four times allows 2 + 2 (1 + 4 + 16
    + 64) = 172 sets, and one pair of orders takes 32 samples, five take 160; of eight tokens it
    would allow only 44.
    """
    partition = method == "partition_shapley"
    monkeypatch.setattr(shapley, "MOST_ALLOWED", 0)
    rows = copies(TEXTS[1] if partition else TEXTS[4], 40)
    truth = np.array(explain(bert, rows[:1], exact[0], options=exact[1])[0].scores)
    assert len(truth) == (16 if partition else 8)
    drawn = [
        np.array([one.scores for one in explain(bert, rows, method, options=options)])
        for options in (few, many)
    ]
    rough, fine = (np.sqrt(((scores - truth) ** 2).mean()) for scores in drawn)
    assert 0 < fine < 0.7 * rough
    if method in ("permutation_shapley", "partition_shapley"):
        off = (drawn[1].mean(axis=0) - truth) / (
            drawn[1].std(axis=0, ddof=1) / np.sqrt(len(rows)) + 1e-12
        )
        assert np.abs(off).max() < 4


def test_without_noise_it_is_input_x_gradient_and_noise_counts_squared(bert: Model) -> None:
    def off(noise: float) -> np.ndarray:
        found = explain(bert, TEXTS, "smooth_gradient", options={"noise": noise, "samples": 4})
        plain = explain(bert, TEXTS, "input_x_gradient")
        return np.concatenate(
            [np.subtract(one.scores, other.scores) for one, other in zip(found, plain)]
        )

    np.testing.assert_allclose(off(0.0), 0, atol=1e-12)
    # of u and -u the odd terms cancel: half the noise, a quarter of the difference
    np.testing.assert_allclose(
        np.linalg.norm(off(0.002)) / np.linalg.norm(off(0.001)), 4, rtol=0.01
    )


def test_expected_gradients_are_complete_where_the_value_is_quadratic_on_the_way() -> None:
    for model in (planted_model(), squared()):
        for one in explain(
            model, [LONG, "good"], "expected_gradients", options={"baselines": 3}, target="positive"
        ):
            assert sum(one.scores) == pytest.approx(one.value - one.reference_value, abs=1e-9)
            assert one.reference_value != one.value


def test_expected_gradients_know_the_mean_of_the_vocabulary(planted: Model) -> None:
    """For a linear model a_t = w_t - mean of w over the K drawn tokens, and these are uniform on
    the eight plain words.
    """
    count, weights = 1000, np.array(list(WEIGHTS.values()))
    (one,) = explain(
        planted,
        "good the bad",
        "expected_gradients",
        options={"baselines": count},
        target="positive",
    )
    expected = np.array([WEIGHTS[word] for word in ("good", "the", "bad")]) - weights.mean()
    assert np.abs(one.scores - expected).max() < 4 * weights.std() / np.sqrt(count)


def test_expected_gradients_are_complete_in_expectation(bert: Model) -> None:
    found = explain(bert, copies(TEXTS[0], 200), "expected_gradients", options={"baselines": 2})
    gaps = np.array([sum(one.scores) - (one.value - one.reference_value) for one in found])
    assert gaps.std() > 1e-3
    assert abs(gaps.mean()) < 3.5 * gaps.std(ddof=1) / np.sqrt(len(gaps))


def test_each_set_is_computed_once_for_all_texts(bert: Model) -> None:
    """Four tokens have 16 sets. The tree of two pairs allows 12: two sets of one pair beside all
    four of the other, twice, and the four sets that part no pair are counted once."""
    rows = encode(bert, copies("the food was good", 3))
    n = int(rows[0].content.sum())
    assert n == 4
    for method, most in (
        ("lime", 2**n),
        ("kernel_shap", 2**n),
        ("permutation_shapley", 2**n),
        ("partition_shapley", 12),
    ):
        before = bert.inference.distinct
        METHODS[method].function(bert, rows, [Target(0)] * 3)
        asked = bert.inference.distinct - before
        assert asked <= most if method == "permutation_shapley" else asked == most


@pytest.mark.parametrize("words", [1, 2, 3, 5, 8, 11, 16])
def test_a_partition_is_exact_from_as_many_samples_as_its_tree_allows_sets(
    planted: Model, words: int
) -> None:
    """They are counted by their definition: the empty set, and for all tokens every set of their
    siblings and their ancestors' siblings, without the token and with it."""
    text = " ".join(["good", "bad", "fine", "dull"] * 4).split()[:words]
    row = encode(planted, as_examples(" ".join(text)))[0]
    count = len(np.unique(_allowed(dict(_beside(_tree(row)))), axis=0))
    queries = []
    for samples in (count, max(1, count - 1)):
        before = planted.inference.distinct
        METHODS["partition_shapley"].function(planted, [row], [Target(0)], samples=samples)
        queries.append(planted.inference.distinct - before)
    assert queries[0] == count
    assert queries[1] <= 2 * max(1, (count - 1) // (2 * words)) * (words - 1) + 2


@pytest.mark.parametrize("method", [*SHAPLEY, "lime"])
def test_where_a_set_leaves_nothing_to_read_scores_are_undefined(method: str) -> None:
    for one in explain(tiny("gpt2"), ["no", "good food"], method, options={"operator": "delete"}):
        assert np.isnan(one.scores).all()
        assert "leave no target" in one.flags[0]


def test_too_few_samples_are_flagged_and_still_complete(bert: Model) -> None:
    few, enough = (
        explain(bert, TEXTS[1], "kernel_shap", options={"samples": samples})[0]
        for samples in (20, 64)
    )
    assert "20 samples for 16 tokens" in few.flags[0]
    assert sum(few.scores) == pytest.approx(few.value - few.reference_value, abs=1e-9)
    assert enough.flags == ()


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("lime", {"ridge": -1.0}), ("lime", {"width": 0.0}), ("lime", {"samples": 1}),
        ("kernel_shap", {"samples": 0}),
        ("permutation_shapley", {"permutations": 0}), ("partition_shapley", {"samples": 0}),
        ("smooth_gradient", {"samples": 3}), ("smooth_gradient", {"noise": -0.1}),
        ("expected_gradients", {"baselines": 0}),
    ],
)  # fmt: skip
def test_senseless_options_are_refused(bert: Model, method: str, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"must be .*, not "):
        explain(bert, "no", method, options=options)


def test_rarity_is_a_distribution_over_the_vocabulary(bert: Model) -> None:
    (row,) = encode(bert, [Example("a", ("the food",), "en")])
    every = np.arange(len(bert.tokenizer))
    (found,) = METHODS["inverse_frequency"].function(
        bert, [replace(row, ids=every, content=np.ones(len(every), dtype=bool))], [Target(0)]
    )
    assert found.scores.min() >= 0
    assert np.exp(-found.scores).sum() == pytest.approx(1, abs=1e-12)


def test_rarity_comes_from_the_named_corpus_in_the_language_of_the_text(
    bert: Model, tmp_path: Path
) -> None:
    texts = [("the the the food", "en"), ("the food food food", "es")]
    file = tmp_path / "corpus.jsonl"
    file.write_text(
        "\n".join(json.dumps({"text": text, "lang": lang}) for text, lang in texts), "utf-8"
    )

    def scores(lang: str) -> tuple[np.ndarray, tuple[str, ...]]:
        (one,) = explain(
            bert, "the food", "inverse_frequency", options={"corpus": str(file)}, lang=lang
        )
        return np.array(one.scores), one.flags

    size = len(bert.tokenizer)
    for lang, counts in (("en", (3, 1)), ("es", (1, 3)), ("tr", (4, 4))):
        found, flags = scores(lang)
        total = 4 if lang != "tr" else 8
        np.testing.assert_allclose(
            found, [-np.log((count + 1) / (total + size)) for count in counts], atol=1e-12
        )
        assert ("no texts in 'tr'" in "".join(flags)) == (lang == "tr")
    assert len(encode(bert, as_examples("the food"))[0].words) == 2


def test_few_tokens_are_enumerated_and_get_shapley_values() -> None:
    """Eight orders of five tokens and their reverses would query up to 16 * 4 + 2 sets, and there
    are 32: the scores are those of kernel SHAP over all sets, for every seed, with no error."""
    text = "good bad fine great dull"
    (exact,) = explain(squared(), text, "kernel_shap", options={"samples": 64})
    for seed in (0, 1):
        (attribution,) = explain(squared(), text, "permutation_shapley", seed=seed)
        np.testing.assert_allclose(attribution.scores, exact.scores, atol=1e-9)
        assert attribution.details["standard_error"] == [0.0] * 5


def test_the_standard_error_is_that_of_the_mean_over_orders(bert: Model) -> None:
    """Over 40 seeds the scores of a text spread as their standard errors say: the mean of their
    squares over the variance is 1, with a relative error of about (2 / 40)^.5 for one token and
    less for the mean over tokens."""
    spread, stated = [], []
    for seed in range(40):
        (attribution,) = explain(
            bert, TEXTS[0], "permutation_shapley", options={"permutations": 4}, seed=seed
        )
        spread.append(attribution.scores)
        stated.append(attribution.details["standard_error"])
    ratio = np.mean(np.square(stated)) / np.var(spread, axis=0, ddof=1).mean()
    assert 0.6 < ratio < 1.6


def test_one_order_has_no_standard_error(bert: Model) -> None:
    (attribution,) = explain(bert, TEXTS[0], "permutation_shapley", options={"permutations": 1})
    assert set(attribution.details["standard_error"]) == {None}
