"""Pairs of runs on one store at the same time."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

from torture import children, material

PAIRS = 10
METHODS = ("random", "occlusion", "gradient_norm", "integrated_gradients", "rollout")
WITH_WORKERS = 5
"""Every so many pairs both runs have two workers."""


def attack(folder: Path, seed: int, end: float) -> material.Outcome:
    study = material.build_study(folder, models=6, texts=6, methods=METHODS)
    material.fill(study, folder / "reference")
    reference = material.content(folder / "reference")
    cells = sum(name.startswith("cells/") for name in reference)
    faults: list[str] = []
    pairs = both = 0
    while pairs < PAIRS and time.monotonic() < end:
        pairs += 1
        store = folder / f"store-{pairs}"
        workers = "2" if pairs % WITH_WORKERS == 0 else "1"
        command = material.run_command(study, store, "--workers", workers)
        runs = [children.start(command, folder / f"run-{number}") for number in (1, 2)]
        ended = [children.wait(run) for run in runs]
        wrong = [line for run in ended for line in children.complaints(run, [0])]
        counts = [] if wrong else [json.loads(run.out) for run in ended]
        faults += wrong + [f"pair {pairs}: {line}" for line in _untrue(counts, cells)]
        both += bool(counts) and all(count["filled"] for count in counts)
        faults += material.check_complete(store, reference, f"pair {pairs}")
        shutil.rmtree(store)
    line = f"{pairs} pairs of {PAIRS}, {cells} cells each; in {both} of them both runs filled cells"
    return material.Outcome(faults, line, pairs, PAIRS)


def _untrue(counts: list[dict[str, int]], cells: int) -> list[str]:
    """What the counts of two runs say that cannot be: every cell is filled once, and each run
    accounts for all of them.
    """
    if not counts:
        return []
    faults = []
    filled = sum(count["filled"] for count in counts)
    if filled != cells:
        faults.append(f"{filled} cells filled by both together instead of {cells}")
    for count in counts:
        total = count["filled"] + count["found"] + count["others"]
        if total != cells or count["failed"] or count["damaged"]:
            faults.append(f"{cells} cells are counted as {count}")
    return faults
