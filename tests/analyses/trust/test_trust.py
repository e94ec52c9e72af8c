"""The trust panel: each check where its answer is known, its chance, and that nothing else decides
it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import isnan

import numpy as np
import pytest
import torch
from scipy.stats import kendalltau

import zoo
from babelscope.analyses.trust import checks
from babelscope.analyses.trust.panel import trust
from babelscope.analyses.trust.shuffling import parts, shuffled
from babelscope.analyses.trust.values import (
    CHECKS,
    VERDICTS,
    Check,
    Trust,
)
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.measure import explained_target, measure
from babelscope.model.load import Model
from babelscope.stats.calibration import claimed, reliability
from babelscope.types import Attribution, Example
from conftest import TEXTS, tiny
from planted import WEIGHTS

TRUTH = ["great", "good", "fine", "film", "the", "dull", "bad"]
LABELLED = [
    Example("a", ("great film",), "en", label="positive"),
    Example("b", ("bad film",), "en", label="positive"),
]


def by_name(one: Trust) -> dict[str, Check]:
    return {check.name: check for check in one.checks}


def oracle(model: Model, sign: float = 1.0) -> Attribution:
    """The true weights of the planted model's words, or their negatives, as if a method had found
    them.
    """
    (one,) = explain(model, " ".join(TRUTH), "occlusion", target="positive")
    scores = tuple(sign * WEIGHTS[word] for word in one.words)
    return replace(one, scores=scores, word_scores=scores)


def test_the_panel_asks_everything_in_order(bert: Model) -> None:
    (found,) = trust(bert, explain(bert, TEXTS[0], "occlusion"), draws=1, seeds=1)
    assert [check.name for check in found.checks] == list(CHECKS)
    assert [stage.part for stage in found.stages] == [part.name for part in parts(bert)]
    for check in found.checks:
        assert (check.verdict in ("undefined", "not run", "does not apply")) == isnan(check.value)
        assert check.verdict in VERDICTS
        assert check.said


def test_the_truth_passes_and_its_negative_fails(planted: Model) -> None:
    right, wrong = (
        by_name(trust(planted, [oracle(planted, sign)], draws=2, seeds=1)[0])
        for sign in (1.0, -1.0)
    )
    for name in ("leave_one_out", "comprehensiveness", "sufficiency"):
        assert right[name].verdict == "holds", name
        assert right[name].value == pytest.approx(1.0, abs=1e-9), name
        assert wrong[name].verdict == "fails", name
        assert wrong[name].value < right[name].low


def test_chance_is_the_mean_over_all_orders() -> None:
    """Four scores have 24 orders: the drawn taus are among theirs, and their mean and deviation
    are near.
    """
    scores = np.array([0.3, -1.0, 2.0, 0.7])
    exact = [
        kendalltau(scores, [scores[at] for at in order]).statistic
        for order in permutations(range(4))
    ]
    drawn = checks.chance(scores, "any")
    assert set(np.round(drawn, 9)) == set(np.round(exact, 9))
    assert drawn.mean() == pytest.approx(0.0, abs=4 * np.std(exact) / np.sqrt(len(drawn)))
    assert drawn.std() == pytest.approx(np.std(exact), rel=0.1)
    low, high = checks.spread(drawn, 16)
    assert (high - low) / 4 == pytest.approx(np.std(exact) / 4, rel=0.25)


def test_chance_with_ties_is_tau_b() -> None:
    scores = np.array([1.0, 1.0, 2.0, 0.0, 0.0, 3.0])
    exact = {
        round(float(kendalltau(scores, scores[list(order)]).statistic), 9)
        for order in permutations(range(6))
    }
    assert set(np.round(checks.chance(scores, "ties"), 9).tolist()) <= exact


@pytest.mark.parametrize("method", ["random", "position", "inverse_frequency"])
def test_what_knows_nothing_of_the_model_survives_its_shuffling(bert: Model, method: str) -> None:
    (found,) = trust(bert, explain(bert, TEXTS[1], method, lang="en"), draws=2, seeds=2)
    assert by_name(found)["randomisation"].verdict == "fails"
    assert all(stage.similarity == pytest.approx(1.0) for stage in found.stages)
    assert found.untrained == pytest.approx(1.0)


def test_stages_are_the_similarities_of_explanations_made_inside(bert: Model) -> None:
    """From the outside: shuffle, explain the same class, compare."""
    (one,) = explain(bert, TEXTS[1], "input_x_gradient")
    (found,) = trust(bert, [one], draws=3, seeds=1)
    listed = parts(bert)
    for count, stage in enumerate(found.stages, 1):
        alike, sizes, made = [], [], []
        for draw in range(3):
            with shuffled(bert, listed[:count], draw):
                (other,) = explain(bert, TEXTS[1], "input_x_gradient", target=one.target)
            made.append(other.word_scores)
            alike.append(kendalltau(one.word_scores, other.word_scores).statistic)
            sizes.append(kendalltau(np.abs(one.word_scores), np.abs(other.word_scores)).statistic)
        assert stage.similarity == pytest.approx(np.mean(alike), abs=1e-9)
        assert stage.magnitude == pytest.approx(np.mean(sizes), abs=1e-9)
    pairs = [kendalltau(made[a], made[b]).statistic for a, b in ((0, 1), (0, 2), (1, 2))]
    assert found.untrained == pytest.approx(np.mean(pairs), abs=1e-9)


def test_completeness_is_the_gap_as_a_share(bert: Model) -> None:
    (one,) = explain(bert, TEXTS[0], "integrated_gradients")
    assert by_name(trust(bert, [one], draws=1)[0])["completeness"].verdict == "holds"
    assert one.reference_value is not None
    way = one.value - one.reference_value
    off = replace(one, scores=(one.scores[0] + 0.1 * way, *one.scores[1:]))
    check = by_name(trust(bert, [off], draws=1)[0])["completeness"]
    assert check.verdict == "fails"
    assert check.value == pytest.approx(0.1, abs=0.02)


def test_stability_is_the_mean_agreement_of_every_two_seeds(bert: Model) -> None:
    (one,) = explain(bert, TEXTS[1], "lime", options={"samples": 40}, seed=3)
    found = by_name(trust(bert, [one], draws=1, seeds=2)[0])["stability"]
    made = [
        explain(bert, TEXTS[1], "lime", options={"samples": 40}, seed=seed)[0].word_scores
        for seed in (3, 4, 5)
    ]
    expected = np.mean(
        [kendalltau(made[a], made[b]).statistic for a, b in ((0, 1), (0, 2), (1, 2))]
    )
    assert found.value == pytest.approx(expected, abs=1e-9)
    still = by_name(trust(bert, explain(bert, TEXTS[1], "occlusion"), draws=1)[0])["stability"]
    assert still.verdict == "does not apply"
    assert "no random numbers" in still.said


def test_a_model_is_its_own_sibling_and_another_is_not() -> None:
    one, other = tiny("bert"), tiny("xlm-roberta")
    found = explain(one, TEXTS[1], "occlusion")
    same = by_name(trust(one, found, draws=1, siblings=[one, one])[0])["siblings"]
    assert (same.value, same.verdict) == (pytest.approx(1.0), "holds")
    different = by_name(trust(one, found, draws=1, siblings=[other])[0])["siblings"]
    (theirs,) = explain(other, TEXTS[1], "occlusion", target=found[0].target)
    assert different.value == pytest.approx(
        kendalltau(found[0].word_scores, theirs.word_scores).statistic, abs=1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["bert", "gpt2"])
def test_a_panel_depends_on_its_explanation_alone_and_leaves_the_model(architecture: str) -> None:
    model = tiny(architecture)
    before = {name: one.detach().clone() for name, one in model.hf.named_parameters()}
    texts = [TEXTS[0], TEXTS[3]]
    found = explain(model, texts, "input_x_gradient") + explain(
        model, texts, "lime", options={"samples": 30}
    )
    together = trust(model, found, draws=2, seeds=1)
    for one, joint in zip(found, together):
        (alone,) = trust(model, [one], draws=2, seeds=1)
        for a, b in zip((*alone.checks, *alone.stages), (*joint.checks, *joint.stages)):
            first, second = (
                getattr(each, "value", getattr(each, "similarity", None)) for each in (a, b)
            )
            assert first == pytest.approx(second, abs=1e-9, nan_ok=True)
    assert all(torch.equal(one, before[name]) for name, one in model.hf.named_parameters())


def test_calibration_counts_the_predictions_that_are_as_sure(planted: Model) -> None:
    (one,) = explain(planted, "great film", "occlusion", lang="en")
    check = by_name(trust(planted, [one], draws=1, labelled=LABELLED * 30)[0])["calibration"]
    assert check.value == pytest.approx(0.5)
    assert check.low < 0.5 < check.high < one.probability
    assert check.verdict == "fails"
    other = replace(one, lang="hi")
    assert (
        "none of them in hi"
        in by_name(trust(planted, [other], draws=1, labelled=LABELLED)[0])["calibration"].said
    )


def test_reliability_is_a_window_around_the_confidence() -> None:
    sure, right = [0.5, 0.6, 0.9, 0.95, 0.97], [False, True, True, False, True]
    assert reliability(0.95, sure, right, nearest=3).mean == pytest.approx(2 / 3)
    assert reliability(0.5, sure, right, nearest=1).mean == 0.0
    assert reliability(0.5, sure, right).mean == pytest.approx(3 / 5)
    shuffle = [3, 1, 4, 0, 2]
    again = reliability(
        0.95, [sure[at] for at in shuffle], [right[at] for at in shuffle], nearest=3
    )
    assert again == reliability(0.95, sure, right, nearest=3)
    assert reliability(0.5, [0.4, 0.6], [True, False], nearest=1).n == 2, (
        "two that are equally near count both"
    )
    assert isnan(reliability(0.5, [], []).mean)


def test_the_reliability_of_a_calibrated_model_covers_its_confidence() -> None:
    draw = np.random.default_rng(3)
    hits = 0
    for _ in range(300):
        sure = draw.uniform(0.5, 1.0, 2000)
        found = reliability(0.8, sure.tolist(), (draw.random(2000) < sure).tolist())
        hits += found.low <= 0.8 <= found.high
    assert hits / 300 >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 300)


@pytest.mark.parametrize("count", [10, 50])
def test_the_reliability_of_few_texts_covers_what_they_claim(count: int) -> None:
    """All of them are in the window: their accuracy is that of the mean confidence, and of a new
    text's own confidence it says little."""
    draw = np.random.default_rng(4)
    hits = others = 0
    for _ in range(300):
        sure, new = draw.uniform(0.5, 1.0, count), draw.uniform(0.5, 1.0)
        found = reliability(new, sure.tolist(), (draw.random(count) < sure).tolist())
        hits += found.low <= claimed(new, sure.tolist()) <= found.high
        others += found.low <= new <= found.high
    assert hits / 300 >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 300)
    assert others < hits


