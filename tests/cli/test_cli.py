"""The command line as a person meets it: real commands, real files, real errors."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import torch
import yaml
from transformers import XLMRobertaConfig, XLMRobertaForMaskedLM

from babelscope.cli import main
from babelscope.errors import InputError
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.model.tasks import TASKS
from babelscope.training.small import make, make_tokenizer
from conftest import TEXTS

FIELDS = {
    "id", "lang", "method", "target", "label", "probability", "value", "reference_value", "tokens",
    "offsets", "segment", "word_index", "words", "scores", "word_scores", "flags", "texts", "gold",
    "quantity", "model", "options", "seed", "word_offsets", "word_segment", "details", "contrast",
    "tagged_word", "input", "signature", "units",
}  # fmt: skip


@dataclass(frozen=True)
class Done:
    stdout: str
    stderr: str


def call(*arguments: str, status: int = 0, cwd: Path | None = None) -> Done:
    """The command in this process, with its own output, working folder and exit status."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["babelscope", *arguments])
        patch.setenv("COLUMNS", "200")
        if cwd:
            patch.chdir(cwd)
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    assert code == status, err.getvalue()[-3000:]
    return Done(out.getvalue(), err.getvalue())


def refused(*arguments: str, cwd: Path | None = None) -> str:
    """Exit status 2 and one line on standard error."""
    done = call(*arguments, status=2, cwd=cwd)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    return lines[0]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cli")
    make(
        place / "model", "bert", TEXTS, ["negative", "positive"], layers=1, width=32, vocabulary=300
    )
    config = json.loads((place / "model" / "config.json").read_text())
    (place / "model" / "config.json").write_text(json.dumps({**config, "untrained": False}))
    rows = [
        {"id": str(at), "text": text, "lang": "en" if at < 3 else "es", "label": "positive"}
        for at, text in enumerate(TEXTS[:4])
    ]
    (place / "data.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8"
    )
    assert config["architectures"] == ["BertForSequenceClassification"]
    return place


@pytest.mark.parametrize(("command", "table"), [("methods", METHODS), ("metrics", METRICS)])
def test_tables(command: str, table: dict[str, object]) -> None:
    rows = json.loads(call(command, "--json").stdout)
    assert [row["name"] for row in rows] == list(table)
    shown = call(command).stdout
    assert all(name in shown for name in table)


def test_tasks() -> None:
    assert [row["name"] for row in json.loads(call("tasks", "--json").stdout)] == list(TASKS)


def test_explain_json_has_the_documented_fields(folder: Path) -> None:
    methods = "integrated_gradients,attention,random"
    done = call(
        "explain",
        str(folder / "model"),
        "the food was good",
        "--lang",
        "en",
        "--method",
        methods,
        "--json",
    )
    rows = json.loads(done.stdout)
    assert [row["method"] for row in rows] == methods.split(",")
    for row in rows:
        assert set(row) == FIELDS
        assert (
            len(row["tokens"])
            == len(row["scores"])
            == len(row["offsets"])
            == len(row["segment"])
            == len(row["word_index"])
        )
        assert row["words"] == ["the", "food", "was", "good"]
        assert row["target"] == row["label"]
    assert sum(rows[0]["scores"]) == pytest.approx(
        rows[0]["value"] - rows[0]["reference_value"], abs=1e-3
    )


def test_explain_shows_coloured_words(folder: Path) -> None:
    shown = call(
        "explain", str(folder / "model"), "खाना अच्छा था", "--lang", "hi", "--target", "positive"
    ).stdout
    assert "खाना" in shown
    assert "p(positive)" in shown
    assert "+" in shown or "-" in shown, "numbers where there is no colour"


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "html"])
def test_explain_a_file_to_a_file(folder: Path, ending: str) -> None:
    output = folder / f"out.{ending}"
    call(
        "explain",
        str(folder / "model"),
        "--input",
        str(folder / "data.jsonl"),
        "--method",
        "occlusion",
        "--output",
        str(output),
    )
    if ending == "jsonl":
        rows = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
        assert [row["id"] for row in rows] == ["0", "1", "2", "3"]
        assert set(rows[0]) == FIELDS
    elif ending == "parquet":
        assert pq.read_table(output)["lang"].to_pylist() == ["en", "en", "en", "es"]
    else:
        assert "<script" not in output.read_text("utf-8").split("<body")[1]


