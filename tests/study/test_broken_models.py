"""A broken model fails its own cells with the reason; the others are filled."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from babelscope.errors import FileError, WorkerLost
from babelscope.store import Cell, contents, failures, open_store, verify
from babelscope.study import run as running
from babelscope.study.config import parse_study
from babelscope.study.run import run
from babelscope.training.cache import intact, making
from babelscope.training.small import make
from small_study import CELLS, content, models, values


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    models(folder)
    return folder


def truncated(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def foreign(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"<html>not found</html>")


def _altered(folder: Path, change: Callable[[dict[str, torch.Tensor]], object]) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def wrong_shapes(folder: Path) -> None:
    _altered(folder, lambda weights: weights.update({"classifier.weight": torch.zeros(3, 32)}))


def missing_keys(folder: Path) -> None:
    _altered(folder, lambda weights: weights.pop("classifier.weight"))


def not_finite(folder: Path) -> None:
    _altered(folder, lambda weights: weights["classifier.weight"].fill_(torch.nan))


def unnamed_class(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    names = {"0": "negative", "2": "positive"}
    (folder / "config.json").write_text(json.dumps({**config, "id2label": names}))


def foreign_tokenizer(folder: Path) -> None:
    """That of a model with a larger vocabulary."""
    texts = [f"word{number} other{number}" for number in range(400)]
    make(folder / "large", "bert", texts, ["a", "b"], layers=1, width=32, vocabulary=900)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folder / "large" / name, folder / name)


def no_tokenizer_json(folder: Path) -> None:
    (folder / "tokenizer.json").write_text('{"version": ')


FAULTS = {
    truncated: "holds no model that can be loaded",
    foreign: "holds no model that can be loaded",
    wrong_shapes: "holds no model that can be loaded",
    missing_keys: "classifier.weight",
    not_finite: "its weights classifier.weight hold values that are not finite",
    unnamed_class: "names no class 1 in the id2label",
    foreign_tokenizer: "they do not belong together",
    no_tokenizer_json: "holds no model that can be loaded",
}


@pytest.mark.parametrize("damage", FAULTS)
def test_a_broken_model_fails_its_own_cells_alone(
    checkpoints: Path, tmp_path: Path, damage: Any
) -> None:
    broken = Path(shutil.copytree(checkpoints / "second", tmp_path / "second"))
    damage(broken)
    study = parse_study(values({"second": broken, "first": checkpoints / "first"}))
    outcome = run(study, tmp_path / "store")
    assert (outcome.filled, outcome.found) == (CELLS // 2, 0)
    (failed,) = outcome.failed
    assert failed.cell["model"] == "second"
    assert FAULTS[damage] in failed.reason
    assert "\n" not in failed.reason


def test_a_full_disk_ends_the_run_in_one_line_and_the_next_run_completes_it(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = parse_study(values({name: checkpoints / name for name in ("first", "second")}))
    write_cell, written = contents.write_cell, []

    def full(cell: Cell, folder: Path) -> None:
        written.append(cell)
        if len(written) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_cell(cell, folder)

    monkeypatch.setattr(contents, "write_cell", full)
    with pytest.raises(FileError, match="store cannot be written: no space left on device"):
        run(study, tmp_path / "store")
    monkeypatch.undo()
    store = open_store(tmp_path / "store", create=False)
    assert list(verify(store)) == failures(store) == []
    assert not list((tmp_path / "store").rglob("*.part"))
    outcome = run(study, tmp_path / "store")
    assert outcome.found + outcome.filled == CELLS
    assert outcome.found >= 2
    run(study, tmp_path / "whole")
    assert content(tmp_path / "store") == content(tmp_path / "whole")


def test_the_blocks_of_a_killed_worker_fail_and_the_next_run_completes_them(
    checkpoints: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker is killed before the last cell of the second block: the others are counted."""
    study = parse_study(values({name: checkpoints / name for name in ("first", "second")}))

    def killed(work: Any, jobs: Any, **options: Any) -> Any:
        yield 0, work(jobs[0])
        name = work(jobs[1]).filled[-1]
        for file in (tmp_path / "store").glob(f"*/{name}.*"):
            file.unlink()
        raise WorkerLost("a worker process was killed")

    monkeypatch.setattr(running, "as_completed", killed)
    outcome = run(study, tmp_path / "store", workers=2)
    assert (outcome.filled, outcome.found) == (CELLS - 1, 0)
    (failed,) = outcome.failed
    assert failed.reason == "a worker process was killed"
    assert failed.cell["model"] == "second"
    monkeypatch.undo()
    outcome = run(study, tmp_path / "store")
    assert (outcome.filled, outcome.found, outcome.failed) == (1, CELLS - 1, ())


def test_a_damaged_model_in_the_cache_is_named_and_built_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "models" / "abc"

    def build() -> bool:
        """Whether the model had to be built."""
        with making(folder):
            if (folder / "config.json").exists():
                return False
            folder.mkdir()
            (folder / "config.json").write_text("{}")
            (folder / "model.safetensors").write_bytes(b"weights")
            return True

    assert build()
    assert intact(folder)
    assert not build()
    (folder / "model.safetensors").write_bytes(b"weighty")
    assert not intact(folder)
    with caplog.at_level(logging.WARNING):
        assert build()
    assert "abc is damaged: its hash differs; it is built anew" in caplog.text
    assert intact(folder)
    shutil.rmtree(folder)
    assert build(), "a model that was removed is built without a word about damage"
