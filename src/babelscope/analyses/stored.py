"""What a store holds of one analysis of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pyarrow as pa

from babelscope.data.independence import clusters_by_task
from babelscope.store import Store, cells, key, selection


def stored_cells(
    store: Store, study: Mapping[str, Any], analysis: str
) -> dict[str, dict[str, Any]]:
    """The manifests of an analysis's cells that belong to the study, by key: a store may hold
    others.

    A cell that is shared (explanations) is listed under its own name, not under each analysis.
    """
    selected = selection(study)
    manifests = {}
    for manifest in cells(store):
        name, place = key(manifest["identity"]), manifest.get("place") or {}
        if place.get("analysis") == analysis and selected(name, manifest):
            manifests[name] = manifest
    return manifests


def stored_keys(store: Store, study: Mapping[str, Any], analysis: str) -> list[str]:
    """The keys of those cells."""
    return list(stored_cells(store, study, analysis))


def stored_clusters(texts: pa.Table) -> dict[tuple[str, str], str]:
    """By task and translation group, the cluster that intervals and tests resample: the rule of
    `data/independence.py` on stored texts (attributions or segmentations) of all languages.

    Clusters are made of what the store holds when tables are made, so that another language of a
    study changes no stored cell.
    """
    columns = (texts[name].to_pylist() for name in ("task", "group", "texts"))
    return clusters_by_task(zip(*columns))


def with_clusters(rows: pd.DataFrame, clusters: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """The rows with the cluster of each; a group of which no text is stored is its own cluster."""
    places = zip(rows["task"], rows["group"])
    return rows.assign(cluster=[clusters.get(place, place[1]) for place in places])
