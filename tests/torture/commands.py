"""Wrong command lines: each must be refused in one line with status 2 and write nothing.

Status 1 is right where a study runs and some of its cells fail, and where `study verify` finds
faults.
"""

from __future__ import annotations

import random
import re
import shutil
import time
from collections import Counter
from pathlib import Path

from torture import children, material
from torture.sandbox import build_sandbox, wrong_studies
from torture.wrong import wrong_commands

NUMBER = 500
SHARE = 30.0
"""Seconds that a wrong command may take."""
PARTIAL = ("study run", "study verify", "trust", "consistency", "tradeoffs", "heads", "intervene",
           "tokenization", "costs")  # fmt: skip
"""Commands whose status may be 1: a part of a study failed, or a store has faults."""


def attack(folder: Path, seed: int, end: float) -> material.Outcome:
    paths = build_sandbox(folder)
    studies = [str(path) for path in wrong_studies(folder)]
    lines = [_filled(line, paths) for line in wrong_commands() if "{studies}" not in line]
    lines += [("study", "run", study, "--store", "new") for study in studies]
    random.Random(seed).shuffle(lines)
    faults: list[str] = []
    statuses: Counter[int] = Counter()
    before = _state(folder)
    for line in lines[:NUMBER]:
        if time.monotonic() > end:
            break
        place = folder.parent / "commands-cwd"
        place.mkdir()
        ended = children.wait(children.start(line, place), SHARE)
        statuses[ended.status] += 1
        faults += _faults(ended, place)
        shutil.rmtree(place)
        after = _state(folder)
        if after != before:
            faults.append(f"an input was changed: {ended}")
            before = after
    counts = ", ".join(f"status {status}: {number}" for status, number in sorted(statuses.items()))
    line = f"{statuses.total()} wrong commands of {NUMBER} ({counts})"
    return material.Outcome(faults, line, statuses.total(), NUMBER)


def _filled(line: tuple[str, ...], paths: dict[str, str]) -> tuple[str, ...]:
    """The command with the paths of the files that it names."""
    return tuple(re.sub(r"\{(\w+)\}", lambda match: paths[match[1]], word) for word in line)


def _faults(ended: children.Ended, place: Path) -> list[str]:
    name = " ".join(ended.arguments[: 2 if ended.arguments[0] in ("study", "data") else 1])
    allowed = [1, 2] if name in PARTIAL else [2]
    faults = children.complaints(ended, allowed)
    if ended.status == 2 and not faults and not _says_what_to_do(ended):
        faults.append(f"the line does not say what was found or what to do: {ended}")
    written = sorted(str(path.relative_to(place)) for path in place.rglob("*"))
    if written and ended.status == 2:
        faults.append(f"{written[:3]} was written: {ended}")
    return faults


def _says_what_to_do(ended: children.Ended) -> bool:
    """A line of some length; whether it helps, only a reader can say."""
    return len((ended.err or ended.out).strip()) > len("babelscope: ") + 10


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file that commands may read."""
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }
