"""From a text to the model's ids: real tokenizers, five scripts, pairs, questions, long texts, bad
texts.
"""

from __future__ import annotations

import copy
import unicodedata
from dataclasses import fields
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from markupsafe import escape
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2ForSequenceClassification,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForQuestionAnswering,
    XLMRobertaForSequenceClassification,
)

import zoo
from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.display.highlight import words_html
from babelscope.display.terminal import UNDEFINED, coloured
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.stored_input import encoded_input
from babelscope.store import Cell, open_store, put, read_attributions
from babelscope.types import Example
from babelscope.types.explanations import words_in_place
from conftest import PAIRS, TEXTS, tiny

SENTENCES = {
    "en": (
        "The hotel wasn't cheap, but we loved it.",
        ["The", "hotel", "wasn't", "cheap", ",", "but", "we", "loved", "it", "."],
    ),
    "hi": (
        "होटल सस्ता नहीं था, लेकिन अच्छा था।",
        ["होटल", "सस्ता", "नहीं", "था", ",", "लेकिन", "अच्छा", "था", "।"],
    ),
    "ar": (
        "لم يكن الفندق رخيصًا، لكننا أحببناه.",
        ["لم", "يكن", "الفندق", "رخيصًا", "،", "لكننا", "أحببناه", "."],
    ),
    "zh": (
        "这家酒店不便宜，但是我们很喜欢。",
        ["这家", "酒店", "不", "便宜", "，", "但是", "我们", "很", "喜欢", "。"],
    ),
    "th": ("โรงแรมนี้ไม่ถูกแต่เราชอบ", ["โรงแรม", "นี้", "ไม่", "ถูก", "แต่", "เรา", "ชอบ"]),
}
QUESTIONS = {
    "en": ("Where is the hotel?", "The hotel stands in Delhi, near the river.", "in Delhi"),
    "hi": ("होटल कहाँ है?", "होटल दिल्ली में नदी के पास है।", "दिल्ली में"),
    "ar": ("أين الفندق؟", "يقع الفندق في دلهي قرب النهر.", "في دلهي"),
    "zh": ("酒店在哪里？", "酒店在德里，靠近河边。", "德里"),
    "th": ("โรงแรมอยู่ที่ไหน", "โรงแรมอยู่ในเดลีใกล้แม่น้ำ", "เดลี"),
}

RATIONALE = Example(
    "marked", ("good room", "bad bath"), label="name", words=(((0, 4), (5, 9)), ((0, 3), (4, 8))),
    rationale=((True, False), (False, True)),
)  # fmt: skip


@cache
def real(folder: Path, task: str = "text-classification") -> Model:
    """A small XLM-R with random weights and the real XLM-R vocabulary."""
    tokenizer = AutoTokenizer.from_pretrained(folder / "data" / "tokenizers" / "xlm-roberta")
    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=66, type_vocab_size=1,
        pad_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    kind = (
        XLMRobertaForQuestionAnswering
        if task == "question-answering"
        else XLMRobertaForSequenceClassification
    )
    return load((kind(config).double().eval(), tokenizer))


def surface(text: str, offset: tuple[int, int]) -> str:
    return text[offset[0] : offset[1]]


@pytest.mark.parametrize("lang", SENTENCES)
def test_single_texts_have_the_right_words_and_offsets(shared: Path, lang: str) -> None:
    text, words = SENTENCES[lang]
    model = real(shared)
    (row,) = encode(model, [Example("1", (text,), lang)])
    assert row.ids.tolist() == model.tokenizer(text)["input_ids"]
    assert [word for word in words if word in row.words] == list(row.words)
    merged = lang in (
        "zh",
        "th",
    )  # a piece may span two words: the smaller one then has no token of its own
    assert list(row.words) == words or merged
    assert len(row.words) >= len(words) - 3
    _check_offsets(row, (text,))


@pytest.mark.parametrize("lang", SENTENCES)
def test_pairs_keep_their_texts_apart(shared: Path, lang: str) -> None:
    model = real(shared)
    texts = (SENTENCES[lang][0], QUESTIONS[lang][1])
    (row,) = encode(model, [Example("1", texts, lang)])
    assert row.ids.tolist() == model.tokenizer(*texts)["input_ids"]
    assert sorted(set(row.word_segment)) == [0, 1]
    assert (np.diff([s for s in row.segment if s >= 0]) >= 0).all()
    assert not set(row.word[row.segment == 0]) & set(row.word[row.segment == 1])
    _check_offsets(row, texts)


