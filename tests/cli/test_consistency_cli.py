"""The consistency of parallel sets as a person meets it: files in, a table out, and whatever is
wrong with the files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_cli import call, refused
from transformers import XLMRobertaForQuestionAnswering

from babelscope import corpus
from babelscope.analyses.consistency.exports import plain_tables
from babelscope.analyses.consistency.tables import tables
from babelscope.data.formats.unit_scores import unit_scores
from babelscope.model.load import load
from babelscope.store import open_store, read_study
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.small import make
from conftest import TEXTS

WORDS = {
    "en": ["the", "cat", "sleeps", "dog", "runs", "far"],
    "es": ["el", "gato", "duerme", "perro", "corre", "lejos"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six words and their translations with almost equal vectors, and explanations that agree but
    for one example.
    """
    place = tmp_path_factory.mktemp("consistency")
    rng = np.random.default_rng(0)
    table = rng.normal(size=(6, 5))
    for lang, words in WORDS.items():
        rows = [
            f"{word} " + " ".join(f"{number:.5f}" for number in vector)
            for word, vector in zip(words, table)
        ]
        rows.append("nan nan nan nan nan nan")
        (place / f"{lang}.vec").write_text("7 5\n" + "\n".join(rows) + "\n", "utf-8")
    write(place / "rows.jsonl", [row(lang, name) for lang in WORDS for name in ("a", "b", "c")])
    make(
        place / "model",
        "xlm-roberta",
        TEXTS,
        ["negative", "positive"],
        layers=2,
        width=64,
        vocabulary=300,
    )
    return place


def row(lang: str, name: str, **changed: object) -> dict[str, object]:
    order = {"a": (0, 1, 2), "b": (0, 3, 4, 5), "c": (3, 4)}[name]
    units = [WORDS[lang][k] for k in order]
    found = {
        "id": name,
        "lang": lang,
        "units": units,
        "attributions": [float(k * k) for k in order],
        "prediction": "x",
        "gold": "x",
    }
    return {**found, **changed}


def write(file: Path, rows: list[dict[str, object]]) -> Path:
    file.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows), "utf-8")
    return file


def common(folder: Path, file: str = "rows.jsonl") -> list[str]:
    return ["consistency", "--units", str(folder / file), "--source", "en",
            "--set", f"vectors=en={folder / 'en.vec'},es={folder / 'es.vec'}",
            "--set", "centre=never"]  # fmt: skip


def told(*arguments: str) -> list[dict[str, Any]]:
    """The comparisons that the command prints as JSON."""
    return json.loads(call(*arguments, "--json").stdout)["comparisons"]


HEADLESS = ("--set", "models.0.allow_untrained_head=true")
"""The model of these tests was never trained."""


