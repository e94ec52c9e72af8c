"""What a store says beside its cells: the study that was run, and the cells that failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from babelscope.errors import StoreError
from babelscope.files import naming, read_json, write_text
from babelscope.store.folder import KEY, Store
from babelscope.store.locks import writing_lock
from babelscope.store.manifests import key
from babelscope.types import Failure

PLACE = ("analysis", "model", "task", "lang", "what", "setup")
"""Where a cell belongs, in the order in which the description of a study lists it."""
Selection = Callable[[str, Mapping[str, Any]], bool]
"""Whether the cell of that key and manifest belongs to a study."""


def fail(store: Store, failure: Failure) -> None:
    """Records a cell that could not be filled; a later success removes the record."""
    text = json.dumps(asdict(failure), indent=1, sort_keys=True)
    with writing_lock(store.path):
        write_text(store.path / "failures" / f"{key(failure.cell)}.json", text)


def failures(store: Store) -> list[Failure]:
    """The cells that could not be filled, in the order of their keys."""
    listed = []
    for file in sorted((store.path / "failures").glob("*.json")):
        try:
            listed.append(read_failure(file))
        except ValueError as error:
            listed.append(Failure({"file": f"failures/{file.name}"}, f"damaged record: {error}"))
    return listed


def read_failure(file: Path) -> Failure:
    """The failure in a file; ValueError says in one line what is wrong with it."""
    row = read_json(file)
    if not isinstance(row, dict) or not isinstance(row.get("cell"), dict):
        raise ValueError("it is no record of a failed cell")
    refused = row.get("refused") is True
    return Failure(row["cell"], str(row.get("reason", "")), str(row.get("details", "")), refused)


def forget_failures(store: Store) -> None:
    """Removes the records of earlier failures: the run that is about to start tries every one of
    them again.
    """
    with writing_lock(store.path), naming(store.path):
        for file in (store.path / "failures").glob("*.json"):
            file.unlink(missing_ok=True)


def write_study(store: Store, study: Mapping[str, Any]) -> None:
    """Writes the description of the study, which the report reads."""
    text = json.dumps(dict(study), indent=1, sort_keys=True, ensure_ascii=False)
    # A lone surrogate in a row of the study is written as the escape that JSON has for it
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    with writing_lock(store.path):
        write_text(store.path / "study.json", text)


def read_study(store: Store) -> dict[str, Any]:
    """The description of the study that was run last."""
    file = store.path / "study.json"
    if not file.exists():
        raise StoreError(
            f"{store.path} holds no study.json; run the study first: babelscope study run FILE"
        )
    try:
        study = read_json(file)
    except ValueError as error:
        raise StoreError(f"{file} is damaged: {error}; run the study again") from None
    reason = _wrong_field(study)
    if reason:
        raise StoreError(f"{file} describes no study: {reason}; run the study again")
    return dict(study)


ROWS: dict[str, type | tuple[type, ...]] = {
    "tasks": dict, "models": dict, "methods": (dict, str), "languages": str, "planned": list,
    "names": str, "keys": str, "skipped": str,
}  # fmt: skip
"""The fields of a description that are lists, and what they list."""
SILENT = ("tasks", "models", "methods", "languages", "names")
"""Those that may be null."""


def _wrong_field(study: Any) -> str:
    """What is wrong with the description of a study; empty where nothing is."""
    if not isinstance(study, dict):
        return "it is no object"
    for name, kind in ROWS.items():
        rows = study.get(name, [])
        if rows is None and name in SILENT:
            continue
        if not isinstance(rows, list) or not all(isinstance(row, kind) for row in rows):
            return f"its {name!r} are of another type"
    analyses = study.get("analyses", {})
    if not isinstance(analyses, dict) or not all(isinstance(x, dict) for x in analyses.values()):
        return "its 'analyses' are of another type"
    if not all(KEY.fullmatch(name) for name in study.get("keys", ())):
        return "its 'keys' are no keys of cells"
    return ""


def selection(study: Mapping[str, Any]) -> Selection:
    """Which cells belong to the study, as its description says: those that a finished run listed,
    those that an interrupted run planned, or all.
    """
    if "keys" in study:
        keys = set(study["keys"])
        return lambda name, manifest: name in keys
    if "planned" in study:
        planned = {tuple(row) for row in study["planned"]}
        skipped = set(study.get("skipped", ()))
        return lambda name, manifest: (
            place_row(manifest.get("place") or {}) in planned or name in skipped
        )
    return lambda name, manifest: True


def place_row(place: Mapping[str, Any]) -> tuple[str, ...]:
    """A place as a row of the description's `planned`."""
    return tuple(str(place.get(name, "")) for name in PLACE)
