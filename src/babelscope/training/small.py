"""Small untrained models: a tokenizer trained on given texts, a transformer of a given width."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    GPT2Config,
    GPT2ForSequenceClassification,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

from babelscope.errors import InputError
from babelscope.model.scopes import quiet
from babelscope.training.spec import LAYERS as LAYERS
from babelscope.training.tokenizers import TOKENIZERS as TOKENIZERS
from babelscope.training.tokenizers import make_tokenizer as make_tokenizer

ARCHITECTURES = ("bert", "xlm-roberta", "distilbert", "gpt2")


def make(
    folder: str | Path,
    architecture: str,
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    layers: int = LAYERS,
    width: int = 128,
    vocabulary: int = 8000,
    seed: int = 0,
) -> Path:
    """Writes an untrained model and its tokenizer into a folder, ready for fine-tuning.

    The tokenizer is of the architecture's usual kind: WordPiece (BERT, DistilBERT),
    SentencePiece-like BPE with a meta-space (XLM-R), byte-level BPE (GPT-2). Heads are `width //
    32`; the inner width is four times the width.
    """
    if architecture not in ARCHITECTURES:
        raise InputError(f"architecture {architecture!r} is not one of: {', '.join(ARCHITECTURES)}")
    if width % 32 or width < 32 or layers < 1:
        raise InputError(
            f"a width must be a multiple of 32 and layers at least 1; {width} and {layers} given"
        )
    tokenizer = make_tokenizer(architecture, texts, vocabulary)
    torch.manual_seed(seed)
    hf = make_model(architecture, tokenizer, labels, layers=layers, width=width)
    hf.config.untrained = True
    target = Path(folder)
    with quiet():
        hf.save_pretrained(target)
        tokenizer.save_pretrained(target)
    return target


def make_model(
    architecture: str,
    tokenizer: Any,
    labels: Sequence[str],
    *,
    layers: int,
    width: int,
    positions: int = 128,
) -> Any:
    """A sequence classifier of that architecture with random weights from torch's current seed."""
    names = {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: index for index, label in enumerate(labels)},
    }
    heads, inner, size = max(1, width // 32), 4 * width, len(tokenizer)
    padding = tokenizer.pad_token_id
    if architecture == "distilbert":
        return DistilBertForSequenceClassification(
            DistilBertConfig(
                vocab_size=size, dim=width, n_layers=layers, n_heads=heads, hidden_dim=inner,
                pad_token_id=padding, max_position_embeddings=positions, **names,
            )
        )  # fmt: skip
    if architecture == "gpt2":
        return GPT2ForSequenceClassification(
            GPT2Config(
                vocab_size=size, n_embd=width, n_layer=layers, n_head=heads, n_positions=positions,
                pad_token_id=padding, bos_token_id=tokenizer.bos_token_id,
                eos_token_id=tokenizer.eos_token_id, **names,
            )
        )  # fmt: skip
    config, kind = {
        "bert": (BertConfig, BertForSequenceClassification),
        "xlm-roberta": (XLMRobertaConfig, XLMRobertaForSequenceClassification),
    }[architecture]
    offset = padding + 1 if architecture == "xlm-roberta" else 0
    extra = (
        {"type_vocab_size": 1, "bos_token_id": 0, "eos_token_id": 2}
        if architecture == "xlm-roberta"
        else {}
    )
    return kind(
        config(
            vocab_size=size, hidden_size=width, num_hidden_layers=layers,
            num_attention_heads=heads, intermediate_size=inner,
            max_position_embeddings=positions + offset, pad_token_id=padding, **extra, **names,
        )
    )  # fmt: skip
