"""A process in an environment that explains on request: see `scripts/serve.py`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from babelscope.errors import InputError

SCRIPTS = Path(__file__).resolve().parent / "scripts"
SOURCES = Path(__file__).resolve().parents[2] / "src"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
OFFLINE = {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONNOUSERSITE": "1"}


@dataclass(frozen=True, slots=True)
class Request:
    """What a process is asked for."""

    method: str
    options: Mapping[str, Any]
    texts: int
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """CPU seconds of the whole call and the scores of each text."""

    seconds: float
    scores: tuple[np.ndarray, ...]
    preparing: float = 0.0
    """Of the seconds those before the library is called: token ids and the predicted class."""


@dataclass(frozen=True, slots=True)
class Server:
    """A process that answers, the versions of its packages, and the methods it has run."""

    process: subprocess.Popen[str]
    versions: Mapping[str, str]
    warmed: set[str] = field(default_factory=set)

    def run(self, request: Request) -> Run:
        """InputError with the process's reason where it cannot."""
        line = {
            "method": request.method, "options": dict(request.options),
            "texts": request.texts, "seed": request.seed,
        }  # fmt: skip
        written, read = _pipes(self.process)
        written.write(json.dumps(line) + "\n")
        written.flush()
        answer = parsed(read.readline())
        scores = tuple(np.array(row) for row in answer["scores"])
        return Run(answer["seconds"], scores, answer["preparing"])


def parsed(line: str) -> dict[str, Any]:
    """An answer; one that is an error, or none because the process ended, is an InputError."""
    if not line.strip():
        raise InputError("the process ended without an answer")
    answer: dict[str, Any] = json.loads(line)
    if "error" in answer:
        raise InputError(answer["error"])
    return answer


def last_line(log: Path) -> str:
    """Of a traceback the line that says what went wrong."""
    lines = [line.strip() for line in log.read_text("utf-8").splitlines() if line.strip()]
    return lines[-1][:300] if lines else "the process ended without an answer"


@contextmanager
def serving(python: Path, script: str, job: Path, log: Path) -> Iterator[Server]:
    """The process while it lasts: on one thread, without the hub, its other output in a file."""
    environment = {
        key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")
    }
    if script == "run_ours.py":
        environment["PYTHONPATH"] = str(SOURCES)
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [str(python), str(SCRIPTS / script), str(job)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
            env={**environment, **ONE_THREAD, **OFFLINE},
        )  # fmt: skip
        try:
            line = _pipes(process)[1].readline()
            if not line.strip():  # it failed while it imported the library
                process.wait(30)
                raise InputError(last_line(log))
            answer = parsed(line)
            yield Server(process, answer["ready"])
        finally:
            _pipes(process)[0].close()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            _pipes(process)[1].close()


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
