"""The store: round trips, atomicity, damage."""

from __future__ import annotations

import json
import os
import shutil
import threading
from dataclasses import replace
from math import isnan, nan
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope import store as stored
from babelscope.errors import StoreError
from babelscope.files import (
    canonical,
)
from babelscope.store import (
    Cell,
    cells,
    contents,
    fail,
    failures,
    has,
    key,
    open_store,
    put,
    read,
    read_attributions,
)
from babelscope.types import Attribution, Failure, Measure, ModelInput, Window

ROW = Attribution(
    id="1", group="g", lang="hi", method="m", options={"nodes": 8, "grid": [0.1]}, seed=0,
    model="x", texts=("अच्छा है", "b"), target="positive", label="negative", gold=None,
    probability=0.25, value=1.5, reference_value=None, tokens=("▁अच्छा", "▁है", "b"), offsets=((0,
    5), (6, 8), (0, 1)), segment=(0, 0, 1), word_index=(0, 1, 2), words=("अच्छा", "है", "b"),
    word_offsets=((0, 5), (6, 8), (0, 1)), word_segment=(0, 0, 1), scores=(0.5, -1e-17, 2.0),
    word_scores=(0.5, -1e-17, 2.0), flags=("truncated to 3 of 9 tokens",), task="sentiment",
    target_index=1, quantity="contrast", contrast="negative", contrast_index=0, tagged_word=2,
    signature="abc", input=ModelInput(
        ids=(0, 7, 8, 2, 9, 2), types=(0, 0, 0, 0, 1, 1), content=(False, True, True, False, True,
        False), segment=(-1, 0, 0, -1, 1, -1), offsets=((0, 0), (0, 5), (6, 8), (0, 0), (0, 1), (0,
        0)), tokens=("<s>", "▁अच्छा", "▁है", "</s>", "b", "</s>"), decoder=1, part="all",
        window=Window(2, 3, "whole"), truncated_from=9,
    ),
)  # fmt: skip
MEASURE = Measure(
    "1",
    "g",
    "hi",
    "x",
    "m",
    "comprehensiveness",
    {"unit": "word"},
    nan,
    "nothing is left to read",
    "sentiment",
)


def cell(name: str, rows: list[Attribution]) -> Cell:
    return Cell({"kind": "attributions", "name": name}, "attributions", rows)


def test_round_trip(tmp_path: Path) -> None:
    place = open_store(tmp_path / "s")
    assert ROW.input is not None
    bare = replace(
        ROW, id="2", input=replace(ROW.input, types=None, window=None, truncated_from=None)
    )
    rows = [ROW, bare, replace(ROW, id="3", input=None, contrast=None, tagged_word=None)]
    put(place, [cell("a", rows), Cell({"kind": "measures"}, "measures", [MEASURE])])
    assert read_attributions(place) == rows
    (row,) = read(place, "measures").to_pylist()
    assert isnan(row["value"])
    assert row["reason"] == MEASURE.reason
    assert pq.read_table(next((tmp_path / "s" / "measures").glob("*.parquet"))).num_rows == 1


@given(st.text(min_size=1).filter(lambda text: text.isprintable() or True), st.floats())
@settings(max_examples=40, deadline=None)
def test_any_text_and_any_number_survive(
    tmp_path_factory: pytest.TempPathFactory, text: str, number: float
) -> None:
    if any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        return
    place = open_store(tmp_path_factory.mktemp("s"))
    row = replace(ROW, texts=(text,), words=(text,), word_scores=(number,))
    put(place, [cell(text, [row])])
    (back,) = read_attributions(place)
    assert back.texts == (text,)
    assert back.word_scores[0] == number or isnan(number)


def test_the_key_is_of_the_content_not_of_the_order() -> None:
    assert key({"a": 1, "b": [1, 2]}) == key({"b": [1, 2], "a": 1})
    assert key({"a": 1}) != key({"a": 2})
    assert canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'
    with pytest.raises(ValueError, match="not JSON compliant"):
        key({"a": nan})


