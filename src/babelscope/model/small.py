"""Small models from scratch: a tokenizer trained on the texts at hand, and a transformer of a given width."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    GPT2Config,
    GPT2ForSequenceClassification,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

from babelscope.errors import InputError
from babelscope.model.load import quiet

ARCHITECTURES = ("bert", "xlm-roberta", "distilbert", "gpt2")

BERT_SPECIALS = {
    "pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]",
}  # fmt: skip
XLMR_SPECIALS = {
    "bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask>",
    "cls_token": "<s>", "sep_token": "</s>",
}  # fmt: skip
GPT2_SPECIALS = {"eos_token": "<|endoftext|>", "bos_token": "<|endoftext|>", "pad_token": "<pad>"}


def make(
    folder: str | Path,
    architecture: str,
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    layers: int = 2,
    width: int = 128,
    vocabulary: int = 8000,
    seed: int = 0,
) -> Path:
    """Writes an untrained model and its tokenizer into a folder, as any checkpoint to be fine-tuned.

    The tokenizer is of the architecture's own kind: WordPiece (BERT, DistilBERT), SentencePiece-like BPE with a meta-space
    (XLM-R), byte-level BPE (GPT-2). Heads are `width // 32`; the inner width is four times the width.
    """
    if architecture not in ARCHITECTURES:
        raise InputError(f"architecture {architecture!r} is not one of: {', '.join(ARCHITECTURES)}")
    if width % 32 or width < 32 or layers < 1:
        raise InputError(f"a width must be a multiple of 32 and layers at least 1; {width} and {layers} given")
    tokenizer = make_tokenizer(architecture, texts, vocabulary)
    torch.manual_seed(seed)
    hf = make_model(architecture, tokenizer, labels, layers=layers, width=width)
    hf.config.untrained = True
    target = Path(folder)
    with quiet():
        hf.save_pretrained(target)
        tokenizer.save_pretrained(target)
    return target


def make_tokenizer(architecture: str, texts: Sequence[str], vocabulary: int, positions: int = 128) -> Any:
    """A fast tokenizer of the architecture's kind, trained on the texts. The same texts give the same tokenizer."""
    if architecture in ("bert", "distilbert"):
        made, specials = _wordpiece(texts, vocabulary), BERT_SPECIALS
    elif architecture == "xlm-roberta":
        made, specials = _metaspace(texts, vocabulary), XLMR_SPECIALS
    else:
        made, specials = _bytes(texts, vocabulary), GPT2_SPECIALS
    types = ["token_type_ids"] if architecture == "bert" else []  # only BERT is told which text of a pair a token is of
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=positions, model_input_names=["input_ids", *types, "attention_mask"], **specials
    )
    if architecture == "gpt2":
        tokenizer.padding_side = "left"
    return tokenizer


def make_model(
    architecture: str, tokenizer: Any, labels: Sequence[str], *, layers: int, width: int, positions: int = 128
) -> Any:
    """A sequence classifier of that architecture with random weights from torch's current seed."""
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: index for index, label in enumerate(labels)}}
    heads, inner, size = max(1, width // 32), 4 * width, len(tokenizer)
    padding = tokenizer.pad_token_id
    if architecture == "distilbert":
        return DistilBertForSequenceClassification(
            DistilBertConfig(
                vocab_size=size, dim=width, n_layers=layers, n_heads=heads, hidden_dim=inner, pad_token_id=padding,
                max_position_embeddings=positions, **names,
            )
        )  # fmt: skip
    if architecture == "gpt2":
        return GPT2ForSequenceClassification(
            GPT2Config(
                vocab_size=size, n_embd=width, n_layer=layers, n_head=heads, n_positions=positions, pad_token_id=padding,
                bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, **names,
            )
        )  # fmt: skip
    config, kind = {
        "bert": (BertConfig, BertForSequenceClassification),
        "xlm-roberta": (XLMRobertaConfig, XLMRobertaForSequenceClassification),
    }[architecture]
    offset = padding + 1 if architecture == "xlm-roberta" else 0
    extra = {"type_vocab_size": 1, "bos_token_id": 0, "eos_token_id": 2} if architecture == "xlm-roberta" else {}
    return kind(
        config(
            vocab_size=size, hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=inner,
            max_position_embeddings=positions + offset, pad_token_id=padding, **extra, **names,
        )
    )  # fmt: skip


def _wordpiece(texts: Sequence[str], vocabulary: int) -> Tokenizer:
    """WordPiece. The trainer numbers the "##" characters as it meets them, in an order that changes from run to run and
    decides between equally frequent merges; they are therefore given beforehand, and the vocabulary is taken over."""
    trained = _wordpiece_shell(models.WordPiece(unk_token="[UNK]"))
    inside = sorted({f"##{character}" for text in texts for character in trained.normalizer.normalize_str(text)})
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary, special_tokens=[*BERT_SPECIALS.values(), *inside], show_progress=False
    )
    trained.train_from_iterator(texts, trainer)
    pieces = json.loads(trained.to_str())["model"]["vocab"]
    made = _wordpiece_shell(models.WordPiece(pieces, unk_token="[UNK]"))
    made.add_special_tokens(list(BERT_SPECIALS.values()))
    cls, sep = pieces["[CLS]"], pieces["[SEP]"]
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    return made


def _wordpiece_shell(model: models.WordPiece) -> Tokenizer:
    made = Tokenizer(model)
    made.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    return made


def _metaspace(texts: Sequence[str], vocabulary: int) -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.normalizer = normalizers.NFKC()
    split = [Regex(r"\p{P}"), Regex(r"\p{Han}")]  # unspaced text would otherwise merge into whole phrases
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), *(pre_tokenizers.Split(pattern, "isolated") for pattern in split)]
    )
    made.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False
    )
    made.train_from_iterator(texts, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return made


def _bytes(texts: Sequence[str], vocabulary: int) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=["<|endoftext|>", "<pad>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    made.post_processor = processors.ByteLevel(trim_offsets=True)
    return made
