"""What a store holds of one analysis of a study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from babelscope.data.independence import clusters_by_task
from babelscope.store import Store, cells, key, read, selection
from babelscope.types import SkippedRow


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


def stored_skipped(store: Store, study: Mapping[str, Any]) -> list[SkippedRow]:
    """The rows that the study skipped, each once, in the order of tasks, splits and languages."""
    selected = selection(study)
    keys = [
        name
        for manifest in cells(store)
        if manifest["kind"] == "skipped" and selected(name := key(manifest["identity"]), manifest)
    ]
    rows = {SkippedRow(**row) for row in read(store, "skipped", keys).to_pylist()}
    langs = {lang: place for place, lang in enumerate(study.get("languages") or ())}
    return sorted(
        rows,
        key=lambda row: (
            row.task, row.split != "test", row.split, langs.get(row.lang, len(langs)), row.lang,
            row.model, row.reason, row.id,
        ),
    )  # fmt: skip


def skipped_groups(store: Store, study: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """By task, the translation groups that no table of the study counts: those of which a row was
    skipped in any language or for any model.

    So all languages and models are compared on the same texts.
    """
    rows = stored_skipped(store, study)
    return frozenset((row.task, row.group) for row in rows if row.split == "test")


def without_groups(
    rows: pa.Table, groups: frozenset[tuple[str, str]], column: str = "group"
) -> pa.Table:
    """The rows whose (task, group) is not among these; `column` holds the group."""
    if not groups:
        return rows
    places = zip(rows["task"].to_pylist(), rows[column].to_pylist())
    return rows.filter(pa.array([place not in groups for place in places], pa.bool_()))


def stored_clusters(texts: pa.Table) -> dict[tuple[str, str], str]:
    """By task and translation group, the cluster that intervals and tests keep together: the
    rule of `data/independence.py` on stored texts (attributions or segmentations) of all languages.

    Clusters are made of what the store holds when tables are made, so that another language of a
    study changes no stored cell.
    """
    known = texts.select(["task", "group"]).append_column("at", pa.array(range(texts.num_rows)))
    known = known.append_column("text", pc.binary_join(texts["texts"], "\0"))  # no text has one
    first = known.group_by(["task", "group", "text"]).aggregate([("at", "min")])
    distinct = texts.select(["task", "group", "texts"]).take(first["at_min"])
    columns = (distinct[name].to_pylist() for name in distinct.column_names)
    return clusters_by_task(zip(*columns))


def with_clusters(rows: pd.DataFrame, clusters: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """The rows with the cluster of each; a group of which no text is stored is its own cluster."""
    places = zip(rows["task"].tolist(), rows["group"].tolist())
    return rows.assign(cluster=[clusters.get(place, place[1]) for place in places])
