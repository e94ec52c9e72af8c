"""Full disks, folders that cannot be written, output paths that are folders, vanished inputs.

A full disk is a small tmpfs where this process may mount one, otherwise a limit on the size of
files. Commands that must not write run as another user where this one may write everywhere.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from torture import children, material
from torture.mounts import can_mount, limit_files, mount, unmount

METHODS = ("random", "gradient_norm")
SIZES = (8, 24, 40, 64, 96)
"""Kilobytes of the full disk: it ends in other steps of the run."""
LIMITS = (900, 2_000, 4_000, 8_000)
"""Bytes that a file may have, where no disk can be mounted; messages must fit."""
NOBODY = 65534


def attack(folder: Path, seed: int, end: float) -> material.Outcome:
    study = material.build_study(folder, models=2, texts=4, methods=METHODS, file="reviews.jsonl")
    material.fill(study, folder / "reference")
    reference = material.content(folder / "reference")
    faults: list[str] = []
    full = _mounted if can_mount(folder / "mounted") else _limited
    cases: dict[str, Callable[[Path, Path, dict[str, bytes]], list[str]]] = {
        "full disk": full,
        "read-only": _read_only,
        "output is a folder": _folders,
        "vanished input": _vanished,
    }
    done = []
    for name, case in cases.items():
        if time.monotonic() < end:
            faults += [f"{name}: {line}" for line in case(study, folder, reference)]
            done.append(name)
    how = f"tmpfs of {SIZES} kB" if full is _mounted else f"files of at most {LIMITS} bytes"
    line = f"{len(done)} cases of {len(cases)} ({', '.join(done)}; full disk: {how})"
    return material.Outcome(faults, line, len(done), len(cases))


def _mounted(study: Path, folder: Path, reference: dict[str, bytes]) -> list[str]:
    """A run into a full disk is one line and resumes once there is space; so is a report."""
    faults = []
    place = folder / "mounted"
    for size in SIZES:
        mount(place, "-t", "tmpfs", "-o", f"size={size}k", "none")
        try:
            store = place / "store"
            ended = children.run(material.run_command(study, store), folder / "run")
            faults += [f"{size} kB: {line}" for line in children.complaints(ended, [1, 2])]
            page = ["report", str(folder / "reference"), "--output", str(place / "page")]
            faults += children.complaints(children.run(page, folder / "run"), [2])
            faults += _leftovers(place / "page")
            mount(place, "-o", "remount,size=64m")
            ended = children.run(material.run_command(study, store), folder / "run")
            faults += [f"{size} kB, resumed: {line}" for line in children.complaints(ended, [0])]
            shutil.copytree(store, folder / "resumed")
        finally:
            unmount(place)
        faults += material.check_complete(folder / "resumed", reference, f"{size} kB")
        shutil.rmtree(folder / "resumed")
    return faults


def _limited(study: Path, folder: Path, reference: dict[str, bytes]) -> list[str]:
    """The same with a limit on the size of files."""
    faults = []
    for limit in LIMITS:
        store = folder / "limited"
        ended = children.run(
            material.run_command(study, store), folder / "run", inside=limit_files(limit)
        )
        faults += [f"{limit} bytes: {line}" for line in children.complaints(ended, [0, 1, 2])]
        ended = children.run(material.run_command(study, store), folder / "run")
        faults += [f"{limit} bytes, resumed: {line}" for line in children.complaints(ended, [0])]
        faults += material.check_complete(store, reference, f"{limit} bytes")
        shutil.rmtree(store)
    return faults


def _read_only(study: Path, folder: Path, reference: dict[str, bytes]) -> list[str]:
    """A store, and the folder of a report, that may be read but not written."""
    with tempfile.TemporaryDirectory(prefix="torture-") as temporary:  # another user may enter it
        place = Path(temporary)
        store = Path(shutil.copytree(folder / "reference", place / "store"))
        lost = next(store.glob("attributions/*.parquet"))
        lost.unlink()
        before = material.content(store)
        for path in (place, *place.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        commands = {
            ("study", "verify", str(store)): [1],
            ("study", "status", str(study), "--store", str(store)): [0],
            ("study", "run", str(study), "--store", str(store)): [2],
            ("study", "run", str(study), "--store", str(place / "new")): [2],
            ("report", str(store), "--output", str(place / "page")): [2],
            ("data", "export", "sentiment", "--lang", "en", "--count", "3", "--output",
             str(place / "x.jsonl")): [2],
        }  # fmt: skip
        _open(folder)
        faults = []
        for arguments, statuses in commands.items():
            ended = children.run(arguments, folder / "run", inside=_drop)
            faults += children.complaints(ended, statuses)
        if material.content(store) != before:
            faults.append("the store has changed")
        for path in (place, *place.rglob("*")):
            path.chmod(0o755)
    return faults


def _open(folder: Path) -> None:
    """Lets another user read what belongs to the attack."""
    (folder / "run").mkdir(exist_ok=True)
    for path in (folder.parent, folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o755 if path.is_dir() else 0o444))


def _drop() -> None:
    """Becomes a user without rights, where this one may write everywhere."""
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def _folders(study: Path, folder: Path, reference: dict[str, bytes]) -> list[str]:
    """Output paths that are folders, and folders that are files."""
    (folder / "taken.jsonl").mkdir()
    (folder / "taken.html").mkdir()
    (folder / "file").write_text("")
    model, store = str(folder / "models" / "model-0"), str(folder / "reference")
    commands = (
        ("explain", model, "good", "--method", "random", "--output", str(folder / "taken.jsonl")),
        ("explain", model, "good", "--method", "random", "--output", str(folder / "taken.html")),
        ("data", "export", "sentiment", "--lang", "en", "--count", "3", "--output",
         str(folder / "taken.jsonl")),
        ("report", store, "--output", str(folder / "file")),
        ("study", "run", str(study), "--store", str(folder / "file")),
        ("study", "run", str(study), "--store", str(folder / "file" / "store")),
        ("trust", model, "good", "--method", "random", "--output", str(folder / "taken.html")),
    )  # fmt: skip
    faults = []
    for arguments in commands:
        faults += children.complaints(children.run(arguments, folder / "run"), [2])
    faults += _leftovers(folder)
    if material.content(folder / "taken.jsonl") or (folder / "file").read_text():
        faults.append("something was written into what is no output")
    return faults


def _vanished(study: Path, folder: Path, reference: dict[str, bytes]) -> list[str]:
    """A data file, then a model, that is gone when the study runs, and is there when it resumes."""
    faults = []
    for name in ("reviews.jsonl", "models/model-1"):
        store, path = folder / "vanished", folder / name
        path.rename(path.with_name("elsewhere"))
        ended = children.run(material.run_command(study, store), folder / "run")
        faults += [f"without {name}: {line}" for line in children.complaints(ended, [1, 2])]
        path.with_name("elsewhere").rename(path)
        ended = children.run(material.run_command(study, store), folder / "run")
        faults += children.complaints(ended, [0])
        faults += material.check_complete(store, reference, f"{name} is back")
        shutil.rmtree(store)
    return faults


def _leftovers(folder: Path) -> list[str]:
    """Temporary files that were not removed."""
    return [f"{path.name} is left over" for path in folder.glob(".*.part")]
