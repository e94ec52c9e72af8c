"""What a study costs: extrapolated by hand from a block with known costs, and measured for real."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from babelscope.cli import app
from babelscope.model.sizes import encoder_size
from babelscope.study import measure as measuring
from babelscope.study.config import parse_study, read_study
from babelscope.study.grid import blocks, cells_by_model, cells_of
from babelscope.study.measure import Cost, Measured, fitted_cost, mean_characters, measure
from babelscope.study.plan import estimate

STUDIES = Path(__file__).resolve().parents[2] / "studies"
STUDY: dict[str, Any] = {
    "name": "two languages",
    "deviations": ["texts are made up"],
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 3}}],
    "languages": ["en", "es", "hi"],
    "models": [{"name": "a", "source": "demo"}, {"name": "b", "source": "demo"}],
    "methods": ["occlusion"],
    "faithfulness": {"metrics": ["comprehensiveness"]},
}


def measured(characters: float) -> Measured:
    return Measured(
        "a", "sentiment", startup=5.0, texts=Cost(1.0, 0.5), per_language=0.25,
        shared=Cost(0.0, 0.0), rows=Cost(2.0, 0.1), passes=Cost(0.0, 10.0),
        bytes=Cost(100.0, 7.0), parameters=1000,
        characters=characters,
    )  # fmt: skip


def test_a_line_through_two_points() -> None:
    # 4 units take 3 s, 10 units 6 s: half a second each and one for the block
    assert fitted_cost(4, 3.0, 10, 6.0) == Cost(1.0, 0.5)
    assert fitted_cost(4, 3.0, 10, 2.0) == Cost(3.0, 0.0), "a cost is never negative"


def test_the_cost_of_a_study_by_hand() -> None:
    study = parse_study(STUDY)
    length = mean_characters(study.tasks[0].data, "en")
    cost = estimate(study, measured(length))
    # two models: 9 texts, one language beyond two, loading: 1 + 9 / 2 + 0.25 + 2 each; 5 to start
    assert cost.seconds == pytest.approx(5 + 2 * (1 + 4.5 + 0.25 + 2))
    assert (cost.texts, cost.trainings, cost.training_rows) == (18, 0, 0)
    assert cost.passes == pytest.approx(180)
    assert cost.result_bytes == pytest.approx(2 * (100 + 63))
    assert cost.model_bytes == 0, "no model is fine-tuned"
    longer = estimate(study, measured(length / 2))
    # texts are twice as long as the measured ones: what a text costs doubles
    assert longer.seconds == pytest.approx(5 + 2 * (1 + 9 + 0.25 + 2))


def test_the_arithmetic_of_a_study_by_hand() -> None:
    study = parse_study(STUDY)
    length = mean_characters(study.tasks[0].data, "en")
    taken = replace(measured(length), tokens=Cost(0.0, 40.0), length=8.0)
    cost = estimate(study, taken)
    # two models of W weights, 9 texts of 40 tokens each, 2 operations for a token and weight
    weights = encoder_size(("demo", None)) or 0
    assert cost.operations == pytest.approx(2 * 2 * weights * 9 * 40)
    assert cost.gpu_training == 0
    # 12 TFLOP/s
    assert cost.gpu_hours == pytest.approx(cost.operations / 1.2e13 / 3600)
    longer = estimate(study, replace(taken, characters=length / 2))
    assert longer.operations == pytest.approx(2 * cost.operations)


@pytest.mark.parametrize(
    ("length", "precision"), [(8.0, "float32"), (1e9, "float32"), (1e9, "bfloat16")]
)
def test_fine_tuning_on_a_gpu_by_hand(length: float, precision: str) -> None:
    train = {"base": "demo", "languages": ["en"], "examples": 30, "dev_examples": 12, "epochs": 2,
             "batch": 10, "precision": precision}  # fmt: skip
    study = parse_study({**STUDY, "languages": ["en"], "models": [{"name": "a", "train": train}]})
    taken = measured(mean_characters(study.tasks[0].data, "en"))
    cost = estimate(study, replace(taken, length=length))
    # two epochs of 30 rows and of 12 judged ones, which count a third
    rows, weights = 2 * (30 + 12 / 3), encoder_size(("demo", None)) or 0
    # a short row: 40 ms for ten; a long one: 6 operations a token and weight
    rate = {"float32": 1.2e13, "bfloat16": 6e13}[precision]
    seconds = 0.004 if length == 8 else 6 * weights * length / rate
    assert cost.gpu_training == pytest.approx(rows * seconds)


def test_the_size_of_layers_from_the_configuration() -> None:
    # the packaged demo: layers and width as its config.json says
    size = encoder_size(("demo", None))
    assert size is not None
    assert size % 12 == 0
    # of a base that is cut, the kept layers count; it cannot be cut to more than it has
    assert encoder_size(("demo", None), 1) < size
    assert encoder_size(("demo", None), 100) == size
    assert encoder_size(("no/such-checkpoint-here", None)) is None
    assert encoder_size(("pretrained:multilingual", None)) is None


@pytest.mark.parametrize(("seconds", "growth"), [(8.0, 1.0), (5.0, 0.5), (1.0, 0.0), (20.0, 1.0)])
def test_how_costs_grow_with_the_model(
    seconds: float, growth: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first model takes 1 s in each of two runs, the other has four times the weights."""
    study = parse_study(STUDY)
    first, second = blocks(study)
    sizes = {first.model.name: 100, second.model.name: 400}
    monkeypatch.setattr(measuring, "layer_weights", lambda block: sizes[block.model.name])
    run = measuring._Run(0.0, 2, 4, 0, 0.0, seconds / 2, 0.0, 0, 0, 0)
    monkeypatch.setattr(measuring, "_timed", lambda *arguments: run)
    assert measuring._growth(study, first, 2.0) == pytest.approx(growth)
    assert measuring._growth(study, second, 2.0) == 1.0, "no model is larger"


