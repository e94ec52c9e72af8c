"""Commands of babelscope in forked children of a process that has everything imported.

Importing takes longer than most commands. A child runs `babelscope.cli.main` as the entry point
does, in a folder of its own, with its output in files. Its parent computes nothing: neither
gradients nor tokenizers survive a fork once they have been used.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

CRASH = 70
"""Exit status of a child that ended with an exception."""
PATIENCE = 120.0
"""Seconds after which a command counts as hung."""


@dataclass(frozen=True, slots=True)
class Child:
    """A command that runs."""

    pid: int
    arguments: tuple[str, ...]
    output: Path
    """File of its standard output; that of its errors has the ending .err."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    arguments: tuple[str, ...]
    status: int
    """Its exit status; negative: the signal that killed it."""
    out: str
    err: str
    hung: bool

    def __str__(self) -> str:
        words = (word if len(word) < 60 else f"...{word[-40:]}" for word in self.arguments)
        last = (self.err.strip().splitlines() or [""])[-1]
        return f"{' '.join(words)!r}: status {self.status}: {last[-300:]!r}"


@cache
def preload() -> None:
    """Imports the package and the classes of models that the attacks use."""
    import torch
    import transformers

    import babelscope

    torch.set_num_threads(1)
    for module in pkgutil.walk_packages(babelscope.__path__, "babelscope."):
        importlib.import_module(module.name)
    for name in ("Bert", "GPT2", "XLMRoberta"):
        getattr(transformers, f"{name}ForSequenceClassification")


def start(
    arguments: Sequence[str],
    folder: Path,
    *,
    inside: Callable[[], None] | None = None,
    session: bool = False,
) -> Child:
    """Starts a command in a folder; `inside` is called in the child first. With `session` it leads
    a group of processes that can be killed together.
    """
    preload()
    output = folder.parent / f"{folder.name}.{time.monotonic_ns()}.out"
    folder.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        _command(arguments, folder, output, inside, session)
    return Child(pid, tuple(arguments), output)


def _command(
    arguments: Sequence[str],
    folder: Path,
    output: Path,
    inside: Callable[[], None] | None,
    session: bool,
) -> NoReturn:
    """The child: it never returns."""
    status = CRASH
    try:
        if session:
            os.setsid()
        for name, number in ((os.devnull, 0), (output, 1), (output.with_suffix(".err"), 2)):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT
            os.dup2(os.open(name, flags, 0o666), number)
        os.chdir(folder)
        if inside is not None:
            inside()
        sys.argv = ["babelscope", *arguments]
        from babelscope.cli import main

        main()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 0
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            status = CRASH
    os._exit(status)


def wait(child: Child, seconds: float = PATIENCE) -> Ended:
    """The command once it has ended; one that takes longer than that is killed."""
    end, hung = time.monotonic() + seconds, False
    pid, status = os.waitpid(child.pid, os.WNOHANG)
    while pid == 0:
        time.sleep(0.01)
        if time.monotonic() > end and not hung:
            os.kill(child.pid, signal.SIGKILL)
            hung = True
        pid, status = os.waitpid(child.pid, os.WNOHANG)
    texts = []
    for file in (child.output, child.output.with_suffix(".err")):
        texts.append(file.read_text("utf-8", "replace") if file.exists() else "")
        file.unlink(missing_ok=True)
    return Ended(child.arguments, os.waitstatus_to_exitcode(status), *texts, hung)


def run(
    arguments: Sequence[str], folder: Path, *, inside: Callable[[], None] | None = None
) -> Ended:
    """Runs a command to its end."""
    return wait(start(arguments, folder, inside=inside))


def apart(work: Callable[[], None]) -> int:
    """Calls a function in a child, for what this process must not do itself; gives the status."""
    preload()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    status = CRASH
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    os._exit(status)


def complaints(ended: Ended, statuses: Sequence[int]) -> list[str]:
    """What is wrong with the end of a command: a traceback, a hang, another status than these, or
    a refusal that is not one line.
    """
    if ended.hung:
        return [f"hung: {ended}"]
    wrong = []
    if "Traceback (most recent call last)" in ended.err + ended.out or ended.status == CRASH:
        wrong.append(f"traceback: {ended}")
    elif ended.status not in statuses:
        wrong.append(f"status {ended.status} instead of {statuses}: {ended}")
    lines = [line for line in ended.err.splitlines() if line.startswith("babelscope: ")]
    if ended.status == 2 and not wrong and len(lines) != 1 and not ended.out:
        wrong.append(f"{len(lines)} lines that begin with 'babelscope:' instead of 1: {ended}")
    return wrong
