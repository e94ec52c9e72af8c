"""The models that come with the package: what their manifest says, and what a person does with
them first.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
import torch

import babelscope
from babelscope.data import builtin
from babelscope.files import file_digest
from babelscope.hub import MODELS, PACKAGED, _note_folder, locate
from babelscope.methods import METHODS
from babelscope.model.load import Model, load
from babelscope.study.config import demo_study
from babelscope.training.evaluate import evaluate
from babelscope.training.models import trained_name
from babelscope.training.recipes import SHIPPED, pretrained, shipped
from babelscope.training.spec import TrainSpec

MANIFEST = json.loads((PACKAGED / "manifest.json").read_text("utf-8"))
MEGABYTES = 8
"""Largest size of all files together; a wheel compresses them."""
TEXTS = {
    "en": ("My friends liked the room, but I found it dirty.", "dirty"),
    "ar": ("كانت الغرفة نظيفة جدًا.", "نظيفة"),
    "zh": ("我不喜欢这部电影。", "不"),
}
"""A sentence, and a word of it that decides."""


@pytest.fixture(scope="module")
def demo() -> Model:
    return load("demo")


def test_the_files_are_those_of_the_manifest() -> None:
    present = {
        str(file.relative_to(PACKAGED)): file_digest(file)
        for file in PACKAGED.rglob("*")
        if file.is_file() and file.name != "manifest.json"
    }
    assert present == {
        f"{name}/{file}": digest
        for name, row in MANIFEST.items()
        for file, digest in row["files"].items()
    }
    assert set(MANIFEST) == {*MODELS, SHIPPED}
    total = sum(file.stat().st_size for file in PACKAGED.rglob("*"))
    assert total < MEGABYTES * 1_000_000


@pytest.mark.parametrize("name", MODELS)
def test_they_load_in_float32_and_know_their_languages(name: str) -> None:
    model = load(name)
    assert model.name == name
    assert model.labels == ("negative", "positive")
    assert {weight.dtype for weight in model.hf.parameters()} == {torch.float32}
    languages = builtin.LANGUAGES if name == "demo" else ("en",)
    assert tuple(MANIFEST[name]["test"]) == languages
    assert all(lang in model.description for lang in languages)


@pytest.mark.parametrize("lang", builtin.LANGUAGES)
def test_the_accuracy_is_that_of_the_manifest(demo: Model, lang: str) -> None:
    """On the first 40 of the 1,000 reviews that the manifest is about. The standard deviation of
    their share is at most sqrt(0.9 * 0.1 / 40) = 0.05 where the accuracy is at least 0.9.
    """
    score, _ = evaluate(demo, builtin.read("sentiment", lang, "test", 40))  # then macro-F1
    accuracy = MANIFEST["demo"]["test"][lang]["accuracy"]
    assert score.estimate.mean == pytest.approx(accuracy, abs=0.15)


@pytest.mark.parametrize("lang", TEXTS)
def test_the_word_that_decides_has_the_largest_score_and_its_erasure_changes_the_probability(
    demo: Model, lang: str
) -> None:
    text, word = TEXTS[lang]
    (attribution,) = babelscope.explain(demo, text, "occlusion", lang=lang, quantity="probability")
    scores = dict(zip(attribution.words, attribution.word_scores))
    assert attribution.probability > 0.9
    assert max(scores, key=lambda each: scores[each]) == word
    assert scores[word] > 0.2


def test_a_name_is_the_model_of_the_package_and_a_folder_is_reached_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    _note_folder.cache_clear()
    with caplog.at_level(logging.WARNING):
        assert locate("demo") == (str(PACKAGED / "demo"), None)
        assert not caplog.messages, "the folder of `babelscope demo` is no model"
        (tmp_path / "demo" / "config.json").write_text("{}")
        _note_folder.cache_clear()
        assert locate("demo") == locate("demo") == (str(PACKAGED / "demo"), None)
    assert caplog.messages == ["demo is a model of babelscope; the folder here is ./demo"]
    assert locate("./demo") == ("./demo", None)
    assert locate("demo", kind="datasets") == ("demo", None)


def test_the_encoder_of_the_package_is_that_recipe_and_no_other() -> None:
    assert pretrained(SHIPPED) == PACKAGED / SHIPPED
    assert shipped(SHIPPED, seed=1) is None
    assert shipped(SHIPPED, vocabulary=500) is None
    assert shipped(SHIPPED, tokenizer="unigram") is None
    assert shipped(SHIPPED, ("en", "hi")) is None
    assert shipped("multilingual") is None


def test_a_model_fine_tuned_from_it_is_named_by_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new version of the package's encoder must not be mistaken for the old one."""
    spec = TrainSpec(languages=["en"], base=f"pretrained:{SHIPPED}")
    names = {trained_name(spec, [], [], seed) for seed in (0, 1)}
    (tmp_path / SHIPPED).mkdir()
    (tmp_path / SHIPPED / "config.json").write_text("{}")
    monkeypatch.setattr("babelscope.training.recipes.PACKAGED", tmp_path)
    others = {trained_name(spec, [], [], seed) for seed in (0, 1)}
    assert len(names | others) == 4


@pytest.mark.parametrize("train", [False, True])
def test_the_demo_compares_models_languages_and_methods_with_a_control(train: bool) -> None:
    study = demo_study(train=train)
    assert all((model.train is not None) == train for model in study.models)
    assert [model.languages for model in study.models] == [None, ["en"]]
    assert {"ar", "hi", "zh"} < set(study.languages)
    names = {choice.name for choice in study.methods}
    assert "random" in names
    assert len({METHODS[name].family for name in names}) > 3
