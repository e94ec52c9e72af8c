"""SIGKILL at random moments of a study run, each followed by a resume.

The killed process is by turns the whole run, its main process alone (its workers live on for a
while, and the resume meets them), and a worker alone.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from torture import children, material

KILLS = {"local": 25, "ray": 10}
VICTIMS = ("run", "main", "worker")
STATUSES = {"run": [-9], "main": [-9], "worker": [0, 1, 2], "nobody": [0]}
"""Exit statuses of a run, by what was killed."""
METHODS = (
    "random", "position", "occlusion", "lime", "kernel_shap", "permutation_shapley",
    "gradient_norm", "integrated_gradients", "rollout", "attnlrp",
)  # fmt: skip
SPREAD = 1.5
"""Seconds after the first new cell within which the kill falls."""


def attack(folder: Path, seed: int, end: float) -> tuple[list[str], str]:
    study = material.build_study(folder, models=4, texts=12, methods=METHODS)
    material.fill(study, folder / "reference")
    reference = material.content(folder / "reference")
    faults: list[str] = []
    lines = []
    for where, planned in KILLS.items():
        if where == "ray" and find_spec("ray") is None:
            lines.append(f"Ray is not installed: its {planned} kills are skipped")
            continue
        share = end - (end - time.monotonic()) * (0.4 if find_spec("ray") else 0.0)
        limit = share if where == "local" else end
        chance = random.Random(seed)
        killed, stores = _chain(study, where, planned, reference, chance, limit, faults)
        faults += children.idle(killed.total())
        lines.append(
            f"{where}: {killed.total()} kills of {planned} ("
            + ", ".join(f"{victim} {number}" for victim, number in killed.items())
            + f"), each resumed, {stores} stores completed and compared"
        )
    return faults, "; ".join(lines)


def _chain(
    study: Path,
    where: str,
    planned: int,
    reference: dict[str, bytes],
    chance: random.Random,
    end: float,
    faults: list[str],
) -> tuple[Counter[str], int]:
    """Runs that are killed one after the other until a store is complete, then on the next store;
    gives the kills by victim and the number of completed stores.
    """
    killed: Counter[str] = Counter()
    stores = 0
    while True:
        store = study.parent / f"store-{where}-{stores}"
        command = material.run_command(study, store, "--workers", "2", "--where", where)
        enough = killed.total() >= planned or time.monotonic() > end
        child = children.start(command, study.parent / "run", session=True)
        wish = "nobody" if enough else VICTIMS[killed.total() % len(VICTIMS)]
        victim = _kill(child, wish, store, chance)
        ended = children.wait(child)
        faults += children.complaints(ended, STATUSES[victim])
        if victim == "nobody":
            stores += 1
            faults += material.check_complete(store, reference, f"{where}, store {stores}")
        else:
            killed[victim] += 1
            status = ["study", "status", str(study), "--store", str(store)]
            faults += children.complaints(children.run(status, study.parent / "status"), [0])
        if enough:
            return killed, stores


def _kill(child: children.Child, wish: str, store: Path, chance: random.Random) -> str:
    """Waits for the first new cell and a random while, then kills; gives the victim, which is
    nobody where the run had ended, and the main process where there was no worker.
    """
    before = _cells(store)
    while wish != "nobody" and _cells(store) <= before:
        if _ended(child):
            return "nobody"
        time.sleep(0.02)
    if wish == "nobody":
        return wish
    time.sleep(chance.uniform(0, SPREAD))
    if _ended(child):
        return "nobody"
    workers = [pid for pid in _group(child.pid) if pid != child.pid]
    if wish == "run":
        os.killpg(child.pid, signal.SIGKILL)
        return wish
    if wish == "worker" and workers:
        os.kill(chance.choice(workers), signal.SIGKILL)
        return wish
    os.kill(child.pid, signal.SIGKILL)
    return "main"


def _cells(store: Path) -> int:
    return sum(1 for _ in (store / "cells").glob("*.json"))


def _ended(child: children.Child) -> bool:
    """Whether the process is gone or waits to be collected."""
    return _state(child.pid) in ("", "Z")


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _group(leader: int) -> list[int]:
    """The living processes of a group that compute: not the one that tracks shared resources."""
    members = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[2]) == leader and fields[0] != "Z" and b"resource_tracker" not in line:
            members.append(int(folder.name))
    return members
