"""The loop that fills the store: explain once, measure from the store, skip what exists, record what fails."""

from __future__ import annotations

import importlib.metadata
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any

from babelscope.analyses.consistency import cells
from babelscope.analyses.consistency.translations import for_classes
from babelscope.analyses.trust.panel import trust
from babelscope.data.examples import examples
from babelscope.data.segmentation import segmenter
from babelscope.data.spec import (
    TaskSpec,
)
from babelscope.errors import BabelscopeError, Undefined
from babelscope.methods import METHODS
from babelscope.methods.explain import explain
from babelscope.metrics import METRICS
from babelscope.metrics.measure import measure
from babelscope.model.inference_state import Progress
from babelscope.model.load import Model, quiet
from babelscope.options import (
    Choice,
    settle,
)
from babelscope.store import (
    SCHEME,
    Cell,
    Store,
    fail,
    failures,
    forget_failures,
    has,
    key,
    open_store,
    put,
    read_attributions,
    write_study,
)
from babelscope.study.config import (
    Study,
    read_study,
)
from babelscope.study.grid import Block, blocks, languages, name_of, planned, seeds_of
from babelscope.study.workers import check, spread
from babelscope.training import models
from babelscope.training.finetune import fingerprint
from babelscope.training.spec import (
    ModelSpec,
)
from babelscope.types import Aim, Attribution, Example, Failure

VERSIONS = ("babelscope", "torch", "transformers", "tokenizers", "numpy")


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told about a run: `stage` what it does now and how many blocks are done of how many, `steps` how far it is."""

    stage: Callable[[str, int, int], None] = lambda name, done, total: None
    steps: Progress | None = None


UNWATCHED = Watch()

FAULTS = (BabelscopeError, RuntimeError, OSError, ValueError)
"""What makes a cell fail without stopping the others."""


@dataclass(slots=True)
class Tally:
    """What blocks of one model have come to: the keys of their cells that are in the store, how many of them are new."""

    keys: list[str] = field(default_factory=list)
    filled: int = 0
    explained: dict[tuple[int, int], dict[str, str]] = field(default_factory=dict)
    """The key of each language's explanations, by method's place and seed."""
    model: dict[str, Any] | None = None
    """The model as the report reads it, if it could be had."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: cells filled now, found filled, and failed."""

    store: Path
    filled: int
    found: int
    failed: tuple[Failure, ...]


def run(
    study: Study | str | Path, store: str | Path, *, watch: Watch = UNWATCHED, workers: int = 1, where: str = "local"
) -> Outcome:
    """Fills a store with a study's cells. What exists is not computed again; what fails is recorded and left behind.

    With several `workers` each takes the next model of the grid until none is left, in processes of this machine or, with
    `where="ray"`, on a Ray cluster whose machines see the store and the cache under the same paths.

    *Laws*: killed and run again, the store ends as that of an uninterrupted run, file by file; a failed cell does not
    stop the others and is tried again by the next run; the number of workers changes no file (of models wider than 128, as
    far as the number of threads that each has does not change the last digits).
    """
    asked = study if isinstance(study, Study) else read_study(study)
    check(workers, where)
    place = open_store(store)
    forget_failures(place)
    grid = blocks(asked)
    groups = [list(group) for _, group in groupby(grid, _wanted)]
    tallies: dict[int, Tally] = {}
    if workers == 1 and where == "local":
        for number, group in enumerate(groups):
            tallies[number] = _group(asked, place, group, watch, sum(map(len, groups[:number])), len(grid))
    else:
        order = _taking_turns(groups)
        seen = Store(place.path.resolve())  # a worker may stand in another folder
        jobs = [_Job(asked, seen, tuple(groups[number])) for number in order]
        watch.stage(f"{workers} workers", 0, len(grid))
        for at, tally in spread(_work, jobs, workers, where):
            tallies[order[at]] = tally
            done, last = sum(len(groups[number]) for number in tallies), groups[order[at]][-1]
            watch.stage(f"{workers} workers · {name_of(asked, last)} done", done, len(grid))
    made = [tallies[number] for number in range(len(groups))]
    watch.stage("done", len(grid), len(grid))
    write_study(place, described(asked, made))
    filled = sum(tally.filled for tally in made)
    return Outcome(place.path, filled, sum(len(tally.keys) for tally in made) - filled, tuple(failures(place)))


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker is given: all blocks that share a model."""

    study: Study
    store: Store
    group: tuple[Block, ...]


def _work(job: _Job) -> Tally:
    with quiet():
        return _group(job.study, job.store, job.group, UNWATCHED, 0, len(job.group))


def _taking_turns(groups: Sequence[Sequence[Block]]) -> list[int]:
    """The places of the groups, a model of each kind by turns: those of one kind may wait for the same base to be trained."""
    seen: Counter[str] = Counter()
    turn = {}
    for number, group in enumerate(groups):
        turn[number] = seen[group[0].model.name]
        seen[group[0].model.name] += 1
    return sorted(turn, key=lambda number: (turn[number], number))


def _group(study: Study, store: Store, group: Sequence[Block], watch: Watch, done: int, total: int) -> Tally:
    """Fills the blocks of one model."""
    tally = Tally()
    model: Model | Exception | None = None
    for number, block in enumerate(group):
        watch.stage(f"{name_of(study, block)} · {block.lang}", done + number, total)
        model = model if model is not None else _obtain(study, block, watch)
        try:
            if isinstance(model, Exception):
                raise model
            tally.model = _described(model, block)
            _fill(study, block, model, store, tally, watch)
        except FAULTS as error:
            name = {"model": block.model.model_dump(), "task": block.task.model_dump(), "seed": block.seed, "lang": block.lang}
            fail(store, _failure(name, error))
    if isinstance(model, Model):
        _compare(study, group[-1], model, store, tally)
    return tally


def _wanted(block: Block) -> tuple[str, str, int, str]:
    """What a model is loaded for; blocks that differ in their language only share it, unless each has its own."""
    alone = block.model.train is not None and block.model.train.separately
    return block.model.name, block.task.name, block.seed, block.lang if alone else ""


def _obtain(study: Study, block: Block, watch: Watch) -> Model | Exception:
    """The block's model under its name in the study, or the reason why there is none."""
    try:
        name = name_of(study, block)
        return models.obtain(block.model, block.task.data, block.seed, block.lang, watch.steps, name=name)
    except FAULTS as error:
        return error


