"""The kinds of damage: what happens to which file of a store, and what has to come of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Damage = Callable[[Path], None]
TABLE, CELL, STUDY = "attributions/*.parquet", "cells/*.json", "study.json"
KEY = "0" * 64
DEEP = b'{"identity": ' + b"[" * 200_000


@dataclass(frozen=True, slots=True)
class Wound:
    """A kind of damage."""

    name: str
    damage: Damage
    end: str
    """What comes of it. repaired: verify names it and the run repairs it; removed: `verify
    --repair` removes it; kept: verify names it, the run leaves it alone; harmless: no result is
    lost, verify finds nothing, the run tidies up; refused: the run changes nothing."""
    says: str = ""
    """What verify says about it."""
    named: bool = True
    """Whether the run names cells that it computes again."""


def files(store: Path, pattern: str) -> list[Path]:
    return sorted(store.glob(pattern))


def delete(pattern: str, number: int | None = 1) -> Damage:
    def damage(store: Path) -> None:
        for file in files(store, pattern)[:number]:
            file.unlink()

    return damage


def change(pattern: str, how: Callable[[bytes], bytes]) -> Damage:
    """Other bytes in the first file of a pattern."""

    def damage(store: Path) -> None:
        file = files(store, pattern)[0]
        file.write_bytes(how(file.read_bytes()))

    return damage


def write(pattern: str, content: bytes) -> Damage:
    return change(pattern, lambda before: content)


def edit(pattern: str, fields: dict[str, Any]) -> Damage:
    """Other fields in the first JSON file of a pattern."""
    return change(pattern, lambda text: json.dumps({**json.loads(text), **fields}).encode())


def add(name: str, content: bytes) -> Damage:
    def damage(store: Path) -> None:
        (store / name).parent.mkdir(exist_ok=True)
        (store / name).write_bytes(content)

    return damage


def link(pattern: str, target: str) -> Damage:
    """A symbolic link in the place of the first file or folder of a pattern."""

    def damage(store: Path) -> None:
        path = files(store, pattern)[0]
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(next(iter(files(store, target)), store / target))

    return damage


def folder_instead(pattern: str) -> Damage:
    def damage(store: Path) -> None:
        file = files(store, pattern)[0]
        file.unlink()
        file.mkdir()

    return damage


def swap(store: Path) -> None:
    first, second = files(store, TABLE)[:2]
    left, right = first.read_bytes(), second.read_bytes()
    first.write_bytes(right)
    second.write_bytes(left)


def flip_and_keep_the_time(store: Path) -> None:
    state = files(store, TABLE)[0].stat()
    change(TABLE, flipped)(store)
    os.utime(files(store, TABLE)[0], ns=(state.st_atime_ns, state.st_mtime_ns))


def flipped(content: bytes) -> bytes:
    """One bit in the middle is another."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def foreign_manifest(store: Path) -> None:
    shutil.copy(files(store, CELL)[1], files(store, CELL)[0])


def claim_of(pid: Any, cells: Any = None) -> Damage:
    """A claim on the first cell, or on others, whose table is lost."""

    def damage(store: Path) -> None:
        lost = cells or [files(store, CELL)[0].stem]
        row = {"host": os.uname().nodename, "pid": pid, "cells": lost}
        (store / "claims" / "0123456789abcdef.json").write_text(json.dumps(row))
        for name in files(store, TABLE):
            name.unlink()

    return damage


