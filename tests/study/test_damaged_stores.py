"""Runs on damaged, shared and interrupted stores: they name what was lost and end complete."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from babelscope.cli import app
from babelscope.reporting.build import report
from babelscope.store import cell_names, open_store, read_study, verify
from babelscope.study.config import Study, parse_study
from babelscope.study.run import Outcome, Watch, run
from small_study import CELLS, content, models, values


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the file of a study and its complete store."""
    folder = tmp_path_factory.mktemp("study")
    study = values(models(folder / "models"))
    (folder / "study.yaml").write_text(yaml.safe_dump(study), "utf-8")
    outcome = run(folder / "study.yaml", folder / "store")
    assert (outcome.filled, outcome.found, outcome.failed) == (CELLS, 0, ())
    return folder


def study_of(folder: Path) -> Study:
    return parse_study(yaml.safe_load((folder / "study.yaml").read_text("utf-8")))


def copy(filled: Path, folder: Path) -> Path:
    return Path(shutil.copytree(filled / "store", folder / "store"))


def command(*arguments: str, status: int) -> str:
    """What a command prints; any exception that is not an exit fails."""
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == status, done.output
    return done.output


def without_tables(store: Path) -> None:
    for file in store.glob("*/*.parquet"):
        file.unlink()


def cut_tables(store: Path) -> None:
    for file in store.glob("*/*.parquet"):
        file.write_bytes(file.read_bytes()[:-1])


