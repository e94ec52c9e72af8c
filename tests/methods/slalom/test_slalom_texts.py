"""SLALOM of functions and corpora, the text without words, its rivals, the synthetic languages and
the picture.
"""

from __future__ import annotations

import xml.etree.ElementTree as tree
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from test_slalom_method import TEXT, WORDS, full

from babelscope.data.synthetic import LINEAR, linear_words, sample, slalom_words
from babelscope.display.highlight import explanations_html
from babelscope.display.plane import plane_figure, plane_svg
from babelscope.display.results import Attributions
from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.methods.slalom.baselines import additive, linear, naive_bayes
from babelscope.methods.slalom.classes import explain_classes
from babelscope.methods.slalom.corpus import explain_function, fit_corpus, log_odds, without
from conftest import TEXTS, tiny
from slalom_transformer import IMPORTANCE, VALUE, slalom_transformer


def mixed(texts: list[str]) -> np.ndarray:
    """A black box that is a SLALOM of words, as probabilities of the second class."""
    return np.array([1 / (1 + np.exp(-full(text.split()))) for text in texts])


@pytest.mark.parametrize("design", ["mix", "exact", "mix+deletion+text"])
@pytest.mark.parametrize(
    "function",
    [
        mixed,
        lambda texts: mixed(texts)[:, None],
        lambda texts: np.stack([1 - mixed(texts), mixed(texts)], 1),
    ],
)
def test_a_black_box_that_is_a_slalom_is_explained_exactly(
    function: Callable[..., object], design: str
) -> None:
    options = {"score": "removal", "design": design}
    (one,) = explain_function(
        function, TEXT, labels=["bad", "good"], target="good", options=options
    )
    assert one.words == tuple(WORDS)
    np.testing.assert_allclose(one.details["value"], [VALUE[word] for word in WORDS], atol=1e-3)
    expected = [full(WORDS) - full(WORDS[:at] + WORDS[at + 1 :]) for at in range(len(WORDS))]
    np.testing.assert_allclose(one.word_scores, expected, atol=1e-3)
    assert one.value == pytest.approx(full(WORDS))


def test_a_bag_of_words_classifier_gets_the_signs_of_its_weights() -> None:
    language = linear_words()
    rows, _ = sample(language, 800)
    box = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(
        [r.texts[0] for r in rows], [r.label for r in rows]
    )
    text = "the perfect movie worst we best poor watch"
    (one,) = explain_function(
        box.predict_proba, text, labels=["negative", "positive"], target="positive"
    )
    for word, score in zip(one.words, one.details["value"]):
        if LINEAR[word][0]:
            assert np.sign(score - np.median(one.details["value"])) == np.sign(LINEAR[word][0])


def test_a_black_box_that_fails_is_refused_or_flagged() -> None:
    def sometimes(texts: list[str]) -> np.ndarray:
        return np.where([text == "great dull" for text in texts], np.nan, mixed(texts))

    (one,) = explain_function(sometimes, "great dull film", options={"samples": 1000})
    assert any("1 answer(s) were not finite" in flag for flag in one.flags)
    with pytest.raises(InputError, match="not finite"):
        explain_function(
            lambda texts: np.where([len(t.split()) == 2 for t in texts], np.nan, mixed(texts)), TEXT
        )
    with pytest.raises(InputError, match="itself"):
        explain_function(lambda texts: [np.nan] * len(texts), TEXT)
    with pytest.raises(InputError, match="outside of 0 to 1"):
        explain_function(lambda texts: [3.0] * len(texts), TEXT)
    with pytest.raises(InputError, match="one row per text"):
        explain_function(lambda texts: [0.5], TEXT)
    with pytest.raises(InputError, match="units are words"):
        explain_function(mixed, TEXT, options={"unit": "token"})
    with pytest.raises(InputError, match="one text"):
        explain_function(mixed, (TEXT, TEXT))
    with pytest.raises(InputError, match="empty"):
        explain_function(mixed, " ")
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()
    (constant,) = explain_function(lambda texts: [0.3] * len(texts), TEXT)
    assert any("constant model" in flag for flag in constant.flags)


def test_without_words_is_the_model_without_them() -> None:
    (one,) = explain(slalom_transformer(), TEXT, "slalom", target="positive")
    for gone in (["the"], ["great", "film"], []):
        left = [word for word in WORDS if word not in gone]
        assert without(one, gone) == pytest.approx(full(left), abs=1e-4)
    with pytest.raises(InputError, match="not a word"):
        without(one, ["purple"])
    (other,) = explain(slalom_transformer(), TEXT, "occlusion")
    with pytest.raises(InputError, match="slalom"):
        without(other, ["the"])


