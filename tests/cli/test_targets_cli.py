"""Targets and models on the command line and in studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import call, refused

from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.store import failures, open_store, read_attributions
from babelscope.study.config import parse_study
from babelscope.study.run import run
from zoo import build

TEXT = "the food was good"
KINDS = {
    "gpt2": "text-generation",
    "mamba": "text-generation",
    "bert": "token-classification",
    "xlm-roberta": "question-answering",
    "distilbert": "text-classification",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of each kind."""
    place = tmp_path_factory.mktemp("targets")
    for name, task in KINDS.items():
        model = build(name, task)
        model.hf.float().save_pretrained(place / name)
        model.tokenizer.save_pretrained(place / name)
    return place


def explained(*arguments: str) -> dict[str, object]:
    (row,) = json.loads(call("explain", *arguments, "--json").stdout)
    found: dict[str, object] = row
    return found


def test_methods_of_a_model_are_told_with_reasons(folder: Path) -> None:
    rows = json.loads(call("methods", "--model", str(folder / "mamba"), "--json").stdout)
    assert [row["method"] for row in rows] == list(METHODS)
    assert {row["method"] for row in rows if not row["works"]} == {
        row.name for row in METHODS.values() if row.attentions
    }
    shown = call("methods", "--model", str(folder / "mamba")).stdout
    assert "MambaForCausalLM has no attention weights" in shown


def test_methods_are_tried_on_a_model_as_it_is_loaded(folder: Path) -> None:
    bert = ("methods", "--model", str(folder / "bert"))
    rows = json.loads(call(*bert, "--set", "dtype=bfloat16", "--json").stdout)
    assert all(row["works"] for row in rows if row["method"] in ("occlusion", "attnlrp"))
    assert "is not one of: 8bit, 4bit" in refused(*bert, "--set", "quantization=2bit")
    assert "no effect without --model" in refused("methods", "--set", "dtype=bfloat16")


def test_options_choose_the_target(folder: Path) -> None:
    method = ("--method", "attnlrp")
    tagged = explained(str(folder / "bert"), TEXT, "--set", "word=2", "--target", "name", *method)
    assert (tagged["target"], tagged["flags"], tagged["tagged_word"]) == (
        "name",
        ["the tag of word 2, 'was'"],
        2,
    )
    both = explained(
        str(folder / "distilbert"),
        TEXT,
        "--target",
        "O",
        "--set",
        "quantity=contrast",
        "--set",
        "contrast=name",
        *method,
    )
    assert (both["target"], both["quantity"], both["contrast"]) == ("O", "contrast", "name")
    asked = (str(folder / "xlm-roberta"), "the food", "--pair", TEXT, *method)
    whole, start, end = (
        explained(*asked, "--set", f"edge={edge}")["value"] for edge in ("both", "start", "end")
    )
    assert whole == pytest.approx(float(str(start)) + float(str(end)))
    labelled = explained(
        str(folder / "gpt2"),
        TEXT,
        "--set",
        "verbalizer=yes=good/lovely,nay=no",
        "--target",
        "nay",
        *method,
    )
    assert labelled["target"] == "nay"
    assert labelled["label"] in ("yes", "nay")


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("bert", ("--set", "word=7"), "there is no word 7"),
        ("bert", ("--set", "edge=end"), "gives no answer span"),
        ("distilbert", ("--set", "contrast=name"), "ask for contrast"),
        ("distilbert", ("--set", "verbalizer=a=good,b=no"), "has classes of its own"),
        ("gpt2", ("--set", "verbalizer=a=good"), "at least two labels"),
        ("gpt2", ("--set", "verbalizer=good"), "'good' is not of the form name=value"),
        ("mamba", ("--method", "attention"), "has no attention weights"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    folder: Path, kind: str, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refused("explain", str(folder / kind), TEXT, "--json", *arguments)


def test_a_study_asks_a_language_model_for_a_contrast(folder: Path, tmp_path: Path) -> None:
    rows = [{"id": str(at), "text": TEXT, "lang": "en", "label": "yes"} for at in range(2)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    task = {
        "name": "mood",
        "data": {"file": str(tmp_path / "data.jsonl"), "examples": None},
        "target": "gold",
    }
    model = {
        "name": "lm",
        "source": str(folder / "gpt2"),
        "verbalizer": {"yes": ["good", "lovely"], "nay": "no"},
    }
    given = {
        "name": "s",
        "languages": ["en"],
        "models": [model],
        "methods": ["input_x_gradient"],
        "faithfulness": {"metrics": ["sufficiency"]},
    }
    for more in ({"quantity": "contrast", "contrast": "nay"}, {}):
        outcome = run(parse_study({**given, "tasks": [{**task, **more}]}), tmp_path / "store")
        assert not outcome.failed
        assert outcome.filled == 2, "one explanation and one metric of it"
    stored = read_attributions(open_store(tmp_path / "store", create=False))
    assert {(row.target, row.quantity, row.contrast) for row in stored} == {
        ("yes", "contrast", "nay"),
        ("yes", "log_odds", None),
    }
    assert not failures(open_store(tmp_path / "store", create=False))
    with pytest.raises(InputError, match="what is trained here has classes"):
        parse_study(
            {
                **given,
                "tasks": [task],
                "models": [{"name": "a", "train": {"languages": ["en"]}, "verbalizer": {"a": "b"}}],
            }
        )
