"""Deliberate faults, each of which some law must catch: a test suite that lets one live does not
assert the mathematics.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE

import pytest
from table import MUTANTS

import babelscope

TESTS = Path(__file__).parents[1]
ALWAYS = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "--tb=native"]
"""The first failure is enough; the same examples in every run; a traceback that is soon
written.
"""


@pytest.fixture(scope="session")
def nursery() -> Iterator[subprocess.Popen[str]]:
    folders = [str(Path(babelscope.__file__).parents[1]), str(TESTS / "support"), str(TESTS)]
    env = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "UNCHECKED_SHAPES": "1",
        "PYTHONPATH": os.pathsep.join(folders),
    }
    command = [sys.executable, str(Path(__file__).with_name("nursery.py"))]
    with subprocess.Popen(
        command, env=env, stdin=PIPE, stdout=PIPE, text=True, cwd=TESTS.parent
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def run(
    nursery: subprocess.Popen[str], folder: Path, changes: list[tuple[str, ...]], args: list[str]
) -> tuple[int, str]:
    """The exit status of pytest on the changed package, and what it printed."""
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    out = folder / "printed"
    nursery.stdin.write(
        json.dumps({"changes": changes, "args": [*ALWAYS, *args], "out": str(out)}) + "\n"
    )
    nursery.stdin.flush()
    return int(nursery.stdout.readline()), out.read_text("utf-8")


@pytest.mark.mutant
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_dies(tmp_path: Path, name: str, nursery: subprocess.Popen[str]) -> None:
    mutant = MUTANTS[name]
    status, printed = run(
        nursery, tmp_path, [mutant[:3]], ["-k", mutant.chosen, str(TESTS / mutant.tests)]
    )
    assert status == 1, f"the mutant lives: {name}\n{printed[-2000:]}"
    assert "failed" in printed or "FAILED" in printed


@pytest.mark.mutant
def test_without_a_fault_nothing_fails_and_with_one_the_changed_function_is_what_is_called(
    tmp_path: Path, nursery: subprocess.Popen[str]
) -> None:
    args = ["-k", "i10", str(TESTS / "analyses/consistency/test_consistency.py")]
    assert run(nursery, tmp_path, [], args)[0] == 0
    where = "babelscope.analyses.consistency.transport:transport"
    fault = (where, "S = np.clip(B, 0.0, 1.0)", 'raise RuntimeError("the changed one")')
    status, printed = run(nursery, tmp_path, [fault], args)
    assert status == 1
    assert "RuntimeError: the changed one" in printed
    assert run(nursery, tmp_path, [], args)[0] == 0  # the next child knows nothing of it