def test_a_corpus_of_a_slalom_gives_its_numbers() -> None:
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice(list(VALUE), generator.integers(1, 6))) for _ in range(400)]
    found = fit_corpus(slalom_transformer(), texts, "positive").to_pandas()
    centre = np.mean(list(IMPORTANCE.values()))
    np.testing.assert_allclose(found["value"], [VALUE[unit] for unit in found["unit"]], atol=1e-3)
    np.testing.assert_allclose(
        found["importance"], [IMPORTANCE[unit] - centre for unit in found["unit"]], atol=1e-3
    )
    assert found["count"].sum() == sum(len(text.split()) for text in texts)
    whole = fit_corpus(tiny("bert"), TEXTS[:3], "positive", unit="word")
    assert "lovely" in whole.units


def test_classes_together_share_the_importances_of_a_slalom() -> None:
    """The logits are (0, F), so that the two values of a word differ by its value."""
    found = explain_classes(slalom_transformer(), TEXT, samples=1000)
    assert list(found["unit"]) == list(dict.fromkeys(WORDS))
    np.testing.assert_allclose(
        found["positive"] - found["negative"], [VALUE[word] for word in found["unit"]], atol=0.02
    )
    np.testing.assert_allclose(found["positive"] + found["negative"], 0, atol=1e-9)
    order = sorted(found["unit"], key=IMPORTANCE.__getitem__)
    assert list(found.sort_values("importance")["unit"]) == order
    with pytest.raises(InputError, match="at least two"):
        explain_classes(slalom_transformer(labels=1), TEXT)


def test_rivals_meet_what_they_can_say() -> None:
    generator = np.random.default_rng(1)
    rows = [generator.integers(0, 6, generator.integers(1, 8)).tolist() for _ in range(300)]
    weight = generator.normal(size=6)
    added = np.array([0.4 + weight[row].sum() for row in rows])
    np.testing.assert_allclose(
        linear(rows[:200], added[:200], rows[200:], 6), added[200:], atol=1e-9
    )
    placed = np.array([2.0 * (row[0] == 3) for row in rows])
    gap = np.abs(additive(rows[:200], placed[:200], rows[200:], 6) - placed[200:])
    assert gap.max() < 0.3
    assert np.abs(linear(rows[:200], placed[:200], rows[200:], 6) - placed[200:]).max() > 0.5
    positive = [row[0] < 3 for row in rows]
    score = naive_bayes(rows, positive, 6)
    np.testing.assert_allclose(
        naive_bayes(rows, [not one for one in positive], 6), -score, atol=1e-12
    )
    assert naive_bayes([[0, 1], [0]], [True, False], 2)[0] == 0


@pytest.mark.parametrize("language", [linear_words(), slalom_words(50)], ids=["linear", "slalom"])
def test_synthetic_labels_follow_the_log_odds(language: object) -> None:
    examples, rows = sample(language, 4000)
    again, _ = sample(language, 4000)
    assert examples == again
    assert [" ".join(language.words[word] for word in row) for row in rows] == [
        one.texts[0] for one in examples
    ]
    chance = np.array([1 / (1 + np.exp(-language.log_odds(np.array(row)))) for row in rows])
    label = np.array([one.label == "positive" for one in examples])
    for low, high in ((0, 0.3), (0.3, 0.7), (0.7, 1)):
        here = (chance > low) & (chance <= high)
        if here.sum() > 200:  # four standard errors of a share
            assert abs(label[here].mean() - chance[here].mean()) < 2 / np.sqrt(here.sum())
    assert {len(row) for row in rows} <= set(range(1, 31))


def test_the_plane_has_every_word_once_at_its_place() -> None:
    (one,) = explain(slalom_transformer(), TEXT, "slalom", target="positive")
    (chart,) = plane_figure(one).charts
    picture = tree.fromstring(str(chart.svg))
    space = "{http://www.w3.org/2000/svg}"
    marks = [mark.get("transform") for mark in picture.iter(f"{space}path")]
    dots = [tuple(map(float, place[len("translate(") : -1].split(","))) for place in marks]
    names = [text.text for text in picture.iter(f"{space}text") if text.get("class") == "m d"]
    assert names == list(dict.fromkeys(WORDS))
    assert [row["name"] for row in plane_figure(one).rows] == names
    assert plane_svg(one).startswith("<svg")
    across = sorted(zip(dots, names))
    assert [name for _, name in across] == sorted(names, key=VALUE.__getitem__)
    upward = sorted(zip([-y for _, y in dots], names))
    assert [name for _, name in upward] == sorted(names, key=IMPORTANCE.__getitem__)
    assert "<svg" in explanations_html([one])
    (other,) = explain(slalom_transformer(), TEXT, "occlusion")
    assert "<svg" not in Attributions((other,))._repr_html_()
    with pytest.raises(InputError, match="slalom"):
        plane_svg(other)
