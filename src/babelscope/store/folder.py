"""The folder of a store: opened, checked for its version, and completed after a killed writer."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelscope.errors import StoreError
from babelscope.files import naming, read_json, remove_parts, write_text
from babelscope.store.locks import CLAIMS, writing_lock
from babelscope.store.schemas import SCHEMAS, SCHEME

KEY = re.compile("[0-9a-f]{64}")
"""The name of a cell: nothing else in a manifest or a description becomes part of a path."""
FOLDERS = (*SCHEMAS, "cells", "failures", CLAIMS)
State = tuple[int, int, int]
"""Size, time of change and number of a file on its disk."""


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of results."""

    path: Path
    verified: dict[str, State] = field(default_factory=dict, compare=False, repr=False)
    """The files whose hash was compared with their manifest since the store was opened: they are
    hashed once, and again when they change."""


def open_store(path: str | Path, *, create: bool = True) -> Store:
    """The store in that folder. With `create` it is opened for writing: made if it is not there,
    and a group of cells that was on its way in when a run was killed is finished first.

    *Laws*: without `create` nothing is written, whatever the state of the store.
    """
    folder = Path(path)
    if create:
        with naming(folder):
            folder.mkdir(parents=True, exist_ok=True)
    elif not folder.is_dir():
        raise StoreError(f"there is no store at {folder}; make one with: babelscope study run FILE")
    elif not (folder / "cells").is_dir():
        raise StoreError(
            f"{folder} is not a store: it has no folder 'cells'; make one with: babelscope study "
            "run FILE"
        )
    _check_scheme(folder)
    if create:
        _prepare(folder)
    return Store(folder)


def _check_scheme(folder: Path) -> None:
    """Refuses a store that another version wrote: its rows lack fields, and its keys would never
    be found.
    """
    file = folder / "scheme.json"
    if not (folder / "cells").is_dir():
        return
    try:  # the first scheme wrote no such file
        scheme = read_json(file)["scheme"] if file.exists() else 1
    except (ValueError, KeyError, TypeError):
        raise StoreError(
            f"{file} is damaged: it names no scheme; run the study again into a new folder"
        ) from None
    if scheme != SCHEME:
        raise StoreError(
            f"store {folder} was written by another version of babelscope (scheme {scheme}, this "
            f"one reads {SCHEME}); run the study again into a new folder"
        )


def _prepare(folder: Path) -> None:
    """Makes the folders of a store, and completes or removes what a killed writer left."""
    scheme = folder / "scheme.json"
    if not scheme.exists():  # before `cells`, without which a folder is no store yet
        with writing_lock(folder):  # without it another run takes the unfinished file for a remnant
            write_text(scheme, json.dumps({"scheme": SCHEME}))
    for name in FOLDERS:
        inner = folder / name
        if inner.is_symlink():
            raise StoreError(f"{inner} is a symbolic link; a store has folders of its own only")
        with naming(inner):
            inner.mkdir(exist_ok=True)
    hidden = (folder, folder / "failures", folder / CLAIMS)
    if any(folder.glob("pending-*")) or any(any(inner.glob(".*.part")) for inner in hidden):
        with writing_lock(folder), naming(folder):
            for inner in hidden:
                remove_parts(inner)
            for pending in sorted(folder.glob("pending-*")):
                _complete(folder, pending)


def _complete(folder: Path, pending: Path) -> None:
    """Adds a group that was complete when a run was killed; removes what is no such group."""
    if pending.is_symlink() or not pending.is_dir():
        pending.unlink()
    elif pending.suffix == ".part":  # of a store that an earlier version wrote
        shutil.rmtree(pending)
    else:
        bring_in(folder, pending)


def bring_in(folder: Path, pending: Path) -> None:
    """Moves a complete group to its place: tables first, manifests last. Can be repeated after any
    interruption; what names no cell or kind of table is not moved.
    """
    kinds = {manifest: _kind(manifest) for manifest in sorted(pending.glob("*.json"))}
    kinds = {manifest: kind for manifest, kind in kinds.items() if kind in SCHEMAS}
    for manifest, kind in kinds.items():
        table = pending / f"{manifest.stem}.parquet"
        if table.exists():
            replace_file(table, folder / str(kind) / table.name)
    for manifest in kinds:
        replace_file(manifest, folder / "cells" / manifest.name)
        (folder / "failures" / manifest.name).unlink(missing_ok=True)
    shutil.rmtree(pending)


def replace_file(file: Path, target: Path) -> None:
    """Moves a file to its place, also where a folder has taken it."""
    remove(target, folders_only=True)
    os.replace(file, target)


def remove(path: Path, *, folders_only: bool = False) -> None:
    """Removes what is at the place of a file, if anything: a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif not folders_only:
        path.unlink(missing_ok=True)


def _kind(manifest: Path) -> Any:
    """The kind of table that a manifest names; None where it is no manifest of a cell."""
    try:
        kind = read_json(manifest)["kind"]
    except (ValueError, KeyError, TypeError):
        return None
    return kind if KEY.fullmatch(manifest.stem) and isinstance(kind, str) else None
