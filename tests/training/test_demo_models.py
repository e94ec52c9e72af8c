"""`python -m experiments.demo_models` trains the models of the package: the erased words of its
reviews are mask tokens, and training begins as it did for the packaged model.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from experiments import demo_models

from babelscope.data import builtin
from babelscope.hub import PACKAGED
from babelscope.model.load import load
from babelscope.model.tasks.classification import training_rows
from babelscope.model.tokenized import special_tokens_in_texts

EPOCH = 250
"""Steps in one of the 8 epochs: 8,000 reviews in batches of 32."""


class Stopped(Exception):
    """Training went as far as the test needs."""


def stop(done: int, total: int) -> None:
    assert total == 8 * EPOCH
    if done > EPOCH:
        raise Stopped


@pytest.mark.parametrize(("name", "mask"), [("demo", "<mask>"), ("demo-en", "[MASK]")])
def test_erased_words_are_mask_tokens_only_in_that_training(name: str, mask: str) -> None:
    """A mask that a user's text spells is text, in the packaged models too."""
    tokenizer = load(name).tokenizer
    assert tokenizer.mask_token == mask
    reviews = [
        demo_models.erased(row, mask) for row in builtin.read("sentiment", "en", "train", 40)
    ]
    counts = [row.texts[0].count(mask) for row in reviews]
    assert sum(counts) > 40
    labels = demo_models.LABELS
    with special_tokens_in_texts():
        tokens = training_rows(tokenizer, reviews, labels, 128)
    text = training_rows(tokenizer, reviews, labels, 128)
    assert [row["input_ids"].count(tokenizer.mask_token_id) for row in tokens] == counts
    assert not any(tokenizer.mask_token_id in row["input_ids"] for row in text)


@pytest.mark.training
def test_the_english_model_is_trained_as_its_record_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one epoch the development loss is that of the packaged `training.json`, to the bit on
    the processors that we know; trained on masks that are text it was 0.583 instead of 0.613.
    """
    monkeypatch.setattr(demo_models, "_print", stop)
    with special_tokens_in_texts(), pytest.raises(Stopped):
        demo_models.english(tmp_path)
    folder = PACKAGED / "demo-en"
    (state,) = tmp_path.glob("english.part/checkpoint-*/trainer_state.json")
    (row,) = (each for each in json.loads(state.read_text())["log_history"] if "eval_loss" in each)
    recorded = json.loads((folder / "training.json").read_text())["dev"][0]
    assert row["epoch"] == recorded["epoch"] == 1
    assert row["eval_loss"] == pytest.approx(recorded["eval_loss"], abs=0.01)
    vocabularies = (
        json.loads((each / "tokenizer.json").read_text())["model"]
        for each in (folder, tmp_path / "new")
    )
    assert next(vocabularies) == next(vocabularies)
