"""Laws of the rule engine, over every architecture that it is meant for, in float64."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from architectures import ROUGH
from babelscope.errors import UnsupportedModel
from babelscope.propagation.rules import RULES, rules
from bare import every, made, relevance


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
    torch.testing.assert_close(
        after, before, rtol=ROUGH.get(name, 1e-9), atol=ROUGH.get(name, 1e-9)
    )


@every
def test_cp_lrp_conserves_relevance(name: str) -> None:
    """Without biases and additive embeddings the relevances of all tokens sum to the logit; plain
    gradients do not.
    """
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
    """An all-ones mask changes nothing; under CP-LRP the heads of one layer are additive; no head
    leaves the residual path.
    """
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
    """Hooks, gradients and modes are as before, also after an exception inside of the model's
    call.
    """
    model, embedded = made(name)
    wanted = {path: weight.requires_grad for path, weight in model.hf.named_parameters()}

    def hooks() -> int:
        return sum(
            len(module._forward_hooks) + len(module._forward_pre_hooks)
            for module in model.hf.modules()
        )

    count, before = hooks(), relevance(model, embedded)
    with (
        pytest.raises((RuntimeError, ValueError, IndexError, AttributeError)),
        rules(model, "attnlrp"),
    ):
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
    padded = torch.cat(
        [embedded, torch.randn(2, 3, embedded.shape[-1], dtype=torch.float64)], dim=1
    )
    mask = torch.cat([torch.ones(2, 9), torch.zeros(2, 3)], dim=1).long()
    with rules(model, rule):
        _, alone = relevance(model, embedded)
        _, beside = relevance(model, padded, mask)
    torch.testing.assert_close(beside[:, :9], alone, rtol=0, atol=1e-10)
    assert beside[:, 9:].abs().max() == 0


def test_an_operation_without_a_rule_is_named() -> None:
    model, embedded = made("bert")
    dense = model.hf.bert.encoder.layer[0].output.dense
    handle = dense.register_forward_hook(
        lambda module, given, out: torch.special.erfinv(out.clamp(-0.9, 0.9))
    )
    with (
        pytest.raises(UnsupportedModel, match="no rule for the operation 'clamp'"),
        rules(model, "cp_lrp"),
    ):
        relevance(model, embedded)
    handle.remove()


def test_gradient_times_input_vanishes_behind_a_norm() -> None:
    """Why the rules are needed: behind a layer norm without additive embeddings, gradient times
    input sums to nothing.
    """
    model, embedded = made("bert")
    _, plain = relevance(model, embedded)
    assert plain.sum((1, 2)).abs().max() < 1e-6
