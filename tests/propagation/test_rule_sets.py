"""Laws of DeepLIFT's and Chefer's rules, over every architecture of the rule engine."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from architectures import ROUGH
from babelscope.errors import UnsupportedModel
from babelscope.propagation.deeplift import logarithmic_mean
from babelscope.propagation.rules import rules
from bare import every, made

ROUGH = ROUGH | {"xlm": 1e-6, "bloom": 1e-6}
"""These two compute the softmax of attention in float32."""


def differences(
    model: Any, inputs: Tensor, references: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Output differences of a class, and DeepLIFT scores [text, token]."""
    leaf = torch.cat([inputs, references]).requires_grad_(True)
    attended = torch.ones(inputs.shape[:2], dtype=torch.long) if mask is None else mask
    with rules(model, "deeplift"):
        out = model.hf(inputs_embeds=leaf, attention_mask=torch.cat([attended, attended])).logits[
            :, 1
        ]
    own, other = out.chunk(2)
    (slope,) = torch.autograd.grad(own.sum(), leaf)
    return (own - other).detach(), ((inputs - references) * slope[: len(inputs)]).sum(-1).detach()


def halfway(embedded: Tensor) -> Tensor:
    """References: one constant token, the first token shared."""
    other = embedded.flip(0)[:, 4:5].expand_as(embedded).clone()
    other[:, 0] = embedded[:, 0]
    return other


@every
def test_deeplift_is_complete(name: str) -> None:
    """In float64 to rounding, in float32 to 1e-5 of outputs of size 1; plain gradients are not."""
    model, embedded = made(name, biased=True)
    gap, found = differences(model, embedded, halfway(embedded))
    scale = gap.abs().max().clamp(min=1)
    torch.testing.assert_close(
        found.sum(1), gap, rtol=0, atol=float(scale) * max(1e-10, ROUGH.get(name, 0))
    )
    single = replace(model, hf=copy.deepcopy(model.hf).float())
    gap, found = differences(single, embedded.float(), halfway(embedded).float())
    assert float((found.sum(1) - gap).abs().max() / scale) < 1e-5
    assert float(found.abs().max()) > 1e-3


@every
def test_deeplift_near_the_input_is_the_gradient(name: str) -> None:
    """With a reference one small step away, the multipliers are the slopes."""
    model, embedded = made(name, biased=True)
    step = 1e-4 * torch.randn(
        embedded.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64
    )
    _, found = differences(model, embedded, embedded - step)
    leaf = (embedded - step / 2).requires_grad_(True)
    out = model.hf(
        inputs_embeds=leaf, attention_mask=torch.ones(embedded.shape[:2], dtype=torch.long)
    ).logits
    (slope,) = torch.autograd.grad(out[:, 1].sum(), leaf)
    expected = (step * slope).sum(-1)
    size = float(expected.abs().max())
    torch.testing.assert_close(
        found, expected, rtol=0, atol=size * (1e-2 if name in ROUGH else 1e-4)
    )


@pytest.mark.parametrize("name", ["bert", "distilbert", "deberta-v2", "electra"])
def test_deeplift_ignores_padding(name: str) -> None:
    model, embedded = made(name, biased=True)
    padded = torch.cat(
        [embedded, torch.randn(2, 3, embedded.shape[-1], dtype=torch.float64)], dim=1
    )
    mask = torch.cat([torch.ones(2, 9), torch.zeros(2, 3)], dim=1).long()
    other = padded.clone()
    other[:, :9] = halfway(embedded)
    _, alone = differences(model, embedded, halfway(embedded))
    _, beside = differences(model, padded, other, mask)
    torch.testing.assert_close(beside[:, :9], alone, rtol=0, atol=1e-10)
    assert beside[:, 9:].abs().max() == 0


def test_the_logarithmic_mean_lies_between_the_means() -> None:
    generator = torch.Generator().manual_seed(0)
    one, two = (
        torch.randn(4, 50, generator=generator, dtype=torch.float64).mul(5).log_softmax(-1)
        for _ in range(2)
    )
    found = logarithmic_mean(one, two)
    assert torch.equal(found, logarithmic_mean(two, one))
    assert (found >= ((one + two) / 2).exp() * (1 - 1e-12)).all()
    assert (found <= (one.exp() + two.exp()) / 2 * (1 + 1e-12)).all()
    torch.testing.assert_close(logarithmic_mean(one, one), one.exp(), rtol=1e-12, atol=0)
    near = logarithmic_mean(one, one + 0.9e-5)
    torch.testing.assert_close(
        near, (one.exp() * torch.expm1(torch.tensor(0.9e-5)) / 0.9e-5).double(), rtol=1e-6, atol=0
    )
    never = torch.tensor([-torch.inf, 0.0], dtype=torch.float64)
    assert logarithmic_mean(never, never).tolist() == [0.0, 1.0]


