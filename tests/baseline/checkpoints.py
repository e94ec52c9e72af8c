"""Small random models in float64, saved as checkpoints that read the built-in corpus."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForMaskedLM, AutoModelForSequenceClassification, BertConfig

from babelscope import corpus as builtin
from babelscope.training.small import make_tokenizer

LABELS = ("negative", "positive")
SIZE: dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
    "max_position_embeddings": 128,
}  # fmt: skip


@cache
def tokenizer(kind: str, langs: tuple[str, ...], size: int) -> Any:
    """One of the built-in reviews."""
    rows = [row for lang in langs for row in builtin.read("sentiment", lang, "train", 40)]
    return make_tokenizer(kind, [text for row in rows for text in row.texts], size)


def saved(
    folder: Path, seed: int, langs: tuple[str, ...] = ("en", "hi", "zh"), *, base: bool = False
) -> str:
    """A classifier, or a language model as the base of others, with weights that matter."""
    pieces = tokenizer("bert", langs, 700)
    names = {
        "id2label": dict(enumerate(LABELS)),
        "label2id": {name: at for at, name in enumerate(LABELS)},
    }
    config = BertConfig(
        vocab_size=len(pieces), pad_token_id=pieces.pad_token_id, **SIZE, **({} if base else names)
    )
    kind = AutoModelForMaskedLM if base else AutoModelForSequenceClassification
    model = kind.from_config(config).double()
    shaken = torch.Generator().manual_seed(seed)
    started = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1:
                weight.copy_(0.25 * _drawn(weight, started) + 0.1 * _drawn(weight, shaken))
            elif "bias" in name:
                weight.copy_(0.1 * _drawn(weight, shaken))
    model.save_pretrained(folder)
    pieces.save_pretrained(folder)
    return str(folder)


def _drawn(weight: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(weight.shape, generator=generator, dtype=torch.float64)
