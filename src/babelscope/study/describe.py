"""A study and its models as the report reads them."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from babelscope.analyses.block import Block
from babelscope.data.segmentation import segmenter
from babelscope.methods import METHODS
from babelscope.store import place_row
from babelscope.study.config import Study
from babelscope.study.grid import blocks, planned
from babelscope.training.spec import LAYERS, ModelSpec

if TYPE_CHECKING:
    from babelscope.model.load import Model

VERSIONS = ("babelscope", "torch", "transformers", "tokenizers", "numpy")


def describe_study(
    study: Study,
    models: Iterable[Mapping[str, Any]],
    skipped: Iterable[str] = (),
    keys: Iterable[str] | None = None,
) -> dict[str, Any]:
    """The study as the report reads it: what was asked for, the properties of what it names, the
    cells that are planned, those that list skipped rows of the data and, once the run is finished,
    the keys of all that are filled.
    """
    grid = blocks(study)
    places = [asdict(place) for block in grid for place in planned(study, block)]
    properties = ("name", "family", "summary", "complete", "signed")
    return {
        "name": study.name,
        "description": study.description,
        "deviations": study.deviations,
        "task": ", ".join(task.name for task in study.tasks),
        "tasks": [task.model_dump() for task in study.tasks],
        "names": list(dict.fromkeys(block.name for block in grid)),
        "models": _by_name(models),
        "languages": study.languages,
        "source": study.source,
        "methods": [
            {name: getattr(METHODS[choice.name], name) for name in properties}
            for choice in study.methods
        ],
        "seeds": study.seeds,
        "analyses": {name: spec.describe() for name, spec in study.analyses.items()},
        "examples": study.tasks[0].data.examples,
        "data": study.tasks[0].data.model_dump(),
        "segmenters": {lang: segmenter(lang) for lang in study.languages},
        "versions": {name: importlib.metadata.version(name) for name in VERSIONS},
        "cells": len(places),
        "planned": [list(place_row(place)) for place in places],
        "skipped": sorted(skipped),
    } | ({} if keys is None else {"keys": sorted(keys)})


def _by_name(models: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row per name; a name may stand for several weights, one per task or language."""
    rows: dict[str, dict[str, Any]] = {}
    for row in models:
        known = rows[row["name"]]["fingerprint"].split(", ") if row["name"] in rows else []
        fingerprints = dict.fromkeys([*known, row["fingerprint"]])
        rows[row["name"]] = {**row, "fingerprint": ", ".join(fingerprints)}
    return list(rows.values())


def describe_model(model: Model, block: Block) -> dict[str, Any]:
    """A loaded model as the report reads it."""
    spec = block.model
    return {
        "name": block.name,
        "spec": spec.name,
        "seed": block.seed,
        "source": spec.source or _origin(spec),
        "languages": spec.training_languages,
        "fingerprint": model.fingerprint,
        "parameters": sum(weight.numel() for weight in model.hf.parameters()),
    }


def _origin(spec: ModelSpec) -> str:
    train = spec.train
    if train is None:
        return ""
    bases = train.base.values() if isinstance(train.base, dict) else [train.base]
    scratch = f"scratch ({train.architecture}, {train.layers or LAYERS} layers of {train.width})"
    return f"trained here from {', '.join(dict.fromkeys(str(base or scratch) for base in bases))}"
