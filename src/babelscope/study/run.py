"""The loop that fills the store: for each analysis, for each cell that the store lacks, compute
it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch

from babelscope.analyses import ANALYSES
from babelscope.analyses.block import (
    FAULTS,
    Block,
    Group,
    Progress,
    Resources,
    failed_place,
    failure,
)
from babelscope.data.examples import examples
from babelscope.model.load import Model
from babelscope.model.scopes import quiet
from babelscope.model.tokenizers import load_tokenizer
from babelscope.store import (
    Cell,
    Store,
    fail,
    failures,
    forget_failures,
    has,
    key,
    open_store,
    put,
    write_study,
)
from babelscope.study.config import Study, read_study
from babelscope.study.describe import describe_model, describe_study
from babelscope.study.grid import blocks, planned
from babelscope.training.cache import cache_folder
from babelscope.training.models import obtain, started
from babelscope.types import Failure
from babelscope.workers import as_completed, check


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told about a run: `stage` what it does now and how many cells are done of how many,
    `steps` how far the present step is."""

    stage: Callable[[str, int, int], None] = lambda name, done, total: None
    steps: Progress | None = None


UNWATCHED = Watch()


@dataclass(slots=True)
class Tally:
    """What has come of a block: the keys of its cells in the store, and how many of them
    are new.
    """

    keys: list[str] = field(default_factory=list)
    filled: int = 0
    models: list[dict[str, Any]] = field(default_factory=list)
    """The models as the report reads them, those that could be loaded."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did: cells filled now, found filled, and failed."""

    store: Path
    filled: int
    found: int
    failed: tuple[Failure, ...]


def run(
    study: Study | str | Path,
    store: str | Path,
    *,
    watch: Watch = UNWATCHED,
    workers: int = 1,
    where: str = "local",
) -> Outcome:
    """Fills a store with a study's cells. What exists is not computed again; failures are recorded.

    With several `workers` each takes the next block of the grid until none is left, in processes of
    this machine or, with `where="ray"`, on a Ray cluster whose machines see the store and the cache
    under the same paths.

    *Laws*: killed and run again, the store ends as that of an uninterrupted run, file by file; a
    failed cell does not stop the others and is tried again by the next run; the number of workers
    changes no file (of models wider than 128, as far as the number of threads that each has does
    not change the last digits).
    """
    study = study if isinstance(study, Study) else read_study(study)
    check(workers, where)
    opened = open_store(store)
    forget_failures(opened)
    grid = blocks(study)
    tallies = _fill_all(study, opened, grid, watch, workers, where)
    keys = {name for tally in tallies for name in tally.keys}
    models = [row for tally in tallies for row in tally.models]
    write_study(opened, describe_study(study, models, keys))
    filled = sum(tally.filled for tally in tallies)
    known = sum(len(set(tally.keys)) for tally in tallies)
    return Outcome(opened.path, filled, known - filled, tuple(failures(opened)))


def _fill_all(
    study: Study, store: Store, grid: Sequence[Block], watch: Watch, workers: int, where: str
) -> list[Tally]:
    total, done = sum(len(planned(study, block)) for block in grid), 0
    tallies: dict[int, Tally] = {}
    if workers == 1 and where == "local":
        for number, block in enumerate(grid):
            watch.stage(_stage(block), done, total)
            tallies[number] = fill_block(study, store, block, watch)
            done += len(planned(study, block))
    else:
        order = _taking_turns(grid)
        resolved = Store(store.path.resolve())  # a worker may run in another folder
        threads = max(1, torch.get_num_threads() // workers) if where == "local" else 0
        jobs = [_Job(study, resolved, grid[number], threads) for number in order]
        known = {"BABELSCOPE_CACHE": str(cache_folder().resolve())}
        watch.stage(f"{workers} workers", 0, total)
        for at, tally in as_completed(_work, jobs, workers=workers, where=where, environment=known):
            tallies[order[at]] = tally
            done += len(planned(study, grid[order[at]]))
            watch.stage(f"{workers} workers · {grid[order[at]].name} done", done, total)
    watch.stage("done", total, total)
    return [tallies[number] for number in range(len(grid))]


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker is given."""

    study: Study
    store: Store
    block: Block
    threads: int
    """Its share of this machine's threads; 0: as many as it has."""


def _work(job: _Job) -> Tally:
    if job.threads:
        torch.set_num_threads(job.threads)
    with quiet():
        return fill_block(job.study, job.store, job.block, UNWATCHED)


def _taking_turns(grid: Sequence[Block]) -> list[int]:
    """The positions of the blocks, models taking turns: blocks of one model may wait for the same
    base to be trained."""
    seen: Counter[str] = Counter()
    turn = {}
    for number, block in enumerate(grid):
        turn[number] = seen[block.model.name]
        seen[block.model.name] += 1
    return sorted(turn, key=lambda number: (turn[number], number))


def fill_block(study: Study, store: Store, block: Block, watch: Watch = UNWATCHED) -> Tally:
    """Every analysis of the study on one block; what fails is recorded and the next one tried."""
    tally = Tally()
    resources = _resources(store, block, tally, watch.steps)
    for name, spec in study.analyses.items():
        try:
            for group in ANALYSES[name].cells(block, spec, resources):
                if isinstance(group, Failure):
                    fail(store, group)
                else:
                    fill(store, group, tally)
        except FAULTS as error:
            fail(store, failure(failed_place(block, name), error))
    return tally


def fill(store: Store, group: Group, tally: Tally) -> None:
    """Computes the cells of a group that the store lacks, and stores them together."""
    computed = []
    for cell in group:
        try:
            if not has(store, key(cell.identity)):
                rows = cell.compute()
                computed.append(Cell(cell.identity, cell.kind, rows, asdict(cell.place)))
        except FAULTS as error:
            fail(store, failure(cell.identity, error))
        else:
            tally.keys.append(key(cell.identity))
    put(store, computed)
    tally.filled += len(computed)


def _resources(store: Store, block: Block, tally: Tally, progress: Progress | None) -> Resources:
    """Models and examples of a block, each loaded once; a model that cannot be had is
    tried once.
    """
    loaded: dict[str, Model | Exception] = {}

    def model(lang: str) -> Model:
        apart = block.model.train is not None and block.model.train.separately
        place = lang if apart else ""
        if place not in loaded:
            try:
                name, data = block.name, block.task.data
                made = obtain(block.model, data, block.seed, lang, name=name, progress=progress)
                tally.models.append(describe_model(made, block))
                loaded[place] = made
            except FAULTS as error:
                loaded[place] = error
        found = loaded[place]
        if isinstance(found, Exception):
            raise found
        return found

    def base() -> str:
        train = block.model.train
        if train is None or train.base is None:
            raise ValueError(f"model {block.model.name!r} has no 'train' with a 'base'")
        return started(train, progress)

    def tokenizer(lang: str) -> Any:
        if loaded or block.model.source is None:
            return model(lang).tokenizer
        return load_tokenizer(block.model.source, revision=block.model.revision)

    read = cache(lambda lang: examples(block.task.data, lang))
    return Resources(store, model, read, base, cache(tokenizer), progress)


def _stage(block: Block) -> str:
    return f"{block.name} · {block.task.name} · {', '.join(block.languages)}"
