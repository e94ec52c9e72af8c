"""A model that forgets from the top down: which weights go when, what is kept of them, and that
all of it comes back.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import zoo
from babelscope.analyses.trust.shuffling import Part, parts, shuffled
from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from conftest import TEXTS, tiny

every = pytest.mark.parametrize("name", zoo.MODELS)


@every
def test_parts_hold_every_weight_once_from_head_to_embeddings(name: str) -> None:
    model = zoo.shared(name, zoo.main_task(name))
    found = parts(model)
    names = [weight for part in found for weight in part.weights]
    known = dict(model.hf.named_parameters())
    assert sorted(names) == sorted(known)
    words = {id(one) for one in model.embeddings.parameters()}
    assert found[-1].name == "embeddings"
    assert words <= {id(known[weight]) for weight in found[-1].weights}
    if name not in ("mamba",):  # its head shares the table of word embeddings
        assert found[0].name == "head"
        last = list(model.hf.children())[-1] if name != "xlm" else model.hf.sequence_summary
        score = getattr(model.hf, "score", None) or getattr(model.hf, "classifier", None) or last
        ends = {id(one) for one in score.parameters()}
        assert ends & {id(known[weight]) for weight in found[0].weights}
    layers = [part.name for part in found if part.name.startswith("layer")]
    assert layers in (["layer 2", "layer 1"], ["layer 1"], _sides())


def _sides() -> list[str]:
    return ["layer decoder 2", "layer decoder 1", "layer encoder 2", "layer encoder 1"]


@pytest.mark.parametrize("most", [3, 4, 6])
def test_many_layers_are_joined(most: int) -> None:
    model = zoo.build("bert", "text-classification")
    model.hf.bert.encoder.layer = torch.nn.ModuleList([model.hf.bert.encoder.layer[0], *(
        type(model.hf.bert.encoder.layer[0])(model.hf.config) for _ in range(9)
    )])  # fmt: skip
    model.hf.config.num_hidden_layers = 10
    found = parts(model, most)
    assert len(found) == most
    assert found[0].name == "head"
    order = [
        int(weight.split(".")[3])
        for part in found
        for weight in part.weights
        if ".layer." in weight
    ]
    assert sorted(set(order), reverse=True) == list(dict.fromkeys(order)) == list(range(9, -1, -1))


@every
def test_shuffling_keeps_the_numbers_and_comes_back_to_the_bit(name: str) -> None:
    model = zoo.build(name, zoo.main_task(name))
    before = {path: one.detach().clone() for path, one in model.hf.named_parameters()}
    listed = parts(model)
    for gone in ([], listed[:1], listed):
        inside = {weight for part in gone for weight in part.weights}
        with pytest.raises(RuntimeError, match="on purpose"):
            _broken_off(model, gone, before, inside)
        assert all(torch.equal(one, before[path]) for path, one in model.hf.named_parameters())


def _broken_off(
    model: Model, gone: list[Part], before: dict[str, torch.Tensor], inside: set[str]
) -> None:
    with shuffled(model, gone, 0):
        for path, one in model.hf.named_parameters():
            old = before[path]
            assert torch.equal(one.flatten().sort().values, old.flatten().sort().values)
            if path not in inside or old.unique().numel() > 8:
                assert torch.equal(one, old) == (path not in inside)
        raise RuntimeError("on purpose")


def _logits(model: Model) -> torch.Tensor:
    return torch.stack(
        inference.outputs(
            model, [inference.query(row) for row in encode(model, as_examples(TEXTS[:2]))]
        )
    )


def test_inference_forgets_too(model: Model) -> None:
    """What was remembered of the trained model is not taken for the shuffled one's, nor the other
    way round.
    """
    listed = parts(model)
    with model.inference.caching():
        trained = _logits(model)
        with shuffled(model, listed, 0):
            first = _logits(model)
        with shuffled(model, listed, 1):
            second = _logits(model)
        assert torch.equal(_logits(model), trained)
    assert not torch.allclose(first, trained)
    assert not torch.allclose(first, second)
    with shuffled(model, listed, 0):
        assert torch.equal(_logits(model), first)


def test_a_weight_has_one_order_whatever_else_is_shuffled() -> None:
    model = tiny("bert")
    listed = parts(model)
    name = listed[0].weights[0]
    seen = []
    for gone in (listed[:1], listed, listed[:1]):
        with shuffled(model, gone, 5):
            seen.append(dict(model.hf.named_parameters())[name].detach().clone().numpy())
    np.testing.assert_array_equal(seen[0], seen[1])
    np.testing.assert_array_equal(seen[0], seen[2])