def test_slalom_takes_its_options_and_draws_its_plane(folder: Path) -> None:
    given = (
        "explain",
        str(folder / "model"),
        "the food was not <b>good</b>",
        "--method",
        "slalom",
        "--option",
        "unit=word",
    )
    (row,) = json.loads(
        call(*given, "--option", "score=value", "--option", "samples=60", "--json").stdout
    )
    assert row["options"] == {"score": "value", "design": "mix+text", "samples": 60, "unit": "word"}
    assert row["details"]["queries"] <= 60
    output = folder / "plane.svg"
    call(*given, "--output", str(output))
    picture = output.read_text("utf-8")
    assert picture.startswith("<svg")
    assert ">food<" in picture
    assert "<b>" not in picture
    assert "score" in refused(*given, "--option", "score=weight")
    assert "occlusion" in refused(
        "explain",
        str(folder / "model"),
        "the food",
        "--method",
        "occlusion",
        "--output",
        str(output),
    )


def test_markup_in_a_text_stays_text(folder: Path) -> None:
    output = folder / "markup.html"
    text = "<script>alert(1)</script> the food <img src=x onerror=alert(1)>"
    call("explain", str(folder / "model"), text, "--method", "random", "--output", str(output))
    page = output.read_text("utf-8")
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_measure(folder: Path) -> None:
    common = (
        "measure",
        str(folder / "model"),
        "--input",
        str(folder / "data.jsonl"),
        "--method",
        "occlusion,random",
    )
    rows = json.loads(
        call(*common, "--metric", "comprehensiveness,normalised_sufficiency", "--json").stdout
    )
    assert len(rows) == 4 * 2 * 2
    assert {row["metric"] for row in rows} == {"comprehensiveness", "normalised_sufficiency"}
    shown = call(*common, "--option", "unit=token", "--option", "operator=delete").stdout
    assert "comprehensiveness ↑" in shown
    assert "sufficiency ↓" in shown


