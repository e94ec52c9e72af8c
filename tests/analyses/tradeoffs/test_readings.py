"""Readings: a text is read alike in any company, and as a plain call of the model reads it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from babelscope.analyses.tradeoffs.attention import spread
from babelscope.analyses.tradeoffs.readings import PART, ReadText, parts, read_texts
from babelscope.errors import UnsupportedModel
from babelscope.model import activations
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Example
from conftest import TEXTS, tiny

LABELS = ("negative", "neutral", "positive")
MIXED = [Example(str(at), (text,), "en", label=LABELS[at % 3]) for at, text in enumerate(TEXTS)]


def numbers(text: ReadText) -> np.ndarray:
    reading, states = text
    attention = (reading.nats, reading.share, reading.content, reading.sink)
    every = (reading.logits, *attention, states.mean, states.first, states.last)
    return np.concatenate([np.asarray(part, dtype=float) for part in every])


def test_a_text_is_read_alike_in_any_company(model: Model) -> None:
    together = read_texts(model, MIXED)
    budget = model.inference.budget
    for at, row in enumerate(MIXED):
        (alone,) = read_texts(model, [row])
        np.testing.assert_allclose(
            numbers(alone), numbers(together[at]), atol=1e-6, rtol=1e-6
        )  # states are float32
        np.testing.assert_allclose(alone.reading.logits, together[at].reading.logits, atol=1e-9)
        np.testing.assert_allclose(alone.reading.share, together[at].reading.share, atol=1e-9)
    try:
        model.inference.budget = 40
        small = read_texts(model, MIXED[::-1])[::-1]
    finally:
        model.inference.budget = budget
    for whole, part in zip(together, small):
        np.testing.assert_allclose(whole.reading.logits, part.reading.logits, atol=1e-9)
        np.testing.assert_allclose(whole.reading.nats, part.reading.nats, atol=1e-9)


def test_readings_are_those_of_a_plain_call(bert: Model) -> None:
    row = encode(bert, MIXED[:1])[0]
    with torch.no_grad(), bert.visible_attention():
        output = bert.hf(
            input_ids=torch.from_numpy(row.ids)[None],
            output_attentions=True,
            output_hidden_states=True,
        )
    ((reading, states),) = read_texts(bert, MIXED[:1])
    np.testing.assert_allclose(reading.logits, output.logits[0].numpy(), atol=1e-9)
    inner = torch.stack(output.hidden_states)[:, 0].numpy()
    np.testing.assert_allclose(
        np.reshape(states.mean, (3, -1)), inner[:, 1:-1].mean(axis=1), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(np.reshape(states.first, (3, -1)), inner[:, 0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.reshape(states.last, (3, -1)), inner[:, -1], rtol=1e-5, atol=1e-6)
    expected = spread(torch.stack(output.attentions)[:, 0].numpy(), ~row.content)
    np.testing.assert_allclose(np.reshape(reading.sink, (2, 2)), expected.sink, atol=1e-9)
    np.testing.assert_allclose(np.reshape(reading.share, (2, 2)), expected.share, atol=1e-9)
    ((headless, same),) = read_texts(bert, MIXED[:1], head=False)
    assert len(headless.logits) == 0, "a base has no trained logits"
    np.testing.assert_allclose(same.mean, states.mean, rtol=1e-5, atol=1e-6)


def test_a_decoder_is_measured_against_what_it_sees() -> None:
    rows = read_texts(tiny("gpt2"), MIXED[:3])
    assert all(0 < share < 1 for row in rows for share in row.reading.share if share == share)


def test_two_stacks_are_refused() -> None:
    model = tiny("bert")
    replaced = Model(model.hf, model.tokenizer, "two", model.task)
    replaced.__dict__["is_encoder_decoder"] = True
    with pytest.raises(UnsupportedModel, match="single stack of layers"):
        activations.activations(replaced, [], lambda row, inside: None)


def test_parts_are_whole_and_none_is_too_small() -> None:
    for many in (3, PART, PART + 2, 2 * PART + 4):
        rows = [replace(MIXED[0], id=str(at), group=str(at)) for at in range(many)]
        listed = list(parts(rows))
        assert [row.id for _, some in listed for row in some] == [row.id for row in rows]
        assert [rows[start].id for start, _ in listed] == [some[0].id for _, some in listed]
        assert min(len(some) for _, some in listed) >= min(many, 4)
