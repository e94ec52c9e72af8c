"""Attacks the package and counts what breaks.

From the folder tests, all parts or some:

    export PYTHONPATH=../src:. OMP_NUM_THREADS=1
    python -m torture [NAME ...] [--seconds N] [--seed S]

Parts: kills, ray, simultaneous, damage, disk, texts, commands. They run in two lanes at the same
time, one for each of two cores. Each part has a limit of time (below; each lane together less than
20 minutes) and says how much of its plan it has done; less than the whole plan is a fault.
`--seconds` sets another limit for each, and then only a part that has done nothing is at fault. The
same seed gives the same attacks, but kills fall where the machine happens to be. Each part ends
with one line of counts; every fault has a line before it. The exit status is 1 if there is a fault
and 2 if there is no such part.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

LANES = (
    {"kills": 520.0, "ray": 420.0, "simultaneous": 130.0, "disk": 100.0},
    {"texts": 990.0, "commands": 100.0, "damage": 100.0},
)
"""The parts of each lane, with their limits in seconds; the module of a part's name has its
`attack`."""
PARTS = {name: limit for lane in LANES for name, limit in lane.items()}
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


def run_part(name: str, folder: Path, options: argparse.Namespace) -> None:
    """Runs a part in a folder of its own, prints its faults and its closing line, and writes the
    number of faults into a file."""
    processes = import_module("torture.processes")
    processes.adopt_orphans()
    start = time.monotonic()
    limit = PARTS[name] if options.seconds is None else options.seconds
    place = folder / name
    place.mkdir()
    done = planned = 1
    try:
        module = import_module(f"torture.{name}")
        faults, line, done, planned = module.attack(place, options.seed, start + limit)
    except Exception:  # one part never costs the others
        faults, line = [traceback.format_exc()], "the attack itself failed"
    if done < planned and (options.seconds is None or not done):
        faults.append(f"{done} of {planned} were attacked within {limit:.0f} s")
    elapsed = f"{time.monotonic() - start:.0f} s, {processes.computed():.0f} s of one core"
    lines = [f"  FAULT {fault}" for fault in faults]
    print("\n".join([*lines, f"{name}: {line}; {len(faults)} faults, {elapsed}"]), flush=True)
    (folder / f"{name}.faults").write_text(str(len(faults)))


def run_lane(names: Sequence[str], folder: Path, options: argparse.Namespace) -> int:
    """Starts a process that runs the parts one after the other, each in a process of its own."""
    apart = import_module("torture.children").apart
    pid = os.fork()
    if pid == 0:
        for name in names:
            apart(partial(run_part, name, folder, options))
        os._exit(0)
    return pid


def count_faults(name: str, folder: Path) -> int:
    """The number of faults of a part; 1 if it has not come to its end."""
    file = folder / f"{name}.faults"
    return int(file.read_text()) if file.exists() else 1


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
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="torture-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary).resolve()
        prepare(folder)
        import_module("torture.children").preload()
        lanes = [[name for name in lane if name in (options.names or PARTS)] for lane in LANES]
        for pid in [run_lane(names, folder, options) for names in lanes]:
            os.waitpid(pid, 0)
        faults = sum(count_faults(name, folder) for lane in lanes for name in lane)
    print(f"all: {faults} faults, {time.monotonic() - start:.0f} s")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
