"""All trade-off tables of a store: what the page shows and `--json` prints, task by task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babelscope.analyses.tradeoffs.activations_table import activations_table, alignment_table
from babelscope.analyses.tradeoffs.attention_table import attention_table
from babelscope.analyses.tradeoffs.behaviour_table import behaviour_table, references
from babelscope.analyses.tradeoffs.confidence_table import confidence_table
from babelscope.analyses.tradeoffs.contents import NAME, read_records
from babelscope.analyses.tradeoffs.drift_table import drift_table
from babelscope.analyses.tradeoffs.errors_table import errors_table, factorial_table, flipped_texts
from babelscope.analyses.tradeoffs.forgetting_table import forgetting_table
from babelscope.analyses.tradeoffs.grid import grid
from babelscope.analyses.tradeoffs.notes import notes
from babelscope.analyses.tradeoffs.probing_table import language_probe_table, probing_table
from babelscope.analyses.tradeoffs.records import Records
from babelscope.files import plain
from babelscope.store import Store

POOLINGS = ("mean", "first", "last")


def tables(store: Store, study: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """The tables of every task, by its name; None where the store holds nothing of them.

    Numbers that are undefined are None.
    """
    block = study["analyses"][NAME]
    listed: dict[str, dict[str, Any]] = {}
    for task in study["tasks"]:
        records = read_records(store, study, task["name"])
        if records is not None:
            values = task_tables(records, seed=block["seed"], poolings=block["poolings"])
            listed |= {task["name"]: plain(values)} if values else {}
    return listed or None


def task_tables(
    records: Records, *, seed: int = 0, poolings: tuple[str, ...] | list[str] = POOLINGS
) -> dict[str, Any] | None:
    """Behaviour, activations, attention, confidence, errors and forgetting, and what is missing and
    why.

    None where no seed has models of all source languages.
    """
    table = grid(records)
    if not table.sources or not table.seeds:
        return None
    errors, labels = errors_table(table, len(records.labels)), records.labels
    return {
        "sources": list(table.sources),
        "targets": list(table.targets),
        "seeds": list(table.seeds),
        "labels": list(labels),
        "texts": len(table.clusters),
        "clusters": len(set(table.clusters)),
        "parallel": table.parallel,
        "notes": notes(records, table),
        "behaviour": behaviour_table(table, references(records, table), len(labels), seed=seed),
        "activations": [
            row for pooling in poolings for row in activations_table(records, pooling=pooling)
        ],
        "alignment": alignment_table(records, table),
        "attention": attention_table(records, table),
        "confidence": confidence_table(table, seed=seed),
        "errors": errors,
        "flipped_texts": flipped_texts(records, errors),
        "factorial": factorial_table(table, labels),
        "probing": probing_table(records, table),
        "forgetting": forgetting_table(records, table),
        "language_probe": language_probe_table(records, table),
        "drift": drift_table(records, table),
    }
