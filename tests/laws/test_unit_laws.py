"""Explanations and metrics in sentences, paragraphs, texts and named units: their laws, in
float64.
"""

from __future__ import annotations

import numpy as np
import pytest

from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.functions import from_function
from babelscope.model.units import units_of
from babelscope.store.rows import attribution as from_row
from babelscope.store.rows import to_table
from babelscope.types import Example
from conftest import tiny

TEXT = "the food was not good! the room was lovely! we liked the old town.\n\nnever again."
SHORT = "good food! old town!"
PAIR = ("good food! we liked it.", "nobody liked it!")
HINDI = "खाना बहुत अच्छा था। लेकिन कमरा छोटा था। हम खुश थे।"
UNITS = ("word", "sentence", "paragraph", "text")
ERASING = ("occlusion", "lime", "kernel_shap", "permutation_shapley", "partition_shapley")
QUICK = {
    "inverse_frequency": {"corpus": "sentiment/en/train/20"},
    "smooth_gradient": {"samples": 4},
    "expected_gradients": {"baselines": 4},
    "integrated_gradients": {"tolerance": 0.05},
    "slalom": {"samples": 40},
}
SLOW = (
    "lrp",
    "partial_lrp",
    "transatt",
    "masked_lrp",
    "masked_attnlrp",
    "attention_flow",
    "slalom",
)
"""Left out where a law is of the sums that all methods share."""


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("data", [TEXT, PAIR, HINDI], ids=["text", "pair", "hindi"])
def test_every_token_is_in_one_unit(data: object, unit: str) -> None:
    model = tiny("xlm-roberta")
    (attribution,) = explain(model, data, "random", unit=unit, lang="en")  # type: ignore[arg-type]
    (plain,) = explain(model, data, "random", lang="en")  # type: ignore[arg-type]
    units = attribution.units
    assert units is not None
    assert attribution.tokens == plain.tokens
    assert sorted(set(units.index)) == list(range(len(units.texts)))
    for (start, end), text, at in zip(attribution.offsets, attribution.segment, units.index):
        left, right = units.offsets[at]
        assert units.segment[at] == text
        assert end <= left or start >= right or max(start, left) < min(end, right)
    for name, span, text in zip(units.texts, units.offsets, units.segment):
        assert attribution.texts[text][slice(*span)] == name


@pytest.mark.parametrize("method", [name for name in METHODS if name not in SLOW])
def test_scores_of_units_are_those_of_their_tokens(method: str) -> None:
    """Summed (or the highest); of a method that does not erase, the tokens' scores are the same to
    the bit as without units.
    """
    model, options = tiny("bert"), QUICK.get(method)
    (attribution,) = explain(model, TEXT, method, unit="sentence", lang="en", options=options)
    units, scores = attribution.units, np.array(attribution.scores)
    assert units is not None
    assert len(units.texts) == 4
    combine = np.max if METHODS[method].words == "max" else np.sum
    for at, score in enumerate(units.scores):
        assert score == pytest.approx(combine(scores[np.array(units.index) == at]), rel=1e-12)
    if method not in ERASING:
        (plain,) = explain(model, TEXT, method, lang="en", options=options)
        assert attribution.scores == plain.scores


@pytest.mark.parametrize("method", [row.name for row in METHODS.values() if row.complete])
@pytest.mark.parametrize("data", [SHORT, PAIR], ids=["text", "pair"])
@pytest.mark.parametrize("unit", ["word", "sentence"])
def test_complete_methods_have_the_same_total_in_every_unit(
    method: str, data: object, unit: str
) -> None:
    model = tiny("bert")
    options = {"tolerance": 1e-4} if method == "integrated_gradients" else None
    (attribution,) = explain(model, data, method, unit=unit, lang="en", options=options)  # type: ignore[arg-type]
    assert attribution.units is not None
    assert attribution.reference_value is not None
    total = attribution.value - attribution.reference_value
    near = 1e-3 if method == "integrated_gradients" else 1e-9
    assert sum(attribution.units.scores) == pytest.approx(total, abs=near)
    if method in ERASING:
        (plain,) = explain(model, data, method, lang="en")  # type: ignore[arg-type]
        assert plain.reference_value == pytest.approx(attribution.reference_value)


@pytest.mark.parametrize("method", [*ERASING, "slalom"])
def test_units_that_are_the_tokens_give_the_tokens_scores_to_the_bit(method: str) -> None:
    model, text = tiny("bert"), "not good food"
    (row,) = encode(model, [Example("1", (text,))])
    spans = tuple((int(start), int(end)) for start, end in row.offsets[row.content])
    named = Example("1", (text,), units=(("piece", (spans,)),))
    options = QUICK.get(method)
    (by_unit,) = explain(model, named, method, unit="piece", options=options)
    (plain,) = explain(model, Example("1", (text,)), method, options=options)
    (token,) = explain(model, named, method, unit="token", options=options)
    assert token.scores == plain.scores
    assert token.units is None
    if method == "partition_shapley":  # its tree keeps words together, of units it knows none
        assert sum(by_unit.scores) == pytest.approx(sum(plain.scores))
    else:
        assert by_unit.scores == plain.scores