@pytest.mark.parametrize("lang", QUESTIONS)
@pytest.mark.parametrize(
    "method", [name for name in METHODS if name != "slalom"]
)  # which is refused: see test_architectures
def test_questions_are_explained(shared: Path, lang: str, method: str) -> None:
    question, context, answer = QUESTIONS[lang]
    model = real(shared, "question-answering")
    example = Example("1", (question, context), lang, label=answer)
    (one,) = explain(model, example, method, target=answer)
    assert answer in one.target or one.target in answer
    assert np.isfinite(one.scores).all()
    (own,) = explain(model, example, method)
    assert own.target in context
    (value,) = measure(model, [own], "comprehensiveness")
    assert np.isfinite(value.value)
    _check_offsets(encode(model, [example])[0], (question, context))


def _check_offsets(row: object, texts: tuple[str, ...]) -> None:
    for token in np.flatnonzero(row.content):
        text = texts[row.segment[token]]
        piece = row.tokens[token].replace("▁", "")
        where = surface(text, row.offsets[token])
        assert piece == "" or piece == unicodedata.normalize("NFKC", where).strip(), (
            "XLM-R folds compatibility characters"
        )
        span = row.word_offsets[row.word[token]]
        overlap = min(span[1], row.offsets[token][1]) - max(span[0], row.offsets[token][0])
        assert overlap > 0 or not where.strip()
    for word, span, place in zip(row.words, row.word_offsets, row.word_segment):
        assert surface(texts[place], span) == word


def test_gold_words_are_taken_as_they_are(shared: Path) -> None:
    text = "这家酒店不便宜。"
    gold = ((0, 1), (1, 4), (4, 7), (7, 8))
    (row,) = encode(real(shared), [Example("1", (text,), "zh", words=(gold,))])
    assert set(row.word_offsets) <= set(gold)


def test_a_long_text_is_cut_with_a_flag_or_windowed_without_a_gap(shared: Path) -> None:
    model = real(shared)
    text = " ".join(f"word{number}" for number in range(80))
    (cut,) = encode(model, [Example("1", (text,), "en")])
    assert len(cut.ids) == model.limit == 64
    assert cut.flags[0].startswith("truncated to 64 of ")
    windows = encode(model, [Example("1", (text,), "en")], long="window")
    assert [row.example.id for row in windows] == [
        f"1#{number}" for number in range(1, len(windows) + 1)
    ]
    seen = {tuple(offset) for row in windows for offset in row.offsets[row.content].tolist()}
    covered = {place for start, end in seen for place in range(start, end)}
    assert covered >= {place for place, character in enumerate(text) if not character.isspace()}
    found = explain(model, Example("1", (text,), "en"), "random", long="window")
    assert len(measure(model, found, "comprehensiveness")) == len(windows)


def test_a_long_pair_and_a_long_question(shared: Path) -> None:
    long = " ".join(f"word{number}" for number in range(80))
    (pair,) = encode(real(shared), [Example("1", (long, "short text"), "en")])
    assert pair.flags
    assert (pair.segment == 1).sum() >= 2
    question = real(shared, "question-answering")
    (row,) = encode(question, [Example("1", ("Where?", long), "en")])
    assert row.flags
    with pytest.raises(InputError, match="was truncated; explain it in windows"):
        explain(question, Example("1", ("Where?", long), "en"), "random", target="word79")
    with pytest.raises(InputError, match="refused"):
        encode(question, [Example("1", (long, "short"), "en")])


def test_bert_chinese_gives_words_not_characters(shared: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(shared / "data" / "tokenizers" / "bert-base-chinese")
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    model = load((BertForSequenceClassification(config).eval(), tokenizer))
    text, words = SENTENCES["zh"]
    (row,) = encode(model, [Example("1", (text,), "zh")])
    assert list(row.words) == words
    assert row.content.sum() == len(text)


def test_special_tokens_written_in_the_text_are_not_content(bert: Model) -> None:
    (row,) = encode(bert, as_examples("the [SEP] food"))
    assert not row.content[row.ids == bert.tokenizer.sep_token_id].any()
    assert row.content.sum() == len(row.ids) - (row.ids == bert.tokenizer.sep_token_id).sum() - 1


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "gpt2"])
@pytest.mark.parametrize("role", ["pad_token", "mask_token"])
def test_a_text_that_spells_the_padding_or_mask_token_is_text(architecture: str, role: str) -> None:
    """Its pieces are content; read as the token itself it would be left out, and RoBERTa's own call
    would count positions without it."""
    model = tiny(architecture)
    spelt = getattr(model.tokenizer, role)
    if spelt is None or spelt in (model.tokenizer.eos_token, model.tokenizer.bos_token):
        pytest.skip(f"{architecture} has no {role} of its own")
    text = f"the food was {spelt} good"
    (attribution,) = explain(model, text, "input_x_gradient")
    assert attribution.input is not None
    assert getattr(model.tokenizer, f"{role}_id") not in attribution.input.ids
    start = text.index(spelt)
    covered = {
        place
        for left, right in attribution.offsets
        for place in range(left, right)
        if start <= place < start + len(spelt)
    }
    assert covered == set(range(start, start + len(spelt)))


