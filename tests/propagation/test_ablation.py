"""Heads that are switched off in the forward pass."""

from __future__ import annotations

import copy
from dataclasses import asdict

import numpy as np
import pytest
import torch

from babelscope.analyses.heads.ablation import KEPT, REMOVED, ablated, summaries
from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import UnsupportedModel
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.head_masks import HeadMask, random_like
from babelscope.model.heads import head_grid
from babelscope.model.load import Model
from babelscope.propagation.ablation import heads_kept
from conftest import TEXTS, tiny
from zoo import main_task, shared


def logits(model: Model) -> torch.Tensor:
    rows = encode(model, as_examples(list(TEXTS)))
    return torch.stack(inference.outputs(model, [inference.query(row) for row in rows]))


def mask(model: Model, *gone: tuple[int, int]) -> dict[int, list[float]]:
    layers, heads = head_grid(model)
    return {
        layer: [float((layer, head) not in gone) for head in range(heads)]
        for layer in range(layers)
    }


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "distilbert", "gpt2"])
def test_ones_change_nothing_and_the_model_is_restored(architecture: str) -> None:
    model = tiny(architecture)
    before = logits(model)
    with heads_kept(model, mask(model)):
        assert torch.equal(logits(model), before)
    with pytest.raises(ZeroDivisionError), heads_kept(model, mask(model, (0, 0))):
        raise ZeroDivisionError
    assert not model.hf._forward_hooks
    with model.inference.caching():
        logits(model)
        with heads_kept(model, mask(model, (0, 0), (1, 1))):
            assert not torch.allclose(logits(model), before), "nothing comes from the cache"
        assert torch.equal(logits(model), before)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_equals_a_projection_without_the_columns_of_the_head(attention: str) -> None:
    """BERT: the heads' outputs are concatenated before the output projection, so that head h is
    gone where the columns [h d, (h + 1) d) of its weight are zero."""
    model = tiny("bert")
    other = Model(copy.deepcopy(model.hf), model.tokenizer, "cut", model.task)
    for each in (model, other):
        each.hf.set_attn_implementation(attention)
    layer, head = 1, 0
    dense = other.hf.bert.encoder.layer[layer].attention.output.dense
    size = dense.weight.shape[1] // head_grid(model)[1]
    with torch.no_grad():
        dense.weight[:, head * size : (head + 1) * size] = 0
    with heads_kept(model, mask(model, (layer, head))):
        found = logits(model)
    torch.testing.assert_close(found, logits(other), atol=1e-12, rtol=0)


def head_mask(model: Model, *kept: tuple[int, int]) -> HeadMask:
    layers, heads = head_grid(model)
    keep = tuple(tuple((a, b) in kept for b in range(heads)) for a in range(layers))
    limits = ((None,) * 1,) * layers
    return HeadMask(
        "m", "en", "c", ("nsubj",), "dep->head", "strip", limits, 0.0, 0.0, "synt", keep
    )


def test_random_masks_of_the_same_size() -> None:
    model = tiny("bert")
    one = head_mask(model, (0, 0), (1, 1))
    drawn = [random_like(one, seed) for seed in range(6)]
    assert {each.count for each in drawn} == {2}
    assert len({each.keep for each in drawn}) > 1
    assert random_like(one, 3) == drawn[3]


def test_ablations_of_a_model() -> None:
    model = tiny("bert")
    layers, heads = head_grid(model)
    every = [(a, b) for a in range(layers) for b in range(heads)]
    masks = {"synt": head_mask(model, (0, 0)), "all": head_mask(model, *every)}
    rows = ablated(model, as_examples(list(TEXTS)), masks, 4)
    assert len(rows) == 2 * (1 + 4) + 2, "a mask of all heads has no control"
    lines = {(each.kind, each.side): each for each in summaries(map(asdict, rows))}
    whole = lines["all", KEPT]
    assert whole.same == 1
    assert np.isnan(whole.p)
    none = lines["all", REMOVED]
    assert none.probability != pytest.approx(whole.probability)
    one = lines["synt", KEPT]
    assert (one.heads, one.total, one.samples) == (1, layers * heads, 4)
    # of five masks, this one counted: a share of fifths
    assert one.p * 5 == pytest.approx(round(one.p * 5))


def test_models_without_one_stack_of_heads_are_refused() -> None:
    model = shared("t5", main_task("t5"))
    rows = encode(model, as_examples([TEXTS[0]]))
    layers, heads = head_grid(model)
    ones = {layer: [1.0] * heads for layer in range(layers)}
    with pytest.raises(UnsupportedModel, match="cannot be switched off"), heads_kept(model, ones):
        inference.outputs(model, [inference.query(row) for row in rows])
