"""The folder of a store: opened, checked for its version, and repaired after a killed writer."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from babelscope.errors import StoreError
from babelscope.files import remove_parts, write_text
from babelscope.store.locks import writing_lock
from babelscope.store.schemas import SCHEMAS, SCHEME


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of results."""

    path: Path


def open_store(path: str | Path, *, create: bool = True) -> Store:
    """The store in that folder; a group of cells that was on its way in when a run was killed is
    finished first.
    """
    folder = Path(path)
    if not folder.is_dir() and not create:
        raise StoreError(f"there is no store at {folder}; make one with: babelscope study run FILE")
    if not create and not (folder / "cells").is_dir():
        raise StoreError(
            f"{folder} is not a store: it has no folder 'cells'; make one with: babelscope study "
            "run FILE"
        )
    _check_scheme(folder)
    folder.mkdir(parents=True, exist_ok=True)
    scheme = folder / "scheme.json"
    if not scheme.exists():  # before `cells`, without which a folder is no store yet
        write_text(scheme, json.dumps({"scheme": SCHEME}))
    for name in (*SCHEMAS, "cells", "failures"):
        (folder / name).mkdir(exist_ok=True)
    leftovers = (folder.glob("pending-*"), folder.glob(".*.part"), folder.glob("failures/.*.part"))
    if any(any(paths) for paths in leftovers):
        recover(folder)
    return Store(folder)


def _check_scheme(folder: Path) -> None:
    """Refuses a store that another version wrote: its rows lack fields, and its keys would never
    be found.
    """
    file = folder / "scheme.json"
    if not (folder / "cells").is_dir():
        return
    try:  # the first scheme wrote no such file
        scheme = json.loads(file.read_text("utf-8"))["scheme"] if file.exists() else 1
    except (ValueError, KeyError, TypeError):
        raise StoreError(
            f"{file} is damaged: it names no scheme; run the study again into a new folder"
        ) from None
    if scheme != SCHEME:
        raise StoreError(
            f"store {folder} was written by another version of babelscope (scheme {scheme}, this "
            f"one reads {SCHEME}); run the study again into a new folder"
        )


def recover(folder: Path) -> None:
    """Adds the groups that were complete when a run was killed, and removes the files that were
    not.
    """
    with writing_lock(folder):
        for place in (folder, folder / "failures"):
            remove_parts(place)
        for pending in sorted(folder.glob("pending-*")):
            if pending.suffix == ".part":  # of a store that an earlier version wrote
                shutil.rmtree(pending)
            else:
                bring_in(folder, pending)


def bring_in(folder: Path, pending: Path) -> None:
    """Moves a complete group to its place: tables first, manifests last. Can be repeated after any
    interruption.
    """
    for manifest in sorted(pending.glob("*.json")):
        table = pending / f"{manifest.stem}.parquet"
        if table.exists():
            kind = json.loads(manifest.read_text("utf-8"))["kind"]
            os.replace(table, folder / kind / table.name)
    for manifest in sorted(pending.glob("*.json")):
        os.replace(manifest, folder / "cells" / manifest.name)
        (folder / "failures" / manifest.name).unlink(missing_ok=True)
    shutil.rmtree(pending)
