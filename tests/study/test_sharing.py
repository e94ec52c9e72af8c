"""Two runs of a study on one store share its blocks."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from babelscope.store import Claimed, cells, claiming, key, open_store
from babelscope.study.fill import Tally
from babelscope.study.run import _twice, _with_earlier, run

STUDY: Mapping[str, Any] = {
    "name": "shared",
    "tasks": [{"name": "sentiment", "data": {"builtin": "sentiment", "examples": 2}}],
    "languages": ["en", "hi"],
    "models": [{"name": name, "source": "demo"} for name in ("first", "second", "third")],
    "methods": ["position"],
    "faithfulness": {"metrics": ["comprehensiveness"]},
}


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def names(folder: Path, model: str) -> list[str]:
    """The keys of a model's cells."""
    manifests = cells(open_store(folder))
    return [key(each["identity"]) for each in manifests if each["place"]["model"] == model]


def test_without_patience_a_claimed_cell_is_not_waited_for(tmp_path: Path) -> None:
    place = open_store(tmp_path / "s").path
    with claiming(place, ["a", "b"]):
        with pytest.raises(Claimed), claiming(place, ["b", "c"], patient=False):
            pass
        with claiming(place, ["c"], patient=False):
            pass
    with claiming(place, ["b"], patient=False):
        pass


def test_blocks_that_others_compute_come_last() -> None:
    put_off: dict[int, Tally] = {}
    order = []
    for number, patient in _twice(3, put_off):
        order.append((number, patient))
        if number in (0, 2) and not patient:
            put_off[number] = Tally(put_off=True)
    assert order == [(0, False), (1, False), (2, False), (0, True), (2, True)]


def test_what_was_computed_before_is_counted_once() -> None:
    earlier = Tally(keys=["a"], filled=["a"], put_off=True)
    later = _with_earlier(Tally(keys=["a", "b"], filled=["b"]), earlier)
    assert (later.keys, later.filled, later.put_off) == (["a", "b"], ["a", "b"], False)
    assert _with_earlier(later, None) is later


def test_a_run_fills_other_blocks_while_one_is_computed_elsewhere(tmp_path: Path) -> None:
    """While a cell of the first model is claimed, the cells of the others appear; then the run
    waits, and ends with the store of an undisturbed one."""
    whole = run(STUDY, tmp_path / "whole")
    theirs = names(tmp_path / "whole", "first")
    others = {*names(tmp_path / "whole", "second"), *names(tmp_path / "whole", "third")}
    store = open_store(tmp_path / "shared")
    outcomes = []
    running = threading.Thread(target=lambda: outcomes.append(run(STUDY, store.path)))
    with claiming(store.path, theirs[:1]):
        running.start()
        end = time.monotonic() + 300
        while time.monotonic() < end and running.is_alive() and not others <= here(store.path):
            time.sleep(0.1)
        assert others <= here(store.path)
        assert theirs[0] not in here(store.path)
        assert running.is_alive()
    running.join(300)
    assert outcomes[0].filled == whole.filled == len(theirs) + len(others)
    assert content(store.path) == content(tmp_path / "whole")


def here(folder: Path) -> set[str]:
    """The keys of the cells that are stored, also while others are being written."""
    return {path.stem for path in (folder / "cells").glob("*.json")}
