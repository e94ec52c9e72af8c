"""The command about tokenizers, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from babelscope.analyses.tokenization.counts import MEASURES
from babelscope.cli import app
from babelscope.errors import InputError
from babelscope.training.small import make_tokenizer
from conftest import TEXTS

RUN = CliRunner()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two tokenizers of different families, as folders; one has a name that would be markup."""
    made = []
    for architecture, name in (("bert", "pieces"), ("xlm-roberta", "<b>unigrams")):
        folder = tmp_path_factory.mktemp("tokenizers") / name
        make_tokenizer(architecture, TEXTS, 300).save_pretrained(folder)
        made.append(str(folder))
    return made


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    rows = [
        {"id": str(at), "text": text, "lang": "en" if at < 3 else "zh"}
        for at, text in enumerate([*TEXTS[:3], TEXTS[-1]])
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(file)


def test_json_has_every_measure_language_and_pair(folders: list[str], texts: str) -> None:
    done = RUN.invoke(
        app, ["tokenization", *folders, "--input", texts, "--json"], catch_exceptions=False
    )
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    found = {(row["tokenizer"], row["lang"], row["measure"]): row for row in told["measures"]}
    names = ("pieces", "<b>unigrams")
    assert set(found) == {
        (a, b, c) for a in names for b in ("en", "zh") for c in (*MEASURES, "efficiency")
    }
    one = found["pieces", "en", "fertility"]
    assert one["low"] <= one["mean"] <= one["high"]
    assert (one["n"], found["pieces", "zh", "fertility"]["low"]) == (3, None), (
        "one Chinese text has no interval"
    )
    assert [(row["first"], row["second"], row["lang"]) for row in told["agreement"]] == [
        (*names, "en"),
        (*names, "zh"),
    ]
    assert "jieba" in told["segmenters"]["zh"]


def test_tables_name_the_segmenter_and_a_corpus_is_an_input(folders: list[str]) -> None:
    given = [
        "tokenization",
        folders[0],
        "--input",
        "sentiment/en/test/5",
        "--input",
        "sentiment/zh/test/5",
    ]
    done = RUN.invoke(app, given, catch_exceptions=False)
    assert done.exit_code == 0
    shown = " ".join(done.stdout.split())
    for row in MEASURES.values():
        assert row.summary in shown
    assert "agreement" not in done.stdout, "one tokenizer has nobody to agree with"
    assert "words of zh: rjieba" in done.stdout


def test_pictures_are_whole_repeatable_and_no_markup(
    folders: list[str], texts: str, tmp_path: Path
) -> None:
    for name in ("a.svg", "b.svg", "a.html", "b.html"):
        done = RUN.invoke(
            app, ["tokenization", *folders, "--input", texts, "--output", str(tmp_path / name)]
        )
        assert done.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.html",
        "a.svg",
        "b.html",
        "b.svg",
    ]
    for ending in ("svg", "html"):
        text = (tmp_path / f"a.{ending}").read_text("utf-8")
        assert text == (tmp_path / f"b.{ending}").read_text("utf-8")
        assert "<b>unigrams" not in text
        assert "&lt;b&gt;unigrams" in text


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (
            ["--output", "words.png"],
            r"--output words.png: the ending must be one of .html, .svg, .csv",
        ),
        (["--input", "nothing.jsonl"], "nothing.jsonl"),
        (["--column", "text"], "not of the form name=value"),
    ],
)
def test_what_cannot_work_is_refused_in_one_line(
    folders: list[str], texts: str, extra: list[str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        RUN.invoke(
            app, ["tokenization", *folders, "--input", texts, *extra], catch_exceptions=False
        )


def test_the_same_tokenizer_twice_is_refused(folders: list[str], texts: str) -> None:
    with pytest.raises(InputError, match="is listed twice"):
        RUN.invoke(
            app, ["tokenization", folders[0], folders[0], "--input", texts], catch_exceptions=False
        )
