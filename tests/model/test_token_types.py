"""Decoders whose tokenizer gives types of tokens, as gpt2-chinese-cluecorpussmall's does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import babelscope
from babelscope.training import small

TEXTS = ["the food was good", "the room was bad and cold", "a good film", "I hate this phone"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """GPT-2 with a classification head and BERT's tokenizer, whose ids the types 0 and 1 share."""
    place = tmp_path_factory.mktemp("gpt2-types")
    tokenizer = small.make_tokenizer("bert", TEXTS, 200)
    torch.manual_seed(3)
    small.make_model("gpt2", tokenizer, ["a", "b"], layers=2, width=32).save_pretrained(place)
    tokenizer.save_pretrained(place)
    assert "token_type_ids" in tokenizer("good")
    assert "untrained" not in json.loads((place / "config.json").read_text("utf-8"))
    return place


def test_embeddings_and_ids_give_the_same_output(folder: Path) -> None:
    """By embeddings, types are embedded as by ids: integrated gradients add up to the difference of
    the values, one of which is that of the ids."""
    model = babelscope.load(str(folder))
    whole = babelscope.explain(
        model, TEXTS, method="integrated_gradients", options={"nodes": 64, "tolerance": 1e-3}
    )
    for row in whole:
        assert np.isfinite(row.scores).all()
        assert row.reference_value is not None
        assert sum(row.scores) == pytest.approx(row.value - row.reference_value, abs=2e-3)
