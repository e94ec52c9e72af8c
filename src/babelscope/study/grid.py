"""The grid of a study: its blocks, the cells that are planned, and how many of them a
store holds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict
from typing import Any

from babelscope.analyses import ANALYSES
from babelscope.analyses.block import Block, Place
from babelscope.data.spec import TaskSpec
from babelscope.store import Store, intact_cells, place_row
from babelscope.study.config import Study
from babelscope.training.spec import ModelSpec


def blocks(study: Study) -> list[Block]:
    """The grid in running order: model by model, so that each is loaded once.

    A model that is trained separately for each language has a block for each language.
    """
    listed = []
    for model in study.models:
        for task in study.tasks:
            if model.tasks is not None and task.name not in model.tasks:
                continue
            langs = languages(study, model, task)
            apart = model.train is not None and model.train.separately
            for seed in study.seeds if model.train else study.seeds[:1]:
                parts = [(lang,) for lang in langs] if apart else [tuple(langs)]
                listed += [Block(study.request, model, seed, task, part) for part in parts]
    return listed


def languages(study: Study, model: ModelSpec, task: TaskSpec) -> list[str]:
    """Those that a model is studied in on a task."""
    read = model.languages or study.languages
    return [lang for lang in read if task.data.languages is None or lang in task.data.languages]


def planned(study: Study, block: Block) -> list[Place]:
    """The cells of a block, each once: analyses share explanations."""
    places = [
        place
        for name, spec in study.analyses.items()
        for place in ANALYSES[name].places(block, spec)
    ]
    return list(dict.fromkeys(places))


def cells_of(study: Study) -> list[dict[str, Any]]:
    """How many cells of each model, task and analysis are planned."""
    total = Counter(
        (place.model, place.task, place.analysis)
        for block in blocks(study)
        for place in planned(study, block)
    )
    return [
        {"model": model, "task": task, "analysis": analysis, "cells": count}
        for (model, task, analysis), count in total.items()
    ]


def cells_by_model(study: Study) -> list[dict[str, Any]]:
    """How many cells of each model and analysis are planned, in how many seeds and on which tasks.

    *Laws*: has as many cells as `cells_of`; a model and an analysis have one row.
    """
    total: Counter[tuple[str, str]] = Counter()
    seeds: dict[tuple[str, str], set[int]] = defaultdict(set)
    tasks: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for block in blocks(study):
        for place in planned(study, block):
            name = block.model.name if place.model == block.name else place.model
            row = (name, place.analysis)
            total[row] += 1
            seeds[row].add(block.seed)
            tasks[row][place.task] = None
    return [
        {
            "model": name, "seeds": len(seeds[name, analysis]),
            "tasks": list(tasks[name, analysis]), "analysis": analysis, "cells": count,
        }
        for (name, analysis), count in total.items()
    ]  # fmt: skip


def trainings(study: Study) -> int:
    """How many fine-tunings a study needs; every stage is one."""
    trained = (block.model.train for block in blocks(study))
    return sum(1 + len(train.then) for train in trained if train is not None)


def progress_of(study: Study, store: Store) -> list[dict[str, Any]]:
    """How many cells of each model and analysis are done, of how many; no model is loaded.

    A cell is done if its file is there as its manifest says.
    """
    done = {place_row(manifest.get("place") or {}) for manifest in intact_cells(store)}
    total: Counter[tuple[str, str, str]] = Counter()
    ready: Counter[tuple[str, str, str]] = Counter()
    for block in blocks(study):
        for place in planned(study, block):
            row = (place.model, place.task, place.analysis)
            total[row] += 1
            ready[row] += place_row(asdict(place)) in done
    return [
        {"model": model, "task": task, "analysis": analysis, "done": ready[row], "planned": count}
        for row, count in total.items()
        for model, task, analysis in [row]
    ]
