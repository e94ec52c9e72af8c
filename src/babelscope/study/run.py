"""The loop that fills the store: explain once, measure from the store, skip what exists, record what fails."""

from __future__ import annotations

import importlib.metadata
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babelscope.crosslingual.words import segmenter
from babelscope.errors import BabelscopeError
from babelscope.methods import METHODS
from babelscope.metrics import METRICS
from babelscope.model.door import Progress
from babelscope.model.finetune import fingerprint
from babelscope.model.load import Model
from babelscope.store import (
    SCHEME,
    Cell,
    Store,
    cells,
    fail,
    failures,
    has,
    key,
    open_store,
    put,
    read_attributions,
    write_study,
)
from babelscope.study import models
from babelscope.study.config import Choice, ModelSpec, Study, TaskSpec, read_study
from babelscope.study.explain import explain
from babelscope.study.measure import measure
from babelscope.study.options import settle
from babelscope.types import Example, Failure

VERSIONS = ("babelscope", "torch", "transformers", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told about a run: `stage` what it does now and how many blocks are done of how many, `steps` how far it is."""

    stage: Callable[[str, int, int], None] = lambda name, done, total: None
    steps: Progress | None = None


UNWATCHED = Watch()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: cells filled now, found filled, and failed."""

    store: Path
    filled: int
    found: int
    failed: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The cells of one model, seed, task and language: what is measured together."""

    model: ModelSpec
    seed: int
    task: TaskSpec
    lang: str


def blocks(study: Study) -> list[Block]:
    """The grid in running order: model by model, so that each is loaded once."""
    return [
        Block(model, seed, task, lang)
        for model in study.models
        for task in study.tasks
        if model.tasks is None or task.name in model.tasks
        for seed in (study.seeds if model.train else study.seeds[:1])
        for lang in (model.languages or study.languages)
    ]


def run(study: Study | str | Path, store: str | Path, *, watch: Watch = UNWATCHED) -> Outcome:
    """Fills a store with a study's cells. What exists is not computed again; what fails is recorded and left behind.

    *Laws*: killed and run again, the store ends as that of an uninterrupted run, file by file; a failed cell does not
    stop the others and is tried again by the next run.
    """
    asked = study if isinstance(study, Study) else read_study(study)
    place = open_store(store)
    grid = blocks(asked)
    counts = {"filled": 0, "found": 0}
    known: dict[str, dict[str, Any]] = {}
    loaded: tuple[tuple[str, str, int], Model] | None = None
    for number, block in enumerate(grid):
        watch.stage(f"{_name(asked, block)} · {block.lang}", number, len(grid))
        name = {"model": block.model.model_dump(), "task": block.task.model_dump(), "seed": block.seed}
        try:
            wanted = (block.model.name, block.task.name, block.seed)
            if loaded is None or loaded[0] != wanted:
                made = models.obtain(block.model, block.task.data, block.seed, watch.steps)
                loaded = (wanted, made)
                loaded[1].name = _name(asked, block)
            model = loaded[1]
            known[model.name] = _described(model, block.model)
            for filled, found in _fill(asked, block, model, place, watch):
                counts["filled"] += filled
                counts["found"] += found
        except (BabelscopeError, RuntimeError, OSError, ValueError) as error:
            fail(place, Failure({**name, "lang": block.lang}, _reason(error), traceback.format_exc()))
        else:
            (place.path / "failures" / f"{key({**name, 'lang': block.lang})}.json").unlink(missing_ok=True)
    watch.stage("done", len(grid), len(grid))
    write_study(place, described(asked, known))
    return Outcome(place.path, counts["filled"], counts["found"], tuple(failures(place)))


def _fill(study: Study, block: Block, model: Model, store: Store, watch: Watch) -> Iterator[tuple[int, int]]:
    """Explains with every method, then measures all explanations together; yields (filled, found) counts as it goes."""
    rows = models.examples(block.task.data, block.lang)
    explained: list[str] = []
    for choice in study.methods:
        for seed in study.seeds if METHODS[choice.name].seeded and not block.model.train else [block.seed]:
            identity = attribution_identity(model, block, rows, choice, seed)
            try:
                if not has(store, key(identity)):
                    options = settle(METHODS[choice.name], choice.options)
                    made = explain(model, rows, choice.name, options=options, seed=seed, progress=watch.steps)
                    put(store, [Cell(identity, "attributions", [replace(one, task=block.task.name) for one in made])])
                    yield 1, 0
                else:
                    yield 0, 1
                explained.append(key(identity))
            except BabelscopeError as error:
                fail(store, Failure(identity, _reason(error), traceback.format_exc()))
    yield from _measure(study, model, store, explained, watch)


def _measure(study: Study, model: Model, store: Store, explained: list[str], watch: Watch) -> Iterator[tuple[int, int]]:
    """The measures that are missing, computed in one go and stored in one go: inputs that several ask for are scored
    once, and a run that was killed in between begins the block again with the same batches."""
    missing: list[Cell] = []
    with model.door.remembering():
        for name in explained:
            for choice in study.metrics:
                options = settle(METRICS[choice.name], choice.options)
                identity = {"kind": "measures", "of": name, "metric": choice.name, "options": options, "scheme": SCHEME}
                if has(store, key(identity)):
                    yield 0, 1
                    continue
                try:
                    made = measure(model, read_attributions(store, [name]), choice.name, options=options, progress=watch.steps)
                    missing.append(Cell(identity, "measures", list(made)))
                except BabelscopeError as error:
                    fail(store, Failure(identity, _reason(error), traceback.format_exc()))
    put(store, missing)
    yield len(missing), 0


def attribution_identity(model: Model, block: Block, rows: list[Example], choice: Choice, seed: int) -> dict[str, Any]:
    """What decides the numbers of a cell: weights, data, language, method, options, seed. Not batch size, device or paths.

    The model's name in the study is part of it because rows carry it."""
    row = METHODS[choice.name]
    return {
        "kind": "attributions",
        "model": model.fingerprint,
        "name": model.name,
        "data": fingerprint(rows),
        "task": block.task.name,
        "lang": block.lang,
        "segmenter": segmenter(block.lang),
        "method": choice.name,
        "options": settle(row, choice.options),
        "seed": seed if row.seeded else None,
        "scheme": SCHEME,
    }


def described(study: Study, known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The study as the report reads it: what was asked, and the properties of methods and metrics."""
    return {
        "name": study.name,
        "description": study.description,
        "task": ", ".join(task.name for task in study.tasks),
        "tasks": [task.model_dump() for task in study.tasks],
        "models": list(known.values()),
        "languages": study.languages,
        "methods": [
            {name: getattr(METHODS[choice.name], name) for name in ("name", "family", "summary", "complete", "signed")}
            for choice in study.methods
        ],
        "metrics": [
            {name: getattr(METRICS[choice.name], name)
             for name in ("name", "summary", "higher_is_better", "bounds", "may_be_undefined")}
            for choice in study.metrics
        ],
        "seeds": study.seeds,
        "examples": study.tasks[0].data.examples,
        "data": study.tasks[0].data.model_dump(),
        "segmenters": {lang: segmenter(lang) for lang in study.languages},
        "versions": {name: importlib.metadata.version(name) for name in VERSIONS},
        "cells": len(blocks(study)) * len(study.methods) * (1 + len(study.metrics)),
    }  # fmt: skip


def progress_of(study: Study, store: Store) -> list[dict[str, Any]]:
    """Per model and language the numbers of explained, measured and planned cells."""
    explained: dict[tuple[str, str, str], set[str]] = {}
    measured: dict[str, set[str]] = {}
    for row in cells(store):
        identity = row["identity"]
        if row["kind"] == "attributions":
            explained.setdefault((identity["name"], identity["task"], identity["lang"]), set()).add(key(identity))
        else:
            measured.setdefault(identity["of"], set()).add(key(identity))
    rows = []
    for block in blocks(study):
        name = _name(study, block)
        mine = explained.get((name, block.task.name, block.lang), set())
        rows.append(
            {
                "model": name,
                "lang": block.lang,
                "explained": len(mine),
                "measured": sum(len(measured.get(one, ())) for one in mine),
                "planned": len(study.methods) * (1 + len(study.metrics)),
            }
        )
    return rows


def _described(model: Model, spec: ModelSpec) -> dict[str, Any]:
    return {
        "name": model.name,
        "source": spec.source or _origin(spec),
        "languages": spec.train.languages if spec.train else [],
        "fingerprint": model.fingerprint,
        "parameters": sum(one.numel() for one in model.hf.parameters()),
    }


def _origin(spec: ModelSpec) -> str:
    made = spec.train
    if made is None:
        return ""
    return f"trained here from {made.base or f'scratch ({made.architecture}, {made.layers} layers of {made.width})'}"


def _name(study: Study, block: Block) -> str:
    many = bool(block.model.train) and len(study.seeds) > 1
    return f"{block.model.name}/{block.seed}" if many else block.model.name


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"
