"""SIGKILL at random moments of a study run, each followed by a resume.

The killed process is by turns the whole run, its main process alone (its workers live on for a
while, and the resume meets them), and a worker alone.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from torture import children, material
from torture.processes import descendants, ended

KILLS = 25
VICTIMS = ("run", "main", "worker")
STATUSES = {"run": [-9], "main": [-9], "worker": [0, 1, 2], "nobody": [0]}
"""Exit statuses of a run, by what was killed."""
METHODS = (
    "random", "position", "occlusion", "lime", "kernel_shap", "permutation_shapley",
    "gradient_norm", "integrated_gradients", "rollout", "attnlrp",
)  # fmt: skip
SPREAD = 1.5
"""Seconds after the first new cell within which the kill falls."""


def attack(folder: Path, seed: int, end: float) -> material.Outcome:
    return kill_and_resume(folder, seed, end, where="local", planned=KILLS)


def kill_and_resume(
    folder: Path, seed: int, end: float, *, where: str, planned: int
) -> material.Outcome:
    """Runs that are killed one after the other until a store is complete, then on the next store,
    until there were enough kills and the last store is complete.
    """
    study = material.build_study(folder, models=4, texts=12, methods=METHODS)
    material.fill(study, folder / "reference")
    reference = material.content(folder / "reference")
    chance = random.Random(seed)
    faults: list[str] = []
    killed: Counter[str] = Counter()
    stores = 0
    while True:
        enough = killed.total() >= planned or time.monotonic() > end
        store = folder / f"store-{stores}"
        command = material.run_command(study, store, "--workers", "2", "--where", where)
        child = children.start(command, folder / "run", session=True)
        victim = "nobody"
        if not enough:
            victim = _kill(child, VICTIMS[killed.total() % len(VICTIMS)], store, chance)
        faults += children.complaints(children.wait(child), STATUSES[victim])
        if victim == "nobody":
            stores += 1
            faults += material.check_complete(store, reference, f"{where}, store {stores}")
        else:
            killed[victim] += 1
            status = ["study", "status", str(study), "--store", str(store)]
            faults += children.complaints(children.run(status, folder / "status"), [0])
        if enough:
            break
    kinds = ", ".join(f"{victim} {number}" for victim, number in killed.items())
    return material.Outcome(
        faults,
        f"{killed.total()} kills of {planned} ({kinds}), each resumed, {stores} stores completed "
        "and compared",
        killed.total(),
        planned,
    )


def _kill(child: children.Child, wish: str, store: Path, chance: random.Random) -> str:
    """Waits for the first cell of this run and a random while, then kills; gives the victim, which
    is nobody where the run had ended, and the main process where there was no worker.
    """
    if not _has_filled(child, store):
        return "nobody"
    time.sleep(chance.uniform(0, SPREAD))
    if ended(child.pid):
        return "nobody"
    workers = _workers(child.pid)
    if wish == "run":
        for pid in (child.pid, *descendants(child.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return wish
    if wish == "worker" and workers:
        with suppress(ProcessLookupError):
            os.kill(chance.choice(workers), signal.SIGKILL)
        return wish
    os.kill(child.pid, signal.SIGKILL)
    return "main"


def _has_filled(child: children.Child, store: Path) -> bool:
    """Waits until a process of this run, not one that a killed run left behind, has claimed cells
    and there are more cells than then; False if the run ends before.
    """
    before: int | None = None
    while not ended(child.pid):
        if before is not None and _cells(store) > before:
            return True
        claimants = _claimants(store) if before is None else set()
        if claimants and claimants & descendants(child.pid).keys():
            before = _cells(store)
        time.sleep(0.02)
    return False


def _workers(main: int) -> list[int]:
    """The processes of a run that compute cells: of joblib, or of Ray while they have a task."""
    marks = ("loky.backend.popen_loky", "ray::_run")
    return [pid for pid, line in descendants(main).items() if any(mark in line for mark in marks)]


def _claimants(store: Path) -> set[int]:
    """The processes that compute cells of the store."""
    pids = set()
    for file in (store / "claims").glob("*.json"):
        with suppress(OSError, ValueError, KeyError):
            pids.add(int(json.loads(file.read_text())["pid"]))
    return pids


def _cells(store: Path) -> int:
    return sum(1 for _ in (store / "cells").glob("*.json"))
