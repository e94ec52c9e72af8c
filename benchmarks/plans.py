"""Does `study plan --measure` tell how long a study takes? Pilots on the generated mirror.

    python -m benchmarks.plans estimate plans.json slalom-synthetic head-masks-squad
    python -m benchmarks.plans run plans.json

The first command writes the estimates; the second runs the pilots and adds their times, so that no
estimate can know them. Every pilot runs in a process of its own with one thread and an empty store
and cache. `tests/support` must be on the search path: it generates the mirror.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FOLDER = "PLANS_FOLDER"
"""Environment variable that names a folder to keep mirror and stores in."""
STUDIES = Path(__file__).resolve().parents[1] / "studies"


def command(arguments: list[str], place: Path, cache: str) -> tuple[str, dict[str, float]]:
    """Runs babelscope on the mirror below `place`; its output, wall seconds and CPU seconds."""
    paths = [os.path.abspath(path) for path in sys.path if path]
    environment = {
        **os.environ, "BABELSCOPE_MIRROR": str(place / "mirror"), "HF_HUB_OFFLINE": "1",
        "BABELSCOPE_CACHE": str(place / cache), "OMP_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }  # fmt: skip
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "babelscope", *arguments],
        cwd=place / "here", env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stderr}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, {"wall": round(wall, 1), "cpu": round(cpu, 1)}


def mirrored(place: Path) -> Path:
    """The folder with the mirror and the local files that studies name, generated."""
    import mirror
    import workplace

    if not (place / "here").exists():
        workplace.write(place / "here", mirror.build(place / "mirror"))
    return place


def estimate(name: str, place: Path) -> dict[str, Any]:
    file = str(STUDIES / f"{name}.yaml")
    plan = ["study", "plan", file, "--pilot", "--measure", "--json"]
    output, cost = command(plan, place, f"cache-plan-{name}")
    values = json.loads(output)["cost"]
    return {
        "estimated": round(values["seconds"], 1), "passes": round(values["passes"]),
        "measuring": cost, "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def run(name: str, place: Path) -> dict[str, Any]:
    file = str(STUDIES / f"{name}.yaml")
    store = str(place / f"{name}.store")
    _, taken = command(
        ["study", "run", file, "--pilot", "--store", store], place, f"cache-run-{name}"
    )
    return {**taken, "load at the end": round(os.getloadavg()[0], 1)}


def main(what: str, results: Path, names: list[str]) -> None:
    rows = json.loads(results.read_text("utf-8")) if results.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        place = mirrored(Path(os.environ.get(FOLDER, folder)))
        for name in names or list(rows):
            row = rows.setdefault(name, {})
            row |= estimate(name, place) if what == "estimate" else {"run": run(name, place)}
            results.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
            print(name, json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
