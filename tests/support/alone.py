"""Runs every test file, or those named, in a process of its own, and lists those that fail."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
EMPTY = 5
"""Pytest's exit status where nothing was selected."""


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(names: list[str]) -> int:
    files = [Path(name) for name in names] or sorted(TESTS.rglob("test_*.py"))
    failed = []
    for file in files:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--tb=short",
            str(file),
        ]
        clock, used = time.monotonic(), cpu()
        run = subprocess.run(
            command, cwd=TESTS.parent, env=os.environ, capture_output=True, text=True, check=False
        )
        good = run.returncode in (0, EMPTY)
        name = file.resolve().relative_to(TESTS)
        print(
            f"{name}: {'ok' if good else 'FAILS'}, {time.monotonic() - clock:.0f} s, cpu "
            f"{cpu() - used:.0f} s",
            flush=True,
        )
        if not good:
            failed.append(str(name))
            print(run.stdout[-5000:] + run.stderr[-2000:], flush=True)
    print(f"{len(files) - len(failed)} of {len(files)} files pass alone", *failed, sep="\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
