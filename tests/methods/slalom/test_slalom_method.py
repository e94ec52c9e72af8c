"""The method `slalom` on models: what it must recover, what it must flag, and what it may ask."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from babelscope.display.results import Attributions
from babelscope.errors import InputError, UnsupportedModel
from babelscope.methods.explain import explain
from babelscope.methods.slalom.design import sample_size
from babelscope.model.load import Model
from babelscope.store import Cell, key, open_store, put, read_attributions
from babelscope.types import Example
from conftest import PAIRS, TEXTS, tiny
from slalom_transformer import AROUND, IMPORTANCE, VALUE, slalom_transformer

TEXT = "the great film the dull film bad good"
WORDS = TEXT.split()
CENTRE = np.mean([IMPORTANCE[word] for word in set(WORDS)])


def full(words: list[str]) -> float:
    weight = np.exp([IMPORTANCE[word] for word in words])
    return float(weight @ [VALUE[word] for word in words] / weight.sum())


@pytest.mark.parametrize("design", ["mix", "fixed(3)", "exact", "deletion", "mix+deletion+text"])
def test_a_transformer_that_is_a_slalom_is_explained_exactly(design: str) -> None:
    options = {"design": design, "score": "removal", "samples": 1500}
    (one,) = explain(slalom_transformer(), TEXT, "slalom", target="positive", options=options)
    loose = (
        20 if design == "deletion" else 1
    )  # long texts differ little, so their answers say less about each unit
    np.testing.assert_allclose(
        one.details["value"], [VALUE[word] for word in WORDS], atol=2e-4 * loose
    )
    np.testing.assert_allclose(
        one.details["importance"], [IMPORTANCE[word] - CENTRE for word in WORDS], atol=2e-4 * loose
    )
    without = [full(WORDS) - full(WORDS[:at] + WORDS[at + 1 :]) for at in range(len(WORDS))]
    np.testing.assert_allclose(one.scores, without, atol=1e-4 * loose)
    assert one.details["surrogate_value"] == pytest.approx(one.value, abs=1e-5)
    if design != "exact":
        assert one.details["r2"] > 0.999999
        assert one.details["queries"] <= 1500
    else:
        assert one.details["queries"] == 2 * len(set(WORDS)) - 1


def test_what_is_always_there_becomes_a_unit_of_its_own() -> None:
    """Two special tokens of importance a and value b are one of importance a + log 2 and
    value b.
    """
    options = {"design": "mix+context", "score": "shapley"}
    (one,) = explain(
        slalom_transformer(blind=False), TEXT, "slalom", target="positive", options=options
    )
    importance, value = one.details["context"]
    assert value == pytest.approx(AROUND[1], abs=1e-4)
    assert importance == pytest.approx(AROUND[0] + log(2) - CENTRE, abs=1e-3)
    np.testing.assert_allclose(one.details["value"], [VALUE[word] for word in WORDS], atol=1e-3)
    assert sum(one.scores) == pytest.approx(one.value - one.reference_value, abs=1e-4)
    (blind,) = explain(slalom_transformer(blind=False), TEXT, "slalom", target="positive")
    assert blind.details["r2"] < one.details["r2"]


def test_a_head_with_one_logit_and_a_pair_are_read() -> None:
    (one,) = explain(
        slalom_transformer(labels=1),
        TEXT,
        "slalom",
        options={"score": "value"},
        quantity="log_odds",
    )
    np.testing.assert_allclose(one.scores, [VALUE[word] for word in WORDS], atol=1e-3)
    (pair,) = explain(
        slalom_transformer(), ("the great film", "the dull film"), "slalom", target="positive"
    )
    np.testing.assert_allclose(
        pair.details["value"],
        [VALUE[w] for w in ["the", "great", "film", "the", "dull", "film"]],
        atol=1e-2,
    )
    (second,) = explain(
        slalom_transformer(),
        ("the great film", "the dull film"),
        "slalom",
        target="positive",
        part="second",
    )
    assert len(second.scores) == 3


@pytest.mark.parametrize("architecture", ["bert", "gpt2"])
@pytest.mark.parametrize(
    "score", ["value", "importance", "lin", "grad", "removal", "share", "shapley"]
)
def test_every_score_follows_from_the_two_numbers(architecture: str, score: str) -> None:
    model = tiny(architecture)
    (one,) = explain(model, TEXTS[0], "slalom", options={"score": score})
    s, v = np.array(one.details["importance"]), np.array(one.details["value"])
    weight = np.exp(s) / np.exp(s).sum()
    total = weight @ v
    expected = {
        "value": v, "importance": s, "lin": v * np.exp(s), "grad": weight * (v - total),
        "share": weight * v, "removal": [total - np.delete(weight, at) @ np.delete(v,
        at) / np.delete(weight, at).sum() for at in range(len(s))],
    }  # fmt: skip
    if score == "shapley":
        assert sum(one.scores) == pytest.approx(total, abs=1e-9)
    else:
        np.testing.assert_allclose(one.scores, expected[score], atol=1e-9)
    assert one.details["surrogate_value"] == pytest.approx(total, abs=1e-9)


def test_the_budget_is_kept_and_equal_texts_are_asked_once(bert: Model) -> None:
    before = (bert.inference.queries, bert.inference.distinct)
    found = explain(
        bert, [Example(f"e{at}", (text,)) for at, text in enumerate(TEXTS[:2])], "slalom"
    )
    asked = sum(one.details["queries"] for one in found)
    assert bert.inference.queries - before[0] == asked + 2  # and the texts, compared
    for one in found:
        assert (
            one.details["queries"] <= one.details["samples"] == sample_size(len(set(one.tokens)), 0)
        )
    (small,) = explain(bert, TEXTS[0], "slalom", options={"samples": 7})
    assert small.details["queries"] == 7
    assert "unseen" in small.flags[0]
    assert (
        np.isnan(small.scores).sum()
        == len(small.tokens) - sum(v is not None for v in small.details["value"])
        > 0
    )


@pytest.mark.parametrize(
    ("text", "flag"), [("no", "one distinct unit"), ("no no no", "one distinct unit")]
)
def test_one_word_and_a_repeated_word_are_flagged(bert: Model, text: str, flag: str) -> None:
    (one,) = explain(bert, text, "slalom")
    assert flag in one.flags[0]
    np.testing.assert_allclose(one.scores, one.value / len(one.tokens))
    (removed,) = explain(bert, "no", "slalom", options={"score": "removal"})
    assert np.isnan(removed.scores).all()
    assert any("undefined" in flag for flag in removed.flags)


def test_a_constant_model_is_flagged_and_damaged_weights_are_refused(bert: Model) -> None:
    constant = Model(copy.deepcopy(bert.hf), bert.tokenizer, "constant", bert.task)
    with torch.no_grad():
        constant.hf.classifier.weight.zero_()
    (one,) = explain(constant, TEXTS[0], "slalom", options={"score": "importance"})
    assert any("constant model" in flag for flag in one.flags)
    assert set(one.scores) == {0.0}
    np.testing.assert_allclose(one.details["value"], one.value, atol=1e-12)
    assert one.details["importance_sd"] == [None] * len(one.tokens)
    with torch.no_grad():
        constant.hf.classifier.weight.fill_(torch.nan)
    with pytest.raises(UnsupportedModel, match="not finite"):
        explain(constant, TEXTS[0], "slalom")


def test_a_text_longer_than_the_model_and_an_empty_one(bert: Model) -> None:
    (one,) = explain(bert, " ".join(TEXTS[:2] * 60), "slalom", options={"samples": 60})
    assert one.flags[0].startswith("truncated to 128 of")
    assert len(one.scores) == 126
    for nothing in ("", "   ", "[CLS]"):
        with pytest.raises(InputError):
            explain(bert, nothing, "slalom")


def test_unknown_options_are_refused(bert: Model) -> None:
    for options in ({"score": "weight"}, {"unit": "letter"}, {"design": "mixed"}, {"samples": -5}):
        with pytest.raises(InputError):
            explain(bert, TEXTS[0], "slalom", options=options)
    with pytest.raises(InputError, match="part"):
        explain(bert, PAIRS[0], "slalom", options={"design": "exact"})
    with pytest.raises(UnsupportedModel, match="empty text"):
        explain(tiny("gpt2"), TEXTS[0], "slalom", options={"design": "mix+context"})


def test_a_store_written_before_there_were_details_is_read(bert: Model, tmp_path: Path) -> None:
    (one,) = explain(bert, TEXTS[0], "random")
    store, identity = open_store(tmp_path), {"model": "old"}
    put(store, [Cell(identity, "attributions", [one])])
    (file,) = (tmp_path / "attributions").glob("*.parquet")
    pq.write_table(pq.read_table(file).drop_columns(["details"]), file)
    (manifest,) = (tmp_path / "cells").glob("*.json")
    content = file.read_bytes()
    values = json.loads(manifest.read_text("utf-8")) | {
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
    }
    manifest.write_text(json.dumps(values), "utf-8")
    (back,) = read_attributions(store)
    assert back == one


def test_details_survive_the_store_and_json(bert: Model, tmp_path: Path) -> None:
    (one,) = explain(bert, TEXTS[0], "slalom")
    store = open_store(tmp_path)
    identity = {"model": "m"}
    put(store, [Cell(identity, "attributions", [one])])
    (back,) = read_attributions(store, [key(identity)])
    assert back == replace(one, options=dict(one.options))
    (plain,) = Attributions((one,)).to_json()
    assert plain["details"]["queries"] == one.details["queries"]
    assert len(plain["details"]["value_sd"]) == len(one.tokens)


def test_the_gap_on_the_text_itself_is_reported_and_flagged(bert: Model) -> None:
    """Of a SLALOM the surrogate is right on the text; of another model the short texts of the
    default design say little about it. The range of the values is 3.1 + 1.5."""
    (exact,) = explain(slalom_transformer(), TEXT, "slalom", target="positive")
    assert exact.details["gap"] < 1e-3
    assert not any("the surrogate says" in flag for flag in exact.flags)
    for attribution in explain(bert, TEXTS[:4], "slalom", quantity="log_odds"):
        gap = abs(attribution.details["surrogate_value"] - attribution.value)
        assert attribution.details["gap"] == pytest.approx(gap, abs=1e-9)
        flagged = any("the surrogate says" in flag for flag in attribution.flags)
        assert flagged == (gap > 0.1 * np.ptp(attribution.details["value"]) + 1e-7)