def test_words_without_a_token_of_their_own_are_named(bert: Model) -> None:
    """The token "food" covers the gold words "fo" and "od": one of them has it, the other none."""
    words = (((0, 3), (4, 6), (6, 8), (9, 12)),)
    example = Example("1", ("the food was",), "en", words=words)
    (row,) = encode(bert, [example])
    assert "food" in row.tokens
    assert row.words == ("the", "fo", "was")  # with ties the first word has the token
    (word,) = row.tokenless
    assert (word.word, word.segment, word.start, word.end) == ("od", 0, 6, 8)
    assert (word.token, word.owner) == ("food", "fo")
    (attribution,) = explain(bert, example, "random")
    assert "1 word has no token of its own" in attribution.flags
    assert encoded_input(attribution).tokenless == row.tokenless


def test_words_without_a_token_keep_their_place_with_a_reason(bert: Model, tmp_path: Path) -> None:
    """In the table, on the page, in the terminal and after a stay in the store."""
    words = (((0, 3), (4, 6), (6, 8), (9, 12)),)
    attributions = explain(bert, Example("1", ("the food was",), "en", words=words), "random")
    reason = "no token of its own: it shares the token 'food' with 'fo'"
    table = attributions.to_pandas()
    assert list(table["word"]) == ["the", "fo", "od", "was"]
    assert list(table["reason"]) == ["", "", reason, ""]
    assert list(np.isnan(table["score"])) == [False, False, True, False]
    (attribution,) = attributions
    assert f'title="{escape(reason)}">od</span>' in words_html(attribution)
    styles = [span for span in coloured(attribution).spans if span.style == UNDEFINED]
    assert len(styles) == 2  # the word, and the legend
    put(open_store(tmp_path / "s"), [Cell({"kind": "x"}, "attributions", [attribution])])
    (stored,) = read_attributions(open_store(tmp_path / "s"))
    assert words_in_place(stored)[2].reason == reason


def test_two_words_in_one_token_of_gpt2(shared: Path) -> None:
    """GPT-2 reads "!!" as one token, and words are single characters there."""
    tokenizer = AutoTokenizer.from_pretrained(shared / "data" / "tokenizers" / "gpt2")
    config = GPT2Config(
        vocab_size=len(tokenizer), n_embd=16, n_layer=1, n_head=2, n_positions=32, num_labels=2
    )
    model = load((GPT2ForSequenceClassification(config).eval(), tokenizer))
    (attribution,) = explain(model, "good!!", "random")
    assert attribution.tokens == ("good", "!!")
    assert [word.word for word in words_in_place(attribution)] == ["good", "!", "!"]
    assert [word.offsets for word in words_in_place(attribution)] == [(0, 4), (4, 5), (5, 6)]
    assert words_in_place(attribution)[2].reason.endswith("it shares the token '!!' with '!'")


def test_truncated_words_are_not_named_as_words_without_a_token(bert: Model) -> None:
    (row,) = encode(bert, as_examples(" ".join(["food"] * 600)))
    assert row.tokenless == ()
    assert row.flags == (f"truncated to {len(row.ids)} of {row.truncated_from} tokens",)


