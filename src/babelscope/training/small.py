"""Small untrained models: a tokenizer trained on given texts, a transformer of a given width, or a
network without attention."""

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
from babelscope.model.networks import NETWORKS
from babelscope.model.networks.tf_idf import inverse_frequencies
from babelscope.model.scopes import quiet
from babelscope.training.spec import FULLY_CONNECTED, TF_IDF
from babelscope.training.spec import LAYERS as LAYERS
from babelscope.training.tokenizers import TOKENIZERS as TOKENIZERS
from babelscope.training.tokenizers import make_tokenizer as make_tokenizer

ARCHITECTURES = ("bert", "xlm-roberta", "distilbert", "gpt2")
"""The transformers among the architectures."""
POSITIONS = 128
"""The largest number of tokens of a small model."""


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
    positions: int = POSITIONS,
) -> Path:
    """Writes an untrained model and its tokenizer into a folder, ready for fine-tuning.

    The tokenizer is of the architecture's usual kind: WordPiece (BERT, DistilBERT),
    SentencePiece-like BPE with a meta-space (XLM-R), byte-level BPE (GPT-2), whole words (TF-IDF
    and the fully connected network, which have no layers to count). Heads are `width // 32`; the
    inner width is four times the width.
    """
    known = (*ARCHITECTURES, *NETWORKS)
    if architecture not in known:
        raise InputError(f"architecture {architecture!r} is not one of: {', '.join(known)}")
    if width % 32 or width < 32 or layers < 1:
        raise InputError(
            f"a width must be a multiple of 32 and layers at least 1; {width} and {layers} given"
        )
    tokenizer = make_tokenizer(architecture, texts, vocabulary, positions)
    torch.manual_seed(seed)
    hf = make_model(
        architecture, tokenizer, labels, layers=layers, width=width, positions=positions
    )
    if architecture == TF_IDF:
        ids = tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        hf.idf.copy_(inverse_frequencies(ids, len(tokenizer)))
    hf.config.untrained = True
    target = Path(folder)
    with quiet():
        hf.save_pretrained(target)
        tokenizer.save_pretrained(target)
    return target


def positions_of(architecture: str, max_length: int | None) -> int:
    """The number of tokens that a small model has positions for: of the fully connected network,
    whose size grows with it, the length that is named."""
    return max_length or POSITIONS if architecture == FULLY_CONNECTED else POSITIONS


def make_model(
    architecture: str,
    tokenizer: Any,
    labels: Sequence[str],
    *,
    layers: int,
    width: int,
    positions: int = POSITIONS,
) -> Any:
    """A sequence classifier of that architecture with random weights from torch's current seed; the
    inverse document frequencies of TF-IDF are all 1."""
    names = {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: index for index, label in enumerate(labels)},
    }
    heads, inner, size = max(1, width // 32), 4 * width, len(tokenizer)
    padding = tokenizer.pad_token_id
    if architecture in NETWORKS:
        return _network(architecture, tokenizer, width, positions, names)
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


def _network(
    architecture: str, tokenizer: Any, width: int, positions: int, names: dict[str, Any]
) -> Any:
    """A network without attention, whose special tokens are not counted, or which has places."""
    config, classifier = NETWORKS[architecture]
    sizes: dict[str, Any] = (
        {"uncounted": tokenizer.all_special_ids}
        if architecture == TF_IDF
        else {"max_position_embeddings": positions}
    )
    common = {"vocab_size": len(tokenizer), "hidden_size": width, **names}
    return classifier(config(pad_token_id=tokenizer.pad_token_id, **common, **sizes))
