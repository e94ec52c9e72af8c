"""Who may write into a store, and who computes which cells."""

from __future__ import annotations

import json
import os
import secrets
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from babelscope.files import naming, read_json, write_text

CLAIMS = "claims"
"""The folder of claims in a store."""
HEARTBEAT = 5.0
"""Seconds between two signs of life of a claim's owner."""
LIFETIME = 120.0
"""Seconds without a sign of life after which a claim is void."""
PATIENCE = 0.2
"""Seconds between two attempts to claim cells that another process computes."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The cells that a process computes; its file's time of change is its last sign of life."""

    host: str
    pid: int
    cells: tuple[str, ...]


@contextmanager
def writing_lock(folder: Path) -> Iterator[None]:
    """Only one process at a time writes into the store: what others are writing is never taken for
    what a killed one left.
    """
    lock = FileLock(folder / ".lock")
    with naming(folder):
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


class Claimed(Exception):
    """Another process computes some of the cells."""


@contextmanager
def claiming(folder: Path, cells: Sequence[str], *, patient: bool = True) -> Iterator[None]:
    """Waits until no other process computes any of the cells, then keeps them for this one; without
    patience it raises Claimed where it would have to wait.

    *Laws*: a cell is claimed by one process at a time; all cells are claimed or none, so that two
    processes never wait for each other; the claim of a process that is gone (no such process on
    this host, one that has ended, or no sign of life for `LIFETIME`) is void.
    """
    file = _claim(folder, cells)
    while file is None:
        if not patient:
            raise Claimed
        time.sleep(PATIENCE)
        file = _claim(folder, cells)
    done = threading.Event()
    heart = threading.Thread(target=_beat, args=(file, done), daemon=True)
    heart.start()
    try:
        yield
    finally:
        done.set()
        heart.join()
        file.unlink(missing_ok=True)


def claims(folder: Path) -> list[Claim]:
    """The valid claims of a store; nothing is written."""
    return [claim for _, claim in _listed(folder) if claim is not None]


def _claim(folder: Path, cells: Sequence[str]) -> Path | None:
    """The file of a new claim; None where another process has claimed one of the cells."""
    with writing_lock(folder):
        for file, claim in _listed(folder):
            if claim is None:
                with suppress(IsADirectoryError):
                    file.unlink(missing_ok=True)
            elif not set(cells).isdisjoint(claim.cells):
                return None
        file = folder / CLAIMS / f"{secrets.token_hex(8)}.json"
        claim = Claim(socket.gethostname(), os.getpid(), tuple(cells))
        write_text(file, json.dumps(asdict(claim)))
        return file


def _listed(folder: Path) -> Iterator[tuple[Path, Claim | None]]:
    """Every file of a claim, with None for a claim that is void."""
    for file in sorted((folder / CLAIMS).glob("*.json")):
        try:
            claim = _parsed(read_json(file))
            silent = time.time() - file.stat().st_mtime > LIFETIME
        except (ValueError, FileNotFoundError):
            claim, silent = None, True
        yield file, None if claim is None or silent or _gone(claim) else claim


def _parsed(row: Any) -> Claim | None:
    """The claim that a file states; None where it states none, as a damaged or foreign file."""
    match row:
        case {"host": str(host), "pid": int(pid), "cells": [*cells]} if pid > 0 and all(
            isinstance(cell, str) for cell in cells
        ):
            return Claim(host, pid, tuple(cells))
    return None


def _gone(claim: Claim) -> bool:
    """Whether the owner is a process of this host that no longer exists, or that was killed and
    only waits for its parent to notice."""
    if claim.host != socket.gethostname() or os.name != "posix":
        return False
    try:
        os.kill(claim.pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return _defunct(claim.pid)


def _defunct(pid: int) -> bool:
    """Whether a process has ended but was not collected, as orphans in containers whose first
    process collects none; False where the system does not say."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[:1] == ["Z"]


def _beat(file: Path, done: threading.Event) -> None:
    while not done.wait(HEARTBEAT):
        try:
            os.utime(file)
        except OSError:  # the claim was taken for void, or the disk is gone: the run will notice
            return
