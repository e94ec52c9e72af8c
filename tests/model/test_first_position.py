"""Classifiers that read the first position: the last layer computes no other behind its attention,
and every number stays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.first_position import first_position_only
from babelscope.model.load import Model
from babelscope.types import Encoded, Example, Target
from conftest import TEXTS, tiny

ENCODERS = ("bert", "xlm-roberta")


def rows(model: Model) -> list[Encoded]:
    """Texts of several lengths, so that some are padded."""
    return encode(model, [Example(str(at), (text,)) for at, text in enumerate(TEXTS)])


def positions(model: Model, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of positions that the last layer's feed-forward block reads, call by call."""
    seen: list[int] = []
    block = model.hf.base_model.encoder.layer[-1].intermediate
    original = block.forward

    def counted(states: Any) -> Any:
        seen.append(states.shape[1])
        return original(states)

    monkeypatch.setitem(vars(block), "forward", counted)
    return seen


@pytest.mark.parametrize("architecture", ENCODERS)
def test_outputs_are_those_of_the_whole_layer(
    architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny(architecture)
    seen = positions(model, monkeypatch)
    outputs = inference.outputs(model, [inference.query(row) for row in rows(model)])
    assert set(seen) == {1}
    for row, output in zip(rows(model), outputs, strict=True):
        with torch.no_grad():
            own = model.hf(**model.functions.plain_call(model, row)).logits[0]
        torch.testing.assert_close(output, own, rtol=0, atol=1e-12)
    assert max(seen) > 1, "the model's own call reads all positions"


@pytest.mark.parametrize("architecture", ENCODERS)
def test_gradients_are_those_of_the_whole_layer(
    architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At inputs with an edit, which are not read in the model's own call."""
    model = tiny(architecture)
    seen = positions(model, monkeypatch)
    inputs = rows(model)
    halved = [
        replace(inference.query(row), edit=lambda embedded: embedded / 2, key="half")
        for row in inputs
    ]
    gradients = inference.gradients(
        model, halved, [Target(1)] * len(inputs), lambda row, gradient: gradient
    )
    assert set(seen) == {1}
    for row, (_, gradient) in zip(inputs, gradients, strict=True):
        ids = torch.from_numpy(row.ids)[None]
        leaf = (model.embeddings(ids).detach() / 2).requires_grad_(True)
        logits = model.hf(inputs_embeds=leaf).logits
        (expected,) = torch.autograd.grad(logits[0, 1], leaf)
        torch.testing.assert_close(gradient, expected[0], rtol=0, atol=1e-12)


def test_a_model_with_hooks_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """They may read or change any position."""
    model = tiny("bert")
    seen = positions(model, monkeypatch)
    handle = model.hf.bert.encoder.register_forward_hook(lambda *_: None)
    try:
        inference.outputs(model, [inference.query(rows(model)[0])])
    finally:
        handle.remove()
    assert seen == [len(rows(model)[0].ids)]


def test_other_tasks_and_decoders_are_left_alone() -> None:
    model = tiny("gpt2")
    with first_position_only(model):
        assert not any(module._forward_pre_hooks for module in model.hf.modules())


def failing(model: Model) -> None:
    with first_position_only(model):
        assert any(module._forward_pre_hooks for module in model.hf.modules())
        raise RuntimeError


def test_the_model_is_as_it_was_on_exit() -> None:
    model = tiny("bert")
    with pytest.raises(RuntimeError):
        failing(model)
    assert not any(module._forward_pre_hooks for module in model.hf.modules())
