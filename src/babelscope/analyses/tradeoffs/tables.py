"""All trade-off tables of a dump in one plain value: what the page draws and `--json` prints."""

from __future__ import annotations

from typing import Any

from babelscope.analyses.tradeoffs.activations import FEW
from babelscope.analyses.tradeoffs.cells import Dump
from babelscope.analyses.tradeoffs.inner_tables import (
    attention_table,
    drift_table,
    forgetting_table,
    language_probe_table,
    probing_table,
    references,
)
from babelscope.analyses.tradeoffs.outer_tables import (
    behaviour_table,
    confidence_table,
    errors_table,
    factorial_table,
    grid,
    of_kind,
)
from babelscope.analyses.tradeoffs.state_tables import POOLINGS, activations_table, alignment_table
from babelscope.errors import InputError


def tables(found: Dump, *, seed: int = 0, language_model: bool = True) -> dict[str, Any]:
    """Behaviour, activations, attention, confidence, errors and forgetting, and what could not be said and why."""
    given = grid(found)
    if not given.sources or not given.seeds:
        raise InputError("trade-offs need a model tuned on one language, and for every source a seed that all sources have")
    states = [lang for lang in given.targets if all((one, "test", lang) in found.states for one in of_kind(found, "tuned"))]
    return {
        "sources": list(given.sources),
        "targets": list(given.targets),
        "seeds": list(given.seeds),
        "labels": list(found.labels),
        "texts": len(given.clusters),
        "clusters": len(set(given.clusters)),
        "parallel": given.parallel,
        "notes": notes(found, states),
        "behaviour": behaviour_table(given, references(found, given), len(found.labels), seed=seed),
        "activations": [row for pooling in POOLINGS for row in activations_table(found, pooling=pooling)],
        "alignment": alignment_table(found, given),
        "attention": attention_table(found, given, seed=seed),
        "confidence": confidence_table(given, seed=seed),
        "errors": errors_table(found, given),
        "factorial": factorial_table(found, given, seed=seed),
        "probing": probing_table(found, given),
        "forgetting": forgetting_table(found, given, seed=seed),
        "language_probe": language_probe_table(found, given),
        "drift": drift_table(found, given, language_model=language_model),
    }


def notes(found: Dump, states: list[str]) -> list[str]:
    """What is missing, and which numbers are therefore not there."""
    given, tuned = grid(found), of_kind(found, "tuned")
    made = list(found.corpus.notes)
    if len(given.targets) == 1:
        made.append("one language only: there is no transfer gap, no specialisation and no flip")
    absent = [source for source, place in zip(given.sources, given.own) if place < 0]
    if absent:
        made.append(f"not tested in their own language: {', '.join(absent)}; their preference and gap are undefined")
    spare = sorted({one.seed for one in tuned} - set(given.seeds))
    if spare:
        made.append(f"seeds that not every source has were left out: {', '.join(map(str, spare))}")
    if len(given.seeds) == 1:
        made.append("one seed: intervals hold for these models only, and there is no noise floor between seeds")
    elif len(given.seeds) == 2:
        made.append("two seeds: they are averaged but not resampled; intervals hold for these models only")
    if "dev" not in found.corpus.texts:
        made.append("no dev split: there is no temperature, no prior correction and no probe")
    missing = [label for at, label in enumerate(found.labels) if not (given.gold == at).any()]
    if missing:
        made.append(f"classes without a gold example in test: {', '.join(missing)}; they stand in no mean over classes")
    if states and len(given.clusters) < FEW:
        made.append(f"similarities are of {len(given.clusters)} texts: few")
    return made
