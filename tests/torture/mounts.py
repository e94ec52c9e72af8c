"""Disks without space: a small file system in memory, or a limit on the size of files."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path


def can_mount(place: Path) -> bool:
    """Whether this process may mount file systems; the folder is made."""
    place.mkdir()
    mounted = mount(place, "-t", "tmpfs", "-o", "size=64k", "none") == 0
    if mounted:
        unmount(place)
    return mounted


def mount(place: Path, *options: str) -> int:
    """Mounts something on a folder; gives the exit status."""
    if os.geteuid() or shutil.which("mount") is None:
        return 1
    return subprocess.run(["mount", *options, str(place)], capture_output=True).returncode


def unmount(place: Path) -> None:
    subprocess.run(["umount", str(place)], check=True, capture_output=True)


def limit_files(size: int) -> Callable[[], None]:
    """A function that limits the size of every file that its process writes from then on."""

    def inside() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    return inside