def test_cells_come_in_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before the group is complete: nothing. Killed after: the next opening finishes it. At
    every single step.
    """
    true_replace = os.replace
    for step in range(20):
        place = open_store(tmp_path / f"s{step}")
        calls = []

        def counted(a: object, b: object, step: int = step, calls: list[int] = calls) -> None:
            calls.append(1)
            if len(calls) == step + 1:
                raise KeyboardInterrupt
            true_replace(a, b)

        monkeypatch.setattr(os, "replace", counted)
        try:
            put(place, [cell("a", [ROW]), cell("b", [ROW])])
            killed = False
        except KeyboardInterrupt:
            killed = True
        monkeypatch.setattr(os, "replace", true_replace)
        again = open_store(tmp_path / f"s{step}")
        present = [has(again, key({"kind": "attributions", "name": name})) for name in ("a", "b")]
        assert present in ([True, True], [False, False])
        assert present[0] or step == 0
        assert len(read_attributions(again)) == sum(present)
        assert not list((tmp_path / f"s{step}").glob("pending-*"))
        if not killed:
            assert step > 3
            return
    pytest.fail("the write was never let through")


def test_a_store_opened_while_it_is_written_leaves_the_writer_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer is halfway: what it has written so far must not be taken for what a killed one
    left.
    """
    place, half, opened = open_store(tmp_path / "s"), threading.Event(), threading.Event()
    write_cell = contents.write_cell

    def slowly(cell: Cell, folder: Path) -> None:
        write_cell(cell, folder)
        half.set()
        assert not opened.wait(0.3), "whoever opens the store waits for the writer"

    monkeypatch.setattr(contents, "write_cell", slowly)
    writer = threading.Thread(target=put, args=(place, [cell("a", [ROW])]))
    writer.start()
    assert half.wait(30)
    assert list((tmp_path / "s").glob(".pending-*.part")), "halfway"
    again = open_store(tmp_path / "s")
    opened.set()
    writer.join()
    assert read_attributions(again) == [ROW]


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    place = open_store(tmp_path / "s")
    put(place, [cell("a", [ROW])])
    token = "0123456789abcdef"
    (place.path / f".pending-x.{token}.part").mkdir()
    (place.path / f".pending-x.{token}.part" / "half.parquet").write_text("half")
    (place.path / f".study.json.{token}.part").write_text("half")
    (place.path / "failures" / f".b.json.{token}.part").write_text("half")
    (place.path / "pending-old.part").mkdir()
    assert read_attributions(open_store(tmp_path / "s")) == [ROW]
    assert not list(place.path.rglob("*.part"))


def test_damage_is_found_and_named(tmp_path: Path) -> None:
    place = open_store(tmp_path / "s")
    put(place, [cell("a", [ROW])])
    (file,) = (tmp_path / "s" / "attributions").glob("*.parquet")
    whole = file.read_bytes()
    file.write_bytes(whole[:-10])
    with pytest.raises(StoreError, match="damaged"):
        read(place, "attributions")
    file.unlink()
    with pytest.raises(StoreError, match="gone"):
        read(place, "attributions")
    file.write_bytes(whole)
    manifest = next((tmp_path / "s" / "cells").glob("*.json"))
    changed = json.loads(manifest.read_text())
    changed["identity"]["name"] = "another"
    manifest.write_text(json.dumps(changed))
    with pytest.raises(StoreError, match="damaged"):
        read(place, "attributions")


def test_the_same_cells_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        put(open_store(tmp_path / name), [cell("a", [ROW]), cell("b", [ROW, ROW])])
    files = [
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*"))
        for name in ("one", "two")
    ]
    assert files[0] == files[1]
    for file in files[0]:
        if (tmp_path / "one" / file).is_file():
            assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_failure_is_kept_until_its_cell_is_filled(tmp_path: Path) -> None:
    place = open_store(tmp_path / "s")
    fail(place, Failure({"kind": "attributions", "name": "a"}, "it broke"))
    assert [one.reason for one in failures(place)] == ["it broke"]
    put(place, [cell("a", [ROW])])
    assert failures(place) == []
    assert len(cells(place)) == 1


def test_what_is_not_a_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store"):
        open_store(tmp_path / "absent", create=False)
    with pytest.raises(StoreError, match="not a store"):
        open_store(tmp_path, create=False)
    shutil.rmtree(tmp_path)
    assert stored.SCHEME >= 1


@pytest.mark.parametrize("scheme", [1, 2, 4])
def test_a_store_of_another_version_is_refused_in_one_line(tmp_path: Path, scheme: int) -> None:
    """The first scheme wrote no scheme.json; later ones say which they are."""
    place = open_store(tmp_path / "s")
    put(place, [cell("a", [ROW])])
    file = tmp_path / "s" / "scheme.json"
    assert json.loads(file.read_text()) == {"scheme": stored.SCHEME}
    file.unlink() if scheme == 1 else file.write_text(json.dumps({"scheme": scheme}))
    expected = (
        f"store {tmp_path / 's'} was written by another version of babelscope (scheme {scheme}, "
        "this one reads "
        f"{stored.SCHEME}); run the study again into a new folder"
    )
    for create in (True, False):
        with pytest.raises(StoreError) as caught:
            open_store(tmp_path / "s", create=create)
        assert str(caught.value) == expected


@pytest.mark.parametrize("text", ["", "[]", "{}", "2"])
def test_a_damaged_scheme_is_named_in_one_line(tmp_path: Path, text: str) -> None:
    open_store(tmp_path / "s")
    (tmp_path / "s" / "scheme.json").write_text(text)
    with pytest.raises(StoreError, match=r"scheme\.json is damaged: it names no scheme"):
        open_store(tmp_path / "s")


def test_a_store_that_was_killed_while_it_was_made_is_no_store_of_the_first_scheme(
    tmp_path: Path,
) -> None:
    place = tmp_path / "s"
    place.mkdir()
    open_store(place)
    shutil.rmtree(place / "cells")
    (place / "scheme.json").unlink()
    assert open_store(place).path == place
