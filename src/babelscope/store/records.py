"""What a store says beside its cells: the study that was run, and the cells that failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from babelscope.errors import StoreError
from babelscope.files import write_text
from babelscope.store.folder import Store
from babelscope.store.locks import writing_lock
from babelscope.store.manifests import key
from babelscope.types import Failure


def fail(store: Store, failure: Failure) -> None:
    """Records a cell that could not be filled; a later success removes the record."""
    text = json.dumps(asdict(failure), indent=1, sort_keys=True)
    with writing_lock(store.path):
        write_text(store.path / "failures" / f"{key(failure.cell)}.json", text)


def failures(store: Store) -> list[Failure]:
    """The cells that could not be filled, in the order of their keys."""
    rows = [
        json.loads(file.read_text("utf-8"))
        for file in sorted((store.path / "failures").glob("*.json"))
    ]
    return [Failure(row["cell"], row["reason"], row["details"]) for row in rows]


def forget_failures(store: Store) -> None:
    """Removes the records of earlier failures: the run that is about to start tries every one of
    them again.
    """
    for file in (store.path / "failures").glob("*.json"):
        file.unlink()


def write_study(store: Store, study: Mapping[str, Any]) -> None:
    """Writes the description of the study, which the report reads."""
    text = json.dumps(dict(study), indent=1, sort_keys=True, ensure_ascii=False)
    with writing_lock(store.path):
        write_text(store.path / "study.json", text)


def read_study(store: Store) -> dict[str, Any]:
    """The description of the study that was run last."""
    file = store.path / "study.json"
    if not file.exists():
        raise StoreError(
            f"{store.path} holds no study.json; run the study first: babelscope study run FILE"
        )
    study: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return study
