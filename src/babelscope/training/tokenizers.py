"""Small tokenizers of all usual kinds, trained on given texts."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import PreTrainedTokenizerFast

from babelscope.errors import InputError
from babelscope.training.spec import FULLY_CONNECTED

BERT_SPECIALS = {
    "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}  # fmt: skip
XLMR_SPECIALS = {
    "bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>",
    "mask_token": "<mask>", "cls_token": "<s>", "sep_token": "</s>",
}  # fmt: skip
GPT2_SPECIALS = {"eos_token": "<|endoftext|>", "bos_token": "<|endoftext|>", "pad_token": "<pad>"}
USUAL = {"bert": "wordpiece", "distilbert": "wordpiece", "xlm-roberta": "bpe", "gpt2": "bytes"}
"""The kind of tokenizer that each architecture usually has."""
WORDS = "words"
"""The only kind that networks without attention have: a token for each word."""


def make_tokenizer(
    architecture: str,
    texts: Sequence[str],
    vocabulary: int,
    positions: int = 128,
    *,
    kind: str = "",
) -> Any:
    """A fast tokenizer trained on the texts, of that kind or the architecture's usual one.

    *Law*: the same texts give the same tokenizer.
    """
    kind = tokenizer_kind(architecture, kind)
    bert = architecture in ("bert", "distilbert") or kind == WORDS
    specials = GPT2_SPECIALS if kind == "bytes" else BERT_SPECIALS if bert else XLMR_SPECIALS
    trained = _words if kind == WORDS else TOKENIZERS[kind]
    backend = trained(texts, vocabulary, list(dict.fromkeys(specials.values())))
    if kind != "bytes" and architecture != FULLY_CONNECTED:
        backend.post_processor = _template(backend, bert)
    # Only BERT reads which text of a pair a token belongs to
    types = ["token_type_ids"] if architecture == "bert" else []
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=positions,
        model_input_names=["input_ids", *types, "attention_mask"],
        **specials,
    )
    if architecture == "gpt2":
        tokenizer.padding_side = "left"
    return tokenizer


def tokenizer_kind(architecture: str, kind: str = "") -> str:
    """The kind of tokenizer, or the architecture's usual one; one that does not fit is refused."""
    usual = USUAL.get(architecture, WORDS)
    fitting = [name for name in TOKENIZERS if name != "bytes"]
    if usual in ("bytes", WORDS):
        fitting = [usual]
    kind = kind or usual
    if kind not in fitting:
        raise InputError(
            f"a tokenizer of kind {kind!r} does not fit {architecture}; choose one of: "
            f"{', '.join(fitting)}"
        )
    return kind


def _template(backend: Tokenizer, bert: bool) -> processors.TemplateProcessing:
    """Special tokens around a text and between two, as BERT or XLM-R has them."""
    first, last = ("[CLS]", "[SEP]") if bert else ("<s>", "</s>")
    pair = f"{first} $A {last} $B:1 {last}:1" if bert else f"{first} $A {last} {last} $B {last}"
    tokens = [(name, backend.token_to_id(name)) for name in (first, last)]
    return processors.TemplateProcessing(
        single=f"{first} $A {last}", pair=pair, special_tokens=tokens
    )


def _wordpiece(texts: Sequence[str], vocabulary: int, specials: list[str]) -> Tokenizer:
    """WordPiece. The trainer numbers the "##" characters as it meets them, in an order that changes
    from run to run and decides between equally frequent merges; they are therefore passed to it,
    and only the vocabulary is used."""
    unknown = next(name for name in specials if "unk" in name.lower())
    trained = _wordpiece_shell(models.WordPiece(unk_token=unknown))
    inside = sorted(
        {f"##{character}" for text in texts for character in trained.normalizer.normalize_str(text)}
    )
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary, special_tokens=[*specials, *inside], show_progress=False
    )
    trained.train_from_iterator(texts, trainer)
    pieces = json.loads(trained.to_str())["model"]["vocab"]
    backend = _wordpiece_shell(models.WordPiece(pieces, unk_token=unknown))
    backend.add_special_tokens(specials)
    return backend


def _wordpiece_shell(model: models.WordPiece) -> Tokenizer:
    backend = Tokenizer(model)
    backend.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    return backend


