"""Laws of adapting a checkpoint to texts, and of the fields of a study that ask for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from babelscope import corpus
from babelscope.data.spec import DataSpec
from babelscope.errors import InputError
from babelscope.training import small
from babelscope.training.adaptation import Adaptation, adapt
from babelscope.training.models import train, trained_name
from babelscope.training.spec import TrainSpec

ROWS = corpus.read("topic", "en", "train", 40)
SETTINGS = Adaptation(steps=30, learning_rate=3e-3, batch=8)


def checkpoint(folder: Path, architecture: str) -> Path:
    texts = [text for row in ROWS for text in row.texts]
    tokenizer = small.make_tokenizer(architecture, texts, 300)
    torch.manual_seed(2)
    head = small.make_model(architecture, tokenizer, ["0", "1"], layers=1, width=32)
    kind: Any = AutoModelForCausalLM if architecture == "gpt2" else AutoModelForMaskedLM
    kind.from_config(head.config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return dict(AutoModelForMaskedLM.from_pretrained(folder).state_dict())


@pytest.mark.training
@pytest.mark.parametrize("architecture", ["bert", "gpt2"])
def test_adapting_lowers_the_loss_on_the_texts(tmp_path: Path, architecture: str) -> None:
    """Of a masked language model and of a decoder: the mean log-probability of the texts' tokens
    rises."""
    base = checkpoint(tmp_path / "base", architecture)
    adapted = adapt(str(base), ROWS, tmp_path / "adapted", SETTINGS)

    def score(folder: Path) -> float:
        kind: Any = AutoModelForCausalLM if architecture == "gpt2" else AutoModelForMaskedLM
        model, read = kind.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
        ids = read(ROWS[0].texts[0], return_tensors="pt")["input_ids"]
        with torch.no_grad():
            return float(model(input_ids=ids, labels=ids).loss)

    assert score(adapted) < score(base) - 0.5


@pytest.mark.training
def test_the_same_settings_give_the_same_weights_and_labels_are_not_read(tmp_path: Path) -> None:
    base = checkpoint(tmp_path / "base", "bert")
    blind = [replace(row, label=None) for row in ROWS]
    once, again, other = (
        weights(adapt(str(base), rows, tmp_path / name, settings))
        for name, rows, settings in (
            ("once", ROWS, SETTINGS),
            ("again", blind, SETTINGS),
            ("other", ROWS, replace(SETTINGS, seed=1)),
        )
    )
    assert all(torch.equal(once[name], again[name]) for name in once)
    assert not all(torch.equal(once[name], other[name]) for name in once)


def test_what_cannot_be_adapted_is_refused(tmp_path: Path) -> None:
    base = checkpoint(tmp_path / "base", "bert")
    with pytest.raises(InputError, match="needs texts"):
        adapt(str(base), [], tmp_path / "out", SETTINGS)
    tokenizer = AutoTokenizer.from_pretrained(base)
    torch.manual_seed(0)
    small.make_model("bert", tokenizer, ["a", "b"], layers=1, width=32).save_pretrained(base)
    with pytest.raises(InputError, match="has no language model to adapt"):
        adapt(str(base), ROWS, tmp_path / "out", SETTINGS)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"adaptation": 10}, "name it as the 'base'"),
        ({"tokenizer": "bert-base-uncased"}, "name it as the 'base'"),
        ({"base": "a/b", "tokenizer": {"en": "c/d"}}, "needs 'separately: true'"),
        (
            {"base": "a/b", "tokenizer": {"hi": "c/d"}, "separately": True},
            "there is no tokenizer for 'en'",
        ),
    ],
)
def test_fields_that_do_not_fit_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainSpec(languages=["en"], **fields)


def test_a_model_has_the_tokenizer_of_its_language() -> None:
    spec = TrainSpec(
        languages=["en", "hi"], separately=True, base="a/b", tokenizer={"en": "c/d", "hi": "e/f"}
    )
    assert [spec.of(lang).tokenizer for lang in spec.languages] == ["c/d", "e/f"]


def test_older_models_keep_their_names_and_a_swap_has_its_own() -> None:
    plain = TrainSpec(languages=["en"], base="a/b")
    names = {
        trained_name(spec, ROWS, ROWS, 0)
        for spec in (
            plain, plain.model_copy(update={"tokenizer": "c/d"}),
            plain.model_copy(update={"tokenizer": "e/f"}),
            plain.model_copy(update={"adaptation": 10}),
        )
    }  # fmt: skip
    assert len(names) == 4
    unset = plain.model_copy(update={"adaptation_rate": plain.adaptation_rate})
    assert trained_name(unset, ROWS, ROWS, 0) in names


@pytest.mark.training
def test_a_swapped_and_adapted_base_is_fine_tuned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a study's fields to a classifier with the other tokenizer; both stages are in the
    cache."""
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    base, other = (checkpoint(tmp_path / name, name) for name in ("xlm-roberta", "bert"))
    spec = TrainSpec(
        languages=["en"], base=str(base), tokenizer=str(other), adaptation=3, examples=30,
        dev_examples=10, epochs=1, batch=8,
    )  # fmt: skip
    folder = train(spec, DataSpec(builtin="topic"), 0)
    config = AutoTokenizer.from_pretrained(folder)
    assert config.get_vocab() == AutoTokenizer.from_pretrained(other).get_vocab()
    assert "XLMRoberta" in (folder / "config.json").read_text("utf-8")
    stages = {each.name for each in (tmp_path / "cache").iterdir() if each.is_dir()}
    assert stages == {"models", "swapped", "adapted"}
