"""Attacks the package and counts what breaks.

From the folder tests, all parts or some:

    export PYTHONPATH=../src:. OMP_NUM_THREADS=1
    python -m torture [NAME ...] [--seconds N] [--seed S]

Parts: kills, simultaneous, damage, disk, texts, commands. Each has a limit of time (below; all
together 20 minutes), stops there, and says how much of its plan it has done; nothing is a fault.
`--seconds` sets another limit for each. The same seed gives the same attacks, but kills fall where
the machine happens to be. Each part ends with one line of counts; every fault has a line before it.
The exit status is 1 if there is a fault and 2 if there is no such part.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from importlib import import_module
from pathlib import Path

PARTS = {
    "kills": 320.0,
    "simultaneous": 100.0,
    "damage": 120.0,
    "disk": 60.0,
    "texts": 420.0,
    "commands": 150.0,
}
"""Each part, with its limit in seconds; the module of that name holds its `attack`."""
QUIET = {
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "TERM": "dumb",
    "COLUMNS": "400",
}
"""The environment of everything that is started: no network, no colours, one thread."""


def prepare(folder: Path) -> None:
    """Sets the environment before the package is imported; paths must survive another folder."""
    places = [str(Path(place).resolve()) for place in sys.path if place]
    sys.path[:] = places
    os.environ.update(QUIET)
    os.environ["PYTHONPATH"] = os.pathsep.join(places)
    os.environ["BABELSCOPE_CACHE"] = str(folder / "cache")
    os.environ["HF_HOME"] = str(folder / "hub")


def run_part(name: str, folder: Path, seed: int, seconds: float) -> int:
    """Runs a part in a folder of its own, prints its faults and its closing line."""
    start, before = time.monotonic(), _computed()
    place = folder / name
    place.mkdir()
    try:
        faults, line = import_module(f"torture.{name}").attack(place, seed, start + seconds)
    except Exception:  # one part never costs the others
        faults, line = [traceback.format_exc()], "the attack itself failed"
    for fault in faults:
        print(f"  FAULT {fault}")
    seconds = f"{time.monotonic() - start:.0f} s, {_computed() - before:.0f} s of one core"
    print(f"{name}: {line}; {len(faults)} faults, {seconds}", flush=True)
    return len(faults)


def _computed() -> float:
    """Seconds of computation of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, help="the limit of each part")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}; choose from: {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve()
        prepare(folder)
        import_module("torture.children").preload()
        faults = 0
        for name in options.names or PARTS:
            limit = PARTS[name] if options.seconds is None else options.seconds
            faults += run_part(name, folder, options.seed, limit)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
