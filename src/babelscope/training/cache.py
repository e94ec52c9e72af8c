"""The cache of trained models."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from filelock import FileLock

from babelscope.files import remove_parts

TRAINING = 2
"""Raised when a change of the code changes trained weights; part of every cached model's name."""


def cache_folder() -> Path:
    """$BABELSCOPE_CACHE, or the user's cache directory."""
    return Path(os.environ.get("BABELSCOPE_CACHE") or platformdirs.user_cache_dir("babelscope"))


@contextmanager
def making(folder: Path) -> Iterator[None]:
    """Within, only this process writes `folder`; others wait until it is complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f".{folder.name}.lock")):
        remove_parts(folder.parent, folder.name)
        yield
