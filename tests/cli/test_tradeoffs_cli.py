"""The command tradeoffs: it prints, writes a page and JSON, and refuses what cannot work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from babelscope.analyses.tradeoffs.tables import tables
from babelscope.cli import app
from babelscope.errors import InputError
from babelscope.store import open_store, read_study
from tradeoff_models import checkpoints

RUN = CliRunner()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Checkpoints with the classes of the built-in reviews."""
    classes = ("negative", "positive")
    return checkpoints(
        tmp_path_factory.mktemp("binary"), dict.fromkeys(("a", "b", "base"), classes)
    )


def command(folders: dict[str, str], *more: str) -> list[str]:
    models = [
        "--model",
        f"en={folders['a']}",
        "--model",
        f"hi={folders['b']}",
        "--base",
        folders["base"],
    ]
    counts = ["--count", "8", "--set", "train_examples=12", "--set", "dev_examples=8"]
    return ["tradeoffs", *models, "--task", "sentiment", "--lang", "en,hi", *counts, *more]


@pytest.mark.slow
def test_the_command_prints_writes_a_page_and_json(folders: dict[str, str], tmp_path: Path) -> None:
    page, store = tmp_path / "t.html", str(tmp_path / "store")
    done = RUN.invoke(
        app, command(folders, "--output", str(page), "--store", store), catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    for piece in (
        "accuracy: fine-tuned on",
        "gain over a probe",
        "over-confidence",
        "the probe",
        "one seed",
    ):
        assert piece in done.stdout
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "Trade-offs" in text
    again = RUN.invoke(app, command(folders, "--json", "--store", store), catch_exceptions=False)
    printed = json.loads(again.stdout)
    assert set(printed) == {"sentiment"}
    result = printed["sentiment"]
    assert result["sources"] == result["targets"] == ["en", "hi"]
    assert {
        "behaviour",
        "activations",
        "attention",
        "confidence",
        "errors",
        "probing",
        "forgetting",
        "drift",
    } <= set(result)
    opened = open_store(store)
    assert printed == json.loads(json.dumps(tables(opened, read_study(opened))))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--output", "page.png"], r"--output page.png: the ending must be one of .html"),
        (["--lang", "en,xx"], "sentiment has no 'xx'"),
        (["--lang", ","], "names no language"),
        (["--task", "sentimant"], "did you mean 'sentiment'"),
        (["--model", "en=other"], "are both of en, seed 0; state which is which: LANG:SEED=DIR"),
        (["--model", "nowhere"], "there is no folder nowhere"),
        (["--set", "poolings=[max]"], "poolings"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line(
    folders: dict[str, str], change: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        RUN.invoke(app, command(folders, *change), catch_exceptions=False)


def test_models_task_and_languages_are_needed() -> None:
    refused = RUN.invoke(app, ["tradeoffs", "--task", "topic"])
    assert refused.exit_code == 2
    assert "--model" in refused.output
