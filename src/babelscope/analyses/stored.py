"""What a store holds of one analysis of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelscope.store import Store, cells, key


def stored_cells(
    store: Store, study: Mapping[str, Any], analysis: str
) -> dict[str, dict[str, Any]]:
    """The manifests of an analysis's cells that belong to the study, by key: a store may hold
    others.

    A cell that is shared (explanations) is listed under its own name, not under each analysis.
    """
    asked = set(study["keys"]) if "keys" in study else None
    manifests = {}
    for manifest in cells(store):
        name, place = key(manifest["identity"]), manifest.get("place") or {}
        if place.get("analysis") == analysis and (asked is None or name in asked):
            manifests[name] = manifest
    return manifests


def stored_keys(store: Store, study: Mapping[str, Any], analysis: str) -> list[str]:
    """The keys of those cells."""
    return list(stored_cells(store, study, analysis))
