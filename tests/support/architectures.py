"""The architectures that tests run over, tiny, each listed once: its tokenizer's kind,
configuration and sizes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
import transformers as hf

SIZE: dict[str, Any] = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48,
}  # fmt: skip
GROUPED: dict[str, Any] = {**SIZE, "num_key_value_heads": 2}
WINDOWED: dict[str, Any] = {"layer_types": ["sliding_attention", "full_attention"]}
RELATIVE: dict[str, Any] = {
    "relative_attention": True,
    "pos_att_type": ["c2p", "p2c"],
    "position_buckets": 8,
}
T5: dict[str, Any] = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}

MODELS: dict[str, tuple[str, Callable[..., Any], dict[str, Any]]] = {
    "bert": ("bert", hf.BertConfig, SIZE),
    "roberta": ("xlm-roberta", hf.RobertaConfig, SIZE),
    "xlm-roberta": ("xlm-roberta", hf.XLMRobertaConfig, SIZE),
    "xlm": ("xlm-roberta", hf.XLMConfig, {"emb_dim": 32, "n_layers": 2, "n_heads": 4}),
    "distilbert": (
        "distilbert", hf.DistilBertConfig, {"dim": 32, "n_layers": 2, "n_heads": 4,
                                            "hidden_dim": 48},
    ),
    "electra": ("bert", hf.ElectraConfig, {**SIZE, "embedding_size": 32}),
    "albert": ("bert", hf.AlbertConfig, {**SIZE, "embedding_size": 16}),
    "deberta-v2": ("xlm-roberta", hf.DebertaV2Config, {**SIZE, **RELATIVE, "type_vocab_size": 0}),
    "modernbert": (
        "bert", hf.ModernBertConfig, {**SIZE, "global_attn_every_n_layers": 2,
                                      "local_attention": 8},
    ),
    "gpt2": ("gpt2", hf.GPT2Config, {"n_embd": 32, "n_layer": 2, "n_head": 4}),
    "bloom": ("gpt2", hf.BloomConfig, {"hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "llama": ("gpt2", hf.LlamaConfig, GROUPED),
    "qwen2": ("gpt2", hf.Qwen2Config, GROUPED),
    "qwen3": ("gpt2", hf.Qwen3Config, {**GROUPED, "head_dim": 8}),
    "gemma": ("gpt2", hf.GemmaConfig, {**GROUPED, "head_dim": 8}),
    "gemma3": ("gpt2", hf.Gemma3TextConfig, {**GROUPED, "head_dim": 8, **WINDOWED}),
    "t5": ("xlm-roberta", hf.T5Config, {**T5, "feed_forward_proj": "gated-gelu"}),
    "mamba": ("gpt2", hf.MambaConfig, {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
}  # fmt: skip

FLOAT32 = ("llama", "qwen2", "qwen3", "gemma", "gemma3", "modernbert", "mamba", "t5")
ROUGH = dict.fromkeys(FLOAT32, 1e-5)
"""These compute a softmax or a norm in float32 whatever the model's type: the error that this
leaves.
"""

ADDITIVE = ("position", "wpe", "token_type")
"""In the names of embeddings that are added to those of tokens."""


def build_hf(
    auto: Any, name: str, settings: dict[str, Any], *, seed: int, spread: float, biased: bool
) -> Any:
    """A model of float64 with weights that matter; unbiased: no biases and no additive
    embeddings.
    """
    _, config, sizes = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # DeBERTa's own, when it is imported
        torch.manual_seed(seed)
        model = auto.from_config(config(**sizes, **settings)).double().eval()
    with torch.no_grad():
        for path, weight in model.named_parameters():
            if weight.ndim > 1 and not path.endswith("A_log"):
                weight.normal_(0, spread)
            if "bias" in path or any(part in path for part in ADDITIVE):
                weight.normal_(0, 0.1) if biased else weight.zero_()
    return model