def altered_tables(store: Path) -> None:
    """One bit in the middle: same name, same size."""
    for file in store.glob("*/*.parquet"):
        whole = bytearray(file.read_bytes())
        whole[len(whole) // 2] ^= 1
        file.write_bytes(whole)


def without_manifests(store: Path) -> None:
    for file in store.glob("cells/*.json"):
        file.unlink()


def foreign_manifests(store: Path) -> None:
    for file, text in zip(
        sorted(store.glob("cells/*.json")),
        ["", "{", "[]", "null", '{"kind": "../.."}', '"\\ud800"', "[" * 100_000, "\x00"],
    ):
        file.write_text(text)


def other_rows(store: Path) -> None:
    """The tables are whole; their manifests count other rows."""
    for file in store.glob("cells/*.json"):
        manifest = json.loads(file.read_text("utf-8"))
        file.write_text(json.dumps({**manifest, "rows": manifest["rows"] + 1}), "utf-8")


def folders_for_tables(store: Path) -> None:
    for file in [*store.glob("*/*.parquet")]:
        file.unlink()
        (file / "inside").mkdir(parents=True)


def folders_for_manifests(store: Path) -> None:
    for file in [*store.glob("cells/*.json")]:
        file.unlink()
        file.mkdir()


DAMAGES = {
    without_tables: "its table is missing",
    cut_tables: "bytes instead of",
    altered_tables: "the hash differs",
    without_manifests: "manifest is missing",
    foreign_manifests: "the manifest is damaged",
    other_rows: "rows instead of",
    folders_for_tables: "its table",
    folders_for_manifests: "the manifest is damaged",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_is_named_and_completed(filled: Path, tmp_path: Path, damage: Any) -> None:
    """All eight cells are lost: each is named with its reason, and computed to the same bytes."""
    store = copy(filled, tmp_path)
    damage(store)
    arguments = ("study", "status", str(filled / "study.yaml"), "--store", str(store), "--json")
    before = content(store)
    status = json.loads(command(*arguments, status=0))
    assert {row["done"] for row in status["models"]} == {0}
    listed = command("study", "verify", str(store), status=1)
    assert sum(DAMAGES[damage] in line for line in listed.splitlines()) == CELLS
    assert content(store) == before, "status and verify write nothing"
    outcome = run(filled / "study.yaml", store)
    assert (outcome.filled, outcome.found, outcome.failed) == (CELLS, 0, ())
    assert sum(DAMAGES[damage] in line for line in outcome.damaged) == CELLS
    assert content(store) == content(filled / "store")
    assert "8 cells, 0 faults" in command("study", "verify", str(store), status=0)


def test_a_repair_removes_what_is_damaged_and_the_next_run_computes_it(
    filled: Path, tmp_path: Path
) -> None:
    store = copy(filled, tmp_path)
    table = next(store.glob("measures/*.parquet"))
    table.write_bytes(b"PAR1")
    assert "1 fault; what could be removed" in command(
        "study", "verify", str(store), "--repair", status=1
    )
    assert not table.exists()
    outcome = run(filled / "study.yaml", store)
    assert (outcome.filled, outcome.found) == (1, CELLS - 1)
    assert content(store) == content(filled / "store")


def test_the_command_names_what_it_computes_again(filled: Path, tmp_path: Path) -> None:
    store = copy(filled, tmp_path)
    without_tables(store)
    arguments = ("study", "run", str(filled / "study.yaml"), "--store", str(store))
    shown = command(*arguments, status=0)
    assert "8 cells filled, 0 found, 8 lost or damaged and computed again, 0 failed" in shown
    assert "recomputed: explanations · first · reviews · en · random" in shown


def test_two_runs_at_once_end_with_the_same_store_and_true_counts(
    filled: Path, tmp_path: Path
) -> None:
    """Each cell is filled by exactly one of them; the other finds it when it gets there."""
    outcomes: list[Outcome] = []
    threads = [
        threading.Thread(target=lambda: outcomes.append(run(study_of(filled), tmp_path / "store")))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second = outcomes
    assert first.filled + second.filled == CELLS
    for outcome in outcomes:
        assert outcome.filled + outcome.others + outcome.found == CELLS
        assert outcome.failed == ()
    assert content(tmp_path / "store") == content(filled / "store")


def test_an_interrupted_run_can_be_reported(filled: Path, tmp_path: Path) -> None:
    """The second model is never begun: its cells are planned, and the report has the first's."""

    def stop(stage: str, done: int, total: int) -> None:
        if stage.startswith("second"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(study_of(filled), tmp_path / "store", watch=Watch(stop))
    store = open_store(tmp_path / "store", create=False)
    study = read_study(store)
    assert len(study["planned"]) == study["cells"] == CELLS
    assert len(cell_names(store)) == CELLS // 2
    page = report(tmp_path / "store", tmp_path / "page").read_text("utf-8")
    assert f"{CELLS // 2} of {CELLS} planned" in page
    assert list(verify(store)) == []
    outcome = run(study_of(filled), tmp_path / "store")
    assert (outcome.filled, outcome.found) == (CELLS // 2, CELLS // 2)
    assert content(tmp_path / "store") == content(filled / "store")


def test_a_report_of_an_interrupted_run_leaves_out_other_studies(
    filled: Path, tmp_path: Path
) -> None:
    store = copy(filled, tmp_path)
    study = read_study(open_store(store))
    del study["keys"]
    study["planned"] = [row for row in study["planned"] if row[1] == "second"]
    (store / "study.json").write_text(json.dumps(study))
    page = report(store, tmp_path / "page").read_text("utf-8")
    assert f"{CELLS // 2} of {CELLS} planned" in page


def test_a_repair_removes_folders_in_the_place_of_files(filled: Path, tmp_path: Path) -> None:
    store = copy(filled, tmp_path)
    folders_for_tables(store)
    assert "8 faults; what could be removed" in command(
        "study", "verify", str(store), "--repair", status=1
    )
    assert run(filled / "study.yaml", store).filled == CELLS
    assert content(store) == content(filled / "store")


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '{"keys": ["../../secret"]}', '{"planned": [1]}', '{"models": 3}',
        '{"analyses": {"trust": 1}}', '{"languages": "en"}', '{"tasks": ["reviews"]}',
    ],
)  # fmt: skip
def test_a_damaged_description_is_one_line_and_written_anew(
    filled: Path, tmp_path: Path, text: str
) -> None:
    store = copy(filled, tmp_path)
    (store / "study.json").write_text(text)
    listed = command("study", "verify", str(store), status=1)
    assert listed.startswith("study.json: ")
    assert len(listed.splitlines()) == 2
    assert run(filled / "study.yaml", store).found == CELLS
    assert content(store) == content(filled / "store")
