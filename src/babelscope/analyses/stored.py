"""What a store holds of one analysis of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelscope.store import Store, cells, key


def stored_keys(store: Store, study: Mapping[str, Any], analysis: str) -> list[str]:
    """The cells of an analysis that belong to the study: a store may hold those of other studies.

    A cell that is shared (explanations) is listed under its own name, not under each analysis.
    """
    asked = set(study["keys"]) if "keys" in study else None
    keys = []
    for manifest in cells(store):
        name, place = key(manifest["identity"]), manifest.get("place") or {}
        if place.get("analysis") == analysis and (asked is None or name in asked):
            keys.append(name)
    return keys
