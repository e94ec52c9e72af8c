"""Fine-tuning and evaluation skip the rows that they cannot use, and name them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file
from typer.testing import CliRunner

from babelscope.cli import app
from babelscope.data.formats.export import write
from babelscope.errors import InputError, SkippedRows
from babelscope.model.load import load
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.evaluate import evaluate
from babelscope.training.finetune import Recipe, finetune, trainable
from babelscope.training.small import make
from babelscope.types import Example

WORDS = ("good", "bad", "cold", "food", "room", "film", "phone")
GOOD = [
    Example(
        f"r{at}", (f"the {WORDS[at % 7]} was", f"{WORDS[at % 5]} film"), "en", f"g{at}",
        ("positive", "negative")[at % 2],
    )
    for at in range(24)
]  # fmt: skip
SPANISH = [replace(row, id=f"es-{row.id}", lang="es") for row in GOOD]
BAD = {
    "control": {"texts": ("the \x08 room", "x")},
    "blank": {"texts": ("", " ")},
    "blank side": {"texts": ("the room", "")},
    "untranslated": {"texts": ("NS", "the room")},
    "unknown": {"texts": ("𒀀𒁀", "𒀀")},
    "label": {"label": "-1"},
    "unlabelled": {"label": None},
}
RECIPE = Recipe(learning_rate=1e-3, epochs=1, batch=8)


def with_bad(rows: list[Example], at: int, reason: str) -> list[Example]:
    changed: Any = BAD[reason]
    return [*rows[:at], replace(rows[at], **changed), *rows[at + 1 :]]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bad-rows") / "base"
    texts = [text for row in GOOD for text in row.texts]
    make(folder, "bert", texts, ["negative", "positive"], layers=1, width=32, vocabulary=300)
    return folder


@pytest.mark.training
def test_one_bad_row_of_each_kind_does_not_stop_a_training(base: Path, tmp_path: Path) -> None:
    """The weights are those of a training on the good rows, to the bit."""
    train = GOOD
    for at, reason in enumerate(BAD):
        train = with_bad(train, at, reason)
    dev = [*GOOD[:8], replace(GOOD[0], id="odd", label="mixed")]
    with pytest.warns(SkippedRows, match=r"8 of 33 rows skipped: 1 with a blank text \(r1\)"):
        folder = finetune(base, train, dev, tmp_path / "some", RECIPE, max_skipped=0.5)
    record = json.loads((folder / "training.json").read_text("utf-8"))["skipped"]
    assert {(row["id"], row["reason"]) for row in record} == {
        *((f"r{at}", reason) for at, reason in enumerate(BAD)), ("odd", "label"),
    }  # fmt: skip
    assert {row["split"] for row in record if row["id"] == "odd"} == {"dev"}
    other = finetune(base, GOOD[len(BAD) :], GOOD[:8], tmp_path / "good", RECIPE)
    first, second = (load_file(each / "model.safetensors") for each in (folder, other))
    assert all(first[name].equal(second[name]) for name in second)


@pytest.mark.parametrize("reason", BAD)
def test_trainings_refuse_them_where_they_are_strict_or_many(reason: str) -> None:
    if reason == "unknown":
        pytest.skip("what a vocabulary lacks is known once the tokenizer is loaded")
    for rows, options in ((GOOD, {"strict": True}), (GOOD[:12], {})):
        with pytest.raises(InputError, match="r3: "):
            trainable(with_bad(rows, 3, reason), GOOD, **options)  # type: ignore[arg-type]
    train, dev, skipped = trainable(with_bad(GOOD, 3, reason), GOOD)
    assert (len(train), len(dev)) == (23, 24)
    assert [(row.id, row.reason) for row in skipped] == [("r3", reason)]


@pytest.mark.parametrize("reason", [*BAD, "label of another set"])
def test_evaluation_skips_the_row_and_its_translation(base: Path, reason: str) -> None:
    """1 of 48 rows is bad, and 23 are compared in each language; the others are judged as
    before."""
    model = load(base, allow_untrained_head=True)
    if reason in BAD:
        spanish = with_bad(SPANISH, 3, reason)
    else:
        spanish = [*SPANISH[:3], replace(SPANISH[3], label="mixed"), *SPANISH[4:]]
    with pytest.warns(SkippedRows, match=r"1 of 48 rows skipped: 1 .* \(es-r3\)"):
        scores = evaluate(model, [*GOOD, *spanish])
    expected = evaluate(model, [*GOOD[:3], *GOOD[4:], *SPANISH[:3], *SPANISH[4:]])
    assert repr(scores) == repr(expected)  # of one group there is no interval: NaN
    assert {score.estimate.n for score in scores} == {23}
    with pytest.raises(InputError, match="es-r3: "):
        evaluate(model, [*GOOD, *spanish], strict=True)
    with pytest.raises(InputError, match="1 of 12 rows skipped"):
        evaluate(model, spanish[:12])


@pytest.mark.training
def test_the_commands_name_them(base: Path, tmp_path: Path) -> None:
    write(with_bad(with_bad(GOOD, 3, "control"), 5, "unknown"), tmp_path / "train.jsonl")
    write(GOOD, tmp_path / "dev.jsonl")
    train = ("finetune", str(base), "--train", str(tmp_path / "train.jsonl"), "--dev")
    arguments = [*train, str(tmp_path / "dev.jsonl"), "--output", str(tmp_path / "tuned")]
    run = CliRunner().invoke
    strict = run(app, ["--strict", *arguments])
    assert isinstance(strict.exception, InputError)
    assert str(strict.exception).startswith("r3: text 1 holds the control character U+0008")
    result = run(app, [*arguments, "--epochs", "1", "--set", "max_skipped=0.1"])
    assert result.exit_code == 0, result.output
    line = "2 of 48 rows skipped: 1 with a control character (r3), 1 of unknown tokens only (r5)"
    assert line in result.stderr
    judge = ["evaluate", str(tmp_path / "tuned"), "--input", str(tmp_path / "train.jsonl")]
    few = run(app, judge)
    assert isinstance(few.exception, InputError)
    assert "2 of 24 rows skipped" in str(few.exception)
    result = run(app, [*judge, "--max-skipped", "0.1"])
    assert result.exit_code == 0, result.output
    assert "2 of 24 rows skipped" in result.stderr


@pytest.mark.training
def test_a_study_sets_the_share_of_rows_that_its_trainings_may_skip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of eight development rows has a label that no training row has: an eighth is above the
    usual twentieth and below a half."""
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    write(GOOD, tmp_path / "train.jsonl")
    write([*GOOD[:7], replace(GOOD[7], label="mixed")], tmp_path / "dev.jsonl")
    study = parse_study(
        {
            "name": "rare class", "languages": ["en"], "methods": ["random"],
            "tasks": [{"name": "reviews", "data": {
                "file": str(tmp_path / "train.jsonl"), "examples": 4,
                "train_file": str(tmp_path / "train.jsonl"),
                "dev_file": str(tmp_path / "dev.jsonl")}}],
            "models": [{"name": "small", "train": {
                "languages": ["en"], "architecture": "bert", "layers": 1, "width": 32,
                "vocabulary": 300, "epochs": 1, "batch": 8}}],
            "faithfulness": {"metrics": ["comprehensiveness"]},
        }
    )  # fmt: skip
    refused = run(study, tmp_path / "refused")
    assert [each.reason for each in refused.failed] != []
    assert all("max_skipped" in each.reason for each in refused.failed)
    with pytest.warns(SkippedRows, match="1 of 32 rows skipped"):
        outcome = run(study.model_copy(update={"max_skipped": 0.5}), tmp_path / "filled")
    assert outcome.failed == ()
    assert outcome.filled > 0
