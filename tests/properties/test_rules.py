"""Laws of the rule engine, over every architecture that it is meant for, in float64."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import transformers as hf
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model.rules import RULES, rules

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
}
ROUGH = {"llama": 1e-5, "qwen2": 1e-5, "qwen3": 1e-5, "gemma": 1e-5, "modernbert": 1e-5}
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


@every
@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_plain_rules_are_plain_autograd(name: str, attention: str) -> None:
    model, embedded = made(name, biased=True)
    if attention == "sdpa" and not getattr(model.hf, "_supports_sdpa", False):
        pytest.skip(f"{name} has no fused attention")
    model.hf.set_attn_implementation(attention)
    before = relevance(model, embedded)
    with rules(model, "gradient"):
        after = relevance(model, embedded)
    assert torch.equal(before[0], after[0])
    assert torch.equal(before[1], after[1])


@every
@pytest.mark.parametrize("rule", RULES)
def test_outputs_never_change(name: str, rule: str) -> None:
    model, embedded = made(name, biased=True)
    before, _ = relevance(model, embedded)
    with rules(model, rule):
        after, _ = relevance(model, embedded)
    torch.testing.assert_close(after, before, rtol=ROUGH.get(name, 1e-9), atol=ROUGH.get(name, 1e-9))


@every
def test_cp_lrp_conserves_relevance(name: str) -> None:
    """Without biases and additive embeddings the relevances of all tokens sum to the logit; plain gradients do not."""
    model, embedded = made(name)
    with rules(model, "cp_lrp"):
        out, found = relevance(model, embedded)
    torch.testing.assert_close(found.sum((1, 2)), out[:, 1], rtol=0, atol=ROUGH.get(name, 1e-10))
    _, plain = relevance(model, embedded)
    assert (plain.sum((1, 2)) - out[:, 1]).abs().max() > 1e-2


@every
def test_eager_and_fused_attention_agree(name: str) -> None:
    model, embedded = made(name, biased=True)
    if not getattr(model.hf, "_supports_sdpa", False):
        pytest.skip(f"{name} has no fused attention")
    found = []
    for attention in ("eager", "sdpa"):
        model.hf.set_attn_implementation(attention)
        with rules(model, "attnlrp"):
            found.append(relevance(model, embedded)[1])
    torch.testing.assert_close(found[0], found[1], rtol=0, atol=max(1e-9, ROUGH.get(name, 0)))


@every
def test_heads_add_up(name: str) -> None:
    """An all-ones mask changes nothing; under CP-LRP the heads of one layer are additive; no head leaves the residual path."""
    model, embedded = made(name)

    def masked(heads: dict[int, list[float]] | None) -> Tensor:
        with rules(model, "cp_lrp", heads=heads):
            return relevance(model, embedded)[1]

    plain, none = masked(None), masked({1: [0.0] * 4})
    assert torch.equal(plain, masked({0: [1.0] * 4, 1: [1.0] * 4}))
    single = [masked({1: [float(head == other) for other in range(4)]}) for head in range(4)]
    total = none + sum(one - none for one in single)
    torch.testing.assert_close(total, plain, rtol=0, atol=ROUGH.get(name, 1e-10))
    assert (none - plain).abs().max() > 1e-6


@every
def test_nothing_is_left_behind(name: str) -> None:
    """Hooks, gradients and modes are as before, also after an exception inside of the model's call."""
    model, embedded = made(name)
    wanted = {path: weight.requires_grad for path, weight in model.hf.named_parameters()}

    def hooks() -> int:
        return sum(len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.hf.modules())

    count, before = hooks(), relevance(model, embedded)
    with pytest.raises((RuntimeError, ValueError, IndexError, AttributeError)), rules(model, "attnlrp"):
        relevance(model, embedded[..., :7])
    assert hooks() == count
    assert {path: weight.requires_grad for path, weight in model.hf.named_parameters()} == wanted
    after = relevance(model, embedded)
    assert torch.equal(before[0], after[0])
    assert torch.equal(before[1], after[1])


@pytest.mark.parametrize("name", ["bert", "distilbert", "deberta-v2", "electra"])
@pytest.mark.parametrize("rule", ["attnlrp", "cp_lrp"])
def test_padding_has_no_part(name: str, rule: str) -> None:
    model, embedded = made(name, biased=True)
    padded = torch.cat([embedded, torch.randn(2, 3, embedded.shape[-1], dtype=torch.float64)], dim=1)
    mask = torch.cat([torch.ones(2, 9), torch.zeros(2, 3)], dim=1).long()
    with rules(model, rule):
        _, alone = relevance(model, embedded)
        _, beside = relevance(model, padded, mask)
    torch.testing.assert_close(beside[:, :9], alone, rtol=0, atol=1e-10)
    assert beside[:, 9:].abs().max() == 0


def test_an_operation_without_a_rule_is_named() -> None:
    model, embedded = made("bert")
    dense = model.hf.bert.encoder.layer[0].output.dense
    handle = dense.register_forward_hook(lambda module, given, out: torch.special.erfinv(out.clamp(-0.9, 0.9)))
    with pytest.raises(UnsupportedModel, match="no rule for the operation 'clamp'"), rules(model, "cp_lrp"):
        relevance(model, embedded)
    handle.remove()


def test_gradient_times_input_vanishes_behind_a_norm() -> None:
    """Why the rules are needed: behind a layer norm without additive embeddings, gradient times input sums to nothing."""
    model, embedded = made("bert")
    _, plain = relevance(model, embedded)
    assert plain.sum((1, 2)).abs().max() < 1e-6
