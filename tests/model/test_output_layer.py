"""The output layer of models in half precision computes in float32."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from babelscope.methods.explain import explain
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.inference_state import InferenceState
from babelscope.model.load import Model
from babelscope.model.output_layer import ROWS, in_float32, output_layer
from babelscope.types import Example
from conftest import TEXTS, tiny


def half(name: str, task: str | None = None) -> Model:
    model = tiny(name) if task is None else tiny(name, task)
    hf = copy.deepcopy(model.hf).bfloat16()
    return replace(model, hf=hf, inference=InferenceState())


def test_logits_are_the_product_of_the_rounded_states_and_weights() -> None:
    layer = torch.nn.Linear(8, ROWS + 3).bfloat16()
    states = torch.randn(2, 8, generator=torch.Generator().manual_seed(0)).bfloat16()
    module = torch.nn.Module()
    module.score = layer
    rounded = layer(states)
    with in_float32(module):
        logits = layer(states)
    exact = states.double() @ layer.weight.double().T + layer.bias.double()
    torch.testing.assert_close(logits.double(), exact, rtol=0, atol=1e-5)
    with in_float32(module, [7, 2, 7]):
        some = layer(states)
    torch.testing.assert_close(some[:, [2, 7]], logits[:, [2, 7]], rtol=0, atol=1e-5)
    assert torch.equal(some[:, 3:7], rounded[:, 3:7].float()), "the others are as they were"
    assert rounded.dtype == torch.bfloat16
    assert torch.equal(layer(states), rounded), "the layer is as it was"


@pytest.mark.parametrize("name", ["bert", "xlm-roberta", "gpt2", "distilbert"])
def test_every_output_in_half_precision_is_one_of_float32(name: str) -> None:
    model = half(name)
    assert output_layer(model.hf) is not None
    (row,) = encode(model, [Example("a", (TEXTS[0],))])
    (output,) = inference.outputs(model, [inference.query(row)])
    assert not torch.equal(output, output.bfloat16().double()), "it has more digits than bfloat16"
    assert "forward" not in vars(output_layer(model.hf))


def test_wider_models_and_layers_that_are_not_plain_are_left_alone() -> None:
    module = torch.nn.Module()
    module.score = torch.nn.Linear(2, 2)
    with in_float32(module):
        assert "forward" not in vars(module.score)
    module.score = torch.nn.Bilinear(2, 2, 2).bfloat16()
    assert output_layer(module) is None
    with in_float32(module):
        pass


def test_small_differences_survive_large_logits() -> None:
    """A bias of 100 on both classes: in bfloat16 the logits would have steps of 0.5, as large as
    the scores of occlusion."""
    model = half("bert")
    layer = output_layer(model.hf)
    assert layer is not None
    layer.bias.data += 100
    (rounded,) = explain(model, TEXTS[0], "occlusion")
    exact = replace(model, hf=copy.deepcopy(model.hf).double(), inference=InferenceState())
    (wide,) = explain(exact, TEXTS[0], "occlusion", target=rounded.label)
    assert np.corrcoef(rounded.scores, wide.scores)[0, 1] > 0.999
