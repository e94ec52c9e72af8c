"""What models were fine-tuned on is read or stated; studies that cannot be compared are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from babelscope.analyses.tradeoffs.plan import plan, steps
from babelscope.analyses.tradeoffs.provenance import (
    Provenance,
    Stated,
    folder_provenance,
    parse_model,
)
from babelscope.analyses.tradeoffs.spec import Spec
from babelscope.errors import InputError
from babelscope.study.config import parse_study, read_study
from babelscope.study.grid import blocks

STUDIES = Path(__file__).resolve().parents[3] / "studies"


def known(argument: str) -> Provenance:
    return folder_provenance(*parse_model(argument))


def test_what_a_model_was_fine_tuned_on_is_read_or_stated(tmp_path: Path) -> None:
    (tmp_path / "training.json").write_text(
        json.dumps({"recipe": {"seed": 4, "head_only": True}, "languages": ["sw"]})
    )
    assert known(str(tmp_path)) == Provenance("sw", 4, "head_only")
    assert known(f"hi:7={tmp_path}") == Provenance("hi", 7, "head_only")
    assert folder_provenance(str(tmp_path), Stated(head_only=False)) == Provenance(
        "sw", 4, "single"
    )
    (tmp_path / "training.json").write_text(json.dumps({"recipe": {}, "languages": ["sw", "en"]}))
    assert known(str(tmp_path)) == Provenance("joint", 0, "joint")
    (tmp_path / "silent").mkdir()
    with pytest.raises(InputError, match="which language it was fine-tuned on; write LANG="):
        known(str(tmp_path / "silent"))
    with pytest.raises(InputError, match="there is no folder nowhere"):
        known("nowhere")
    with pytest.raises(InputError, match="whole number, not 'x'"):
        known("en:x=nowhere")


def study(
    models: list[dict[str, Any]], block: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    tasks = [{"name": "t", "data": {"builtin": "sentiment", "examples": 6}}]
    return {
        "name": "s",
        "tasks": tasks,
        "languages": ["en", "hi"],
        "models": models,
        "tradeoffs": block or {},
        **more,
    }


def trained(name: str, languages: list[str], **more: Any) -> dict[str, Any]:
    return {"name": name, "train": {"languages": languages, "base": "xlm-roberta-base", **more}}


EN, HI = trained("en", ["en"]), trained("hi", ["hi"])
STATED = {"stated": {"a": {"language": "en"}, "b": {"language": "en"}}}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            study([trained("a", ["en"], base=None)]),
            "'a' has no 'train' with a 'base'; trade-offs need what it was fine-tuned",
        ),
        (
            study([EN, trained("hi", ["hi"], base="other")]),
            r"start from 2 bases \(xlm-roberta-base, other\)",
        ),
        (study([EN, trained("hi", ["hi"], revision="abc")]), "start from 2 bases"),
        (
            study([trained("a", ["en", "hi"])]),
            "no model is fine-tuned on one language; trade-offs need at least one",
        ),
        (
            study([trained("a", ["en", "hi"], separately=True)]),
            "trained for each language separately",
        ),
        (
            study([{**EN, "languages": ["en"]}, HI]),
            "'en' has 'languages' of its own; trade-offs test every model in all",
        ),
        (
            study([EN], {"base": "other"}),
            "is fine-tuned from xlm-roberta-base, the base of the trade-offs is other",
        ),
        (study([EN], {"models": ["de"]}), "trade-offs name the model 'de'"),
        (study([EN], {"stated": {"de": {}}}), "trade-offs name the model 'de'"),
        (study([EN], {"poolings": ["max"]}), "poolings"),
        (
            study([{"name": "a", "source": "x"}]),
            "there is no folder x; of a model on the hub state the language",
        ),
        (
            study([{"name": "a", "source": "x"}, {"name": "b", "source": "y"}], STATED),
            "y and x are both of en, seed 0; state which is which: LANG:SEED=DIR",
        ),
        (
            study(
                [{"name": "a", "source": "x"}, {"name": "b", "source": "y"}],
                {
                    "stated": {
                        "a": {"language": "en", "seed": 1},
                        "b": {"language": "hi", "seed": 2},
                    }
                },
            ),
            "no seed in common",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(
    values: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        parse_study(values)
    assert "\n" not in str(refused.value)


def test_models_that_take_no_part_plan_nothing() -> None:
    asked = parse_study(study([EN, HI, {"name": "other", "source": "x"}], {"models": ["en", "hi"]}))
    spec = asked.analyses["tradeoffs"]
    assert isinstance(spec, Spec)
    plans = {block.name: plan(block, spec) for block in blocks(asked)}
    assert plans["other"] is None
    assert plans["en"] is not None
    assert plans["en"].leads
    assert plans["hi"] is not None
    assert not plans["hi"].leads


def test_heads_that_a_study_trains_alone_are_references() -> None:
    heads = [trained("en-head", ["en"], head_only=True), trained("all", ["en", "hi"])]
    parsed = parse_study(study([EN, HI, *heads], seeds=[0, 1]))
    spec = parsed.analyses["tradeoffs"]
    assert isinstance(spec, Spec)
    kinds = {model.name: origin.kind for model, origin in spec.provenances(parsed.request)}
    assert kinds == {"en": "single", "hi": "single", "en-head": "head_only", "all": "joint"}


@pytest.mark.parametrize("name", ["tradeoffs-small", "tradeoffs-en-hi"])
def test_the_studies_are_valid_and_plan_their_cells(name: str) -> None:
    asked = read_study(STUDIES / f"{name}.yaml")
    spec = asked.analyses["tradeoffs"]
    assert isinstance(spec, Spec)
    assert asked.methods == []
    plans = [plan(block, spec) for block in blocks(asked)]
    assert sum(each.leads for each in plans if each) == 1
    assert [each.first for each in plans if each] == [
        each.provenance.kind == "single" and each.provenance.seed == 0 for each in plans if each
    ]
    splits = {step.split for each in plans if each for step in steps(each, spec)}
    assert splits == {"", "test", "dev", "train"}