def _fill(study: Study, block: Block, model: Model, store: Store, tally: Tally, watch: Watch) -> None:
    """Explains with every method, then measures all explanations together."""
    rows = examples(block.task.data, block.lang)
    task = block.task
    classes, identified = _classes(study, block, model)
    explained: list[str] = []
    for place, choice in enumerate(study.methods):
        for seed in seeds_of(study, block, choice):
            identity = attribution_identity(model, block, rows, choice, seed) | identified
            try:
                if not has(store, key(identity)):
                    made = _explained(model, task, choice, seed, rows, classes, watch)
                    put(store, [Cell(identity, "attributions", [replace(one, task=task.name) for one in made])])
                    tally.filled += 1
            except FAULTS as error:
                fail(store, _failure(identity, error))
            else:
                explained.append(key(identity))
                tally.keys.append(key(identity))
                tally.explained.setdefault((place, seed), {})[block.lang] = key(identity)
    _measure(study, model, store, explained, tally, watch)
    _judge(study, model, store, explained, rows, tally, watch)


def _judge(
    study: Study, model: Model, store: Store, explained: list[str], rows: list[Example], tally: Tally, watch: Watch
) -> None:
    """Trust panels of the first explanations of every method; the block's own labels say how calibrated the model is."""
    labelled = rows if all(row.label is not None for row in rows) else []
    for name in explained if study.trust else ():
        identity = {"kind": "panels", "of": name, "count": study.trust, "scheme": SCHEME}
        try:
            if not has(store, key(identity)):
                found = read_attributions(store, [name])[: study.trust]
                made = [one.stored() for one in trust(model, found, labelled=labelled, progress=watch.steps)]
                put(store, [Cell(identity, "panels", made)])
                tally.filled += 1
        except FAULTS as error:
            fail(store, _failure(identity, error))
        else:
            tally.keys.append(key(identity))


def _explained(
    model: Model,
    task: TaskSpec,
    choice: Choice,
    seed: int,
    rows: list[Example],
    classes: Mapping[str, str | None],
    watch: Watch,
) -> list[Attribution]:
    options = settle(METHODS[choice.name], choice.options)

    def each(some: list[Example], name: str | None) -> Iterable[Attribution]:
        aim = replace(_aim(task), name=name)
        return explain(model, some, choice.name, target=aim, quantity=task.quantity, part=task.part, long=task.long,
                       options=options, seed=seed, progress=watch.steps)  # fmt: skip

    return for_classes(rows, classes, each)


def _classes(study: Study, block: Block, model: Model) -> tuple[dict[str, str | None], dict[str, Any]]:
    """The class that each group is explained for, and what it depends on: with the target "source", the source's text."""
    if block.task.target != "source" or study.consistency is None:
        return {"": block.task.target}, {}
    source = study.consistency.source_of(block.model)
    texts = examples(block.task.data, source)
    if block.lang == source:
        return {"": None}, {}
    return {"": None, **cells.said(model, texts)}, {"source": [source, fingerprint(texts)]}


