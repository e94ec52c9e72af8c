"""A virtual environment for each peer under the user's cache folder, made once: torch first, of the
version that ours has, then the peer and what it requires.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from babelscope.errors import InputError
from babelscope.files import write_text
from babelscope.training.cache import cache_folder

TORCH = "torch==2.13.0"
MINUTES = 20
"""After so long an installation counts as failed."""


def folder(name: str, requirements: Sequence[str]) -> Path:
    """Other requirements are another environment."""
    digest = hashlib.sha256("\n".join(requirements).encode()).hexdigest()[:8]
    return cache_folder() / "peers" / f"{name}-{digest}"


def environment(name: str, requirements: Sequence[str]) -> Path:
    """The environment's Python, made if it is not there yet. InputError says why it cannot be."""
    place = folder(name, requirements)
    complete = place / "complete"
    if not complete.exists():
        shutil.rmtree(place, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(place)])
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-compile"]
        _run([*pip, TORCH])
        _run([*pip, TORCH, *requirements])
        place.mkdir(parents=True, exist_ok=True)
        write_text(complete, "\n".join(requirements) + "\n")
    return place / "bin" / "python"


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60 * MINUTES, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"pip took more than {MINUTES} minutes") from error
    if done.returncode:
        raise InputError(f"pip: {pip_reason(done.stderr)}")


def pip_reason(log: str) -> str:
    """The clause that says why an installation failed: the last line that pip marks as an error."""
    marked = [line.strip() for line in log.splitlines() if re.match(r"\s*ERROR:", line)]
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    reason = marked[0] if marked else (lines or ["no message"])[-1]
    return reason.removeprefix("ERROR:").strip()[:200]
