"""Texts that cannot be explained: skipped, counted and named among others, refused alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from babelscope.cli import app
from babelscope.errors import BadRow, InputError, SkippedRows
from babelscope.methods import own_call
from babelscope.methods.explain import explain
from babelscope.types import Encoded, Example
from conftest import TEXTS, tiny
from small_study import models

BAD = {
    "control": "the \x08 food",
    "surrogate": "the \ud800 food",
    "blank": " \t",
    "blank side": ("the food", ""),
    "special": "[CLS] [SEP]",
    "unknown": "𒀀𒁀",
}


@pytest.mark.parametrize("reason", BAD)
def test_a_bad_text_is_skipped_among_others_and_refused_alone(reason: str) -> None:
    """The others have the scores that they have without it, to the bit."""
    model = tiny("bert")
    expected = explain(model, [TEXTS[0], TEXTS[2]], "gradient_norm")
    with pytest.warns(SkippedRows, match=r"1 of 3 rows skipped: 1 .* \(2\)"):
        attributions = explain(model, [TEXTS[0], BAD[reason], TEXTS[2]], "gradient_norm")
    assert [each.scores for each in attributions] == [each.scores for each in expected]
    assert [each.id for each in attributions] == ["1", "3"]
    assert [(row.id, row.reason) for row in attributions.skipped] == [("2", reason)]
    for texts, strict in (([TEXTS[0], BAD[reason]], True), (BAD[reason], False)):
        with pytest.raises(BadRow):
            explain(model, texts, "gradient_norm", strict=strict)


def test_results_keep_what_was_skipped() -> None:
    model = tiny("bert")
    with pytest.warns(SkippedRows):
        first = explain(model, [TEXTS[0], ""], "random")
    with pytest.warns(SkippedRows):
        second = explain(model, [TEXTS[2], ""], "random")
    assert (first + second).skipped == first.skipped == first[:1].skipped


@pytest.mark.parametrize(("label", "reason"), [(None, "unlabelled"), ("joy", "label")])
def test_a_gold_label_that_is_missing_or_unknown(label: str | None, reason: str) -> None:
    model = tiny("bert")
    rows = [
        Example("1", (TEXTS[0],), label="neutral"),
        Example("2", (TEXTS[2],), label=label),
        Example("3", (TEXTS[3],), label="positive"),
    ]
    with pytest.warns(SkippedRows):
        attributions = explain(model, rows, "random", target="gold")
    assert [each.target for each in attributions] == ["neutral", "positive"]
    assert [(row.id, row.reason) for row in attributions.skipped] == [("2", reason)]
    assert len(explain(model, rows, "random")) == 3, "without the gold target no label is needed"
    message = "the target is its gold label" if label is None else "'joy' is not one of the model's"
    with pytest.raises(InputError, match=message):
        explain(model, rows[1], "random", target="gold")


def test_a_text_that_the_models_own_call_contradicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """In windows of a long text, one that is contradicted takes the whole text with it."""
    model = tiny("bert")
    plain = own_call._plain

    def contradicted(model: Any, row: Encoded, output: Any, again: Any) -> str:
        wrong = row.example.id in ("2", "2#1")
        return "another probability" if wrong else plain(model, row, output, again)

    monkeypatch.setattr(own_call, "_plain", contradicted)
    long = " ".join(TEXTS[1:2] * 60)
    for texts in ([TEXTS[0], TEXTS[2]], [TEXTS[0], long]):
        with pytest.warns(SkippedRows, match="contradicted by the model's own call"):
            attributions = explain(model, texts, "occlusion", long="window")
        assert {each.id for each in attributions} == {"1"}
        assert [row.id for row in attributions.skipped] == ["2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, and a file of 21 texts with their translations of which one cannot be read."""
    folder = tmp_path_factory.mktemp("bad-texts")
    models(folder)
    rows = [
        {"id": f"{lang}{n}", "group": f"g{n}", "lang": lang, "text": f"the food was good {n}"}
        for lang in ("en", "es")
        for n in range(21)
    ]
    rows[30]["text"] = "the \x08 food"
    lines = [json.dumps(row) for row in rows]
    (folder / "texts.jsonl").write_text("\n".join(lines), "utf-8")
    (folder / "few.jsonl").write_text("\n".join(lines[28:32]), "utf-8")
    return folder


def command(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_the_command_names_what_it_skips(folder: Path) -> None:
    arguments = (
        str(folder / "first"),
        "--input",
        str(folder / "texts.jsonl"),
        "--method",
        "random",
    )
    result = command("explain", *arguments, "--json")
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)) == 41
    assert "1 of 42 rows skipped: 1 with a control character (es9)" in result.stderr
    result = command("measure", *arguments, "--metric", "sufficiency", "--json")
    assert result.exit_code == 0, result.output
    measured = {(row["lang"], row["id"]) for row in json.loads(result.stdout)}
    assert len(measured) == 40
    assert ("en", "en9") not in measured, "its translation was skipped"
    assert "1 of 42 rows skipped" in result.stderr


@pytest.mark.parametrize("name", ["explain", "measure"])
def test_the_command_refuses_them_where_it_is_strict_or_they_are_many(
    folder: Path, name: str
) -> None:
    model, file, few = str(folder / "first"), str(folder / "texts.jsonl"), str(folder / "few.jsonl")
    arguments = (name, model, "--method", "random", "--input")
    for refused in (("--strict", *arguments, file), (*arguments, file, "--set", "strict=true")):
        result = command(*refused)
        assert isinstance(result.exception, InputError)
        assert str(result.exception).startswith("es9: the text holds the control character U+0008")
    result = command(*arguments, few)
    assert isinstance(result.exception, InputError)
    assert "1 of 4 rows skipped: 1 with a control character (es9); more than 0.05" in str(
        result.exception
    )
    assert command(*arguments, few, "--set", "max_skipped=0.25", "--json").exit_code == 0


def test_no_method_is_refused() -> None:
    with pytest.raises(InputError, match="no method is named; give at least one"):
        explain(tiny("bert", ("negative", "positive")), "good film", [])
