"""Kinds of damage to a store, each met by verify, status, report and run.

The readers must name the damage and write nothing; the run must repair it, so that the store ends
equal to the undamaged one, or refuse in one line. Kinds: see `wounds.py`.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from pathlib import Path

from torture import children, material
from torture.wounds import WOUNDS, Wound

METHODS = ("random", "gradient_norm")


def attack(folder: Path, seed: int, end: float) -> material.Outcome:
    study = material.build_study(folder, models=2, texts=4, methods=METHODS)
    material.fill(study, folder / "reference")
    reference = material.content(folder / "reference")
    faults: list[str] = []
    ends: Counter[str] = Counter()
    commands = 0
    for wound in WOUNDS:
        if time.monotonic() > end:
            break
        store = Path(shutil.copytree(folder / "reference", folder / "store", symlinks=True))
        (folder / "outside").mkdir()
        wound.damage(store)
        lines, number = _meet(study, store, wound, reference)
        commands += number
        ends[wound.end] += 1
        faults += [f"{wound.name}: {line}" for line in lines]
        if material.content(folder / "outside"):
            faults.append(f"{wound.name}: something was written outside the store")
        shutil.rmtree(folder / "outside")
        shutil.rmtree(store)
    outcomes = ", ".join(f"{number} {kind}" for kind, number in ends.items())
    line = f"{ends.total()} kinds of {len(WOUNDS)} ({outcomes}), {commands} commands"
    return material.Outcome(faults, line, ends.total(), len(WOUNDS))


def _meet(
    study: Path, store: Path, wound: Wound, reference: dict[str, bytes]
) -> tuple[list[str], int]:
    """All commands on a damaged store: their faults and their number."""
    faults = _read(study, store, wound)
    run = material.run_command(study, store)
    number = 4
    if wound.end == "removed":
        repair = ["study", "verify", str(store), "--repair"]
        faults += children.complaints(_do(repair, store), [1])
        number += 1
    before = material.content(store)
    ended = _do(run, store)
    faults += children.complaints(ended, [2] if wound.end == "refused" else [0])
    if wound.end == "refused":
        changed = material.content(store) != before
        return faults + ["a run that is refused has changed the store"] * changed, number
    if wound.end == "repaired" and wound.named and '"damaged": []' in ended.out:
        faults.append("the run computes cells again without naming them")
    if wound.end == "kept":
        return faults + _lost(store, reference), number
    faults += material.check_complete(store, reference, "after the run")
    report = ["report", str(store), "--output", str(store.parent / "page")]
    faults += children.complaints(_do(report, store), [0])
    return faults, number + 2


def _read(study: Path, store: Path, wound: Wound) -> list[str]:
    """The readers: what is damaged is named, nothing is written, no traceback."""
    before = material.content(store)
    verified = _do(["study", "verify", str(store)], store)
    expected = {"harmless": [0], "refused": [0, 1, 2]}.get(wound.end, [1])
    faults = children.complaints(verified, expected)
    if wound.says not in verified.out + verified.err:
        faults.append(f"verify does not say {wound.says!r}: {verified.out[-300:]!r} {verified}")
    status = _do(["study", "status", str(study), "--store", str(store)], store)
    faults += children.complaints(status, [0, 2])
    report = ["report", str(store), "--output", str(store.parent / "page")]
    faults += children.complaints(_do(report, store), [0, 2])
    if material.content(store) != before:
        faults.append("a reader has changed the store")
    return faults


def _lost(store: Path, reference: dict[str, bytes]) -> list[str]:
    """The differences but for files that are left over."""
    lines = material.differences(store, reference)
    return [line for line in lines if not line.endswith("is left over")]


def _do(arguments: list[str], store: Path) -> children.Ended:
    return children.run(arguments, store.parent / "commands")
