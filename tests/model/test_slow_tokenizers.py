"""Tokenizers that give no offsets: ids of their own call, offsets by alignment; XLM's, Marian's and
M2M100's own classes, with tiny vocabularies.
"""

from __future__ import annotations

import io
import json
import warnings
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import sentencepiece
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st
from transformers import ByT5Tokenizer, M2M100Tokenizer, MarianTokenizer, XLMTokenizer

from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.alignment import align
from babelscope.model.encode import encode
from babelscope.model.load import Model, load
from babelscope.model.tokenizers import digest, tokenize
from babelscope.types import Example

TEXTS = {
    "en": "The “crème brûlée” wasn't good… it cost 3,50 €!",
    "hi": "खाना बहुत अच्छा था। लेकिन कमरा छोटा था?",
    "ar": "الطَّعامُ كان لذيذاً، لكن الغرفة صغيرة!",
    "zh": "这个酒店的房间很干净，但是早餐不好吃。",
    "th": "อาหารอร่อยมาก แต่ห้องเล็ก",
    "de": "Die Straße — „schön“ — ist ﬁnster.",
    "tr": "İstanbul'da yemek çok güzeldi.",
    "ja": "部屋はきれいでした。「でも」朝食は…",
}
SPECIALS = ["<s>", "</s>", "<pad>", "<unk>", *(f"<special{at}>" for at in range(10))]


def pieces(model: bytes) -> list[str]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [processor.id_to_piece(at) for at in range(processor.get_piece_size())]


@cache
def spm() -> bytes:
    stream = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS.values()), model_writer=stream, vocab_size=220,
        hard_vocab_limit=False, num_threads=1, minloglevel=5, character_coverage=0.98,
    )  # fmt: skip
    return stream.getvalue()


@cache
def xlm(lowercase: bool = True) -> Any:
    folder = Path(mkdtemp())
    letters = sorted(set("".join(TEXTS.values()).lower() + "abcdefghijklmnopqrstuvwxyz0123456789"))
    merges = ["t h", "th e</w>", "o o", "g oo", "ब ह", "这 个</w>"]
    names = [*SPECIALS, *letters, *(f"{letter}</w>" for letter in letters), "th", "the</w>", "oo",
             "goo", "बह", "这个</w>"]  # fmt: skip
    (folder / "vocab.json").write_text(json.dumps({name: at for at, name in enumerate(names)}))
    (folder / "merges.txt").write_text("\n".join(merges) + "\n")
    return XLMTokenizer(
        str(folder / "vocab.json"), str(folder / "merges.txt"),
        do_lowercase_and_remove_accent=lowercase,
    )  # fmt: skip


def vocabulary(folder: Path) -> dict[str, int]:
    (folder / "source.spm").write_bytes(spm())
    names = list(dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", *pieces(spm())]))
    numbers = {name: at for at, name in enumerate(names)}
    (folder / "vocab.json").write_text(json.dumps(numbers))
    return numbers


@cache
def marian() -> Any:
    folder = Path(mkdtemp())
    vocabulary(folder)
    file = str(folder / "source.spm")
    return MarianTokenizer(file, file, str(folder / "vocab.json"), source_lang="en")


@cache
def m2m100() -> Any:
    folder = Path(mkdtemp())
    vocabulary(folder)
    return M2M100Tokenizer(
        str(folder / "vocab.json"), str(folder / "source.spm"), src_lang="en", tgt_lang="de"
    )


TOKENIZERS = {
    "xlm": xlm,
    "xlm, cased": lambda: xlm(lowercase=False),
    "marian": marian,
    "m2m100": m2m100,
    "byt5": cache(ByT5Tokenizer),
}


def model_of(tokenizer: Any, limit: int = 400) -> Model:
    """A tiny BERT for this tokenizer: alignment does not depend on the architecture."""
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=limit, num_labels=2,
    )  # fmt: skip
    torch.manual_seed(0)
    hf = transformers.BertForSequenceClassification(config).double().eval()
    return load((hf, tokenizer), name="slow")


@pytest.mark.parametrize("lang", TEXTS)
@pytest.mark.parametrize("name", TOKENIZERS)
def test_ids_are_the_tokenizers_own_and_offsets_are_in_the_text_in_order(
    name: str, lang: str
) -> None:
    tokenizer, text = TOKENIZERS[name](), TEXTS[lang]
    assert not tokenizer.is_fast
    (row,) = encode(model_of(tokenizer), [Example("1", (text,), lang)])
    assert row.ids.tolist() == tokenizer(text)["input_ids"]
    last = (0, 0)
    for start, end in row.offsets[row.content].tolist():
        assert 0 <= start <= end <= len(text)
        assert last[0] <= start
        assert last[1] <= end
        last = start, end
    covered = {at for start, end in row.offsets[row.content].tolist() for at in range(start, end)}
    letters = {at for at, letter in enumerate(text) if letter.isalnum()}
    assert letters <= covered
    assert row.words
    assert row.content.sum() == len(tokenizer.tokenize(text))