@pytest.mark.parametrize(("method", "most"), [("occlusion", 4 + 1), ("kernel_shap", 2**4)])
def test_whole_units_are_erased_and_forward_passes_counted_by_them(method: str, most: int) -> None:
    """Four sentences: each is erased once, or all 16 sets of them; the text itself is one more."""
    texts: list[str] = []

    def function(batch: list[str]) -> list[list[float]]:
        texts.extend(batch)
        return [[float(len(text)), 0.0] for text in batch]

    words = from_function(function, labels=["long", "short"], outputs="scores", name="length")
    (attribution,) = explain(words, TEXT, method, unit="sentence", lang="en")
    assert len(set(texts)) <= most
    assert "the food was not good!" in "".join(texts)
    assert not any("the food" in text and "good!" not in text for text in texts)
    assert attribution.units is not None


def test_what_is_in_no_unit_is_fixed() -> None:
    """Of a prompt with two examples and a question, only the examples are scored and erased."""
    text = "good food -> yes. bad room -> no. old town ->"
    example = Example("1", (text,), units=(("example", (((0, 17), (18, 33)),)),))
    texts: list[str] = []

    def function(batch: list[str]) -> list[list[float]]:
        texts.extend(batch)
        return [[float(len(each)), 0.0] for each in batch]

    words = from_function(function, labels=["long", "short"], outputs="scores", name="length")
    (attribution,) = explain(words, example, "permutation_shapley", unit="example")
    assert attribution.units is not None
    assert attribution.units.texts == ("good food -> yes.", "bad room -> no.")
    assert all("old town" in each for each in texts)
    assert "old" not in attribution.words
    model = tiny("bert")
    (attribution,) = explain(model, example, "integrated_gradients", unit="example",
                             options={"tolerance": 1e-4})  # fmt: skip
    assert attribution.units is not None
    assert attribution.reference_value is not None
    total = attribution.value - attribution.reference_value
    assert sum(attribution.units.scores) == pytest.approx(total, abs=1e-3)
    assert "town" not in attribution.words


def test_an_unknown_unit_is_refused_in_one_line() -> None:
    with pytest.raises(InputError, match="there are no units 'sentense'; there are: token, word,"):
        explain(tiny("bert"), TEXT, "occlusion", unit="sentense")


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_works_in_sentences(metric: str) -> None:
    model = tiny("bert")
    words = ((0, 3), (4, 8), (9, 12), (13, 16), (17, 21), (21, 22), (23, 26), (27, 32), (32, 33))
    example = Example("1", ("the food was not good! was lovely.",), "en", words=(words,),
                      rationale=((False,) * 3 + (True,) * 2 + (False,) * 4,))  # fmt: skip
    options = {"draws": 4} if "draws" in METRICS[metric].options else {}
    plain = explain(model, example, "occlusion")
    by_sentence = explain(model, example, "occlusion", unit="sentence")
    for attributions in (plain, by_sentence):
        (value,) = measure(model, attributions, metric, options={**options, "unit": "sentence"})
        assert value.options["unit"] == "sentence"
        low, high = METRICS[metric].bounds
        assert value.reason or low <= value.value <= high
        again = [from_row(row) for row in to_table("attributions", attributions).to_pylist()]
        assert again == list(attributions)
    (by_default,) = measure(model, by_sentence, metric, options=options)
    assert by_default.options["unit"] == "sentence"


def test_comprehensiveness_of_sentences_by_hand() -> None:
    """Of two sentences, ceil(r 2) is 1 for every share of the grid: the better one is erased."""
    model = tiny("bert")
    text = "the food was not good! the room was lovely."
    (attribution,) = attributions = explain(model, text, "occlusion", unit="sentence",
                                            quantity="probability", lang="en")  # fmt: skip
    assert attribution.units is not None
    assert len(attribution.units.scores) == 2
    (value,) = measure(model, attributions, "comprehensiveness")
    assert value.value == pytest.approx(max(attribution.units.scores), rel=1e-9)


def test_smaller_units_than_the_explained_ones_are_refused() -> None:
    model = tiny("bert")
    attributions = explain(model, TEXT, "occlusion", unit="sentence", lang="en")
    for unit in ("word", "token"):
        with pytest.raises(InputError, match=f"explained by sentence, and a {unit} can be smaller"):
            measure(model, attributions, "comprehensiveness", options={"unit": unit})
    (value,) = measure(model, attributions, "complexity", options={"unit": "paragraph"})
    assert np.isfinite(value.value)
    mixed = attributions + explain(model, TEXT, "occlusion", lang="en")
    with pytest.raises(InputError, match="the explanations are by sentence, token"):
        measure(model, mixed, "comprehensiveness")


def test_the_units_of_an_input_are_known_by_name() -> None:
    model = tiny("bert")
    (row,) = encode(model, [Example("1", (TEXT,), "en")])
    words = units_of(row, "word")
    assert words.texts == row.words
    sentences = units_of(row, "sentence")
    for at in range(len(words.texts)):
        assert len(set(sentences.index[words.index == at])) == 1
