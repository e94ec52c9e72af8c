"""Classifiers without attention in a study: trained, explained by what can explain them, tabulated
apart from transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from safetensors.torch import load_file
from typer.testing import CliRunner

from babelscope.analyses.block import Block
from babelscope.analyses.explanations import runs
from babelscope.cli import app
from babelscope.errors import InputError
from babelscope.reporting.papers.write import write_paper
from babelscope.study.config import parse_study
from babelscope.study.grid import blocks, planned
from babelscope.study.pilot import pilot
from babelscope.study.run import run
from babelscope.training.finetune import Recipe, finetune
from babelscope.training.small import make
from babelscope.training.spec import NETWORKS
from babelscope.types import Example

CLASSES = ["negative", "positive"]
ROWS = [
    Example(str(at), (f"{word} food, {word} rooms and number {at}",), "en", label=label)
    for at in range(20)
    for word, label in (("bad", "negative"), ("good", "positive"))
]


def study(**tf_idf: Any) -> dict[str, Any]:
    train = {"languages": ["en"], "width": 32, "vocabulary": 300, "examples": 40,
             "dev_examples": 10, "epochs": 1, "learning_rate": 1e-3}  # fmt: skip
    return {
        "name": "both",
        "tasks": [{"name": "imdb", "target": "gold", "quantity": "log_odds",
                   "data": {"builtin": "sentiment", "split": "test", "examples": 4}}],
        "languages": ["en"],
        "models": [
            {"name": "bert-2", "train": {**train, "architecture": "bert"}},
            {"name": "tf-idf", "train": {**train, "architecture": "tf-idf"}, **tf_idf},
        ],
        "methods": ["random", {"name": "lime", "options": {"samples": 16}}, "gradient_norm"],
        "seeds": [0],
        "faithfulness": {"metrics": [
            {"name": f"stepwise_{name}", "options": {"operator": "delete"}}
            for name in ("deletion", "insertion")
        ]},
    }  # fmt: skip


@pytest.mark.training
def test_a_method_that_cannot_run_on_one_model_takes_no_other_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    outcome = run(parse_study(study()), tmp_path / "store")
    (failure,) = outcome.failed
    assert failure.cell["method"] == "gradient_norm"
    assert failure.reason.startswith("gradient_norm needs gradients, but TfIdfForSequence")
    # Three methods of one model and two of the other, each with two metrics
    assert outcome.filled == (3 + 2) * 3
    left_out = run(parse_study(study(methods=["random", "lime"])), tmp_path / "store")
    assert (left_out.filled, left_out.found, left_out.failed) == (0, 15, ())
    written = {each.name: each for each in write_paper(outcome.store, "slalom", tmp_path / "paper")}
    assert written["table-10"].files
    table = pd.read_csv(tmp_path / "paper" / "table-10.csv")
    assert table["metric"].value_counts().to_dict() == {"insertion": 2, "deletion": 2}
    assert set(table["model"]) == {"tf-idf"}
    # The only setting of a method is not in its name: the published value is beside it
    published = table.pivot(index="method", columns="metric", values="published")
    assert published.loc["lime"].to_dict() == {"deletion": 0.9481, "insertion": 0.0053}
    assert published.loc["random"].isna().all()
    for name in ("table-2c", "table-4", "table-9", "table-12"):
        if written[name].files:
            rows = pd.read_csv(tmp_path / "paper" / f"{name}.csv")
            assert set(rows["model"]) == {"bert-2"}, name
    assert written["table-2c"].files


def test_methods_of_a_model() -> None:
    every = parse_study(study())
    some = parse_study(study(methods=["lime"]))
    both: list[list[Block]] = [blocks(each) for each in (every, some)]
    assert [run.choice.name for run in runs(both[0][1])] == ["random", "lime", "gradient_norm"]
    assert [run.choice.name for run in runs(both[1][1])] == ["lime"]
    assert [run.position for run in runs(both[1][1])] == [1], "its place in the study"
    assert len(planned(some, both[1][1])) == 3
    assert both[0][0].setup == both[1][0].setup
    # What earlier versions wrote of a model has no such field
    fields = every.models[1].model_dump()
    assert fields.pop("methods") is None
    with pytest.raises(InputError, match="model 'tf-idf' names the method 'slalom', which the st"):
        parse_study(study(methods=["slalom"]))


@pytest.mark.parametrize("architecture", NETWORKS)
def test_networks_have_no_layers_to_choose(architecture: str) -> None:
    values = study()
    values["models"][1]["train"] |= {"architecture": architecture, "layers": 2}
    with pytest.raises(InputError, match=f"{architecture} has no layers to choose"):
        parse_study(values)
    del values["models"][1]["train"]["layers"]
    small = pilot(parse_study(values))
    assert [each.train.layers for each in small.models if each.train] == [1, None]
    assert parse_study(small.model_dump(exclude={"analyses"}) | {"faithfulness": {}})


@pytest.mark.training
def test_frequencies_are_not_trained(tmp_path: Path) -> None:
    base = make(tmp_path / "base", "tf-idf", [row.texts[0] for row in ROWS], CLASSES, width=32)
    tuned = finetune(base, ROWS[:30], ROWS[30:], tmp_path / "tuned", Recipe(learning_rate=1e-2))
    before, after = (load_file(folder / "model.safetensors") for folder in (base, tuned))
    assert (before["idf"] == after["idf"]).all()
    assert before["idf"].unique().numel() > 1
    changed = {name for name in before if (before[name] != after[name]).any()}
    assert changed == set(before) - {"idf"}
    with pytest.raises(InputError, match="TfIdfForSequenceClassification has no embeddings"):
        finetune(base, ROWS[:30], ROWS[30:], tmp_path / "kept", Recipe(freeze_embeddings=True))
    head = Recipe(epochs=1, head_only=True)
    trained = finetune(base, ROWS[:30], ROWS[30:], tmp_path / "head", head)
    after = load_file(trained / "model.safetensors")
    changed = {name for name in before if (before[name] != after[name]).any()}
    assert changed == {"classifier.weight", "classifier.bias"}


@pytest.mark.training
@pytest.mark.parametrize("architecture", NETWORKS)
def test_new_networks_on_the_command_line(tmp_path: Path, architecture: str) -> None:
    lines = [f'{{"text": "{row.texts[0]}", "label": "{row.label}"}}' for row in ROWS]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines), "utf-8")
    source = str(tmp_path / "rows.jsonl")
    command = ["finetune", f"new:{architecture}", "--train", source, "--dev", source, "--output",
               str(tmp_path / "m"), "--epochs", "9", "--learning-rate", "1e-2"]  # fmt: skip
    sizes = ["--set", "width=32", "--set", "max_length=16"]
    with pytest.raises(InputError, match=f"on new:{architecture}, which has no layers"):
        CliRunner().invoke(app, [*command, *sizes, "--set", "layers=2"], catch_exceptions=False)
    result = CliRunner().invoke(app, [*command, *sizes])
    assert result.exit_code == 0, result.output
    assert ": accuracy 1" in result.stdout
    shown = CliRunner().invoke(app, ["methods", "--model", str(tmp_path / "m")])
    assert shown.exit_code == 0, shown.output
    heads = ["heads", str(tmp_path / "m"), "--treebank", "topic/en/test/8"]
    with pytest.raises(InputError, match="Classification has no attention weights"):
        CliRunner().invoke(app, heads, catch_exceptions=False)