def _metaspaced(model: Any) -> Tokenizer:
    """Words begin with a meta-space, as in SentencePiece; unspaced text would otherwise merge into
    whole phrases."""
    backend = Tokenizer(model)
    backend.normalizer = normalizers.NFKC()
    split = [Regex(r"\p{P}"), Regex(r"\p{Han}")]
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Metaspace(),
            *(pre_tokenizers.Split(pattern, "isolated") for pattern in split),
        ]
    )
    backend.decoder = decoders.Metaspace()
    return backend


def _bpe(texts: Sequence[str], vocabulary: int, specials: list[str]) -> Tokenizer:
    backend = _metaspaced(
        models.BPE(unk_token=next(name for name in specials if "unk" in name.lower()))
    )
    backend.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=specials, show_progress=False),
    )
    return backend


def _characters(texts: Sequence[str], vocabulary: int, specials: list[str]) -> Tokenizer:
    """BPE without merges: one token per character, whatever the vocabulary size."""
    unknown = next(name for name in specials if "unk" in name.lower())
    shell = _metaspaced(models.BPE(unk_token=unknown))
    seen = sorted(
        {
            letter
            for text in texts
            for letter in shell.normalizer.normalize_str(text.replace(" ", "▁"))
        }
        | {"▁"}
    )
    backend = _metaspaced(
        models.BPE(
            {piece: at for at, piece in enumerate([*specials, *seen])}, [], unk_token=unknown
        )
    )
    backend.add_special_tokens(specials)
    return backend


def _unigram(texts: Sequence[str], vocabulary: int, specials: list[str]) -> Tokenizer:
    """SentencePiece's own trainer: that of `tokenizers` gives another vocabulary on every run."""
    import sentencepiece

    unknown = next(name for name in specials if "unk" in name.lower())
    shell, model = _metaspaced(models.Unigram()), io.BytesIO()
    words = (
        word
        for text in texts
        for word, _ in shell.pre_tokenizer.pre_tokenize_str(shell.normalizer.normalize_str(text))
    )
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=words, model_writer=model, vocab_size=vocabulary, model_type="unigram",
        character_coverage=1.0, num_threads=1, hard_vocab_limit=False, minloglevel=2,
        add_dummy_prefix=False, normalization_rule_name="identity",
    )  # fmt: skip
    trained = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    pieces = [
        (trained.id_to_piece(at), trained.get_score(at))
        for at in range(trained.get_piece_size())
        if not (trained.is_control(at) or trained.is_unknown(at))
    ]
    backend = _metaspaced(
        models.Unigram([(name, 0.0) for name in specials] + pieces, unk_id=specials.index(unknown))
    )
    backend.add_special_tokens(specials)
    return backend


def _bytes(texts: Sequence[str], vocabulary: int, specials: list[str]) -> Tokenizer:
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    backend.post_processor = processors.ByteLevel(trim_offsets=True)
    return backend


def _words(texts: Sequence[str], vocabulary: int, specials: list[str]) -> Tokenizer:
    """The most frequent words and punctuation marks in lower case; all others are unknown. Of
    equally frequent ones the first in the alphabet are taken."""
    unknown = next(name for name in specials if "unk" in name.lower())
    shell = _wordpiece_shell(models.WordPiece(unk_token=unknown))
    shell.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    counts = Counter(
        word
        for text in texts
        for word, _ in shell.pre_tokenizer.pre_tokenize_str(shell.normalizer.normalize_str(text))
    )
    frequent = sorted(counts, key=lambda word: (-counts[word], word))
    words = [*specials, *(word for word in frequent if word not in specials)][:vocabulary]
    numbered = {word: at for at, word in enumerate(words)}
    backend = Tokenizer(models.WordLevel(numbered, unk_token=unknown))
    backend.normalizer, backend.pre_tokenizer = shell.normalizer, shell.pre_tokenizer
    backend.add_special_tokens(specials)
    return backend


TOKENIZERS = {
    "wordpiece": _wordpiece,
    "bpe": _bpe,
    "unigram": _unigram,
    "characters": _characters,
    "bytes": _bytes,
}
"""The kinds of tokenizers that can be trained."""