def _compare(study: Study, block: Block, model: Model, store: Store, tally: Tally) -> None:
    """The consistency of what was explained in all languages of a model, seed and task."""
    if study.consistency is None:
        return
    source, langs = study.consistency.source_of(block.model), languages(study, block.model, block.task)
    for (place, _), keys in tally.explained.items():
        identity = cells.identity(study.consistency, source, keys) if source in keys else {"kind": "measures", "source": source}
        try:
            if set(keys) != set(langs):
                raise Undefined(f"not every language was explained: only {', '.join(keys)}")
            if not has(store, key(identity)):
                choice = study.methods[place]
                texts = {lang: examples(block.task.data, lang) for lang in langs}
                options = settle(METHODS[choice.name], choice.options)
                given = cells.Translated(source, read_attributions(store, keys.values()), texts, choice.name, options)
                made = cells.measures(model, block.task, study.consistency, given)
                put(store, [Cell(identity, "measures", made)])
                tally.filled += 1
            tally.keys.append(key(identity))
        except FAULTS as error:
            fail(store, _failure(identity, error))


def _measure(study: Study, model: Model, store: Store, explained: list[str], tally: Tally, watch: Watch) -> None:
    """The measures that are missing, computed in one go and stored in one go: inputs that several ask for are scored
    once, and a run that was killed in between begins the block again with the same batches."""
    missing: list[Cell] = []
    with model.inference.caching():
        for name in explained:
            for choice in study.metrics:
                options = settle(METRICS[choice.name], choice.options)
                identity = {"kind": "measures", "of": name, "metric": choice.name, "options": options, "scheme": SCHEME}
                try:
                    if not has(store, key(identity)):
                        rows = read_attributions(store, [name])
                        made = measure(model, rows, choice.name, options=options, progress=watch.steps)
                        missing.append(Cell(identity, "measures", list(made)))
                except FAULTS as error:
                    fail(store, _failure(identity, error))
                else:
                    tally.keys.append(key(identity))
    put(store, missing)
    tally.filled += len(missing)


def _failure(cell: Mapping[str, Any], error: Exception) -> Failure:
    return Failure(cell, _reason(error), "".join(traceback.format_exception(error)))


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
        "explained": [block.task.target, block.task.quantity, block.task.part, block.task.long, *_more(block.task)],
        "scheme": SCHEME,
    }


def _aim(task: TaskSpec) -> Aim:
    return Aim(task.target, task.contrast, task.word, task.edge)


def _more(task: TaskSpec) -> list[Any]:
    """What else was asked for; nothing by default, so that cells filled before these options keep their names."""
    return [] if _aim(task) == Aim(task.target) else [task.contrast, task.word, task.edge]


def described(study: Study, tallies: Sequence[Tally]) -> dict[str, Any]:
    """The study as the report reads it: what was asked, and the properties of methods and metrics."""
    found: dict[str, dict[str, Any]] = {}
    for one in (tally.model for tally in tallies if tally.model is not None):
        known = found[one["name"]]["fingerprint"].split(", ") if one["name"] in found else []
        found[one["name"]] = one | {"fingerprint": ", ".join(dict.fromkeys([*known, one["fingerprint"]]))}
    return {
        "name": study.name,
        "description": study.description,
        "task": ", ".join(task.name for task in study.tasks),
        "tasks": [task.model_dump() for task in study.tasks],
        "models": list(found.values()),
        "languages": study.languages,
        "methods": [
            {name: getattr(METHODS[choice.name], name) for name in ("name", "family", "summary", "complete", "signed")}
            for choice in study.methods
        ],
        "metrics": [
            {name: getattr(METRICS[choice.name], name) for name in ("name", "summary", "higher_is_better", "may_be_undefined")}
            | ({"bounds": METRICS[choice.name].bounds} if all(map(isfinite, METRICS[choice.name].bounds)) else {})
            | {"options": settle(METRICS[choice.name], choice.options)}
            for choice in study.metrics
        ] + [{"name": name, "summary": summary} for name, summary in cells.MEASURED.items() if study.consistency],
        "seeds": study.seeds,
        "pairings": [pairing.model_dump() for pairing in study.pairings],
        "examples": study.tasks[0].data.examples,
        "data": study.tasks[0].data.model_dump(),
        "segmenters": {lang: segmenter(lang) for lang in study.languages},
        "versions": {name: importlib.metadata.version(name) for name in VERSIONS},
        "cells": sum(planned(study, block) for block in blocks(study)),
        "keys": sorted(name for tally in tallies for name in tally.keys),
    }  # fmt: skip


def _described(model: Model, block: Block) -> dict[str, Any]:
    """The model as the report reads it; one name may stand for several weights, one per task or language."""
    spec = block.model
    return {
        "name": model.name,
        "spec": spec.name,
        "seed": block.seed,
        "source": spec.source or _origin(spec),
        "languages": spec.train.languages if spec.train else [],
        "fingerprint": model.fingerprint,
        "parameters": sum(one.numel() for one in model.hf.parameters()),
    }


def _origin(spec: ModelSpec) -> str:
    made = spec.train
    if made is None:
        return ""
    base = ", ".join(dict.fromkeys(made.base.values())) if isinstance(made.base, dict) else made.base
    return f"trained here from {base or f'scratch ({made.architecture}, {made.layers} layers of {made.width})'}"


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"
