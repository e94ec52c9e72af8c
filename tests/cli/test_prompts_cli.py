"""Prompts and answers on the command line and in studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import call, refused

from babelscope.store import open_store, read_attributions
from babelscope.study.config import parse_study
from babelscope.study.run import run
from zoo import build

TEXT = "the food was good"
BLOCK = {"template": "the film: {text}\nit was", "labels": {"yes": " good", "nay": " no"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("prompts")
    model = build("gpt2", "text-generation")
    model.hf.float().save_pretrained(place / "lm")
    model.tokenizer.save_pretrained(place / "lm")
    (place / "prompt.yaml").write_text(json.dumps(BLOCK), "utf-8")
    (place / "open.yaml").write_text(json.dumps({"template": BLOCK["template"]}), "utf-8")
    (place / "wrong.yaml").write_text(json.dumps({"templates": "{text}"}), "utf-8")
    return place


def test_a_prompt_file_and_an_answer(folder: Path) -> None:
    prompted = ("explain", str(folder / "lm"), TEXT, "--method", "occlusion", "--set")
    (row,) = json.loads(call(*prompted, f"prompt={folder / 'prompt.yaml'}", "--json").stdout)
    assert (row["quantity"], row["words"]) == ("log_odds", TEXT.split())
    assert row["label"] in ("yes", "nay")
    answered = (*prompted, f"prompt={folder / 'open.yaml'}", "--set", "answer= not good")
    (answer,) = json.loads(call(*answered, "--json").stdout)
    assert "".join(answer["tokens"]) == " not good"
    assert answer["value"] == pytest.approx(sum(answer["values"]), abs=1e-4)
    assert len(answer["scores"]) == len(answer["tokens"])
    page = folder / "answer.html"
    call(*answered, "--output", str(page))
    assert "whole answer" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("prompt={folder}/wrong.yaml", "templates: Extra inputs are not permitted"),
        ("prompt={folder}/absent.yaml", "cannot be read"),
    ],
)
def test_a_wrong_prompt_file_is_one_line(folder: Path, setting: str, message: str) -> None:
    where = setting.format(folder=folder)
    assert message in refused("explain", str(folder / "lm"), TEXT, "--set", where)


def test_a_study_prompts_a_model(folder: Path, tmp_path: Path) -> None:
    row = {"id": "0", "text": TEXT, "lang": "en", "label": "yes"}
    (tmp_path / "data.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    task = {"name": "mood", "data": {"file": str(tmp_path / "data.jsonl"), "examples": None}}
    study = parse_study(
        {
            "name": "s",
            "languages": ["en"],
            "models": [{"name": "lm", "source": str(folder / "lm"), "prompt": BLOCK}],
            "methods": ["occlusion"],
            "tasks": [task],
            "faithfulness": {"metrics": ["sufficiency"]},
        }
    )
    assert not run(study, tmp_path / "store").failed
    (stored,) = read_attributions(open_store(tmp_path / "store", create=False))
    assert (stored.quantity, stored.words) == ("log_odds", tuple(TEXT.split()))