def test_agreeing_explanations_reach_the_ceiling(folder: Path) -> None:
    (comparison,) = told(*common(folder), "--output", str(folder / "pairs.jsonl"))
    (line,) = comparison["languages"]
    assert line["lang"] == "es"
    assert line["c"] == {
        "mean": pytest.approx(1),
        "low": pytest.approx(1),
        "high": pytest.approx(1),
        "n": 3,
        "groups": 3,
        "undefined": 0,
    }
    assert line["kappa"]["mean"] == pytest.approx(1)
    assert line["c_rand"]["n"] == 0
    assert line["c_mis"]["mean"] < 1
    assert line["coverage"] == [1, 1]
    assert (comparison["overall"], comparison["overall_incl_self"]) == (
        pytest.approx(1),
        pytest.approx(1),
    )
    pairs = [json.loads(each) for each in (folder / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert [each["id"] for each in pairs] == ["a", "b", "c"]
    for each in pairs:
        assert sum(each["earned_s"]) == pytest.approx(each["c"])
        assert each["same_prediction"] is each["correct_t"] is True


def test_the_table_never_shows_c_alone(folder: Path) -> None:
    shown = call(
        *common(folder), "--set", "norms=all", "--units", str(folder / "rows.jsonl")
    ).stdout
    for name in (
        "C_unif",
        "C_perm",
        "C_mis",
        "C_rand",
        "ceil",
        "lift",
        "kappa",
        "norm signed",
        "norm softmax",
    ):
        assert name in shown


def test_processes_and_the_order_of_rows_change_nothing(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]
    write(folder / "turned.jsonl", rows[::-1])
    alone = call(*common(folder), "--json").stdout
    assert call(*common(folder, "turned.jsonl"), "--json").stdout == alone
    assert call(*common(folder), "--workers", "2", "--json").stdout == alone


BAD = {
    "there is no text in es": [row("en", "a")],
    "there is no text in en": [row("es", "a")],
    "es: 3 units, but 2 attributions": [row("en", "a"), row("es", "a", attributions=[1.0, 2.0])],
    "es: 3 units, but 1 segments": [row("en", "a"), row("es", "a", segment=[0])],
    "source: all attributions are zero": [
        row("en", "a", attributions=[0.0, 0.0, 0.0]),
        row("es", "a"),
    ],
    "target: an attribution is not finite: nan": [
        row("en", "a"),
        row("es", "a", attributions=[1.0, None, 2.0]),
    ],
    "the vector of 'nan' (es) is not finite": [
        row("en", "a"),
        row("es", "a", units=["nan", "el", "gato"]),
    ],
    "there are no vectors for sw": [row("en", "a"), {**row("es", "a"), "lang": "sw"}],
    "a text has no unit": [row("en", "a"), row("es", "a", units=[], attributions=[])],
}


@pytest.mark.parametrize("reason", BAD)
def test_what_cannot_be_compared_is_a_row_with_its_reason(folder: Path, reason: str) -> None:
    write(folder / "bad.jsonl", [*BAD[reason], row("en", "b"), row("es", "b")])
    (comparison,) = told(*common(folder, "bad.jsonl"), "--output", str(folder / "bad-pairs.jsonl"))
    lines = {line["lang"]: line for line in comparison["languages"]}
    line = lines["sw" if "sw" in reason else "es"]
    assert line["reasons"][reason] == 1
    assert line["c"]["undefined"] >= 1
    if "sw" not in reason:
        assert (line["c"]["n"], line["c"]["mean"]) == (1, pytest.approx(1))
    bad = [
        json.loads(each) for each in (folder / "bad-pairs.jsonl").read_text("utf-8").splitlines()
    ]
    assert next(each["c"] for each in bad if each["reason"] == reason) is None


def test_one_word_texts_have_c_but_no_kappa(folder: Path) -> None:
    rows = [row(lang, "a", units=[WORDS[lang][1]], attributions=[2.0]) for lang in WORDS]
    write(folder / "one.jsonl", rows)
    output = ("--output", str(folder / "one-pairs.jsonl"))
    (line,) = told(*common(folder, "one.jsonl"), *output)[0]["languages"]
    assert line["c"]["mean"] == pytest.approx(1)
    assert line["lift"]["mean"] == pytest.approx(0)
    assert line["kappa"]["mean"] is None
    why = "chance reaches the ceiling: there is nothing to permute"
    assert line["without_kappa"] == {why: 1}
    pair = json.loads((folder / "one-pairs.jsonl").read_text("utf-8"))
    assert (pair["kappa"], pair["reason"], pair["kappa_reason"]) == (None, "", why)
    assert f"1 without a kappa: {why}" in call(*common(folder, "one.jsonl")).stdout


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{"], "line 1: broken JSON"),
        (
            ['{"id": "a", "lang": "en", "units": "x"}'],
            "line 1, field units: is 'x'; expected a list of words",
        ),
        (['{"id": "a", "lang": "en", "units": ["x"]}'], "line 1, field attributions: is missing"),
        (['{"id": "a", "units": ["x"], "attributions": [1]}'], "line 1, field lang: is missing"),
        ([json.dumps(row("en", "a"))] * 2, "line 2: a in en is in line 1 already"),
        ([], "there is no row"),
        ([json.dumps(row("es", "a"))], "no row is in the source language 'en'; there are: es"),
        ([json.dumps(row("en", "a"))], "there is nothing to compare it with"),
    ],
)
def test_broken_files_are_one_line(folder: Path, lines: list[str], message: str) -> None:
    (folder / "broken.jsonl").write_text("\n".join(lines), "utf-8")
    assert message in refused(*common(folder, "broken.jsonl"))


def test_misused_options_are_one_line(folder: Path) -> None:
    file, spaces = str(folder / "rows.jsonl"), ("--set", f"vectors=en={folder / 'en.vec'}")
    assert "either a MODEL or --units" in refused("consistency", *spaces)
    assert "found both" in refused("consistency", "m", "--units", file, *spaces)
    assert "words of a file are compared in a space" in refused("consistency", "--units", file)
    assert "leave the other spaces out" in refused(
        "consistency",
        str(folder / "model"),
        *spaces,
        "--set",
        "gold=true",
        "--task",
        "topic",
        "--lang",
        "es",
    )
    assert "each once: LANG=MODEL" in refused("consistency", "a", "b", "--task", "topic")
    assert "not of the form LANG=FILE.vec" in refused(
        "consistency", "--units", file, "--set", "vectors=en"
    )
    assert "needs a parallel corpus" in refused("consistency", str(folder / "model"))
    assert "no norm 'l2'" in refused("consistency", "--units", file, *spaces, "--set", "norms=[l2]")
    assert "use --set gold=true, vectors=" in refused(
        "consistency", "--units", file, "--space", "words"
    )
    assert "one or two files; found 3" in refused("consistency", *["--units", file] * 3, *spaces)
    assert "neither a file nor one of the corpora" in refused(
        "consistency", "m", "--task", "tpic", "--lang", "es"
    )
    assert "did you mean 'norms'" in refused(
        "consistency", "--units", file, *spaces, "--set", "norm=abs"
    )


def test_a_model_is_explained_and_scored(folder: Path) -> None:
    command = ["consistency", str(folder / "model"), "--task", "sentiment", "--lang", "es,hi",
               "--count", "4", "--method",
               "input_x_gradient", "--set", "untrained=true", *HEADLESS, "--set",
               "permutations=5"]  # fmt: skip
    (comparison,) = told(*command, "--store", str(folder / "store"))
    assert [line["lang"] for line in comparison["languages"]] == ["es", "hi"]
    for line in comparison["languages"]:
        assert line["c"]["n"] == line["c_rand"]["n"] == 4
        assert 0 <= line["c"]["mean"] <= line["ceil"]["mean"] <= 1
    assert comparison["space"].startswith("input embeddings of")
    assert set(comparison["mean_cosine"]) == {"es", "hi"}
    cells = {file.name for file in (folder / "store" / "cells").iterdir()}
    assert told(*command, "--store", str(folder / "store")) == [comparison], (
        "a second run computes nothing"
    )
    assert {file.name for file in (folder / "store" / "cells").iterdir()} == cells


def test_the_command_gives_the_numbers_of_a_study_with_other_analyses(
    folder: Path, tmp_path: Path
) -> None:
    (comparison,) = told(
        "consistency", f"en={folder / 'model'}", "--task", "sentiment", "--lang", "es",
        "--count", "3", "--method", "input_x_gradient", *HEADLESS,
    )  # fmt: skip
    name = str(folder / "model")
    model = {"name": name, "source": name, "allow_untrained_head": True}
    task = {
        "name": "sentiment",
        "data": {"builtin": "sentiment", "examples": 3},
        "target": "source",
    }
    study = parse_study({
        "name": "several", "tasks": [task],
        "languages": ["en", "es"], "source": "en", "models": [model], "methods": ["random",
        "input_x_gradient"], "consistency": {}, "faithfulness": {"metrics": ["comprehensiveness"]},
    })  # fmt: skip
    assert not run(study, tmp_path / "s").failed
    store = open_store(tmp_path / "s")
    results = plain_tables(tables(store, read_study(store)))["comparisons"]
    assert [each for each in results if each["method"] == "input_x_gradient"] == [comparison]


def test_models_of_each_language_are_a_matrix(folder: Path) -> None:
    """Sources x targets: each model's own language is the source, the languages of the others are
    its targets.
    """
    page = folder / "matrix.html"
    models = [f"{lang}={folder / 'model'}" for lang in ("en", "es", "hi")]
    heads = [
        part for at in range(3) for part in ("--set", f"models.{at}.allow_untrained_head=true")
    ]
    common = ["--task", "topic", "--set", "gold=true", "--count", "5",
              "--method", "input_x_gradient", *heads,
              "--set", "tasks.0.target=null", "--set", "permutations=3"]  # fmt: skip
    values = json.loads(
        call("consistency", *models, *common, "--output", str(page), "--json").stdout
    )
    results = values["comparisons"]
    assert [(one["source"], [line["lang"] for line in one["languages"]]) for one in results] == [
        ("en", ["es", "hi"]), ("es", ["en", "hi"]), ("hi", ["en", "es"]),
    ]  # fmt: skip
    cells = {(one["source"], line["lang"]): line for one in results for line in one["languages"]}
    for one, two in (("en", "es"), ("es", "hi")):
        assert cells[one, two]["c"]["mean"] == pytest.approx(
            cells[two, one]["c"]["mean"], abs=1e-9
        ), "one model, own targets"
    assert results[0]["space"] == "gold links"
    assert values["matrices"][0]["sources"] == ["en", "es", "hi"]
    text = page.read_text("utf-8")
    assert text.count('data-name="ribbon-') == 6 * 3
    assert text.count('<table class="languages">') == 4, "C, lift, kappa, and accuracy beside them"
    assert "Accuracy of the model in the target language" in text
    assert "Mantel's r" in call("consistency", *models, *common).stdout


def test_several_spaces_and_norms_say_what_depends_on_the_choice(folder: Path) -> None:
    shown = call(
        *common(folder), "--set", f"encoder={folder / 'model'}", "--set", "norms=all"
    ).stdout
    assert "space: vec" in shown
    assert shown.count("norm abs · space") == 2, "one table per space"
    assert "over 12 choices" in shown


def test_start_and_end_of_an_answer(folder: Path) -> None:
    base = load(str(folder / "model"), allow_untrained_head=True)
    reader = XLMRobertaForQuestionAnswering(base.hf.config)
    reader.save_pretrained(folder / "reader")
    base.tokenizer.save_pretrained(folder / "reader")
    command = ["consistency", str(folder / "reader"), "--task", "reading", "--lang", "es",
               "--count", "3", "--method",
               "input_x_gradient", *HEADLESS, "--set", "permutations=0"]  # fmt: skip
    means = []
    for edge in ("start", "end", "both"):
        chosen = ("--set", "tasks.0.target=null", "--set", f"tasks.0.edge={edge}")
        means.append(told(*command, *chosen)[0]["languages"][0]["c"]["mean"])
    assert len(set(means)) == 3
    assert "an answer is a span of its own text" in refused(*command)


def test_the_page_of_a_file_has_ribbons_and_loads_nothing(folder: Path) -> None:
    page = folder / "units.html"
    call(*common(folder), "--output", str(page))
    text = page.read_text("utf-8")
    assert text.count('data-name="ribbon-') == 3, (
        "the highest, the middle and the lowest lift of three texts"
    )
    assert "src=" not in text.replace('src="data:', "")


def test_explanations_of_the_command_line_are_read(folder: Path) -> None:
    texts = corpus.sentiment("en", "test", 1)[0].texts[0]
    call("explain", str(folder / "model"), texts, "--method", "random",
         "--set", "allow_untrained_head=true", "--output", str(folder / "own.jsonl"))  # fmt: skip
    (one,) = unit_scores(folder / "own.jsonl")
    assert len(one.units) == len(one.scores) == len(one.segment) > 3
