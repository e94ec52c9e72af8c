"""What an explanation costs, counted in tokens that the model reads forwards and backwards; and
what the check against the model's own call finds.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pytest
import torch

from babelscope.errors import BadRow, SkippedRows
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Example
from conftest import TEXTS, tiny

ALIKE = ("the food was good", "good was the food", "was the food good", "the good food was")
"""Texts of the same words, and so of the same number of tokens: nothing is padding."""
ONE_PASS = tuple(name for name, row in METHODS.items() if row.one_pass)


@dataclass
class Read:
    """The tokens of the calls of a model, and of the backward passes through them."""

    forward: int = 0
    backward: int = 0
    calls: int = 0


@contextmanager
def counting(model: Model) -> Iterator[Read]:
    """Within, every call of the model is counted, whoever makes it."""
    read, original = Read(), model.hf.forward

    @functools.wraps(original)
    def counted(*args: Any, **arguments: Any) -> Any:
        ids, embedded = arguments.get("input_ids"), arguments.get("inputs_embeds")
        size = ids.numel() if ids is not None else embedded[..., 0].numel()
        read.forward += size
        read.calls += 1
        answer = original(*args, **arguments)
        if answer.logits.requires_grad:
            answer.logits.register_hook(lambda _: setattr(read, "backward", read.backward + size))
        return answer

    model.hf.forward = counted
    try:
        yield read
    finally:
        model.hf.forward = original


def cost(model: Model, method: str, texts: tuple[str, ...] = ALIKE) -> Read:
    with counting(model) as read:
        explain(model, list(texts), method)
    return read


@pytest.mark.parametrize("method", ONE_PASS)
def test_a_method_of_one_pass_reads_each_text_once(method: str) -> None:
    """Target, value, gradient and the model's own call are one pass; beside it one text is read
    alone. DeepLIFT reads every text with its reference.
    """
    model = tiny("bert")
    explain(model, ALIKE[0], method)  # what is measured once (head masks) is not counted
    (first, *_) = rows = encode(model, [Example(text, (text,)) for text in ALIKE])
    whole = sum(len(row.ids) for row in rows) * (2 if method == "deeplift" else 1)
    read = cost(model, method)
    assert (read.forward, read.backward) == (whole + len(first.ids), whole)


@pytest.mark.parametrize(("method", "erases"), [("random", 0), ("occlusion", 1)])
def test_other_methods_read_each_text_once_more(method: str, erases: int) -> None:
    """In the model's own call, and one text alone; a method that perturbs reads the text in our
    call too, among its erased inputs: occlusion without each of its content tokens.
    """
    model = tiny("bert")
    rows = encode(model, [Example(text, (text,)) for text in ALIKE])
    content = [int(row.content.sum()) for row in rows]
    whole = sum(len(row.ids) for row in rows)
    erased = sum(count * len(row.ids) for count, row in zip(content, rows)) if erases else 0
    read = cost(model, method)
    own = whole + len(rows[0].ids)
    assert (read.forward, read.backward) == (own + (whole + erased if erases else 0), 0)


def test_equal_texts_are_read_once() -> None:
    model = tiny("bert")
    once, twice = (cost(model, "input_x_gradient", ALIKE[:1] * count) for count in (1, 3))
    assert once.backward == twice.backward


def test_several_methods_share_the_first_pass() -> None:
    """Random needs the outputs only: beside input x gradient it costs nothing."""
    model = tiny("bert")
    with counting(model) as both:
        together = explain(model, list(ALIKE), ["random", "input_x_gradient"])
    assert both == cost(model, "input_x_gradient")
    apart = [
        *explain(model, list(ALIKE), "random"),
        *explain(model, list(ALIKE), "input_x_gradient"),
    ]
    for first, second in zip(together, apart, strict=True):
        assert (first.method, first.target) == (second.method, second.target)
        np.testing.assert_allclose(first.scores, second.scores, atol=1e-12)
        assert first.value == pytest.approx(second.value, abs=1e-12)


@contextmanager
def altered(model: Model, **replaced: Any) -> Iterator[None]:
    """Within, the model's call reads other arguments than it was given, where it was given none of
    its own: `None` drops one.
    """
    original = model.hf.forward

    @functools.wraps(original)
    def call(*args: Any, **arguments: Any) -> Any:
        for name, make in replaced.items():
            if make is None:
                arguments.pop(name, None)
            elif arguments.get(name) is None:
                arguments[name] = make(arguments["input_ids"])
        return original(*args, **arguments)

    model.hf.forward = call
    try:
        yield
    finally:
        model.hf.forward = original


@pytest.mark.parametrize("method", ["random", "input_x_gradient", "attcat"])
def test_a_model_that_reads_padding_is_contradicted(method: str) -> None:
    """Without the attention mask a padded text has another probability than alone. The longest text
    has no padding, and is explained.
    """
    model = tiny("bert")
    longest = max(encode(model, [Example(t, (t,)) for t in TEXTS]), key=lambda row: len(row.ids))
    with altered(model, attention_mask=None):
        with pytest.warns(SkippedRows, match="contradicted by the model's own call"):
            attributions = explain(model, list(TEXTS), method)
        assert {each.texts for each in attributions} == {longest.example.texts}
        assert {row.reason for row in attributions.skipped} == {"contradicted"}


def reversed_positions(ids: torch.Tensor) -> torch.Tensor:
    return torch.arange(ids.shape[1] - 1, -1, -1).expand(ids.shape)


def test_a_model_with_other_positions_is_contradicted_or_read_as_it_reads() -> None:
    """Where the model derives positions otherwise than we do, what goes through our call is
    refused, in methods and in metrics; a gradient pass is the model's own call, and explains what
    that says.
    """
    model = tiny("bert")
    with altered(model, position_ids=reversed_positions):
        for methods in ("occlusion", ["input_x_gradient", "occlusion"]):
            with pytest.raises(BadRow, match="differs by"):
                explain(model, ALIKE[0], methods)
        attributions = explain(model, list(ALIKE), "random")
        (measured, *_) = measure(model, attributions, "comprehensiveness")
        assert isnan(measured.value)
        assert "differs by" in measured.reason
        (attribution,) = explain(model, ALIKE[0], "input_x_gradient")
        (row,) = encode(model, [Example("1", (ALIKE[0],))])
        leaf = model.embeddings(torch.from_numpy(row.ids)[None]).detach().requires_grad_(True)
        positions = reversed_positions(torch.from_numpy(row.ids)[None])
        logits = model.hf(inputs_embeds=leaf, position_ids=positions).logits[0]
        (slope,) = torch.autograd.grad(logits[attribution.target_index], leaf)
    value = float(logits[attribution.target_index].detach())
    assert attribution.value == pytest.approx(value, abs=1e-9)
    expected = (slope * leaf).sum(dim=-1)[0].detach().numpy()[row.content]
    np.testing.assert_allclose(attribution.scores, expected, atol=1e-9)


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta", "gpt2"])
def test_the_gradient_pass_has_the_scores_of_explicit_targets(architecture: str) -> None:
    model = tiny(architecture)
    first = explain(model, list(TEXTS), "input_x_gradient")
    for attribution in first:
        (again,) = explain(model, attribution.texts, "input_x_gradient", target=attribution.target)
        np.testing.assert_allclose(attribution.scores, again.scores, atol=1e-9)