@pytest.mark.parametrize(
    ("name", "task"),
    [("llama", "text-classification"), ("t5", "text-classification"),
     ("bert", "question-answering"),
     ("bert", "token-classification"), ("gpt2", "text-generation"), ("mamba", "text-generation")],
)  # fmt: skip
def test_every_task_has_a_panel(name: str, task: str) -> None:
    model = zoo.shared(name, task)
    text = ("who liked the room", TEXTS[0]) if task == "question-answering" else TEXTS[0]
    (found,) = trust(model, explain(model, text, "input_x_gradient"), draws=1)
    assert by_name(found)["randomisation"].verdict in ("holds", "fails")
    reason = "not run" if model.classifies else "does not apply"
    assert by_name(found)["calibration"].verdict == reason
    assert all(np.isfinite(stage.similarity) for stage in found.stages)


def test_a_contrast_is_looked_at_as_a_contrast(bert: Model) -> None:
    (one,) = explain(bert, TEXTS[0], "integrated_gradients", quantity="contrast")
    assert explained_target(one).quantity == "contrast"
    assert explained_target(one).contrast >= 0
    assert by_name(trust(bert, [one], draws=1)[0])["completeness"].verdict == "holds"
    assert np.isfinite(measure(bert, [one], "infidelity")[0].value)