@pytest.mark.training
def test_finetune_study_status_and_report(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from babelscope.corpus import sentiment

    monkeypatch.setenv("BABELSCOPE_CACHE", str(folder / "cache"))
    for split, count in (("train", 80), ("dev", 20), ("test", 8)):
        rows = [row for lang in ("en", "hi") for row in sentiment(lang, split, count)]
        lines = [
            {
                "id": row.id,
                "group": row.group,
                "text": row.texts[0],
                "label": row.label,
                "lang": row.lang,
            }
            for row in rows
        ]
        (folder / f"{split}.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
        )
    tuned = folder / "tuned"
    common = (
        "--train",
        str(folder / "train.jsonl"),
        "--dev",
        str(folder / "dev.jsonl"),
        "--output",
        str(tuned),
    )
    said = call(
        "finetune",
        "new:distilbert",
        *common,
        "--epochs",
        "1",
        "--set",
        "width=32",
        "--set",
        "layers=2",
        "--set",
        "vocabulary=500",
    )
    assert "accuracy" in said.stdout
    assert "already" in refused("finetune", "new:distilbert", *common)
    fewer = folder / "fewer"
    call(
        "finetune", f"{tuned}.base", *common[:-1], str(fewer), "--epochs", "1", "--set", "layers=1"
    )
    assert json.loads((fewer / "config.json").read_text())["n_layers"] == 1
    odd = folder / "odd.jsonl"
    odd.write_text('{"text": "a", "label": "sideways"}\n')
    strange = (
        "--train",
        str(folder / "train.jsonl"),
        "--dev",
        str(odd),
        "--output",
        str(folder / "strange"),
    )
    assert "the label 'sideways', which no training example has" in refused(
        "finetune", "new:bert", *strange
    )
    assert not list(folder.glob("strange*"))
    study = {
        "name": "of files",
        "tasks": [{"name": "reviews", "data": {"file": str(folder / "test.jsonl"), "examples": 8}}],
        "languages": ["en", "hi"],
        "models": [
            {"name": "tuned", "source": str(tuned)},
            {"name": "gone", "source": str(folder / "gone")},
        ],
        "methods": ["random", "gradient_norm"],
        "faithfulness": {"metrics": ["comprehensiveness"]},
    }
    file = folder / "study.yaml"
    file.write_text(yaml.safe_dump(study), "utf-8")
    done = call("study", "run", str(file), status=1)
    assert "8 cells filled, 0 found, 2 failed" in done.stdout
    assert "there is no model folder" in done.stderr
    status = json.loads(call("study", "status", str(file), "--json").stdout)
    assert [(row["model"], row["analysis"], row["done"],
             row["planned"]) for row in status["models"]] == [
        ("tuned", "explanations", 4, 4), ("tuned", "faithfulness", 4, 4),
        ("gone", "explanations", 0, 4), ("gone", "faithfulness", 0, 4),
    ]  # fmt: skip
    assert len(status["failed"]) == 2
    call("report", str(folder / "study.store"), "--output", str(folder / "page"))
    page = (folder / "page" / "index.html").read_text("utf-8")
    assert "gradient_norm" in page
    assert "there is no model folder" in page


def test_single_text_models_refuse_pairs(folder: Path) -> None:
    config = json.loads((folder / "model" / "config.json").read_text())
    single = folder / "tuned-on-singles"
    single.mkdir()
    for file in (folder / "model").iterdir():
        (single / file.name).write_bytes(file.read_bytes())
    (single / "config.json").write_text(json.dumps({**config, "texts_per_input": 1}))
    line = refused("explain", str(single), "the food", "--pair", "was good")
    assert "reads one text, 2 given" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("{model}", "the food", "--method", "integrated_gradient"),
            "did you mean 'integrated_gradients'?",
        ),
        (
            ("{model}", "the food", "--target", "joy"),
            "label 'joy' is not one of the model's: negative, positive",
        ),
        (("{model}", "   "), "empty or only white space"),
        (("{model}", "[CLS] [SEP]"), "only special tokens"),
        (("{model}", "𒀀 𒁀"), "unknown to the model's vocabulary"),
        (("{model}", "a\x07b"), "control character U+0007"),
        (("{model}", "the food", "--set", "unit=letter"), "there are no units 'letter'"),
        (("{model}", "the food", "--option", "nodez=3"), "did you mean 'nodes'?"),
        (("{model}", "the food", "--option", "nodes=three"), "nodes='three'"),
        (("{model}", "the food", "--option", "nodes"), "not of the form name=value"),
        (("{model}", "the food", "--set", "quantity=joules"), "quantity 'joules'"),
        (("{model}", "the food", "--output", "out.docx"), "ending must be one of"),
        (("{model}", "the food", "--output", "nowhere/out.html"), "there is no folder nowhere"),
        (("{model}",), "give either a text or --input"),
        (("{model}", "columns.csv"), "'columns.csv' is a file and would be read as a text"),
        (("{model}", "hub:org/name"), "is a data set of the hub and would be read as a text"),
        (("{model}", "--input", "absent.jsonl"), "there is no file absent.jsonl"),
        (("{model}", "--input", "broken.jsonl"), "broken.jsonl, line 2: broken JSON"),
        (
            ("{model}", "--input", "columns.csv"),
            "columns.csv, line 3: 3 columns, but the header has 2",
        ),
        (("{model}", "--input", "notext.jsonl"), "line 1: no text"),
        (("{model}", "--input", "latin.jsonl"), "in UTF-8"),
        (("{model}", "--input", "surrogate.jsonl"), "lone surrogate U+D83D"),
        (("{model}", "--input", "twice.jsonl"), "the id '1' occurs twice"),
        (("{model}", "--input", "empty.jsonl"), "holds no row"),
        (("{model}", "--input", "data.xlsx"), "the ending '.xlsx'"),
        (("absent/folder/of/model", "the food"), "there is no model folder"),
        (
            ("no-such-model-anywhere", "the food"),
            "neither a folder here nor available from the Hugging Face hub",
        ),
        (("{base}", "the food"), "holds no trained weights for classifier"),
        (("{nan}", "the food"), "not finite"),
        (("{model}", "the food", "--device", "abacus"), "device 'abacus' cannot be used here"),
        (("{model}", "the food", "--device", "gpu"), "there is no such device; write cpu, cuda"),
        (("{made}", "the food"), "was created but never trained"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    _bad_files(folder)
    given = [
        part.format(
            model=folder / "model", base=folder / "base", nan=folder / "nan", made=folder / "made"
        )
        for part in arguments
    ]
    before = sorted(folder.iterdir())
    line = refused("explain", *given, cwd=folder)
    assert message in line
    assert sorted(folder.iterdir()) == before, "nothing half-written"


def _bad_files(folder: Path) -> None:
    if (folder / "nan").exists():
        return
    make(
        folder / "made", "gpt2", TEXTS, ["negative", "positive"], layers=1, width=32, vocabulary=300
    )
    (folder / "broken.jsonl").write_text('{"text": "a"}\n{"text": \n')
    (folder / "columns.csv").write_text("text,label\na,b\nc,d,e\n")
    (folder / "notext.jsonl").write_text('{"words": "a"}\n')
    (folder / "latin.jsonl").write_bytes('{"text": "caf\xe9"}\n'.encode("latin-1"))
    (folder / "surrogate.jsonl").write_text('{"text": "a \\ud83d b"}\n')
    (folder / "twice.jsonl").write_text('{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n')
    (folder / "empty.jsonl").write_text("")
    (folder / "data.xlsx").write_text("")
    tokenizer = make_tokenizer("xlm-roberta", TEXTS, 300)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=32,
    )
    XLMRobertaForMaskedLM(config).save_pretrained(folder / "base")
    tokenizer.save_pretrained(folder / "base")
    from transformers import AutoModelForSequenceClassification

    broken = AutoModelForSequenceClassification.from_pretrained(folder / "model")
    with torch.no_grad():
        broken.classifier.bias[0] = float("nan")
    broken.save_pretrained(folder / "nan")
    for file in (folder / "model").glob("tokenizer*"):
        (folder / "nan" / file.name).write_bytes(file.read_bytes())


