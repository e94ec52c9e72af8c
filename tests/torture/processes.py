"""The processes below this one: which there are, what they have computed, and their end."""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path

SUBREAPER = 36
"""Linux's PR_SET_CHILD_SUBREAPER."""


def adopt_orphans() -> None:
    """Makes this process the parent of what killed children leave behind: it is accounted for, and
    ends with the attack."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> dict[int, str]:
    """The living processes below a process, with their command lines."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(folder.name))
        if fields and fields[0] != "Z":
            parents[int(folder.name)] = int(fields[1])
    below, new = set(), {root}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new} - below
        below |= new
    return {pid: _command(pid) for pid in sorted(below)}


def ended(pid: int) -> bool:
    """Whether the process is gone or waits to be collected."""
    return _fields(pid)[:1] in ([], ["Z"])


def computed() -> float:
    """Seconds of computation of this process and of all below it, which are ended for it."""
    for pid in descendants(os.getpid()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _fields(pid: int) -> list[str]:
    """State, parent and the rest of what Linux says about a process; nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
