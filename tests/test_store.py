"""The store: round trips, atomicity, damage."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from math import isnan, nan
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope import store as stored
from babelscope.errors import FileError, StoreError
from babelscope.files import canonical, file_digest, writing_folder
from babelscope.store import (
    Cell,
    attribution_parts,
    cells,
    claiming,
    claims,
    contents,
    fail,
    failures,
    has,
    intact_cells,
    key,
    locks,
    lost_cells,
    open_store,
    put,
    read,
    read_attributions,
    spooling,
    verification,
    verify,
)
from babelscope.store.schemas import OBJECTS
from babelscope.types import Attribution, Candidate, Failure, Measure, ModelInput, Window

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


def test_the_table_of_rows_is_that_of_their_deep_copies() -> None:
    """With a window, with candidates, without an input; and of a measure that is undefined."""
    assert ROW.input is not None
    choice = replace(ROW.input, window=None, candidates=(Candidate(4, 1), Candidate(2)))
    for kind, rows in (
        ("attributions", [ROW, replace(ROW, input=choice), replace(ROW, input=None)]),
        ("measures", [MEASURE]),
    ):
        copies = [
            asdict(row)
            | {name: canonical(getattr(row, name)) for name in OBJECTS if hasattr(row, name)}
            for row in rows
        ]
        expected = pa.Table.from_pylist(copies, schema=stored.SCHEMAS[kind])
        table = stored.to_table(kind, rows)
        assert table.schema.equals(expected.schema)
        assert parquet(table) == parquet(expected)


def parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return bytes(sink.getvalue())


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
    assert half.wait(300)
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
    name = key({"kind": "attributions", "name": "a"})
    (file,) = (tmp_path / "s" / "attributions").glob("*.parquet")
    whole = file.read_bytes()
    file.write_bytes(whole[:-10])
    assert not has(place, name)
    with pytest.raises(StoreError, match=r"damaged: its table has \d+ bytes instead of \d+ .*run"):
        read(place, "attributions")
    file.unlink()
    assert not has(place, name)
    with pytest.raises(StoreError, match="damaged: its table is missing"):
        read(place, "attributions")
    file.write_bytes(whole)
    assert has(place, name)
    manifest = next((tmp_path / "s" / "cells").glob("*.json"))
    changed = json.loads(manifest.read_text())
    changed["identity"]["name"] = "another"
    manifest.write_text(json.dumps(changed))
    assert not has(place, name)
    with pytest.raises(StoreError, match="damaged: its identity is that of another cell"):
        read(place, "attributions")


def test_a_table_is_hashed_once_and_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(open_store(tmp_path / "s"), [cell("a", [ROW])])
    name = key({"kind": "attributions", "name": "a"})
    hashed: list[Path] = []

    def counted(file: Path) -> str:
        hashed.append(file)
        return file_digest(file)

    monkeypatch.setattr(verification, "file_digest", counted)
    place = open_store(tmp_path / "s")
    assert all(has(place, name) for _ in range(5))
    assert read_attributions(place) == [ROW]
    assert len(hashed) == 1
    assert [len(list(verify(place))), len(hashed)] == [0, 2], "a verification hashes anew"
    assert [len(intact_cells(place)), len(hashed)] == [1, 2], "the size and the time suffice"
    whole = bytearray(hashed[0].read_bytes())
    whole[50] ^= 1
    hashed[0].write_bytes(whole)  # same size, newer than its manifest
    assert not has(place, name)
    assert intact_cells(place) == []
    assert [fault.reason for fault in lost_cells(place)] == [
        "its table is not what was written: the hash differs"
    ]


def test_readers_write_nothing(tmp_path: Path) -> None:
    """Neither the parts of a live writer nor a finished group on its way in are touched."""
    place = open_store(tmp_path / "s")
    put(place, [cell("a", [ROW])])
    with writing_folder(place.path / "pending-group") as part:
        contents.write_cell(cell("b", [ROW]), part)
    (place.path / ".study.json.0123456789abcdef.part").write_text("half")
    shutil.rmtree(place.path / "losses")
    before = {path: path.stat().st_mtime_ns for path in place.path.rglob("*")}
    reader = open_store(place.path, create=False)
    assert read_attributions(reader) == [ROW]
    assert len(intact_cells(reader)) == 1
    assert list(verify(reader)) == failures(reader) == []
    assert {path: path.stat().st_mtime_ns for path in place.path.rglob("*")} == before
    assert len(read_attributions(open_store(place.path))) == 2


def test_names_in_manifests_cannot_leave_the_store(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    place = open_store(tmp_path / "s")
    with writing_folder(place.path / "pending-group") as part:
        contents.write_cell(cell("b", [ROW]), part)
        for manifest in part.glob("*.json"):
            row = json.loads(manifest.read_text())
            manifest.write_text(json.dumps({**row, "kind": "../../outside"}))
    (place.path / "pending-link").symlink_to(outside)
    again = open_store(place.path)
    assert list(outside.iterdir()) == []
    assert [path for path in place.path.iterdir() if path.name.startswith("pending")] == []
    assert cells(again) == []
    name = "0" * 64
    (place.path / "cells" / f"{name}.json").write_text(json.dumps({**row, "kind": "../outside"}))
    with pytest.raises(StoreError, match="names a kind of table that does not exist"):
        read(again, "attributions")
    with pytest.raises(StoreError, match="its name is no key of a cell"):
        read(again, "attributions", ["../study"])
    (place.path / "cells" / f"{name}.json").rename(place.path / "cells" / "notes.json")
    assert cells(again) == []
    assert [fault.file for fault in verify(again)] == ["cells/notes.json"]
    shutil.rmtree(place.path / "measures")
    (place.path / "measures").symlink_to(outside)
    with pytest.raises(StoreError, match="measures is a symbolic link"):
        open_store(place.path)


def test_a_claimed_cell_is_waited_for(tmp_path: Path) -> None:
    place, order = open_store(tmp_path / "s"), []
    entered = threading.Event()

    def second() -> None:
        entered.set()
        with claiming(place.path, ["c", "b"]):
            order.append("second")

    with claiming(place.path, ["a", "b"]):
        assert [claim.pid for claim in claims(place.path)] == [os.getpid()]
        with claiming(place.path, ["d"]):  # other cells are free
            order.append("other")
        waiting = threading.Thread(target=second)
        waiting.start()
        assert entered.wait(300)
        time.sleep(0.5)
        order.append("first")
    waiting.join(300)
    assert order == ["other", "first", "second"]
    assert list((place.path / "claims").iterdir()) == []


@pytest.mark.parametrize("fate", ["dead", "silent", "damaged", "alive"])
def test_the_claim_of_a_process_that_is_gone_is_void(tmp_path: Path, fate: str) -> None:
    """2**22 is above the largest number that Linux gives to a process."""
    place = open_store(tmp_path / "s")
    host = "elsewhere" if fate == "silent" else socket.gethostname()
    row = {"host": host, "pid": 2**22 + 1 if fate == "dead" else os.getpid(), "cells": ["a"]}
    file = place.path / "claims" / "x.json"
    file.write_text("{" if fate == "damaged" else json.dumps(row))
    if fate == "silent":
        os.utime(file, (time.time() - 1000, time.time() - 1000))
    assert len(claims(place.path)) == (fate == "alive")
    if fate != "alive":
        with claiming(place.path, ["a"]):
            assert not file.exists()


@pytest.mark.parametrize(
    "text",
    ["[]", "null", '{"host": 1, "pid": 1, "cells": []}',
     '{"host": "HOST", "pid": 1e999, "cells": []}',
     '{"host": "HOST", "pid": -1, "cells": ["a"]}', '{"host": "HOST", "pid": 0, "cells": ["a"]}',
     '{"host": "HOST", "pid": 1, "cells": [["a"]]}', '{"host": "HOST", "pid": 1, "cells": 5}',
     "[" * 100_000],
)  # fmt: skip
def test_a_foreign_claim_is_void_and_removed(tmp_path: Path, text: str) -> None:
    """A pid of -1 would ask whether any process exists at all, and one of 0 for this group."""
    place = open_store(tmp_path / "s")
    file = place.path / "claims" / "x.json"
    file.write_text(text.replace("HOST", socket.gethostname()))
    assert claims(place.path) == []
    with claiming(place.path, ["a"]):
        assert not file.exists()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="this system has no /proc")
def test_the_claim_of_a_killed_process_that_nobody_collects_is_void(tmp_path: Path) -> None:
    """In a container whose first process collects no orphans, a killed run remains as a process."""
    place = open_store(tmp_path / "s")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        row = {"host": socket.gethostname(), "pid": process.pid, "cells": ["a"]}
        (place.path / "claims" / "x.json").write_text(json.dumps(row))
        assert len(claims(place.path)) == 1
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # ended, and not collected
        os.kill(process.pid, 0)
        assert claims(place.path) == []


def test_a_claim_shows_signs_of_life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "HEARTBEAT", 0.02)
    place = open_store(tmp_path / "s")
    with claiming(place.path, ["a"]):
        (file,) = (place.path / "claims").glob("*.json")
        os.utime(file, (0, 0))
        deadline = time.monotonic() + 300
        while file.stat().st_mtime == 0:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_full_disk_is_one_line_and_nothing_is_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = open_store(tmp_path / "s")
    write_cell = contents.write_cell

    def full(cell: Cell, folder: Path) -> None:
        write_cell(cell, folder)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(contents, "write_cell", full)
    with pytest.raises(FileError, match=r"s cannot be written: no space left on device"):
        put(place, [cell("a", [ROW])])
    monkeypatch.undo()
    assert not list(place.path.glob("*pending*"))
    assert cells(place) == []
    put(place, [cell("a", [ROW])])
    assert read_attributions(place) == [ROW]


def test_a_store_that_cannot_be_made_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="file cannot be written"):
        open_store(tmp_path / "file")
    with pytest.raises(StoreError, match="there is no store"):
        open_store(tmp_path / "file", create=False)
    place = open_store(tmp_path / "s")

    def refuse(lock: object, *args: object, **options: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(locks.FileLock, "acquire", refuse)
    with pytest.raises(FileError, match="s cannot be written: read-only file system"):
        put(place, [cell("a", [ROW])])
    assert read_attributions(open_store(tmp_path / "s", create=False)) == []


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


@pytest.mark.parametrize("rows", [[], [ROW], [ROW, replace(ROW, id="2"), ROW]])
def test_rows_that_are_spooled_at_once_give_the_same_bytes(
    rows: list[Attribution], tmp_path: Path
) -> None:
    with spooling("attributions") as spooled:
        if rows:
            spooled.add(rows)
    put(open_store(tmp_path / "list"), [cell("a", rows)])
    identity = {"kind": "attributions", "name": "a"}
    put(open_store(tmp_path / "spool"), [Cell(identity, "attributions", spooled)])
    name = key(identity)
    for file in (f"attributions/{name}.parquet", f"cells/{name}.json"):
        assert (tmp_path / "list" / file).read_bytes() == (tmp_path / "spool" / file).read_bytes()


def test_rows_that_are_spooled_in_parts_are_read_in_parts(tmp_path: Path) -> None:
    rows = [replace(ROW, id=str(at)) for at in range(5)]
    with spooling("attributions") as spooled:
        for start in range(0, 5, 2):
            spooled.add(rows[start : start + 2])
    place, identity = open_store(tmp_path / "s"), {"kind": "attributions", "name": "a"}
    put(place, [Cell(identity, "attributions", spooled)])
    for size, counts in ((2, [2, 2, 1]), (512, [5])):
        parts = list(attribution_parts(place, key(identity), size))
        assert [len(part) for part in parts] == counts
        assert [row.id for part in parts for row in part] == [row.id for row in rows]
    put(place, [cell("empty", [])])
    empty = key({"kind": "attributions", "name": "empty"})
    assert list(attribution_parts(place, empty, 2)) == [[]]
    table = read(place, "attributions", [key(identity)], ["id", "words"])
    assert table.column_names == ["id", "words"]
    assert table["id"].to_pylist() == [row.id for row in rows]


def test_a_failure_is_kept_until_its_cell_is_filled(tmp_path: Path) -> None:
    place = open_store(tmp_path / "s")
    fail(place, Failure({"kind": "attributions", "name": "a"}, "it broke"))
    assert [failure.reason for failure in failures(place)] == ["it broke"]
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


@pytest.mark.slow
def test_a_new_store_can_be_opened_by_many_at_once(tmp_path: Path) -> None:
    """None of them takes what another one is writing for the remnant of a killed run."""
    together = threading.Barrier(8)

    def open_new(number: int) -> None:
        together.wait()
        open_store(tmp_path / str(number))

    with ThreadPoolExecutor(8) as pool:
        for number in range(20):
            list(pool.map(open_new, [number] * 8))  # raises what a thread raised
            content = json.loads((tmp_path / str(number) / "scheme.json").read_text())
            assert content == {"scheme": stored.SCHEME}
            assert not list((tmp_path / str(number)).glob(".*.part"))


@pytest.mark.parametrize("scheme", [1, 2, 3, 4, 5, 6, 7, 8, 10])
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
