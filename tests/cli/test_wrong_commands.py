"""Wrong commands are one line and status 2, and write nothing: one case for every kind of fault
that `make torture` has found.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_cli import TEXTS, call, refused

from babelscope.display.terminal import escaped
from babelscope.training.small import make

LONG = "x" * 300
DEEP = "[" * 20_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wrong")
    labels = ["negative", "positive"]
    make(place / "model", "bert", TEXTS, labels, layers=1, width=32, vocabulary=300)
    config = json.loads((place / "model" / "config.json").read_text())
    (place / "model" / "config.json").write_text(json.dumps({**config, "untrained": False}))
    row = {"id": "1", "text": TEXTS[0], "lang": "en", "label": "positive"}
    (place / "rows.jsonl").write_text(json.dumps(row) + "\n")
    (place / "deep.jsonl").write_text('{"text": ' + DEEP + "\n")
    (place / "surrogate.jsonl").write_text('{"id": "1", "text": "a \\ud800", "lang": "en"}\n')
    (place / "deep.yaml").write_text("a: " + DEEP)
    return place


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("explain", LONG, "a text"), "file name too long"),
        (("evaluate", LONG, "--input", "rows.jsonl"), "file name too long"),
        (("report", LONG, "--output", "page"), "file name too long"),
        (("explain", "model", "a", "--lang", "english"), "did you mean 'en'?"),
        (("explain", "model", "a", "--lang", "e\x1b[31mn"), "there is no language"),
        (("measure", "model", "--input", "rows.jsonl", "--lang", "../en"), "there is no language"),
        (("trust", "model", "a", "--lang", "en,"), "did you mean 'en'?"),
        (("explain", "model", "a", "--column", "text=nosuch"), "no effect without --input"),
        (("explain", "model", "--input", "rows.jsonl", "--pair", "b"), "no effect with --input"),
        (("explain", "model", "--input", "deep.jsonl"), "nested too deeply"),
        (("intervene", "model", "--input", "surrogate.jsonl"), "lone surrogate U+D800"),
        (("intervene", "model", "--input", "rows.jsonl", "--spec", "deep.yaml"), "too deeply"),
        (("tokenization", "model", "--input", "rows.jsonl", "--limit", "9" * 30), "--limit"),
        (("tokenization", "model", "--input", "rows.jsonl", "--folder", "x"), "no effect"),
        (("tokenization", "model", "--input", "topic/en", "--column", "text=a"), "no effect"),
        (("tokenization", "model", "--input", "topic/en/test/0"), "from 1 to"),
        (("data", "show", "sentiment", "--split", ""), "--split is empty"),
        (("data", "show", "sentiment", "--split="), "--split is empty"),
        (("data", "show", "sentiment", "--folder", "x"), "leave it out"),
        (("data", "show", "sentiment", "--count", "0"), "--count"),
        (("trust", "model", "a text", "--store", ""), "--store is empty"),
        (("study", "run", "x.yaml", "--workers", "0"), "--workers"),
        (("finetune", "model", "--train", "rows.jsonl", "--dev", "rows.jsonl", "--output", ""),
         "--output is empty"),
        (("finetune", "model", "--train", "rows.jsonl", "--dev", "rows.jsonl", "--output", "new",
          "--epochs", "9" * 30), "--epochs"),
        (("finetune", "model", "--train", "rows.jsonl", "--dev", "rows.jsonl", "--output", "new",
          "--seed", "9" * 30), "--seed"),
        (("finetune", "model", "--train", "rows.jsonl", "--dev", "rows.jsonl", "--output", "new",
          "--set", "width=64"), "--set width has no effect"),
        (("consistency", "model", "--task", "topic", "--lang", "fr,fr"), "occurs twice"),
        (("consistency", "model", "--task", "topic", "--lang", "fr", "--source", "english"),
         "did you mean 'en'?"),
        (("explain", "model", "a", "--method", "random,random"), "occurs twice"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_refused(folder: Path, command: tuple[str, ...], message: str) -> None:
    before = sorted(folder.rglob("*"))
    assert message in refused(*command, cwd=folder)
    assert sorted(folder.rglob("*")) == before


def test_terminal_escapes_are_shown_and_not_obeyed(folder: Path) -> None:
    """An escape, its one-byte form U+009B, and a bell, in a path, an id and a JSON value."""
    line = refused("explain", "./a\x1b[31m\x9b2J\x07", "a text")
    assert "a\\u001b[31m\\u009b2J\\u0007" in line
    row = {"id": "\x1b]0;title\x07", "text": "good \x9b31m", "lang": "en"}
    (folder / "escapes.jsonl").write_text(json.dumps(row) + "\n")
    shown = call("data", "check", "escapes.jsonl", "--task", "topic", status=2, cwd=folder).stdout
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    printed = call("data", "show", "escapes.jsonl", "--json", cwd=folder).stdout
    assert "\x9b" not in printed
    assert json.loads(printed)[0]["text"] == row["text"]
    assert "\x1b]" not in call("data", "show", "escapes.jsonl", cwd=folder).stdout


def test_escaped_json_keeps_its_values() -> None:
    values = ["\x1b", "\x7f", "\x9b", "\ud800", "tab\t", "end\n", "é"]
    text = json.dumps(values, ensure_ascii=False)
    assert json.loads(escaped(text)) == values
    assert all(character.isprintable() or character == "\n" for character in escaped(text))
