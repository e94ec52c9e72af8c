"""Every architecture through the whole line, from loading to explaining: what is announced is what
happens.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch
from test_method_laws import COARSE

from babelscope.errors import BabelscopeError, UnsupportedModel
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.methods.suitability import Suitability, suitable
from babelscope.model.load import load
from babelscope.types import Attribution
from conftest import TEXTS
from zoo import LABELS, MODELS, build, main_task, shared

WHOLE = [(name, main_task(name)) for name in MODELS] + [
    ("t5", "text2text-generation"),
    ("bert", "token-classification"),
    ("xlm-roberta", "question-answering"),
    ("llama", "text-generation"),
]
DATA = "the food was good"
PAIR = ("the food", "the food was good")


@cache
def announced(name: str, task: str) -> tuple[Suitability, ...]:
    return suitable(shared(name, task))


def correlation(one: Attribution, other: Attribution) -> float:
    return float(np.corrcoef(one.scores, other.scores)[0, 1])


@pytest.mark.parametrize(("name", "task"), WHOLE)
def test_what_is_announced_is_what_happens(name: str, task: str) -> None:
    """Every method, on other texts than the one that it was tried on, and of different lengths;
    that was with its defaults, this is with few samples.
    """
    model = shared(name, task)
    assert [one.method for one in announced(name, task)] == list(METHODS)
    data = [PAIR] if task == "question-answering" else [DATA, "no"]
    for one in announced(name, task):
        if not one.works:
            assert one.reason
            with pytest.raises(BabelscopeError) as caught:
                explain(model, data, one.method)
            assert str(caught.value) == one.reason
            continue
        found = explain(model, data, one.method, options=COARSE.get(one.method))
        assert all(np.isfinite(each.scores).all() and len(each.scores) for each in found)


@pytest.mark.parametrize(("name", "task"), WHOLE)
def test_only_attention_that_cannot_be_read_is_refused(name: str, task: str) -> None:
    """On these architectures every other method works, the rules for relevance among them, but for
    what is listed.
    """
    blind = (
        {row.name for row in METHODS.values() if row.attentions}
        if name in ("mamba", "t5")
        else set()
    )
    if name == "xlm":  # no separate layers
        blind = {"value_zeroing", "alti", "globenc", "decompx"}
    if task == "question-answering":  # an answer has no place in texts of other words
        blind = blind | {"slalom"}
    assert {one.method for one in announced(name, task) if not one.works} == blind


@pytest.mark.parametrize(
    ("name", "reason"),
    [("mamba", "MambaForCausalLM has no attention weights"), ("t5", "no single matrix")],
)
def test_attention_that_cannot_be_read_is_refused_before_anything_is_computed(
    name: str, reason: str
) -> None:
    model = shared(name, main_task(name))
    before = model.inference.tokens
    with pytest.raises(UnsupportedModel, match=f"rollout reads attention weights, but .*{reason}"):
        explain(model, DATA, "rollout")
    assert model.inference.tokens == before


def test_an_operation_without_a_rule_is_announced_by_its_name() -> None:
    model = build("bert", "text-classification")
    dense = model.hf.bert.encoder.layer[0].output.dense
    dense.register_forward_hook(lambda module, given, out: out.clamp(-0.9, 0.9))
    found = {one.method: one for one in suitable(model)}
    assert (
        "no rule for the operation 'clamp' in bert.encoder.layer.0.output.dense"
        in found["attnlrp"].reason
    )
    assert not found["attnlrp"].works
    assert found["input_x_gradient"] == Suitability("input_x_gradient", True)


def test_without_a_padding_token_the_baseline_is_zero_and_flagged() -> None:
    """Another token that is missing is refused: it was asked for."""
    model = build("gpt2", "text-generation")
    model.tokenizer.pad_token = None
    assert all(
        row.works for row in suitable(model) if row.method in ("integrated_gradients", "deeplift")
    )
    for method in ("integrated_gradients", "deeplift"):
        (attribution,) = explain(model, TEXTS[0], method)
        (zero,) = explain(model, TEXTS[0], method, options={"baseline": "zero"})
        assert attribution.scores == zero.scores
        flag = "no padding token: the baseline is the zero vector"
        assert flag in attribution.flags
        assert flag not in zero.flags
    with pytest.raises(
        UnsupportedModel, match="has no mask token for a baseline; use zero or mean"
    ):
        explain(model, TEXTS[0], "deeplift", options={"baseline": "mask"})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bert", "gpt2", "modernbert"])
def test_half_precision_is_near_where_it_serves_and_left_where_it_does_not(name: str) -> None:
    """Propagation in bfloat16 follows float32; a precise method runs in the precision that it needs
    and gives its numbers; weights come back.
    """
    full = build(name, "text-classification")
    full.hf.bfloat16().float()  # the same weights in both
    half = load((build(name, "text-classification").hf.bfloat16(), full.tokenizer))
    weights = {path: weight.clone() for path, weight in half.hf.state_dict().items()}
    for row in METHODS.values():
        if not (row.precise or row.family == "propagation") or row.name == "masked_attnlrp":
            # of random weights no head is kept, so that nothing is left for its scores to say
            continue
        one, other = (
            explain(model, TEXTS[1], row.name, target=LABELS[1])[0] for model in (half, full)
        )
        computed = [flag for flag in one.flags if flag.startswith("computed in")]
        reason = f"computed in {row.precise} with weights rounded to bfloat16"
        assert computed == ([reason] if row.precise else [])
        if row.precise:
            np.testing.assert_allclose(one.scores, other.scores, rtol=1e-5, atol=1e-6)
        else:
            assert correlation(one, other) >= 0.999
            assert one.scores != other.scores
    assert all(
        weight.dtype == weights[path].dtype and torch.equal(weight, weights[path])
        for path, weight in half.hf.state_dict().items()
    )
    told = {one.method: one for one in suitable(half)}
    assert told["integrated_gradients"] == Suitability(
        "integrated_gradients", True, "computed in float32 with weights rounded to bfloat16"
    )
    assert told["cp_lrp"] == Suitability("cp_lrp", True)


def test_weights_come_back_after_a_failure_in_full_precision() -> None:
    half = build("bert", "text-classification")
    half.hf.bfloat16()
    inside = set()

    def failing() -> None:
        with half.full_precision():
            inside.update(weight.dtype for weight in half.hf.parameters())
            raise RuntimeError("planted")

    with pytest.raises(RuntimeError, match="planted"):
        failing()
    assert inside == {torch.float32}
    assert {weight.dtype for weight in half.hf.parameters()} == {torch.bfloat16}
    assert half.in_half