def test_a_decoder_without_a_padding_token_reads_texts_that_end_in_token_zero() -> None:
    """As GPT-2, whose token 0 is "!": without padding its own call reads the last token."""
    vocabulary = {"!": 0, "I": 1, "love": 2, "it": 3, "hate": 4}
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="it"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=32)
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=5, n_embd=16, n_layer=2, n_head=2, n_positions=32, num_labels=2,
        pad_token_id=None, bos_token_id=None, eos_token_id=None, initializer_range=0.5,
    )  # fmt: skip
    hf = GPT2ForSequenceClassification(config).double().eval()
    model = load((hf, tokenizer))
    with torch.no_grad():
        logits = hf(input_ids=torch.tensor([[1, 2, 3, 0]])).logits[0]
    for method in ("integrated_gradients", "input_x_gradient", "attnlrp", "rollout"):
        first, second = explain(model, ["I love it!", "I hate it"], method)
        assert first.tokens == ("I", "love", "it", "!")
        assert first.probability == pytest.approx(float(torch.softmax(logits, -1).max()), abs=1e-9)
        assert np.isfinite(first.scores).all()
        assert np.isfinite(second.scores).all()
    assert hf.config.pad_token_id is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "empty"),
        ("  \n\t ", "empty"),
        ("\ud800 broken", "lone surrogate U\\+D800 at character 0"),
        ("a\x00b", "control character U\\+0000 at character 1"),
        ("[CLS] [SEP]", "only special tokens"),
        ("𒀀𒁀", "unknown to the model"),
        ([], "no text"),
        ([3], "neither a text"),
        ([("a", "b", "c")], "a tuple of 3 texts; a pair of texts is a tuple of two"),
    ],
)
def test_bad_texts_are_refused(bert: Model, data: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        explain(bert, data, "random")


def test_bidi_marks_joiners_and_markup_are_text(bert: Model) -> None:
    for text in ("the \u200ffood", "क्\u200dष food", "<script>alert(1)</script> food"):
        (one,) = explain(bert, text, "random")
        assert one.texts == (text,)


def test_one_text_for_a_span_head_is_refused(shared: Path) -> None:
    with pytest.raises(InputError, match="two texts, 1 given"):
        explain(real(shared, "question-answering"), "alone", "random")


def test_the_explained_probability_is_the_models_own() -> None:
    """A model that reads its input in an unknown way (here: by the order of the attention mask's
    shape) is refused.
    """
    from babelscope.errors import BabelscopeError

    model = tiny("bert")
    positions = model.__dict__.get("first_position")
    try:
        model.__dict__["first_position"] = 3
        with pytest.raises(BabelscopeError, match="explained probability differs"):
            explain(model, TEXTS[0], "occlusion")
    finally:
        model.__dict__.pop("first_position")
        if positions is not None:
            model.__dict__["first_position"] = positions


INPUTS = {
    "text": ("text-classification", TEXTS[0], "all", "truncate"),
    "pair": ("text-classification", PAIRS[0], "all", "truncate"),
    "first": ("text-classification", PAIRS[0], "first", "truncate"),
    "second": ("text-classification", PAIRS[0], "second", "truncate"),
    "long": ("text-classification", " ".join(TEXTS * 20), "all", "truncate"),
    "windows": ("text-classification", " ".join(TEXTS * 20), "all", "window"),
    "question": ("question-answering", PAIRS[0], "second", "truncate"),
    "rationale": ("text-classification", RATIONALE, "all", "truncate"),
    "answer begun": ("text2text-generation", PAIRS[0], "all", "truncate"),
    "tag": ("token-classification", TEXTS[0], "all", "truncate"),
}


@pytest.mark.parametrize("case", INPUTS)
def test_the_input_comes_back_from_the_explanation_alone(
    case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Array by array what `encode` gave; measuring does not tokenize: a tokenizer that refuses
    every text is never asked.
    """
    task, data, part, long = INPUTS[case]
    model = zoo.shared("t5" if task == "text2text-generation" else "bert", task)
    before = encode(model, as_examples(data), part=part, long=long)
    found = explain(model, data, "random", part=part, long=long)
    assert len(found) == len(before)
    assert len(found) > 1 or case != "windows"

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a text was tokenized again")

    monkeypatch.setattr(type(model.tokenizer), "__call__", refuse)
    for one, row in zip(found, before):
        again = encoded_input(one)
        for field in fields(row):
            kept, new = getattr(row, field.name), getattr(again, field.name)
            if field.name == "example":
                assert (new.id, new.texts, new.lang, new.group, new.label) == (
                    kept.id, kept.texts, kept.lang, kept.group, kept.label,
                )  # fmt: skip
                assert new.rationale == kept.rationale
            else:
                assert type(kept) is type(new)
                assert np.array_equal(kept, new) if isinstance(kept, np.ndarray) else kept == new
        assert again.flags == row.flags
    assert all(np.isfinite(one.value) for one in measure(model, found, "comprehensiveness"))


def test_explanations_of_another_training_are_refused() -> None:
    """The same tokenizer and classes, other weights; and the same weights under another name are
    the same model.
    """
    model = zoo.shared("bert", "text-classification")
    found = explain(model, TEXTS[0], "random")
    other = copy.deepcopy(model.hf)
    same = load((copy.deepcopy(model.hf), model.tokenizer))
    with torch.no_grad():
        other.classifier.bias += 0.5
    with pytest.raises(InputError, match="another model than"):
        measure(load((other, model.tokenizer)), found, "comprehensiveness")
    assert measure(same, found, "comprehensiveness") == measure(model, found, "comprehensiveness")
