"""The cache of trained models."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from babelscope.files import folder_digest, naming, remove_parts, write_text
from babelscope.hub import cache_folder as cache_folder

_LOG = logging.getLogger(__name__)

TRAINING = 2
"""Raised when a change of the code changes trained weights; part of every cached model's name."""


@contextmanager
def making(folder: Path) -> Iterator[None]:
    """Within, only this process writes `folder`; others wait until it is complete.

    *Laws*: inside the block the folder is absent or as it was written; after it, its hash is
    recorded.
    """
    with naming(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f".{folder.name}.lock")):
        remove_parts(folder.parent, folder.name)
        remove_damaged(folder)
        yield
        record(folder)


def intact(folder: Path) -> bool:
    """Whether a cached model is as it was written; nothing is written."""
    file = _hash_file(folder)
    return folder.is_dir() and file.is_file() and file.read_text("utf-8") == folder_digest(folder)


def record(folder: Path) -> None:
    """Keeps the hash of a complete model beside it; one that is known stays."""
    if folder.is_dir() and not _hash_file(folder).is_file():
        write_text(_hash_file(folder), folder_digest(folder))


def remove_damaged(folder: Path) -> None:
    """Removes a model that is not what was written, and says so; under the lock of `making`.

    A model without a recorded hash, of an earlier version, is left alone.
    """
    if not _hash_file(folder).is_file() or intact(folder):
        return
    if folder.is_dir():
        _LOG.warning("the cached model %s is damaged: its hash differs; it is built anew", folder)
        shutil.rmtree(folder)
    _hash_file(folder).unlink()


def _hash_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.sha256")