def test_an_untrained_head_can_be_allowed(folder: Path) -> None:
    _bad_files(folder)
    rows = json.loads(
        call(
            "explain",
            str(folder / "base"),
            "the food",
            "--method",
            "random",
            "--set",
            "allow_untrained_head=true",
            "--json",
        ).stdout
    )
    assert rows[0]["label"].startswith("LABEL_")


def test_debug_shows_the_traceback(folder: Path) -> None:
    with pytest.raises(InputError, match="empty"):
        call("--debug", "explain", str(folder / "model"), " ")


@pytest.mark.slow
def test_the_installed_command(folder: Path) -> None:
    """Once as a process of its own: UTF-8 out, one line on standard error, status 2, no
    traceback.
    """
    command = [str(Path(sys.executable).with_name("babelscope")), "explain", str(folder / "model")]
    env = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    good = subprocess.run(
        [*command, "खाना अच्छा था", "--json"], capture_output=True, env=env, check=True
    )
    assert json.loads(good.stdout.decode("utf-8"))[0]["words"] == ["खाना", "अच्छा", "था"]
    bad = subprocess.run([*command, "\udcff"], capture_output=True, env=env, check=False)
    assert bad.returncode == 2
    assert bad.stderr.decode("utf-8").count("\n") == 1
    assert "lone surrogate" in bad.stderr.decode("utf-8")
