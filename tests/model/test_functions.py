"""Any function from texts to scores: closed forms of a linear function, refusals, and a pipeline of
scikit-learn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import babelscope
from babelscope.data import builtin
from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.methods.suitability import suitable
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.erase import erase
from babelscope.model.functions import from_function
from babelscope.model.load import Model, load
from babelscope.model.stored_input import encoded_input
from babelscope.model.written import without, word_ids
from babelscope.types import Example

WEIGHTS = {"food": 0.25, "not": -2.0, "good": 1.5, "room": 0.5, ".": 0.125}
TEXT = "The food was not good, the room was."
OUTPUTS_ONLY = [row.name for row in METHODS.values() if not row.gradients and not row.attentions]
SHAPLEY = ("kernel_shap", "permutation_shapley", "partition_shapley")


def bag_of_words(text: str) -> float:
    """0.1 + the sum of the weights of the words; the empty text has 0.1."""
    return 0.1 + sum(WEIGHTS.get(word, 0.0) for word in re.findall(r"\w+|[^\w\s]", text))


def linear(texts: list[str]) -> list[float]:
    return [bag_of_words(text) for text in texts]


def sigmoid(texts: list[str]) -> list[float]:
    return [1 / (1 + np.exp(-bag_of_words(text))) for text in texts]


def weights(words: Sequence[str]) -> list[float]:
    return [WEIGHTS.get(word, 0.0) for word in words]


def model_of(function: Callable[[list[Any]], Any] = linear, **options: Any) -> Model:
    return from_function(
        function, **{"labels": ["bad", "good"], "outputs": "logits", "name": "linear"} | options
    )


@pytest.mark.parametrize("method", ["occlusion", *SHAPLEY])
@pytest.mark.parametrize("mask", ["", "[MASK]", "…"])
def test_a_linear_function_of_word_counts_gives_its_weights(method: str, mask: str) -> None:
    model = model_of(mask=mask)
    (attribution,) = explain(model, TEXT, method, quantity="log_odds", target="good")
    assert attribution.words == (
        "The",
        "food",
        "was",
        "not",
        "good",
        ",",
        "the",
        "room",
        "was",
        ".",
    )
    np.testing.assert_allclose(attribution.word_scores, weights(attribution.words), atol=1e-9)
    # 0.1 + 0.25 - 2 + 1.5 + 0.5 + 0.125
    assert attribution.value == pytest.approx(0.475)
    assert attribution.probability == pytest.approx(1 / (1 + np.exp(-0.475)))
    assert attribution.label == "good"
    assert attribution.flags == ()


def test_lime_ranks_as_the_weights_and_slalom_fits_their_mean() -> None:
    (attribution,) = explain(model_of(), TEXT, "lime", quantity="log_odds", options={"ridge": 0.0})
    np.testing.assert_allclose(attribution.word_scores, weights(attribution.words), atol=1e-9)
    # A SLALOM whose importances are equal is the mean of the values: 2 * the weight of the word
    mean = model_of(lambda texts: [2 * np.mean(weights(text.split())) for text in texts])
    (attribution,) = explain(mean, "good food not", "slalom", quantity="log_odds", target="good")
    np.testing.assert_allclose(attribution.details["value"], [3.0, 0.5, -4.0], atol=1e-6)


def test_probabilities_give_the_same_log_odds_as_logits() -> None:
    both = [
        explain(model_of(function, outputs=outputs), TEXT, "occlusion", quantity="log_odds")[0]
        for function, outputs in ((linear, "logits"), (sigmoid, "probabilities"))
    ]
    np.testing.assert_allclose(both[0].scores, both[1].scores, atol=1e-9)
    rows = model_of(lambda texts: [[1 - p, p] for p in sigmoid(texts)], outputs="probabilities")
    (attribution,) = explain(rows, TEXT, "occlusion", quantity="log_odds")
    np.testing.assert_allclose(attribution.scores, both[0].scores, atol=1e-9)


def test_comprehensiveness_and_sufficiency_by_hand() -> None:
    model = model_of(lambda texts: [0.5 + bag_of_words(t) / 10 for t in texts],
                     outputs="probabilities")  # fmt: skip
    (attribution,) = explain(model, "good food here now", "occlusion", quantity="probability",
                             target="good")  # fmt: skip
    # p = 0.5 + (0.1 + weights) / 10: 0.685 for the text, and its scores are the weights / 10
    assert attribution.probability == pytest.approx(0.685)
    np.testing.assert_allclose(attribution.scores, [0.15, 0.025, 0.0, 0.0], atol=1e-9)
    values = {each.metric: each.value for each in measure(model, [attribution])}
    # Lengths 1 (1, 5, 10 and 20 % of 4 words) and 2 (50 %): without good 0.535, without both 0.51
    assert values["comprehensiveness"] == pytest.approx((0.15 + 0.175) / 2)
    # good alone: 0.66; good and food: 0.685
    assert values["sufficiency"] == pytest.approx((0.025 + 0.0) / 2)


def test_every_method_and_metric_runs_or_is_refused_in_one_line() -> None:
    model = model_of(sigmoid, outputs="probabilities")
    for row in suitable(model):
        assert row.works == (row.method in OUTPUTS_ONLY), row
        if not row.works:
            assert "is a function of texts" in row.reason
    marked = Example("1", ("not good food",), "en", words=(((0, 3), (4, 8), (9, 13)),),
                     rationale=((False, True, False),))  # fmt: skip
    attributions = explain(model, marked, "occlusion")
    for metric, row in METRICS.items():
        if row.embeddings:
            with pytest.raises(UnsupportedModel, match=r"is a function of texts; use \w"):
                measure(model, attributions, metric)
            continue
        (value,) = measure(model, attributions, metric)
        assert np.isfinite(value.value) or value.reason


def test_the_texts_that_the_function_reads() -> None:
    read: list[str] = []

    def remember(texts: list[str]) -> list[float]:
        read.extend(texts)
        return [0.0] * len(texts)

    explain(model_of(remember), " A b,  c\nd ", "occlusion")
    assert read[:2] == [" A b,  c\nd "] * 2  # the prediction, and the check that it is repeated
    assert read[2:] == ["b,  c\nd ", " A ,  c\nd ", " A b  c\nd ", " A b,  d ", " A b,  c"]
    read.clear()
    explain(model_of(remember, mask="_"), "我喜欢 it.", "occlusion", lang="zh")
    assert read[2:] == ["_喜欢 it.", "我_ it.", "我喜欢 _.", "我喜欢 it_"]


def test_erasing_everything_leaves_the_empty_text_and_unlisted_characters() -> None:
    model = model_of()
    (row,) = encode(model, [Example("1", ("so good",))])
    query = erase(model, row, np.array([True, True]), "delete")
    assert query is not None
    assert query.texts == ("",)
    marked = Example("1", ("so, very (good)",), words=(((0, 2), (4, 8), (10, 14)),))
    (row,) = encode(model, [marked])
    assert without(row, np.array([False, True, False]), "") == ("so,  (good)",)
    assert without(row, np.array([True, True, False]), "") == (",  (good)",)


def test_batches_order_and_other_texts_change_nothing() -> None:
    texts = [TEXT, "good", "not good food"]
    for method in OUTPUTS_ONLY:
        options = {"samples": 40} if "samples" in METHODS[method].options else None
        whole = explain(model_of(), texts, method, options=options)
        few = [
            explain(model_of(batch=1), Example(str(at), (texts[at - 1],)), method,
                    options=options)[0]
            for at in (3, 2, 1)
        ]  # fmt: skip
        for first, second in zip(whole, few[::-1]):
            np.testing.assert_allclose(first.scores, second.scores, atol=1e-12, equal_nan=True)


def test_queries_are_counted_and_batches_are_no_larger_than_allowed() -> None:
    sizes: list[int] = []

    def counted(texts: list[str]) -> list[float]:
        sizes.append(len(texts))
        return linear(texts)

    model = model_of(counted, batch=4)
    explain(model, "a good room", "occlusion")
    # The prediction; once more for comparison; then three without a word each, and the text, whose
    # answer is known
    assert (model.inference.queries, model.inference.distinct) == (5, 4)
    assert sizes == [1, 1, 3]
    assert model.inference.padding == 0
    with model.inference.caching():
        before = model.inference.distinct
        for _ in range(2):
            explain(model, "a good room", "kernel_shap")
        assert model.inference.distinct == before + 2**3  # all sets, the full one among them


def test_pairs_are_read_as_tuples_and_one_text_can_be_fixed() -> None:
    def overlap(pairs: list[tuple[str, str]]) -> list[float]:
        return [bag_of_words(first) - 2 * bag_of_words(second) for first, second in pairs]

    model = model_of(overlap, pairs=True)
    pair = ("good food", "not good")
    (attribution,) = explain(model, pair, "kernel_shap", quantity="log_odds", target="good")
    np.testing.assert_allclose(attribution.word_scores, [1.5, 0.25, 4.0, -3.0], atol=1e-9)
    (attribution,) = explain(model, pair, "occlusion", quantity="log_odds", part="second",
                             target="good")  # fmt: skip
    np.testing.assert_allclose(attribution.word_scores, [4.0, -3.0], atol=1e-9)
    (attribution,) = explain(model, pair, "slalom", part="first", target="good")
    assert np.isfinite(attribution.word_scores).all()
    with pytest.raises(InputError, match="reads two texts, 1 given"):
        explain(model, "alone", "occlusion")


def test_scores_have_no_probability() -> None:
    model = model_of(labels=["stars"], outputs="scores")
    (attribution,) = explain(model, TEXT, "occlusion")
    np.testing.assert_allclose(attribution.word_scores, weights(attribution.words), atol=1e-9)
    assert np.isnan(attribution.probability)
    (undefined, defined) = measure(model, [attribution], ["comprehensiveness", "infidelity"])
    assert np.isnan(undefined.value)
    assert "scores without probabilities" in undefined.reason
    assert defined.value == pytest.approx(0, abs=1e-9)  # the weights of an additive function
    with pytest.raises(InputError, match="scores without probabilities"):
        explain(model, TEXT, "occlusion", quantity="log_odds")


def test_probabilities_of_0_and_1_are_cut_off_with_a_flag() -> None:
    model = model_of(lambda texts: [float("good" in text) for text in texts],
                     outputs="probabilities")  # fmt: skip
    (attribution,) = explain(model, "a good day", "occlusion", quantity="log_odds")
    # log-odds of 1 - 1e-12 and of 1e-12
    np.testing.assert_allclose(attribution.scores, [0, 2 * np.log(1e12), 0], atol=1e-3)
    assert "4 of 4 answers are a probability of 0 or 1" in attribution.flags[0]
    for method in ("lime", "partition_shapley", "slalom"):
        (attribution,) = explain(model, "a good day", method, quantity="log_odds")
        assert any("a probability of 0 or 1" in flag for flag in attribution.flags)
    (attribution,) = explain(model, "a good day", "occlusion", quantity="probability")
    assert attribution.flags == ()


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda texts: [0.5], {}, r"shape \(1,\) for 3 text"),
        (lambda texts: [[0.2, 0.3, 0.5]] * len(texts), {}, r"2 label\(s\); return one row"),
        (lambda texts: [[1.0, 2.0], [1.0]] * len(texts), {}, "rows of different lengths"),
        (lambda texts: ["good"] * len(texts), {}, "holds no numbers"),
        (lambda texts: [np.nan] * len(texts), {}, r"\[nan\] for the text 'a b c': not finite"),
        (lambda texts: 1 / 0, {}, "raised ZeroDivisionError"),
        (lambda texts: [3.0] * len(texts), {"outputs": "probabilities"}, "no probabilities"),
        (lambda texts: [[0.9, 0.9]] * len(texts), {"outputs": "probabilities"}, "sum to 1.8"),
        (lambda texts: [1.0] * len(texts), {"outputs": "scores"}, "one score for two labels"),
        (linear, {"outputs": "odds"}, "not one of: probabilities"),
        (linear, {"labels": "good"}, "different names in a list"),
        (linear, {"labels": ["a", "a"]}, "different names in a list"),
        (linear, {"batch": 0}, "batch must be at least 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(function: Any, options: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        explain(model_of(function, **options), ["a b c"] * 2 + ["x", "y"], "occlusion")
    assert "\n" not in str(refused.value)


def test_a_function_that_is_not_deterministic_is_refused() -> None:
    answers = iter([0.0, 1.0] * 9)
    with pytest.raises(InputError, match="to the same text; make it deterministic"):
        explain(model_of(lambda texts: [next(answers) for _ in texts]), "a b", "occlusion")


def test_operators_that_need_tokens_are_refused() -> None:
    with pytest.raises(UnsupportedModel, match=r"cannot be erased by pad; use delete"):
        explain(model_of(), TEXT, "occlusion", options={"operator": "pad"})
    with pytest.raises(UnsupportedModel, match=r"by sampled:x; use mask or delete"):
        explain(model_of(mask="_"), TEXT, "occlusion", options={"operator": "sampled:x"})


def test_explanations_are_measured_after_storage_and_only_with_their_function() -> None:
    model = model_of()
    (attribution,) = explain(model, TEXT, "occlusion")
    (row,) = encode(model, [Example("1", (TEXT,))])
    stored = encoded_input(attribution)
    assert stored.written
    np.testing.assert_array_equal(stored.ids, row.ids)
    again = model_of()
    assert measure(again, [attribution])[0].value == measure(model, [attribution])[0].value
    for other in (model_of(name="other"), model_of(mask="_"), model_of(labels=["no", "yes"])):
        with pytest.raises(InputError, match="another model"):
            measure(other, [attribution])


def test_a_function_has_a_panel_of_trust_without_shuffled_weights() -> None:
    model = model_of(sigmoid, outputs="probabilities")
    attributions = explain(model, "not good food", "kernel_shap", quantity="log_odds")
    (panel,) = babelscope.trust(model, attributions)
    checks = {check.name: check for check in panel.checks}
    assert checks["randomisation"].verdict == "does not apply"
    assert "no weights to shuffle" in checks["randomisation"].said
    assert checks["leave_one_out"].value == pytest.approx(1)  # scores are the weights
    assert panel.stages == ()
    assert "<svg" not in panel._repr_html_()


def test_ids_of_words_fit_into_32_bits_and_are_equal_for_equal_words() -> None:
    ids = word_ids(["good", "food", "good", "好"])
    assert ids[0] == ids[2]
    assert len(set(ids)) == 3
    assert all(-(2**31) <= number < 0 for number in ids)


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
    section = page.split("## Explain any function")[1].split("\n## ")[0]
    (code,) = re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S)
    exec(compile(code, "models.md", "exec"), {})
    assert "comprehensiveness" in capsys.readouterr().out


def test_a_pipeline_of_scikit_learn_agrees_with_its_coefficients() -> None:
    train, test = (builtin.read("sentiment", "en", split, 60) for split in ("train", "test"))
    train = [row for row in train if row.label in ("positive", "negative")]
    pipeline = make_pipeline(
        TfidfVectorizer(token_pattern=r"\w+", norm=None), LogisticRegression(max_iter=500)
    )
    pipeline.fit([row.texts[0] for row in train], [row.label for row in train])
    model = babelscope.from_function(pipeline.predict_proba, labels=list(pipeline.classes_))
    assert model.name == "Pipeline.predict_proba"
    rows = [row for row in test if row.label in ("positive", "negative")][:4]
    attributions = explain(model, rows, ["occlusion", "kernel_shap"], quantity="log_odds",
                    target="positive")  # fmt: skip
    vectorizer, classifier = pipeline[0], pipeline[-1]
    for attribution in attributions:
        # Without a norm, the log-odds are linear in counts: coefficient times inverse frequency
        expected = [
            classifier.coef_[0][at] * vectorizer.idf_[at] if at is not None else 0.0
            for at in (vectorizer.vocabulary_.get(word.lower()) for word in attribution.words)
        ]
        np.testing.assert_allclose(attribution.word_scores, expected, atol=1e-6)
        assert attribution.probability == pytest.approx(
            pipeline.predict_proba([attribution.texts[0]])[0][1]
        )
    values = measure(model, attributions, ["comprehensiveness", "sufficiency", "deletion_area"])
    assert np.isfinite([each.value for each in values]).all()


def test_a_classifier_of_scikit_learn_is_loaded_as_it_is() -> None:
    train = builtin.read("sentiment", "en", "train", 40)
    texts, labels = [row.texts[0] for row in train], [row.label for row in train]
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(texts, labels)
    wrapped = from_function(pipeline.predict_proba, labels=list(pipeline.classes_), name="tf-idf")
    (expected,) = explain(wrapped, texts[0], "occlusion")
    (attribution,) = explain(load(pipeline, name="tf-idf"), texts[0], "occlusion")
    assert attribution.scores == expected.scores
    assert load(pipeline).name == "Pipeline.predict_proba"
    with pytest.raises(InputError, match=r"LogisticRegression.predict_proba raised ValueError"):
        explain(pipeline[-1], texts[0], "occlusion")  # it takes vectors, not texts
    with pytest.raises(InputError, match="whose labels are unknown; wrap it with"):
        load(linear)
    with pytest.raises(InputError, match="Pipeline has no classes: fit a classifier"):
        load(make_pipeline(TfidfVectorizer(), LogisticRegression()))
    margins = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(texts, labels)
    with pytest.raises(InputError, match=r"Pipeline gives no probabilities .*decision_function"):
        load(margins)
    model = from_function(margins.decision_function, labels=margins.classes_, outputs="logits")
    assert explain(model, texts[0], "occlusion")[0].probability > 0.5
