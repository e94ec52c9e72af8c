"""The laws of the tokenization measures: from cuts made by hand, through real tokenizers, and on
real vocabularies.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from babelscope.analyses.tokenization.counts import (
    MEASURES,
    Tokenization,
    agreement,
    boundaries,
    counts,
    efficiency,
    together,
)
from babelscope.analyses.tokenization.headline import read_and_unread, unread_text
from babelscope.analyses.tokenization.section import answer, segmented
from babelscope.analyses.tokenization.tokenize import tokenization
from babelscope.data.segmentation import segment
from babelscope.errors import InputError
from babelscope.model.tokenizers import load_tokenizer, tokenize
from babelscope.types import (
    Example,
    Segmentation,
    Span,
    TokenizedText,
)

SENTENCES = {
    "en": "The room wasn't clean, but breakfast cost 3.50!",
    "hi": "खाना बहुत अच्छा था।",
    "zh": "这个酒店的房间很干净，但是早餐不好吃。",
    "ar": "الطعام كان لذيذا، لكن الغرفة صغيرة.",
}


def by(spans: Callable[[str, str], list[Span]], lang: str) -> Segmentation:
    text = SENTENCES[lang]
    found = spans(text, lang)
    return Segmentation(text, tuple(range(len(found))), tuple(found))


def characters(text: str, lang: str) -> list[Span]:
    return [(at, at + 1) for at, each in enumerate(text) if not each.isspace()]


def value(found: Any, name: str) -> float:
    return getattr(found, MEASURES[name].above) / getattr(found, MEASURES[name].below)


@pytest.mark.parametrize("lang", SENTENCES)
def test_words_as_tokens_split_nothing(lang: str) -> None:
    words = segment(SENTENCES[lang], lang)
    found = counts(by(lambda text, lang: list(segment(text, lang)), lang), words)
    assert value(found, "fertility") == value(found, "fertility_plain") == 1
    assert (found.split, found.unknown) == (0, 0)
    assert boundaries(by(lambda text, lang: list(segment(text, lang)), lang), words) == frozenset()


@pytest.mark.parametrize("lang", SENTENCES)
def test_characters_as_tokens_split_every_word_of_two(lang: str) -> None:
    text = SENTENCES[lang]
    words = segment(text, lang)
    sizes = [stop - start for start, stop in words]
    found = counts(by(characters, lang), words)
    assert value(found, "fertility") == pytest.approx(np.mean(sizes))
    assert value(found, "continued") == pytest.approx(np.mean([size > 1 for size in sizes]))
    assert value(found, "pieces_per_split") == pytest.approx(
        np.mean([size for size in sizes if size > 1])
    )
    assert value(found, "characters_per_token") == value(found, "single_character") == 1
    assert len(boundaries(by(characters, lang), words)) == sum(size - 1 for size in sizes)
    letters = [
        text[start:stop]
        for start, stop in words
        if any(each.isalnum() for each in text[start:stop])
    ]
    assert value(found, "fertility_plain") == pytest.approx(
        np.mean([len(word) for word in letters])
    )


def test_a_token_over_words_an_unknown_and_a_lone_space() -> None:
    """`a b` as one token: word a has it, word b has none. The unknown token is counted; a lone
    space covers no character.
    """
    words = ((0, 1), (2, 3), (4, 8))
    found = counts(
        Segmentation("a b cdef", (5, 9, 7, 8), ((0, 3), (3, 4), (4, 6), (6, 8)), unknown=9), words
    )
    assert (found.tokens, found.words, found.split, found.split_tokens) == (4, 3, 1, 3)
    assert (found.unknown, found.single, found.characters) == (1, 1, 6)
    assert boundaries(Segmentation("a b cdef", (5, 7, 8), ((0, 3), (4, 6), (6, 8))), words) == {6}
    assert together([found, found]).tokens == 8


@given(st.lists(st.sets(st.integers(1, 30)), min_size=2, max_size=2))
def test_agreement_is_f1(sets: list[set[int]]) -> None:
    one, two = sets
    sums = np.array([len(one & two), len(one), len(two)], dtype=float)
    found = float(agreement(sums))
    if not one and not two:
        assert isnan(found)
        return
    assert 0 <= found <= 1
    assert found == float(agreement(sums[[0, 2, 1]]))
    if one and two and one & two:
        precision, recall = len(one & two) / len(one), len(one & two) / len(two)
        assert found == pytest.approx(2 * precision * recall / (precision + recall))
    else:
        assert found == 0
    if one:
        assert float(agreement(np.array([len(one)] * 3, dtype=float))) == 1


@given(st.lists(st.integers(0, 50), min_size=2, max_size=12).filter(any), st.integers(12, 500))
@settings(max_examples=100, deadline=None)
def test_efficiency_is_an_entropy(uses: list[int], vocabulary: int) -> None:
    table = np.array(uses, dtype=float)
    found = float(efficiency(table, vocabulary))
    shares = table / table.sum()
    by_hand = log(sum(share**2.5 for share in shares)) / (1 - 2.5) / log(vocabulary)
    assert found == pytest.approx(by_hand, abs=1e-12)
    assert -1e-12 <= found <= 1
    assert float(efficiency(7 * table, vocabulary)) == pytest.approx(found, abs=1e-12)
    assert float(efficiency(np.append(table, 0), vocabulary)) == pytest.approx(found, abs=1e-12)


def test_even_use_is_whole_and_one_type_is_none() -> None:
    assert float(efficiency(np.full(64, 3.0), 64)) == pytest.approx(1)
    assert float(efficiency(np.array([5.0, 0, 0]), 64)) == pytest.approx(0)


def made(words: list[str], pattern: str | None) -> PreTrainedTokenizerFast:
    """A real tokenizer of whole words: of pieces between white space and punctuation, or of what
    matches the pattern.
    """
    vocabulary = {word: place for place, word in enumerate(["[UNK]", *dict.fromkeys(words)])}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    backend.pre_tokenizer = (
        pre_tokenizers.Whitespace()
        if pattern is None
        else pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
    )
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="[UNK]", model_max_length=6)


TEXTS = ["a small red room", "two words", "the small room was red and old and cold"]
ROWS = [Example(str(at), (text,), "en") for at, text in enumerate(TEXTS)]
WHOLE = made(" ".join(TEXTS).split(), None)
LETTERS = made(list("abcdefghijklmnopqrstuvwxyz"), r"\S")


def numbers(found: Tokenization) -> dict[tuple[str, str], Any]:
    return {(one.tokenizer, one.measure): one.estimate for one in found.measured}


def test_the_whole_line_over_real_tokenizers() -> None:
    found = tokenization({"words": WHOLE, "letters": LETTERS}, ROWS)
    told = numbers(found)
    words = [word for text in TEXTS for word in text.split()]
    assert told["words", "fertility"].mean == 1
    assert told["letters", "fertility"].mean == pytest.approx(
        np.mean([len(word) for word in words])
    )
    assert isnan(told["words", "pieces_per_split"].mean), "no word is split"
    assert told["words", "truncated"].mean == pytest.approx(1 / 3), (
        "only the last has more than six words"
    )
    assert told["letters", "truncated"].mean == 1
    assert told["words", "unknown"].mean == 0
    (pair,) = found.agreed
    assert (pair.estimate.mean, pair.first, pair.second) == (0, "words", "letters")
    uses = np.array([words.count(word) for word in set(words)], dtype=float)
    assert told["words", "efficiency"].mean == pytest.approx(float(efficiency(uses, len(WHOLE))))
    assert found.limits == {"words": 6, "letters": 6}
    for limit, share in ((8, 1 / 3), (9, 0.0)):  # the longest text has nine words: nine fit
        told = numbers(tokenization({"words": WHOLE}, ROWS, limit=limit))
        assert told["words", "truncated"].mean == pytest.approx(share)


def test_one_unknown_token_for_a_sentence_is_no_short_segmentation() -> None:
    """WHOLE knows no Greek word, so it has one unknown token for each and 1 token per word; LETTERS
    knows no Greek letter either. Both read English, with 1 and 3.9 tokens per word.
    """
    greek = [Example("g", ("το δωμάτιο ήταν μικρό",), "el")]
    found = tokenization({"words": WHOLE, "letters": LETTERS}, [*ROWS, *greek])
    read, unread = read_and_unread(found)
    assert {(row.tokenizer, row.lang) for row in read} == {("words", "en"), ("letters", "en")}
    assert {(row.tokenizer, row.lang) for row in unread} == {("words", "el"), ("letters", "el")}
    said = str(unread_text(unread))
    assert said.count("cannot read Greek") == 2
    assert "cannot read Greek" in str(answer(found))
    assert " in el" not in str(answer(found))
    only = tokenization({"words": WHOLE}, greek)
    assert [len(rows) for rows in read_and_unread(only)] == [1, 0], "nothing else is there to say"
    assert str(unread_text([])) == ""


def test_the_order_of_texts_and_tokenizers_changes_nothing() -> None:
    one = tokenization({"words": WHOLE, "letters": LETTERS}, ROWS)
    two = tokenization({"letters": LETTERS, "words": WHOLE}, ROWS[::-1])
    for name, estimate in numbers(one).items():
        other = numbers(two)[name]
        for field in ("mean", "low", "high"):
            assert getattr(other, field) == pytest.approx(
                getattr(estimate, field), abs=1e-9, nan_ok=True
            ), (name, field)
    assert two.agreed[0].estimate.mean == one.agreed[0].estimate.mean


def test_words_are_ours_also_where_the_corpus_brings_its_own() -> None:
    """Otherwise fertility would differ between corpora by their idea of a word."""
    own = [Example("1", ("two words",), "en", words=(((0, 9),),))]
    assert numbers(tokenization({"words": WHOLE}, own))["words", "fertility"].mean == 1


def test_groups_are_left_out_whole() -> None:
    """The same sentence five times under one group says no more than once."""
    copied = [
        Example(f"{row.id}-{copy}", row.texts, "en", group=row.id)
        for row in ROWS
        for copy in range(5)
    ]
    once, five = (
        numbers(tokenization({"letters": LETTERS}, rows))["letters", "fertility"]
        for rows in (ROWS, copied)
    )
    assert (five.low, five.high) == (pytest.approx(once.low), pytest.approx(once.high))
    assert (once.n, five.n) == (3, 15)


def test_a_tokenizer_without_a_length_has_no_truncation_and_nothing_is_refused_late() -> None:
    endless = PreTrainedTokenizerFast(tokenizer_object=WHOLE.backend_tokenizer, unk_token="[UNK]")
    found = numbers(tokenization({"words": endless}, ROWS))["words", "truncated"]
    assert isnan(found.mean)
    assert (found.n, found.undefined) == (0, 3)
    with pytest.raises(InputError, match="no texts"):
        tokenization({"words": WHOLE}, [])
    with pytest.raises(InputError, match="no tokenizers"):
        tokenization({}, ROWS)
    with pytest.raises(InputError, match="there is no model folder"):
        load_tokenizer("./nowhere/at/all")


@pytest.mark.slow
def test_real_vocabularies(shared: Path) -> None:
    """A word that the published study shows: three pieces for mBERT, one for BETO. Chinese words
    are words, not sentences.
    """
    folder = shared / "data" / "tokenizers"
    mbert, beto, xlmr = (
        load_tokenizer(str(folder / name))
        for name in ("bert-base-multilingual-cased", "beto-spanish", "xlm-roberta")
    )
    word = "desagradable"
    assert [mbert.convert_ids_to_tokens(each) for each in tokenize(mbert, word).ids] == [
        "desa",
        "##grada",
        "##ble",
    ]
    assert len(tokenize(beto, word).ids) == 1
    whole = tokenize(xlmr, SENTENCES["hi"])
    assert whole.ids == tuple(xlmr(SENTENCES["hi"])["input_ids"][1:-1]), (
        "without the special tokens"
    )
    assert len(whole.ids) == len(whole.offsets)
    assert boundaries(tokenize(mbert, word), segment(word, "es")) == {4, 9}
    chinese = Example("1", (SENTENCES["zh"],), "zh")
    found = numbers(tokenization({"mBERT": mbert, "XLM-R": xlmr}, [chinese]))
    words = segment(SENTENCES["zh"], "zh")
    assert len(words) > 8
    assert found["mBERT", "fertility"].mean == pytest.approx(len(SENTENCES["zh"]) / len(words)), (
        "mBERT reads characters"
    )
    assert found["mBERT", "single_character"].mean == 1
    assert found["XLM-R", "fertility"].mean < found["mBERT", "fertility"].mean


def test_segmented_words_show_every_character_once() -> None:
    """A mark of a new word, or a byte, has the place of the character after it: it is a dot. A
    vowel sign that begins a token stands on a dotted circle."""
    row = TokenizedText(
        "a", "g", "zh", "model", "topic", ("虽然 खाना",), (((0, 2), (3, 7)),), (tuple(range(6)),),
        (((0, 1), (0, 1), (1, 2), (3, 4), (4, 5), (5, 7)),), -1, 6, -1, 100,
    )  # fmt: skip
    ((_, ((_, _, words),)),) = segmented([row])
    assert words == [["·", "虽", "然"], ["ख", "◌ा", "ना"]]
    assert "".join("".join(word) for word in words).strip("·").replace("◌", "") == "虽然खाना"