MISSING, SIZE, HASH, BAD = "table is missing", "bytes instead of", "hash differs", "is damaged"
GROUP = ".pending-x.0123456789abcdef.part"
WOUNDS = (
    Wound("a table is deleted", delete(TABLE), "repaired", MISSING),
    Wound("all tables are deleted", delete("*/*.parquet", None), "repaired", MISSING),
    Wound("the folder of tables is deleted", lambda s: shutil.rmtree(s / "attributions"),
          "repaired", MISSING),
    Wound("a table is truncated", change(TABLE, lambda b: b[:100]), "repaired", SIZE),
    Wound("a table lacks its last byte", change(TABLE, lambda b: b[:-1]), "repaired", SIZE),
    Wound("a table is empty", write(TABLE, b""), "repaired", "0 bytes instead of"),
    Wound("a table is too long", change(TABLE, lambda b: b + b"\0"), "repaired", SIZE),
    Wound("a bit of a table flips", change(TABLE, flipped), "repaired", HASH),
    Wound("a bit flips, same time of change", flip_and_keep_the_time, "repaired", HASH),
    Wound("a table is zeros", change(TABLE, lambda b: bytes(len(b))), "repaired", HASH),
    Wound("a table is HTML", write(TABLE, b"<html>404</html>"), "repaired", SIZE),
    Wound("two tables are swapped", swap, "repaired", "its table"),
    Wound("a table is a folder", folder_instead(TABLE), "repaired", "its table"),
    Wound("a table is a dangling link", link(TABLE, "../outside/x"), "repaired", MISSING),
    Wound("a table is a link to another", link(TABLE, "measures/*.parquet"), "repaired"),
    Wound("a table has no manifest", add(f"measures/{KEY}.parquet", b"PAR1"), "removed",
          "has no manifest"),
    Wound("a manifest is deleted", delete(CELL), "repaired", "manifest"),
    Wound("all manifests are deleted", delete(CELL, None), "repaired", "manifest"),
    Wound("a manifest is truncated", change(CELL, lambda b: b[:40]), "repaired", BAD),
    Wound("a manifest is empty", write(CELL, b""), "repaired", BAD),
    Wound("a manifest is a list", write(CELL, b"[1, 2]"), "repaired", BAD),
    Wound("a manifest is null", write(CELL, b"null"), "repaired", BAD),
    Wound("a manifest is nested deeply", write(CELL, DEEP), "repaired", BAD),
    Wound("a manifest is not UTF-8", write(CELL, b"\xff\xfe\0"), "repaired", BAD),
    Wound("a manifest has a surrogate", write(CELL, b'{"identity": {"\\ud800": 1}}'), "repaired",
          BAD),
    Wound("a manifest has a surrogate in its identity", edit(CELL, {"identity": {"a": "\ud800"}}),
          "repaired", BAD),
    Wound("a manifest has a huge number", write(CELL, b'{"rows": 1' + b"0" * 5000 + b"}"),
          "repaired", BAD),
    Wound("a manifest is that of a package", write(CELL, b'{"name": "left-pad"}'), "repaired", BAD),
    Wound("a manifest is that of another cell", foreign_manifest, "repaired", BAD),
    Wound("a manifest has another hash", edit(CELL, {"sha256": "0" * 64}), "repaired", HASH),
    Wound("a manifest has other rows", edit(CELL, {"rows": 10**9}), "repaired"),
    Wound("a manifest leaves the store", edit(CELL, {"kind": "../outside"}), "repaired", BAD),
    Wound("a manifest has no such kind", edit(CELL, {"kind": "nonsense"}), "repaired", BAD),
    Wound("a manifest is a folder", folder_instead(CELL), "repaired", BAD),
    Wound("a foreign file is among them", add("cells/..%2fetc.json", b"{}"), "kept", "no key"),
    Wound("study.json is deleted", delete(STUDY), "harmless"),
    Wound("study.json is truncated", change(STUDY, lambda b: b[:30]), "repaired", STUDY, False),
    Wound("study.json is a list", write(STUDY, b"[]"), "repaired", STUDY, False),
    Wound("study.json leaves the store", edit(STUDY, {"keys": ["../../outside/x"]}), "repaired",
          STUDY, False),
    Wound("study.json is nested deeply", write(STUDY, DEEP), "repaired", STUDY, False),
    Wound("study.json has other types", edit(STUDY, {"models": 3, "analyses": {"trust": 1}}),
          "repaired", STUDY, False),
    Wound("a failure is damaged", add(f"failures/{KEY}.json", b'{"cell'), "repaired", "failures/",
          False),
    Wound("a group is half written", add(f"{GROUP}/{KEY}.parquet", b"PAR1"), "harmless"),
    Wound("a group is foreign", add("pending-0/x.json", b'{"kind": "../../outside"}'), "harmless"),
    Wound("a claim is of a dead process", claim_of(2**22 + 1), "repaired"),
    Wound("a claim is of no process", claim_of(-1), "repaired"),
    Wound("a claim is of an infinite process", claim_of(float("inf")), "repaired"),
    Wound("a claim is on no cells", claim_of(1, [[1]]), "repaired"),
    Wound("a claim is a folder", lambda store: (store / "claims" / "a.json").mkdir(), "harmless"),
    Wound("a claim is damaged", add("claims/0123456789abcdef.json", b'{"host": 3'), "harmless"),
    Wound("a folder is a link", link("measures", "../outside"), "refused"),
    Wound("the scheme is damaged", write("scheme.json", b"{"), "refused"),
    Wound("the scheme is another", write("scheme.json", b'{"scheme": 999}'), "refused"),
)  # fmt: skip
