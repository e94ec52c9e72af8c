"""How far weights moved, the loss of language models, and models of which only the head was
trained.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from babelscope.analyses.tradeoffs.drift import language_loss, weight_drift
from babelscope.analyses.tradeoffs.provenance import Provenance, Stated, folder_provenance
from babelscope.data import builtin
from babelscope.errors import UntrainedHead
from babelscope.model.load import load
from babelscope.training.finetune import Recipe, finetune
from conftest import tiny
from tradeoff_models import LABELS, checkpoints, texts


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return checkpoints(
        tmp_path_factory.mktemp("drift"),
        {"base": LABELS, "en-0": LABELS, "a": ("negative", "positive")},
    )


def test_drift_and_masked_loss(folders: dict[str, str]) -> None:
    model = load(folders["en-0"])
    assert all(each.relative == 0 for each in weight_drift(model, model))
    moved = load(folders["en-0"])
    with torch.no_grad():
        for weight in moved.hf.base_model.parameters():
            weight.mul_(1.25)
    assert [each.relative for each in weight_drift(model, moved)] == pytest.approx(
        [0.25] * 3, rel=1e-5
    )
    assert [each.part for each in weight_drift(model, moved)] == [
        "embeddings",
        "layer 0",
        "layer 1",
    ]
    rows = texts()["test"]["hi"]
    before = language_loss(folders["base"], None, rows)
    base = load(folders["base"], task="text-classification", allow_untrained_head=True)
    np.testing.assert_allclose(language_loss(folders["base"], base, rows), before, atol=1e-5)
    changed = language_loss(folders["base"], model, rows)
    assert np.abs(np.array(changed) - before).max() > 1e-3
    np.testing.assert_allclose(
        language_loss(folders["base"], model, rows[::-1])[::-1], changed, atol=1e-5
    )
    with pytest.raises(UntrainedHead, match="no language model head"):
        language_loss(folders["en-0"], None, rows)


def test_a_decoders_loss_is_per_byte_of_what_was_read(tmp_path: Path) -> None:
    start = tiny("gpt2")
    torch.manual_seed(5)
    writer = AutoModelForCausalLM.from_config(start.hf.config).float().eval()
    with torch.no_grad():
        for weight in writer.parameters():
            weight.normal_(0, 0.2)
    writer.save_pretrained(tmp_path / "base")
    start.tokenizer.save_pretrained(tmp_path / "base")
    rows = [row for lang in ("en", "hi") for row in texts()["test"][lang]]
    losses = language_loss(str(tmp_path / "base"), None, rows)
    for row, loss in zip(rows, losses):
        encoded = start.tokenizer(row.texts[0], truncation=True, return_offsets_mapping=True)
        ids, read = (
            torch.tensor([encoded["input_ids"]]),
            row.texts[0][: encoded["offset_mapping"][-1][1]],
        )
        with torch.no_grad():
            logits = writer(input_ids=ids).logits[0]
        expected = torch.nn.functional.cross_entropy(logits[:-1], ids[0, 1:], reduction="sum")
        assert loss == pytest.approx(float(expected) / len(read.encode()), rel=1e-4)
    tuned = load(str(tmp_path / "base"), task="text-classification", allow_untrained_head=True)
    np.testing.assert_allclose(
        language_loss(str(tmp_path / "base"), tuned, rows), losses, atol=1e-5
    )
    with torch.no_grad():
        for weight in tuned.hf.base_model.parameters():
            weight.mul_(1.1)
    assert (
        np.abs(np.array(language_loss(str(tmp_path / "base"), tuned, rows)) - losses).max() > 1e-3
    )


@pytest.mark.training
def test_training_the_head_leaves_everything_else_to_the_bit(
    folders: dict[str, str], tmp_path: Path
) -> None:
    rows = builtin.read("sentiment", "en", "train", 12)
    recipe = Recipe(epochs=4, learning_rate=1e-2, batch=4, head_only=True)
    folder = finetune(folders["a"], rows, rows, tmp_path / "out", recipe)
    before, after = load(folders["a"]).hf, load(folder).hf
    for name, weight in before.base_model.state_dict().items():
        assert torch.equal(weight, after.base_model.state_dict()[name]), name
    assert not torch.equal(before.classifier.weight, after.classifier.weight)
    assert folder_provenance(str(folder), Stated()) == Provenance("en", 0, "head_only")