@pytest.mark.parametrize("name", TOKENIZERS)
def test_pairs_truncation_and_windows_are_the_tokenizers_own(name: str) -> None:
    tokenizer = TOKENIZERS[name]()
    pair = (TEXTS["de"], TEXTS["hi"])
    (row,) = encode(model_of(tokenizer), [Example("1", pair)])
    assert row.ids.tolist() == tokenizer(*pair)["input_ids"]
    assert set(row.segment[row.content].tolist()) == {0, 1}
    long = " ".join(TEXTS.values())
    model = model_of(tokenizer, limit=40)
    (row,) = encode(model, [Example("1", (long,))])
    own = tokenizer(long, truncation=True, max_length=40)["input_ids"]
    assert row.ids.tolist() == own
    whole = tokenizer(long)["input_ids"]
    assert row.truncated_from == len(whole)
    windows = encode(model, [Example("1", (long,))], long="window")
    content = [row.ids[row.content].tolist() for row in windows]
    joined = content[0] + [token for part in content[1:] for token in part[40 // 8 :]]
    assert joined == [token for token in whole if token in joined][: len(joined)]
    assert len(joined) == len(tokenizer.tokenize(long))
    assert all(len(row.ids) <= 40 for row in windows)


def test_words_of_a_slow_tokenizer_are_those_of_the_text() -> None:
    (row,) = encode(model_of(xlm()), [Example("1", (TEXTS["en"],), "en")])
    assert row.words[:4] == ("The", "“", "crème", "brûlée")
    assert [token for token, at in zip(row.tokens, row.word) if at == 0] == ["the</w>"]
    assert "".join(token for token, at in zip(row.tokens, row.word) if at == 2) == "creme</w>"


def test_explanations_and_metrics_run(tmp_path: Path) -> None:
    model = model_of(xlm())
    for method in ("occlusion", "integrated_gradients", "attnlrp"):
        attributions = explain(model, TEXTS["hi"], method, lang="hi")
        (value,) = measure(model, attributions, "comprehensiveness")
        assert value.reason == ""
    model.hf.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    again = load(tmp_path, name="slow")
    assert type(again.tokenizer) is XLMTokenizer
    assert again.signature == model.signature
    assert digest(again.tokenizer) == digest(xlm())
    assert digest(xlm()) != digest(xlm(lowercase=False))
    segmentation = tokenize(again.tokenizer, TEXTS["hi"])
    assert list(segmentation.ids) == again.tokenizer.convert_tokens_to_ids(
        again.tokenizer.tokenize(TEXTS["hi"])
    )


def test_a_translation_model_with_marians_tokenizer_is_explained() -> None:
    tokenizer = marian()
    config = transformers.MarianConfig(
        vocab_size=len(tokenizer), d_model=32, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=32,
        decoder_ffn_dim=32, pad_token_id=tokenizer.pad_token_id, eos_token_id=2,
        decoder_start_token_id=tokenizer.pad_token_id, max_position_embeddings=128,
    )  # fmt: skip
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hf = transformers.MarianMTModel(config).eval()
    model = load((hf, tokenizer), task="text2text-generation", name="marian")
    (attribution,) = explain(model, (TEXTS["en"], "Die"), "occlusion", lang="en")
    assert attribution.words[0] == "The"
    assert len(attribution.scores) == len(attribution.tokens)


@pytest.mark.parametrize(
    ("text", "tokens", "spans"),
    [
        # An accent that was removed stays with its letter
        ("né", ["ne</w>"], [(0, 2)]),
        ("ne\u0301 a", ["ne</w>", "a</w>"], [(0, 3), (4, 5)]),
        # One character that became three, in two tokens
        ("a…", ["a", "..", "."], [(0, 1), (1, 2), (1, 2)]),
        # A lone space mark is empty, before the next token
        ("a b", ["▁a", "▁", "b"], [(0, 1), (2, 2), (2, 3)]),
        # Something was left out of the text
        ("a\u200bb", ["a", "b"], [(0, 1), (2, 3)]),
        ("@@ x", ["@@</w>", "x</w>"], [(0, 2), (3, 4)]),
        ("", [], []),
    ],
)
def test_alignments_by_hand(text: str, tokens: list[str], spans: list[tuple[int, int]]) -> None:
    assert align(text, tokens) == spans


def test_tokens_of_another_text_are_refused() -> None:
    assert align("good food", ["bad</w>", "rooms</w>"]) is None
    tokenizer = xlm()
    tokenizer_like = type("Broken", (XLMTokenizer,), {"_tokenize": lambda self, text: ["q</w>"]})
    broken = tokenizer_like.__new__(tokenizer_like)
    broken.__dict__ = tokenizer.__dict__
    with pytest.raises(InputError, match="its tokens cannot be aligned with the text"):
        explain(model_of(broken), "good food", "occlusion")


def test_what_needs_offsets_of_the_tokenizer_itself_is_refused() -> None:
    hf = transformers.BertForMultipleChoice(transformers.BertConfig(
        vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32))  # fmt: skip
    with pytest.raises(UnsupportedModel, match="multiple-choice needs a tokenizer of the"):
        load((hf, xlm()))


@given(st.text(min_size=1, max_size=40), st.integers(1, 4))
def test_pieces_of_a_text_are_found_in_it(text: str, size: int) -> None:
    """Whatever the text, its own parts in lower case are aligned, in order and inside of it."""
    parts = [text[at : at + size].lower() for at in range(0, len(text), size)]
    spans = align(text, parts)
    if spans is None:  # parts of nothing but what is left out, or of characters that change
        return
    assert len(spans) == len(parts)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    assert [end for _, end in spans] == sorted(end for _, end in spans)