@pytest.mark.slow
def test_a_measurement_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BABELSCOPE_CACHE", str(tmp_path / "cache"))
    taken = measure(parse_study(STUDY))
    assert taken.texts.fixed + taken.texts.each > 0
    assert taken.startup > 0
    # occlusion and comprehensiveness read erased texts
    assert taken.passes.each > 1
    # every pass reads some of a text's tokens
    assert taken.tokens.each > taken.passes.each
    assert taken.length > 2
    assert taken.parameters > 1000
    assert not list((tmp_path / "cache").rglob("*.safetensors"))


def test_a_plan_has_a_row_for_each_model_and_analysis() -> None:
    """11 tasks of three seeds are one row; what a model is not studied on is not counted."""
    study = read_study(STUDIES / "mono-vs-multi.yaml")
    summed = cells_by_model(study)
    assert sum(row["cells"] for row in summed) == sum(row["cells"] for row in cells_of(study))
    rows = {(row["model"], row["analysis"]): row for row in summed}
    assert len(rows) == len(summed) == 2 * len(study.models)
    assert rows["mbert", "faithfulness"]["seeds"] == 3
    assert rows["mbert", "faithfulness"]["tasks"] == [task.name for task in study.tasks]
    several = CliRunner().invoke(app, ["study", "plan", str(STUDIES / "mono-vs-multi.yaml")])
    assert several.exit_code == 0, several.output
    assert f"{len(study.tasks)} tasks" in several.stdout
    assert "mbert/5" not in several.stdout
    assert len(several.stdout.splitlines()) < 40


def test_a_plan_says_what_is_not_as_in_the_paper() -> None:
    arguments = ["study", "plan", str(STUDIES / "tradeoffs-en-hi.yaml")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "not as in the paper:" in done.stderr
    assert "three seeds, not one" in done.stderr
    assert "--measure estimates forward passes" in done.stdout
