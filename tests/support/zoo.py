"""One tiny model per architecture and task, in float64, with a tokenizer of its kind."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
import transformers as hf

from babelscope.model.load import Model, load
from babelscope.training.small import make_tokenizer
from conftest import PAIRS, TEXTS

SIZE: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
GROUPED: dict[str, Any] = {**SIZE, "num_key_value_heads": 2}
T5: dict[str, Any] = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
WINDOWED: dict[str, Any] = {"global_attn_every_n_layers": 2, "local_attention": 8}
LABELS = ("O", "name", "place")

Row = tuple[str, Callable[..., Any], dict[str, Any]]

MODELS: dict[str, Row] = {
    "bert": ("bert", hf.BertConfig, SIZE),
    "roberta": ("xlm-roberta", hf.RobertaConfig, SIZE),
    "xlm-roberta": ("xlm-roberta", hf.XLMRobertaConfig, SIZE),
    "xlm": ("xlm-roberta", hf.XLMConfig, {"emb_dim": 32, "n_layers": 2, "n_heads": 4}),
    "distilbert": ("distilbert", hf.DistilBertConfig, {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48}),
    "electra": ("bert", hf.ElectraConfig, {**SIZE, "embedding_size": 32}),
    "albert": ("bert", hf.AlbertConfig, {**SIZE, "embedding_size": 16}),
    "deberta-v2": (
        "xlm-roberta", hf.DebertaV2Config,
        {**SIZE, "relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8, "type_vocab_size": 0},
    ),
    "modernbert": ("bert", hf.ModernBertConfig, {**SIZE, **WINDOWED}),
    "gpt2": ("gpt2", hf.GPT2Config, {"n_embd": 32, "n_layer": 2, "n_head": 4}),
    "bloom": ("gpt2", hf.BloomConfig, {"hidden_size": 32, "n_layer": 2, "n_head": 4}),
    "llama": ("gpt2", hf.LlamaConfig, GROUPED),
    "qwen2": ("gpt2", hf.Qwen2Config, GROUPED),
    "qwen3": ("gpt2", hf.Qwen3Config, {**GROUPED, "head_dim": 8}),
    "gemma3": ("gpt2", hf.Gemma3TextConfig, {**GROUPED, "head_dim": 8, "layer_types": ["sliding_attention", "full_attention"]}),
    "t5": ("xlm-roberta", hf.T5Config, {**T5, "feed_forward_proj": "gated-gelu"}),
    "mamba": ("gpt2", hf.MambaConfig, {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}),
}  # fmt: skip
"""Per architecture the tokenizer's kind, the configuration and its sizes."""

ROUGH = {"llama", "qwen2", "qwen3", "gemma3", "modernbert", "mamba", "t5"}
"""These compute a softmax or a norm in float32 whatever the model's type."""

HEADS = {
    "text-classification": hf.AutoModelForSequenceClassification,
    "question-answering": hf.AutoModelForQuestionAnswering,
    "token-classification": hf.AutoModelForTokenClassification,
    "text-generation": hf.AutoModelForCausalLM,
    "text2text-generation": hf.AutoModelForSeq2SeqLM,
}


def main_task(name: str) -> str:
    """Classification, but for a state-space model, which has no such head."""
    return "text-generation" if name == "mamba" else "text-classification"


def build(name: str, task: str, *, biased: bool = True, verbalizer: dict[str, str] | None = None) -> Model:
    """A fresh model with weights that matter; unbiased: no biases and no additive embeddings."""
    kind, config, sizes = MODELS[name]
    tokenizer = make_tokenizer(kind, [*TEXTS, *(text for pair in PAIRS for text in pair)], 400)
    specials = ("bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id")
    ends = {special: getattr(tokenizer, special) for special in specials}
    known = LABELS if task != "question-answering" else ("start", "end")
    names = {"id2label": dict(enumerate(known)), "label2id": {label: at for at, label in enumerate(known)}}
    padding = {"pad_token_id": tokenizer.pad_token_id, "decoder_start_token_id": tokenizer.pad_token_id}
    settings = config(vocab_size=len(tokenizer), **sizes, **names, **padding, **ends)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # DeBERTa's own, when it is imported
        torch.manual_seed(3)
        made = HEADS[task].from_config(settings).double().eval()
    with torch.no_grad():
        for path, weight in made.named_parameters():
            if weight.ndim > 1 and not path.endswith("A_log"):
                weight.normal_(0, 0.25)
            if "bias" in path or any(part in path for part in ("position", "wpe", "token_type")):
                weight.normal_(0, 0.1) if biased else weight.zero_()
    return load((made, tokenizer), task=task, verbalizer=verbalizer)


@cache
def shared(name: str, task: str) -> Model:
    """The same for every test that leaves it as it is."""
    return build(name, task)
