"""Layers that are kept while tuning."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AlbertConfig, AlbertForSequenceClassification

from babelscope import corpus
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.model.layers import freeze
from babelscope.model.load import load
from babelscope.training import small
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.models import train, trained_name
from babelscope.training.spec import TrainSpec

TRAIN = corpus.read("sentiment", "en", "train", 16)
ABOVE = {
    "bert": "encoder.layer.1.",
    "xlm-roberta": "encoder.layer.1.",
    "distilbert": "transformer.layer.1.",
    "gpt2": "h.1.",
}


@pytest.mark.training
@pytest.mark.parametrize("architecture", ABOVE)
def test_what_is_kept_stays_and_all_else_changes(architecture: str, tmp_path: Path) -> None:
    """With one of two layers kept, exactly the weights above it are others after tuning."""
    texts = [text for row in TRAIN for text in row.texts]
    small.make(
        tmp_path / "base",
        architecture,
        texts,
        ["negative", "positive"],
        layers=2,
        width=32,
        vocabulary=300,
    )
    recipe = Recipe(learning_rate=1e-2, epochs=1, batch=4, warmup=0.0, freeze_layers=1)
    tuned = load(finetune(tmp_path / "base", TRAIN, TRAIN, tmp_path / "tuned", recipe)).hf
    start = type(tuned).from_pretrained(tmp_path / "base")
    below, heads = f"{tuned.base_model_prefix}.", start.state_dict()
    assert all(
        not torch.equal(weight, heads[name])
        for name, weight in tuned.state_dict().items()
        if not name.startswith(below)
    )
    before, after = start.base_model.state_dict(), tuned.base_model.state_dict()
    names = list(after)
    first = next(at for at, name in enumerate(names) if name.startswith(ABOVE[architecture]))
    assert 0 < first < len(names)
    assert all(torch.equal(before[name], after[name]) for name in names[:first])
    assert not any(torch.equal(before[name], after[name]) for name in names[first:])


@pytest.mark.training
def test_a_study_trains_a_head_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `head_only` the encoder is that of the base and the head another; the name in the cache
    differs from that of the same model with its encoder trained."""
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    texts = [text for row in TRAIN for text in row.texts]
    small.make(
        tmp_path / "base",
        "bert",
        texts,
        ["negative", "positive"],
        layers=1,
        width=32,
        vocabulary=300,
    )
    spec = TrainSpec(
        languages=["en"],
        base=str(tmp_path / "base"),
        examples=16,
        dev_examples=10,
        epochs=2,
        batch=4,
        learning_rate=1e-2,
        head_only=True,
    )
    trained = load(train(spec, DataSpec(builtin="sentiment"), 0)).hf
    start = type(trained).from_pretrained(tmp_path / "base")
    before, after = start.base_model.state_dict(), trained.base_model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in after)
    assert not torch.equal(start.classifier.weight, trained.classifier.weight)
    whole = spec.model_copy(update={"head_only": False})
    assert trained_name(spec, TRAIN, TRAIN, 0) != trained_name(whole, TRAIN, TRAIN, 0)


def test_no_layer_kept_leaves_all_free() -> None:
    model = AlbertForSequenceClassification(
        AlbertConfig(hidden_size=32, num_attention_heads=2, intermediate_size=32)
    )
    freeze(model, 0)
    assert all(weight.requires_grad for weight in model.parameters())


def test_layers_that_are_not_there_are_refused() -> None:
    """All layers of a model, or one of those that share their weights."""
    config = AlbertConfig(
        hidden_size=32, num_attention_heads=2, intermediate_size=32, num_hidden_layers=4
    )
    with pytest.raises(InputError, match="1 layers cannot be frozen"):
        freeze(AlbertForSequenceClassification(config), 1)
    with pytest.raises(InputError, match="2 layers cannot be frozen"):
        freeze(
            small.make_model(
                "bert", small.make_tokenizer("bert", ["a b"], 50), ["0", "1"], layers=2, width=32
            ),
            2,
        )
