"""Costs as an analysis of a study: what is stored, found again, refused and reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from babelscope.cli import app
from babelscope.reporting.build import report
from babelscope.reporting.papers.write import write_paper
from babelscope.store import cells, open_store, read
from babelscope.study.config import parse_study
from babelscope.study.grid import blocks, planned, progress_of
from babelscope.study.measure import _shrunk
from babelscope.study.pilot import pilot
from babelscope.study.run import run
from babelscope.training.small import make
from zoo import build

RUN = CliRunner()
COUNTS = ["id", "method", "options", "tokens", "backward", "queries", "length"]
TEXTS = ["a good film with good music", "a dull and bad film", "the music was very good"]
METHODS = [
    {"name": "slalom", "options": {"score": "lin", "samples": 1000, "design": "fixed(3)"}},
    {"name": "kernel_shap", "options": {"samples": 30}},
    {"name": "kernel_shap", "options": {"samples": 10}},
    "gradient_norm",
    "random",
]  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("costs")
    make(folder / "model", "bert", TEXTS, ["negative", "positive"], layers=1, width=32,
         vocabulary=200, seed=0)  # fmt: skip
    return str(folder / "model")


def study(model: str, **values: Any) -> dict[str, Any]:
    texts = [{"id": str(at), "text": text, "label": "positive", "lang": "en"}
             for at, text in enumerate(TEXTS)]  # fmt: skip
    return {
        "name": "costs",
        "tasks": [{"name": "reviews", "data": {"rows": texts}, "quantity": "log_odds"}],
        "languages": ["en"],
        "models": [{"name": "bert-6", "source": model, "allow_untrained_head": True}],
        "costs": {"texts": 2, "methods": METHODS},
    } | values


@pytest.fixture(scope="module")
def stored(model: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("costs-store")
    outcome = run(parse_study(study(model)), folder / "store")
    assert (outcome.filled, outcome.failed) == (5, ())
    return folder / "store"


def counts(store: Path) -> pd.DataFrame:
    frame = read(open_store(store, create=False), "costs").to_pandas()
    return frame[COUNTS].sort_values(COUNTS[:3]).reset_index(drop=True)


def test_two_texts_of_every_method(stored: Path) -> None:
    frame = read(open_store(stored), "costs").to_pandas()
    assert frame.groupby(["method", "options"]).size().tolist() == [2] * 5
    assert set(frame["id"]) == {"0", "1"}, "the same texts for all"
    assert (frame[["processor_seconds", "wall_seconds"]] > 0).all().all()
    assert set(frame["device"]) == {"cpu"}
    gradient = frame[frame["method"] == "gradient_norm"]
    # The pass that is explained and its gradients are one: a text is read once, and back
    assert (gradient["tokens"] == gradient["length"]).all()
    assert (gradient["backward"] == gradient["length"]).all()
    shap = frame[frame["options"].str.contains('"samples":30')]
    assert shap["queries"].tolist() == [30, 30]


def test_seconds_are_measured_once_and_counts_are_the_same_again(
    stored: Path, model: str, tmp_path: Path
) -> None:
    before = read(open_store(stored), "costs").to_pandas()
    again = run(parse_study(study(model)), stored)
    assert (again.filled, again.found) == (0, 5)
    pd.testing.assert_frame_equal(read(open_store(stored), "costs").to_pandas(), before)
    # Elsewhere, in another order and after explanations of the same texts: other seconds, in cells
    # of the same names, and the same counts
    other = study(model, methods=["gradient_norm"], faithfulness={},
                  costs={"texts": 2, "methods": METHODS[::-1]})  # fmt: skip
    assert run(parse_study(other), tmp_path / "other").failed == ()
    pd.testing.assert_frame_equal(counts(tmp_path / "other"), counts(stored))
    names = [
        {json.dumps(row["identity"], sort_keys=True)
         for row in cells(open_store(path)) if row["kind"] == "costs"}
        for path in (stored, tmp_path / "other")
    ]  # fmt: skip
    assert names[0] == names[1]


def test_the_methods_of_the_study_are_the_default(model: str) -> None:
    values = study(model, methods=["random", "gradient_norm"], costs={})
    (block,) = blocks(parse_study(values))
    assert [place.what for place in planned(parse_study(values), block)] == [
        "random{}@0/3", "gradient_norm{}@0/3",
    ]  # fmt: skip
    with pytest.raises(Exception, match="list 'methods' in the study or in costs"):
        parse_study(study(model, costs={}))


def test_only_the_first_seed_is_timed(model: str) -> None:
    train = {"languages": ["en"], "architecture": "bert"}
    values = study(model, seeds=[3, 1], models=[{"name": "bert", "train": train}])
    seeds = parse_study(values)
    places = [place for block in blocks(seeds) for place in planned(seeds, block)]
    assert {place.model for place in places} == {"bert/3"}
    assert len(places) == len(METHODS)


def test_a_method_that_the_model_does_not_allow_fails_alone(tmp_path: Path) -> None:
    """A state-space model has no attention weights."""
    built = build("mamba", "text-generation")
    for part in (built.hf, built.tokenizer):
        part.save_pretrained(tmp_path / "mamba")
    values = study(str(tmp_path / "mamba"), costs={"methods": ["attention", "gradient_norm"]},
                   tasks=[{"name": "reviews", "data": study("")["tasks"][0]["data"]}])  # fmt: skip
    outcome = run(parse_study(values), tmp_path / "store")
    assert outcome.filled == 1
    (failure,) = outcome.failed
    assert (failure.cell["kind"], failure.cell["method"]) == ("costs", "attention")
    assert failure.refused
    assert "reads attention weights" in failure.reason
    store = open_store(tmp_path / "store")
    assert set(read(store, "costs").to_pandas()["method"]) == {"gradient_norm"}
    page = report(tmp_path / "store", tmp_path / "page").read_text("utf-8")
    assert "reads attention weights" in page
    assert "no other method was timed" in page


def test_a_text_that_cannot_be_read_is_skipped_and_named(model: str, tmp_path: Path) -> None:
    rows = [{"id": name, "text": text, "label": "positive", "lang": "en"}
            for name, text in zip("abcdef", ("𒀀 𒁀", *TEXTS, *TEXTS))]  # fmt: skip
    values = study(model, max_skipped=0.5, costs={"texts": 2, "methods": ["gradient_norm"]},
                   tasks=[{"name": "reviews", "data": {"rows": rows}}])  # fmt: skip
    outcome = run(parse_study(values), tmp_path / "store")
    assert outcome.failed == ()
    assert [(row.id, row.total) for row in outcome.skipped] == [("a", 6)]
    assert set(read(open_store(tmp_path / "store"), "costs").to_pandas()["id"]) == {"b", "c"}


def test_pilots_plans_and_status(model: str, stored: Path) -> None:
    whole = parse_study(study(model, costs={"texts": 9, "methods": METHODS}))
    block = pilot(whole).analyses["costs"]
    assert block.texts == 2  # type: ignore[attr-defined]
    assert [each.name for each in block.methods] == [  # type: ignore[attr-defined]
        "slalom", "kernel_shap", "kernel_shap", "gradient_norm", "random",
    ]  # fmt: skip
    assert block.methods[0].options["samples"] == 128  # type: ignore[attr-defined]
    assert pilot(pilot(whole)) == pilot(whole)
    small = [_shrunk(whole, blocks(whole)[0], texts, 16).analyses["costs"] for texts in (2, 8)]
    assert small[0] == small[1], "a plan takes no text of the study to be timed"
    rows = progress_of(parse_study(study(model)), open_store(stored))
    assert rows == [{"model": "bert-6", "task": "reviews", "analysis": "costs", "done": 5,
                     "planned": 5}]  # fmt: skip


def test_what_a_store_of_costs_becomes(stored: Path, tmp_path: Path) -> None:
    page = report(stored, tmp_path / "page", figures=tmp_path / "figures").read_text("utf-8")
    assert 'id="costs"' in page
    table = pd.read_csv(tmp_path / "page" / "costs.csv")
    assert set(table["method"]) == {
        "slalom", "kernel_shap[samples=30]", "kernel_shap[samples=10]", "gradient_norm", "random",
    }  # fmt: skip
    assert table.loc[table["method"] == "gradient_norm", "times"].notna().all()
    assert len(pd.read_csv(tmp_path / "page" / "cost_texts.csv")) == 10
    assert list((tmp_path / "figures").glob("*cost*.svg"))
    verified = RUN.invoke(app, ["study", "verify", str(stored)])
    assert (verified.exit_code, "0 faults" in verified.output) == (0, True)
    written = {each.name: each for each in write_paper(stored, "slalom", tmp_path / "paper")}
    assert written["table-11"].files
    eleven = pd.read_csv(tmp_path / "paper" / "table-11.csv").set_index("method")
    assert eleven.loc["slalom", ["samples", "published"]].tolist() == [1000, 0.24]
    assert (eleven[["seconds", "tokens"]] > 0).all().all()


def test_a_report_against_another_compares_no_seconds(model: str, tmp_path: Path) -> None:
    values = study(model, methods=["gradient_norm"], faithfulness={},
                   costs={"texts": 1})  # fmt: skip
    for name in ("first", "second"):
        assert run(parse_study(values), tmp_path / name).failed == ()
    page = report(tmp_path / "first", tmp_path / "page", against=tmp_path / "second")
    assert "quantities are as before" in page.read_text("utf-8")


def test_the_command(model: str, tmp_path: Path) -> None:
    arguments = ["costs", model, TEXTS[0], "--lang", "en", "--allow-untrained-head"]
    chosen = ["--method", "gradient_norm,kernel_shap", "--option", "samples=20"]
    printed = RUN.invoke(app, [*arguments, *chosen, "--json"], catch_exceptions=False)
    rows = json.loads(printed.stdout)
    assert {row["method"] for row in rows} == {"gradient_norm", "kernel_shap"}
    assert all(row["texts"] == 1 for row in rows)
    for name in ("costs.html", "costs.svg", "costs.csv"):
        done = RUN.invoke(app, [*arguments, *chosen, "--output", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert (tmp_path / name).stat().st_size > 200
    assert "kernel_shap" in (tmp_path / "costs.csv").read_text("utf-8")