def test_what_cannot_be_said_is_undefined_with_a_reason(bert: Model) -> None:
    (found,) = trust(bert, explain(bert, "no", "integrated_gradients"), draws=1)
    told = by_name(found)
    verdicts = {
        "leave_one_out": "undefined", "randomisation": "undefined", "siblings": "not run",
        "calibration": "not run", "stability": "does not apply",
    }  # fmt: skip
    for name, verdict in verdicts.items():
        assert told[name].verdict == verdict, name
        assert told[name].said
    row = found.to_json()
    assert [one["value"] for one in row["checks"] if one["name"] == "calibration"] == [None]


def test_bad_questions_are_refused(bert: Model) -> None:
    found = explain(bert, TEXTS[0], "random")
    with pytest.raises(InputError, match="no explanation"):
        trust(bert, [])
    with pytest.raises(InputError, match="draws"):
        trust(bert, found, draws=0)
    with pytest.raises(InputError, match="label on every"):
        trust(bert, found, labelled=[Example("x", ("no",))])


def test_every_complete_method_is_asked_for_completeness() -> None:
    for name, row in METHODS.items():
        one = replace(_bare(name), reference_value=0.0)
        assert (checks.completeness(one).verdict != "does not apply") == row.complete
    assert METRICS["loo_correlation"].order_only, "the chance of leave-one-out is that of orders"


def _bare(method: str) -> Attribution:
    return replace(explain(tiny("bert"), "no", "random")[0], method=method)
