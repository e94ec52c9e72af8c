"""SIGKILL at random moments of a study run on Ray, each followed by a resume: see `kills.py`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from torture.kills import kill_and_resume
from torture.material import Outcome

KILLS = 10


def attack(folder: Path, seed: int, end: float) -> Outcome:
    if find_spec("ray") is None:
        return Outcome([], f"Ray is not installed: its {KILLS} kills are skipped", 0, 0)
    return kill_and_resume(folder, seed, end, where="ray", planned=KILLS)
