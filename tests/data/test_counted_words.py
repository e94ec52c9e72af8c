"""Words of a SLALOM that are counted in labelled texts."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from babelscope.data.counted_words import counted_words
from babelscope.data.examples import examples, made_up_language
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.training.tokenizers import make_tokenizer
from babelscope.types import Example

ROWS = [("1", "Good film, good 7!", "positive"), ("2", "bad film", "negative"),
        ("3", "good Bad bad", "negative")]  # fmt: skip
TEXTS = [Example(number, (text,), "en", label=label) for number, text, label in ROWS]
BUILTIN = DataSpec(builtin="sentiment", split="train", examples=600)


def test_values_by_hand() -> None:
    """Positive: good good film, 3 words. Negative: bad film good bad bad, 5 words. In all: bad 3,
    good 3, film 2."""
    counted = counted_words(TEXTS, 3)
    assert counted.words == ("bad", "good", "film")
    expected = [
        2 * log((20 / 3) / (23 / 5)), 2 * log((22 / 3) / (21 / 5)), 2 * log((21 / 3) / (21 / 5)),
    ]  # fmt: skip
    np.testing.assert_allclose(counted.value, expected)
    assert counted.importance is not None
    assert abs(counted.importance.mean()) < 1e-12


def test_order_and_labels() -> None:
    counted, turned = counted_words(TEXTS, 3), counted_words(TEXTS[::-1], 3)
    np.testing.assert_array_equal(counted.value, turned.value)
    other = {"positive": "negative", "negative": "positive"}
    exchanged = [
        Example(row.id, row.texts, "en", label=other[str(row.label)]) for row in TEXTS
    ]  # fmt: skip
    np.testing.assert_allclose(counted_words(exchanged, 3).value, -counted.value)


def test_texts_that_cannot_be_counted() -> None:
    with pytest.raises(InputError, match="have 3 words of letters and 2 of the two classes; 4"):
        counted_words(TEXTS, 4)
    with pytest.raises(InputError, match="1 of the two classes"):
        counted_words(TEXTS[:1], 2)
    with pytest.raises(InputError, match="need the labels positive and negative, not 'neg'"):
        counted_words([Example("1", ("a b",), "en", label="neg")], 1)
    with pytest.raises(ValueError, match="'counts' are texts for the words"):
        DataSpec(synthetic="linear", counts=BUILTIN)
    with pytest.raises(ValueError, match="'counts' are texts for the words"):
        DataSpec(builtin="topic", counts=BUILTIN)


def test_words_of_a_named_corpus() -> None:
    data = DataSpec(synthetic="slalom:60", counts=BUILTIN, examples=40)
    counted = made_up_language(data, "en")
    assert counted is made_up_language(data, "en"), "counted once"
    assert len(counted.words) == 60
    used = {word for row in examples(data, "en") for word in row.texts[0].split()}
    assert used <= set(counted.words)
    # Words of praise are worth more than words of blame
    worth = dict(zip(counted.words, counted.value))
    assert max(worth, key=worth.__getitem__) != min(worth, key=worth.__getitem__)
    assert counted.value.max() > 0.5
    assert counted.value.min() < -0.5
    assert made_up_language(DataSpec(synthetic="slalom:60"), "en").words[0] == "aaa"


@pytest.mark.parametrize("architecture", ["bert", "distilbert", "gpt2"])
def test_a_word_is_a_token_of_the_tokenizer_that_learns_the_language(architecture: str) -> None:
    data = DataSpec(synthetic="slalom:60", counts=BUILTIN, examples=2000)
    texts = [row.texts[0] for row in examples(data, "en")]
    tokenizer = make_tokenizer(architecture, texts, 2000)
    for text in texts[:200]:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        assert len(ids) == len(text.split()), text


def test_samples_are_of_as_many_groups_as_they_can_be() -> None:
    """Three groups of three rows, one of one: four rows are of four groups, and so in Spanish."""
    rows = [
        {"id": f"{lang}{at}", "text": f"{lang} {at}", "lang": lang, "group": group}
        for lang in ("en", "es")
        for at, group in enumerate("aaabbbcccd")
    ]
    data = DataSpec(rows=rows, sampled=True, examples=4)
    chosen = examples(data, "en")
    assert sorted(row.group for row in chosen) == ["a", "b", "c", "d"]
    assert [row.group for row in examples(data, "es")] == [row.group for row in chosen]
    more = examples(data, "en", count=7)
    assert sorted(row.group for row in more) == ["a", "a", "b", "b", "c", "c", "d"]
    assert more[:4] == chosen
