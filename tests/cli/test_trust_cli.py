"""The commands trust and intervene, the stored panels, and the report that shows them."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isnan
from pathlib import Path
from types import SimpleNamespace

import pytest
from test_cli import call, refused

import synthetic_study
from babelscope.analyses.trust.section import page_html
from babelscope.analyses.trust.tables import tables
from babelscope.analyses.trust.values import (
    CHECKS,
    Check,
    Stage,
    Trust,
    judged,
)
from babelscope.reporting.build import report
from babelscope.store import (
    Cell,
    key,
    open_store,
    put,
    read,
    read_attributions,
    read_study,
    write_study,
)
from babelscope.study.config import parse_study
from babelscope.study.grid import blocks, planned, progress_of
from babelscope.study.run import run
from babelscope.training.small import make
from babelscope.types import Attribution
from conftest import TEXTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("trust")
    make(
        place / "model", "bert", TEXTS, ["negative", "positive"], layers=1, width=32, vocabulary=300
    )
    config = json.loads((place / "model" / "config.json").read_text())
    (place / "model" / "config.json").write_text(json.dumps({**config, "untrained": False}))
    rows = [
        {"id": str(at), "text": text, "lang": "en", "label": "positive"}
        for at, text in enumerate(TEXTS[:2])
    ]
    (place / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return place


def test_trust_prints_json_and_writes_a_page(folder: Path) -> None:
    done = call("trust", "model", TEXTS[0], "--method", "occlusion", "--set", "shuffles=1",
                "--set", "labelled=data.jsonl",
                "--set", "siblings=[model]", "--output", "panel.html", "--json",
                cwd=folder)  # fmt: skip
    (row,) = json.loads(done.stdout)
    assert [one["name"] for one in row["checks"]] == list(CHECKS)
    told = {one["name"]: one for one in row["checks"]}
    assert told["siblings"]["value"] == pytest.approx(1.0)
    assert told["calibration"]["value"] is not None
    assert told["completeness"]["value"] is None
    page = (folder / "panel.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert "script-src 'sha256-" in page  # its own scripts only, by hash
    for question in CHECKS.values():
        assert question in page


def test_trust_shows_a_panel(folder: Path) -> None:
    shown = call(
        "trust", "model", TEXTS[0], "--method", "position", "--set", "shuffles=1", cwd=folder
    ).stdout
    for word in ("randomisation", "leave one out", "✗", "embeddings", "food"):
        assert word in shown


def test_what_cannot_be_asked_is_refused(folder: Path) -> None:
    assert "no method 'nothing'" in refused(
        "trust", "model", "a text", "--method", "nothing", cwd=folder
    )
    assert ".html" in refused("trust", "model", "a text", "--output", "x.pdf", cwd=folder)
    assert "way" in refused(
        "intervene", "model", "--input", "data.jsonl", "--way", "syllables", cwd=folder
    )
    assert "interventions.rates" in refused(
        "intervene", "model", "--input", "data.jsonl", "--set", "interventions.rates=much",
        cwd=folder,
    )  # fmt: skip
    assert "pieces" in refused(
        "intervene", "model", "--input", "data.jsonl", "--way", "truncate", cwd=folder
    )


def test_intervene_gives_every_value_and_the_slopes(folder: Path) -> None:
    asked = ("intervene", "model", "--input", "data.jsonl", "--way", "characters,truncate",
             "--set", "interventions.rates=[0,1]", "--set", "interventions.pieces=[20]",
             "--method", "occlusion", "--metric", "complexity")  # fmt: skip
    rows = json.loads(call(*asked, "--output", "values.csv", "--json", cwd=folder).stdout)[
        "interventions"
    ]
    assert len(rows) == 2 * 2 * 2 * 2, "two ways, two doses, two texts, two outcomes"
    assert {row["arm"] for row in rows} == {"characters", "truncate"}
    assert len((folder / "values.csv").read_text().splitlines()) == 1 + len(rows)
    assert all(
        row["value"] == pytest.approx(1.0)
        for row in rows
        if row["dose"] == 0 and row["outcome"] == "agreement"
    )
    shown = call(*asked, cwd=folder).stdout
    assert "slope" in shown
    assert "tokens per word" in shown


def panel_of(one: Attribution) -> Trust:
    checks = tuple(Check(name, 0.5, -0.4, 0.4, "holds", "because") for name in list(CHECKS)[:-1])
    lost = Check(
        "calibration", float("nan"), float("nan"), float("nan"), "not run", "none was given"
    )
    return Trust(
        one,
        (*checks, lost),
        (Stage("head", 0.4, 0.5, -0.2, 0.2), Stage("embeddings", 0.1, 0.1, -0.2, 0.2)),
        0.2,
    )


def test_stored_panels_come_back_and_stand_in_the_report(tmp_path: Path) -> None:
    synthetic_study.store(tmp_path / "store", groups=8)
    store = open_store(tmp_path / "store")
    some = [
        one
        for one in read_attributions(store)
        if one.method == "occlusion" and one.model == "multi"
    ][:5]
    panels = [panel_of(one) for one in some]
    identity = {"kind": "panels", "of": "some", "count": 5}
    put(store, [Cell(identity, "panels", [one.stored() for one in panels], {"analysis": "trust"})])
    study = read_study(store)
    if "keys" in study:
        write_study(store, {**study, "keys": [*study["keys"], key(identity)]})
    back = tables(store, read_study(store))
    assert back is not None
    assert {one.explanation.id for one in back} == {one.id for one in some}
    for one in back:
        assert [check.verdict for check in one.checks] == ["holds"] * 7 + ["not run"]
        assert isnan(one.checks[-1].value)
        assert one.stages == panels[0].stages
        again = judged(one.explanation, one.stored().panel)
        assert again.stages == one.stages
        assert str(again.checks) == str(one.checks)
    page = report(tmp_path / "store", tmp_path / "out").read_text("utf-8")
    assert 'id="trust"' in page
    assert page.count('data-name="fading-') == len(some)
    assert page.count("because") >= 7 * len(some)


def test_texts_and_reasons_never_become_markup(tmp_path: Path) -> None:
    one = read_attributions(synthetic_study.store(tmp_path / "store", groups=2))[0]
    hostile = replace(
        one,
        texts=(synthetic_study.SCRIPT,),
        words=(),
        word_offsets=(),
        word_scores=(),
        word_segment=(),
    )
    panel = panel_of(hostile)
    bad = replace(
        panel, checks=(replace(panel.checks[0], said=synthetic_study.SCRIPT), *panel.checks[1:])
    )
    assert synthetic_study.SCRIPT not in page_html([bad])


def test_a_study_makes_panels_once(tmp_path: Path, folder: Path) -> None:
    study = parse_study({
        "name": "panels", "languages": ["en"], "methods": ["occlusion", "random"],
        "faithfulness": {"metrics": ["comprehensiveness"]},
        "trust": {"explanations": 1, "shuffles": 1},
        "tasks": [{"name": "reviews", "data": {"file": str(folder / "data.jsonl"), "examples": 2}}],
        "models": [{"name": "one", "source": str(folder / "model")}],
    })  # fmt: skip
    first = run(study, tmp_path / "store")
    assert (first.filled, first.found, first.failed) == (6, 0, ())
    second = run(study, tmp_path / "store")
    assert (second.filled, second.found) == (0, 6)
    store = open_store(tmp_path / "store")
    assert read(store, "panels").num_rows == 2
    assert sum(len(planned(study, block)) for block in blocks(study)) == 6
    assert [(row["analysis"], row["done"], row["planned"]) for row in progress_of(study,
    store)] == [
        ("explanations", 2, 2), ("faithfulness", 2, 2), ("trust", 2, 2),
    ]  # fmt: skip
    assert 'id="trust"' in report(tmp_path / "store", tmp_path / "out").read_text("utf-8")


NO_MODEL = (
    "babelscope: model 'absent/model' is neither a folder here nor available from the Hugging Face "
    "hub; check the name and the network, or give a local folder"
)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trust", "absent/model", "a text"), NO_MODEL),
        (("trust", "./absent/model", "a text"), "there is no model folder ./absent/model"),
        (("trust", "model", "𒀀 𒁀"), "unknown to the model's vocabulary"),
        (("heads", "absent/model", "--treebank", "topic/en/test/2"), NO_MODEL),
        (("intervene", "absent/model", "--input", "data.jsonl"), NO_MODEL),
        (("tokenization", "absent/model", "--input", "data.jsonl"), NO_MODEL),
        (
            ("consistency", "absent/model", "--task", "topic", "--lang", "es", "--count", "2"),
            NO_MODEL,
        ),
        (
            ("tradeoffs", "--model", "en=absent", "--task", "topic", "--lang", "en,es"),
            NO_MODEL.replace("absent/model", "absent"),
        ),
    ],
)
def test_what_cannot_be_computed_at_all_is_one_line(
    folder: Path, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And at once: without a network, the hub's client is not left to wait and try again."""

    def sleep(seconds: float) -> None:
        pytest.fail(f"the hub's client waits for {seconds} s")

    monkeypatch.setattr("huggingface_hub.utils._http.time", SimpleNamespace(sleep=sleep))
    assert message in refused(*arguments, cwd=folder)
