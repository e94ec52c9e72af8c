"""The architectures that the rule engine is meant for: tiny, from their configurations, in float64."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor

COMMON: dict[str, Any] = {"vocab_size": 60, "num_labels": 3, "pad_token_id": 0}
SIZE: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
GROUPED: dict[str, Any] = {"num_key_value_heads": 2}

MODELS: dict[str, Callable[[], Any]] = {
    "bert": lambda: hf.BertForSequenceClassification(hf.BertConfig(**COMMON, **SIZE)),
    "roberta": lambda: hf.RobertaForSequenceClassification(hf.RobertaConfig(**COMMON, **SIZE)),
    "xlm-roberta": lambda: hf.XLMRobertaForSequenceClassification(hf.XLMRobertaConfig(**COMMON, **SIZE)),
    "xlm": lambda: hf.XLMForSequenceClassification(
        hf.XLMConfig(vocab_size=60, num_labels=3, emb_dim=32, n_layers=2, n_heads=4)
    ),
    "distilbert": lambda: hf.DistilBertForSequenceClassification(
        hf.DistilBertConfig(**COMMON, dim=32, n_layers=2, n_heads=4, hidden_dim=48)
    ),
    "electra": lambda: hf.ElectraForSequenceClassification(hf.ElectraConfig(**COMMON, **SIZE, embedding_size=32)),
    "albert": lambda: hf.AlbertForSequenceClassification(hf.AlbertConfig(**COMMON, **SIZE, embedding_size=16)),
    "deberta-v2": lambda: hf.DebertaV2ForSequenceClassification(
        hf.DebertaV2Config(**COMMON, **SIZE, relative_attention=True, pos_att_type=["c2p", "p2c"], position_buckets=8)
    ),
    "modernbert": lambda: hf.ModernBertForSequenceClassification(
        hf.ModernBertConfig(**COMMON, **SIZE, cls_token_id=1, sep_token_id=2, bos_token_id=1, eos_token_id=2)
    ),
    "gpt2": lambda: hf.GPT2ForSequenceClassification(
        hf.GPT2Config(**COMMON, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)
    ),
    "bloom": lambda: hf.BloomForSequenceClassification(hf.BloomConfig(**COMMON, hidden_size=32, n_layer=2, n_head=4)),
    "llama": lambda: hf.LlamaForSequenceClassification(hf.LlamaConfig(**COMMON, **SIZE, **GROUPED)),
    "qwen2": lambda: hf.Qwen2ForSequenceClassification(hf.Qwen2Config(**COMMON, **SIZE, **GROUPED)),
    "qwen3": lambda: hf.Qwen3ForSequenceClassification(hf.Qwen3Config(**COMMON, **SIZE, **GROUPED, head_dim=8)),
    "gemma": lambda: hf.GemmaForSequenceClassification(hf.GemmaConfig(**COMMON, **SIZE, **GROUPED, head_dim=8)),
    "gemma3": lambda: hf.Gemma3TextForSequenceClassification(
        hf.Gemma3TextConfig(**COMMON, **SIZE, **GROUPED, head_dim=8, layer_types=["sliding_attention", "full_attention"])
    ),
}
ROUGH = {"gemma3": 1e-5, "llama": 1e-5, "qwen2": 1e-5, "qwen3": 1e-5, "gemma": 1e-5, "modernbert": 1e-5}
"""These compute a softmax or a norm in float32 whatever the model's type."""

every = pytest.mark.parametrize("name", MODELS)


def made(name: str, biased: bool = False) -> tuple[Any, Tensor]:
    """A model with weights that matter, and embeddings of two texts; unbiased: no biases and no additive embeddings."""
    torch.manual_seed(0)
    hf.logging.set_verbosity_error()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # DeBERTa's own, when it is imported
        model = MODELS[name]().double().eval()
    with torch.no_grad():
        for path, weight in model.named_parameters():
            if weight.ndim > 1:
                weight.normal_(0, 0.3)
            if "bias" in path or any(part in path for part in ("position", "wpe", "token_type")):
                weight.normal_(0, 0.1) if biased else weight.zero_()
    ids = torch.randint(5, 60, (2, 9))
    return SimpleNamespace(hf=model), model.get_input_embeddings()(ids).detach()


def relevance(model: Any, embedded: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Logits, and gradient times input of one of them."""
    leaf = embedded.clone().requires_grad_(True)
    attended = torch.ones(embedded.shape[:2], dtype=torch.long) if mask is None else mask
    out = model.hf(inputs_embeds=leaf, attention_mask=attended).logits
    (slope,) = torch.autograd.grad(out[:, 1].sum(), leaf)
    return out.detach(), slope * embedded
