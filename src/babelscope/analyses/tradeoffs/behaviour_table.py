"""The transfer matrix with everything that follows from it, and the references that it is held
against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from babelscope.analyses.tradeoffs import behaviour, harm
from babelscope.analyses.tradeoffs.grid import Grid, correct, grid, interval_lists
from babelscope.analyses.tradeoffs.intervals import Comparison, Statistic, comparisons, intervals
from babelscope.analyses.tradeoffs.probing_table import probe_hits
from babelscope.analyses.tradeoffs.provenance import HEAD_ONLY, JOINT, SEQUENTIAL
from babelscope.analyses.tradeoffs.records import Records, whole
from babelscope.random import keyed
from babelscope.types import FineTuning

Correct = Float[np.ndarray, "seed source target text"]
Reference = Float[np.ndarray, "source target text"]


def behaviour_table(
    table: Grid, references: Mapping[str, Reference], labels: int, *, seed: int = 0
) -> dict[str, Any]:
    """The matrix and what follows from it; gains over each reference, and where fine-tuning did
    harm by the probe's measure (`harm`)."""
    hits, diagonal = correct(table), table.diagonal

    def of(
        statistic: Statistic, scale: Literal["plain", "share", "rate"] = "plain"
    ) -> dict[str, Any]:
        return interval_lists(intervals(hits, table.clusters, statistic, scale=scale))

    result: dict[str, Any] = {
        "accuracy": of(lambda a: a, "rate"),
        "preference": of(lambda a: behaviour.preference(a, diagonal)),
        "transfer_gap": of(lambda a: behaviour.transfer_gap(a, diagonal)),
        "specialisation": of(lambda a: behaviour.specialisation(a, diagonal)),
        "donor": of(lambda a: behaviour.two_way(a).donor),
        "difficulty": of(lambda a: behaviour.two_way(a).difficulty),
        "shares": of(lambda a: behaviour.two_way(a).shares, "share"),
        "relative_transfer": of(lambda a: behaviour.relative_transfer(a, diagonal, 1 / labels)),
        "tests": [each._asdict() for each in _gaps(table, hits, seed)],
        **_gains(table, hits, references),
    }
    return result | _harm(table, hits, references.get("probe"), result["gain"].get("probe"), seed)


def _gains(table: Grid, hits: Correct, references: Mapping[str, Reference]) -> dict[str, Any]:
    """The accuracy of each reference, and by how much the models exceed it on the same texts."""
    many = len(table.sources)
    accuracy, gain = {}, {}
    for name, reference in references.items():
        both = np.concatenate([hits, np.broadcast_to(reference, hits.shape)], axis=1)
        accuracy[name] = interval_lists(
            intervals(reference[None], table.clusters, lambda a: a, scale="rate")
        )
        difference = intervals(both, table.clusters, lambda a: a[..., :many, :] - a[..., many:, :])
        gain[name] = interval_lists(difference)
    return {"references": accuracy, "gain": gain}


def _gaps(table: Grid, hits: Correct, seed: int) -> list[Comparison]:
    """Every model against the target's own model, in that target."""
    tested = [owner for owner, place in enumerate(table.diagonal) if place >= 0]
    cells = [(row, owner) for owner in tested for row in range(len(table.sources)) if row != owner]
    if not cells:
        return []
    first = np.stack([hits[:, row, table.diagonal[owner]] for row, owner in cells], axis=1)
    second = np.stack([hits[:, owner, table.diagonal[owner]] for _, owner in cells], axis=1)
    names = [(table.sources[row], table.sources[owner]) for row, owner in cells]
    return comparisons(first, second, names, table.clusters, seed=seed)


def _harm(
    table: Grid, hits: Correct, probe: Reference | None, gain: Mapping[str, Any] | None, seed: int
) -> dict[str, Any]:
    """Cells outside the source's own language where fine-tuning did harm, and the models of which
    this cannot be concluded; `harmed` is None without a probe."""
    if probe is None or gain is None:
        return {"harmed": None, "losses": [], "unlearnt": []}
    not_learnt = harm.unlearnt(table, hits, seed=seed)
    tests = harm.losses(table, hits, probe, seed=seed)
    high = {
        (source, target): gain["high"][row][place]
        for row, source in enumerate(table.sources)
        for place, target in enumerate(table.targets)
    }
    cells = harm.harmed(tests, not_learnt, high)
    return {"harmed": cells, "losses": tests, "unlearnt": not_learnt}


def references(records: Records, table: Grid) -> dict[str, Reference]:
    """Who else is right on the same texts: the most frequent class, a random head on the base, a
    probe on the base, models of which only the head was trained, models of all languages."""
    shape = (len(table.sources), len(table.targets), len(table.clusters))
    listed = {}
    if "train" in records.texts:
        listed["majority"] = _majority(records, table)
    base = records.base
    if base is not None and records.has_states(base, ["test"], table.targets):
        heads = [
            _random_head(records, base, table, seed) for seed in range(max(3, len(table.seeds)))
        ]
        listed["random_head"] = np.broadcast_to(np.mean(heads, axis=0), shape)
        if all(records.has_probes(base, source) for source in table.sources):
            hits = [probe_hits(records, base, source) for source in table.sources]
            listed["probe"] = np.array([table.row(each) for each in hits])
    return listed | _other_models(records, table)


def _majority(records: Records, table: Grid) -> Reference:
    trained, gold = records.texts["train"], table.gold
    frequent = [
        np.bincount(records.gold("train", s)).argmax() if s in trained else 0 for s in table.sources
    ]
    return np.stack(
        [np.where(gold < 0, np.nan, (gold == label).astype(float)) for label in frequent]
    )


def _other_models(records: Records, table: Grid) -> dict[str, Reference]:
    listed = {}
    for kind in (HEAD_ONLY, JOINT):
        other = grid(records, kind)
        if other.seeds and (kind == JOINT or set(other.sources) >= set(table.sources)):
            accuracy = correct(other).mean(axis=0)
            rows = [0] * len(table.sources)
            if kind == HEAD_ONLY:
                rows = [other.sources.index(source) for source in table.sources]
            listed[kind] = accuracy[rows]
    other = grid(records, SEQUENTIAL)
    for at, order in enumerate(other.sources if other.seeds else ()):
        listed[order] = correct(other).mean(axis=0)[[at] * len(table.sources)]
    return listed


def _random_head(
    records: Records, base: FineTuning, table: Grid, seed: int
) -> Float[np.ndarray, "target text"]:
    """Right or wrong by a head of random weights on the base's first token."""
    hits = {}
    for target in table.targets:
        states = whole(records, base, "test", target, -1, "first")
        weights = keyed(seed, "random head").normal(size=(states.shape[1], len(records.labels)))
        hits[target] = ((states @ weights).argmax(axis=1) == records.gold("test", target)).astype(
            float
        )
    return table.row(hits)