def test_deeplift_softmax_is_exact_for_large_logits() -> None:
    """A softmax alone, logits of scale 30: the multipliers carry the whole difference; at x = x'
    they are the Jacobian.
    """
    from babelscope.propagation.backward import Run
    from babelscope.propagation.deeplift import DEEPLIFT

    generator = torch.Generator().manual_seed(3)
    both = (30 * torch.randn(2, 12, generator=generator, dtype=torch.float64)).requires_grad_(True)
    weights = torch.randn(12, generator=generator, dtype=torch.float64)
    run = Run("deeplift", {})
    out = DEEPLIFT["softmax"](run, torch.softmax, (both, -1), {}) @ weights
    (slope,) = torch.autograd.grad(out[0], both)
    way = (both[0] - both[1]).detach()
    assert float((slope[0] * way).sum()) == pytest.approx(
        float((out[0] - out[1]).detach()), abs=1e-14
    )
    same = both[:1].detach().repeat(2, 1).requires_grad_(True)
    (found,) = torch.autograd.grad(
        (DEEPLIFT["softmax"](run, torch.softmax, (same, -1), {}) @ weights)[0], same
    )
    (expected,) = torch.autograd.grad((torch.softmax(same, -1) @ weights)[0], same)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-15)


def test_deeplift_sees_a_kink_between_close_points() -> None:
    """Two inputs of a ReLU closer than the step at which slopes are taken halfway, on both sides
    of its kink.
    """
    from babelscope.propagation.backward import Run
    from babelscope.propagation.deeplift import elementwise

    x = torch.tensor([[1e-3], [-5e-4]], dtype=torch.float32, requires_grad=True)
    y = elementwise(Run("deeplift", {}), x, torch.relu(x.detach()), torch.relu)
    (slope,) = torch.autograd.grad(y[0].sum(), x)
    assert float(slope[0] * 1.5e-3) == pytest.approx(1e-3, rel=1e-6)


def chefer(
    model: Any, embedded: Tensor, heads: Any = None
) -> tuple[Any, list[Tensor], list[Tensor]]:
    """Outputs, and relevance at the first layer's input and of the attention weights, of 1 at the
    logit of each text.
    """
    model.hf.set_attn_implementation("eager")
    leaf = embedded.clone().requires_grad_(True)
    given = {
        "inputs_embeds": leaf,
        "attention_mask": torch.ones(embedded.shape[:2], dtype=torch.long),
    }
    with rules(model, "chefer", heads=heads):
        out = model.hf(**given, output_attentions=True, output_hidden_states=True)
    held = [out.hidden_states[0], *out.attentions]
    seed = (out.logits[:, 1] / out.logits[:, 1].detach()).sum()
    slopes = torch.autograd.grad(seed, held, allow_unused=True, materialize_grads=True)
    found = [(x * g).detach() for x, g in zip(held, slopes)]
    return out, found[:1], found[1:]


@every
def test_chefer_keeps_the_relevance_of_one(name: str) -> None:
    """From 1 at the logit to the first layer's input nothing is lost, but where a layer adds
    positions of its own.
    """
    model, embedded = made(name, biased=True)
    _, (first,), _ = chefer(model, embedded)
    tolerance = 1e-8 if name not in ROUGH else 1e-3
    total = first.flatten(1).sum(1)
    if (
        name == "bloom"
    ):  # its slopes by distance are added to the attention scores, and take their share
        assert (total - 1).abs().min() > 1e-3
    else:
        torch.testing.assert_close(
            total, torch.ones(2, dtype=torch.float64), rtol=0, atol=tolerance
        )


@every
def test_chefer_head_masks(name: str) -> None:
    """Ones change nothing; the mask of the last layer does not touch its own matrix, only those
    below; zeros leave the residual path."""
    model, embedded = made(name, biased=True)
    _, plain, matrices = chefer(model, embedded)
    _, ones, same = chefer(model, embedded, {0: [1.0] * 4, 1: [1.0] * 4})
    assert all(torch.equal(a, b) for a, b in zip(plain + matrices, ones + same))
    _, _, after = chefer(model, embedded, {0: [0.0, 1.0, 0.0, 0.0]})
    assert all(torch.equal(a, b) for a, b in zip(matrices, after)), (
        "the lowest layer's mask has nothing below it to change"
    )
    _, _, after = chefer(model, embedded, {1: [0.0, 1.0, 0.0, 0.0]})
    assert torch.equal(matrices[1], after[1])
    assert not torch.allclose(matrices[0], after[0], rtol=1e-3, atol=0)
    _, none, _ = chefer(model, embedded, {0: [0.0] * 4, 1: [0.0] * 4})
    assert not torch.allclose(none[0], plain[0], rtol=1e-3, atol=0)
    assert torch.isfinite(none[0]).all()


@every
def test_chefer_texts_have_no_part_in_one_another(name: str) -> None:
    model, embedded = made(name, biased=True)
    _, together, both = chefer(model, embedded)
    _, alone, single = chefer(model, embedded[1:])
    tolerance = 1e-3 if name in ROUGH else 1e-8
    for a, b in zip(together + both, alone + single):
        torch.testing.assert_close(a[1:], b, rtol=tolerance, atol=tolerance * float(b.abs().max()))


def test_a_power_with_several_exponents_is_refused() -> None:
    """Close inputs are evaluated one by one, apart from their exponents."""
    from babelscope.propagation.backward import Run
    from babelscope.propagation.rules import rule

    x = torch.rand(4, 3, dtype=torch.float64).requires_grad_(True)
    with pytest.raises(UnsupportedModel, match="a power with several exponents"):
        rule(Run("deeplift", {}), torch.pow, (x, torch.ones(3)), {})
    y = rule(Run("deeplift", {}), torch.pow, (x, torch.tensor(3.0)), {})
    assert torch.allclose(y, x**3)
