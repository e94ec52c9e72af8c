"""Texts that are too short, or of which a model is not sure enough, are not explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import small_study
from babelscope.errors import InputError
from babelscope.methods.explain import explain
from babelscope.model.load import load
from babelscope.store import open_store, read
from babelscope.study.config import parse_study
from babelscope.study.run import run


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return small_study.models(tmp_path_factory.mktemp("filters"))


def explained(paths: dict[str, Path], store: Path, **filters: Any) -> dict[str, set[str]]:
    """By model, the texts that were explained."""
    values = small_study.values(paths)
    values["tasks"] = [values["tasks"][0] | filters]
    outcome = run(parse_study(values), store)
    assert all("passes" in failure.reason for failure in outcome.failed), "of the second model"
    rows = read(open_store(store), "attributions").to_pandas()
    return {str(name): set(part["texts"].str[0]) for name, part in rows.groupby("model")}


def test_short_texts_are_left_out(paths: dict[str, Path], tmp_path: Path) -> None:
    """The limit is the median length in tokens, special tokens included."""
    model = load(paths["first"])
    lengths = {text: len(model.tokenizer(text)["input_ids"]) for text in small_study.TEXTS}
    limit = sorted(lengths.values())[2]
    chosen = explained(paths, tmp_path / "store", least_tokens=limit)
    expected = {text for text, length in lengths.items() if length >= limit}
    assert 0 < len(expected) < len(lengths)
    assert chosen["first"] == expected


def test_uncertain_texts_are_left_out(paths: dict[str, Path], tmp_path: Path) -> None:
    """By each model on its own; with the gold label as the target, by the gold label's."""
    model = load(paths["first"])
    sure = {row.texts[0]: row.probability for row in explain(model, small_study.TEXTS, "random")}
    limit = sorted(sure.values())[2]
    chosen = explained(paths, tmp_path / "store", least_probability=limit)
    assert chosen["first"] == {text for text, p in sure.items() if p >= limit}
    (other,) = {label for label in model.labels if label != "positive"}
    gold = {
        row.texts[0]: 1 - row.probability if row.label == other else row.probability
        for row in explain(model, small_study.TEXTS, "random")
    }
    limit = sorted(gold.values())[2]
    chosen = explained(paths, tmp_path / "gold", least_probability=limit - 1e-9, target="gold")
    assert chosen["first"] == {text for text, p in gold.items() if p >= limit}


def test_no_text_left_is_a_failure_with_a_reason(paths: dict[str, Path], tmp_path: Path) -> None:
    values = small_study.values(paths)
    values["tasks"] = [values["tasks"][0] | {"least_tokens": 1000}]
    outcome = run(parse_study(values), tmp_path / "store")
    reasons = {failure.reason for failure in outcome.failed}
    assert any("none of 4 texts of reviews in en passes: least_tokens 1000" in r for r in reasons)
    with pytest.raises(InputError, match="least_probability"):
        parse_study(small_study.values(paths) | {"tasks": [
            small_study.values(paths)["tasks"][0] | {"least_probability": 1.0}]})  # fmt: skip
