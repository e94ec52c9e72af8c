"""The operators that need more than a token of the tokenizer: the mean embedding, and tokens drawn
by a language model.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError, UnsupportedModel, UntrainedHead
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.erase import erase, erase_all, mean_embedding
from babelscope.model.infill import infiller
from babelscope.model.load import Model
from conftest import PAIRS, TEXTS, tiny
from planted import WEIGHTS, planted_model


def test_the_mean_embedding_is_that_of_the_words() -> None:
    """The planted model adds weights: a word replaced by the mean embedding adds the mean weight
    instead of its own.
    """
    model = planted_model()
    (row,) = encode(model, as_examples("the great film"))
    gone = np.array([False, False, True, False, False])
    full, left = (
        float(out[1])
        for out in inference.outputs(
            model, [inference.query(row), erase(model, row, gone, "mean_embedding")]
        )
    )
    assert left == pytest.approx(
        full - WEIGHTS["great"] + np.mean(list(WEIGHTS.values())), abs=1e-6
    )  # made in float32


def test_a_changed_model_has_another_mean() -> None:
    model = tiny("bert")
    before = mean_embedding(model).clone()
    with torch.no_grad():
        model.embeddings.weight.mul_(2.0)
        try:
            torch.testing.assert_close(mean_embedding(model), 2 * before, rtol=0, atol=1e-12)
        finally:
            model.embeddings.weight.div_(2.0)
    torch.testing.assert_close(mean_embedding(model), before, rtol=0, atol=1e-12)


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
def test_drawn_tokens_stand_where_something_was_erased(
    writers: dict[str, str], architecture: str
) -> None:
    model = tiny(architecture)
    how = f"sampled:{writers[architecture]}"
    rows = encode(model, as_examples([*TEXTS, *PAIRS]))
    rng = np.random.default_rng(3)
    gones = [row.content & (rng.random(len(row.ids)) < 0.5) for row in rows]
    together = erase_all(model, list(zip(rows, gones)), how)
    for row, gone, drawn in zip(rows, gones, together):
        alone = erase(model, row, gone, how)
        assert alone is not None
        assert drawn is not None
        assert alone.digest() == drawn.digest()
        assert (drawn.ids[~gone] == row.ids[~gone]).all()
        assert not np.isin(drawn.ids[gone], model.tokenizer.all_special_ids).any()
        same = erase(model, row, np.zeros_like(gone), how)
        assert same is not None
        assert same.digest() == inference.query(row).digest()


def test_draws_follow_the_language_model(writers: dict[str, str]) -> None:
    """With its output bias raised by 50 for one token, the language model is sure, and that token
    is drawn everywhere; with two tokens raised alike, both are drawn, about half of the time
    each."""
    model = tiny("bert")
    writer = infiller(writers["bert"], model.tokenizer)
    wanted = [int(row.ids[1]) for row in encode(model, as_examples(TEXTS[:2]))]
    rows = encode(model, as_examples([TEXTS[1]] * 30))
    with torch.no_grad():
        bias = writer.hf.cls.predictions.bias
        before = bias.clone()
        try:
            bias[wanted[0]] += 50
            (one,) = erase_all(model, [(rows[0], rows[0].content)], f"sampled:{writers['bert']}")
            assert one is not None
            assert (one.ids[rows[0].content] == wanted[0]).all()
            bias[wanted[1]] = bias[wanted[0]]
            many = erase_all(
                model, [(row, row.content) for row in rows], f"sampled:{writers['bert']}"
            )
        finally:
            bias.copy_(before)
    drawn = np.concatenate(
        [one.ids[row.content] for one, row in zip(many, rows) if one is not None]
    )
    assert set(drawn.tolist()) == set(wanted)
    assert 0.2 < np.mean(drawn == wanted[0]) < 0.8


def test_what_cannot_fill_in_is_refused(
    writers: dict[str, str], xlmr: Model, tmp_path: object
) -> None:
    (row,) = encode(xlmr, as_examples(TEXTS[0]))
    with pytest.raises(InputError, match="sampled:CHECKPOINT"):
        erase(xlmr, row, row.content, "sampled")
    with pytest.raises(UnsupportedModel, match="another vocabulary"):
        erase(xlmr, row, row.content, f"sampled:{writers['bert']}")
    with pytest.raises(InputError, match="is not one of"):
        erase(xlmr, row, row.content, "mask:somewhere")
    xlmr.hf.save_pretrained(tmp_path)
    xlmr.tokenizer.save_pretrained(tmp_path)
    with pytest.raises(UntrainedHead, match="no masked language model"):
        erase(xlmr, row, row.content, f"sampled:{tmp_path}")
