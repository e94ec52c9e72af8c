"""The loop that fills the store: every block of the grid, in this process or in several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from babelscope.analyses.block import Block, Progress, failed_place, failure
from babelscope.analyses.stored import stored_skipped
from babelscope.display.numbers import items
from babelscope.errors import StoreError, WorkerLost
from babelscope.hub import MIRROR, mirror
from babelscope.model.scopes import quiet
from babelscope.store import (
    Store,
    cell_names,
    claims,
    fail,
    forget_failures,
    has,
    intact_cells,
    key,
    open_store,
    place_row,
    put,
    read_study,
    write_study,
)
from babelscope.study.config import Study, as_study
from babelscope.study.describe import describe_study
from babelscope.study.fill import Tally, fill_block
from babelscope.study.grid import blocks, planned
from babelscope.study.skipping import SKIPPED, skipped_cells
from babelscope.training.cache import cache_folder
from babelscope.types import Failure, SkippedRow
from babelscope.workers import as_completed, check


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told about a run: `stage` what it does now and how many cells are done of how many,
    `steps` how far the present step is."""

    stage: Callable[[str, int, int], None] = lambda name, done, total: None
    steps: Progress | None = None


UNWATCHED = Watch()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did, as numbers of cells."""

    store: Path
    filled: int
    """Computed by this run."""
    found: int
    """In the store when this run began."""
    failed: tuple[Failure, ...]
    """Not computed, with the reason."""
    others: int = 0
    """Computed by other runs on the same store in the meantime."""
    damaged: tuple[str, ...] = ()
    """Cells that the store had lost and that were computed again, each with the reason."""
    skipped: tuple[SkippedRow, ...] = ()
    """Rows of the data that were left out, with the reason."""

    def __repr__(self) -> str:
        filled = items(self.filled, "cell")
        counts = f"{filled} filled, {self.found} found, {len(self.failed)} failed"
        return f"<Outcome {self.store}: {counts}>"

    def _repr_html_(self) -> str:
        from babelscope.display.cards import card

        facts = {
            "filled": self.filled, "found": self.found, "failed": len(self.failed),
            "first reason": self.failed[0].reason if self.failed else None,
            "rows skipped": len(self.skipped) or None,
        }  # fmt: skip
        return str(card(f"Run into {self.store}", facts))


def run(
    study: Study | Mapping[str, Any] | str | Path,
    store: str | Path,
    *,
    watch: Watch = UNWATCHED,
    workers: int = 1,
    where: str = "local",
    gpus_per_worker: float | None = None,
) -> Outcome:
    """Fills a store with a study's cells. What exists is not computed again; failures are recorded.

    `study` is a study, the values of one as in a file (whose `rows` may then be a table), or the
    path of a file. With several `workers` each takes the next block of the grid until none is left,
    in processes of this machine or, with `where="ray"`, on a Ray cluster whose machines see the
    store and the cache under the same paths; there each requests `gpus_per_worker` GPUs, by default
    one if the cluster has any.

    *Laws*: killed and run again, the store ends as that of an uninterrupted run, file by file; so
    does a store that two runs fill at the same time, and one that was damaged; a failed cell does
    not stop the others and is tried again by the next run; the number of workers changes no file
    (of models wider than 128, as far as the number of threads that each has does not change the
    last digits); a row that is skipped changes no number of another one. The seconds of `costs` are
    excepted: they are measured once and then stored.
    """
    study = as_study(study)
    check(workers, where, gpus_per_worker)
    bad = skipped_cells(study)
    opened = open_store(store)
    start = _Start(frozenset(cell_names(opened)), _expected(opened))
    if not claims(opened.path):  # the failures of a run that is under way are its own
        forget_failures(opened)
    skipped = [key(cell.identity) for cell in bad]
    write_study(opened, describe_study(study, [], skipped))
    put(opened, [cell for cell in bad if not has(opened, key(cell.identity))])
    completed: dict[int, Tally] = {}
    for number, tally in _fill_all(
        study, opened, start, watch, _Workers(workers, where, gpus_per_worker)
    ):
        completed[number] = tally
        write_study(opened, describe_study(study, _models(completed), skipped))
    tallies = completed.values()
    keys = {name for tally in tallies for name in (*tally.keys, *tally.skipped)}
    description = describe_study(study, _models(completed), skipped, keys | set(skipped))
    write_study(opened, description)
    outcome = _outcome(opened, [completed[number] for number in sorted(completed)], start)
    return replace(outcome, skipped=tuple(stored_skipped(opened, description)))


def _models(tallies: Mapping[int, Tally]) -> list[dict[str, Any]]:
    """The models of the completed blocks, in the order of the grid."""
    return [row for number in sorted(tallies) for row in tallies[number].models]


@dataclass(frozen=True, slots=True)
class _Workers:
    """How many workers there are, where, and how many GPUs each requests."""

    number: int
    where: str
    gpus: float | None


@dataclass(frozen=True, slots=True)
class _Start:
    """The store when a run began."""

    cells: frozenset[str]
    """The keys of the cells that it held."""
    expected: frozenset[str]
    """The keys of those that it held when a run was last finished."""


def _expected(store: Store) -> frozenset[str]:
    """The cells that the store held when a run was last finished."""
    try:
        return frozenset(read_study(store).get("keys", ()))
    except StoreError:
        return frozenset()


def _outcome(store: Store, tallies: Sequence[Tally], start: _Start) -> Outcome:
    keys = {name for tally in tallies for name in tally.keys}
    filled = {name for tally in tallies for name in tally.filled}
    failed = {key(record.cell): record for tally in tallies for record in tally.failed}
    return Outcome(
        store.path,
        filled=len(filled),
        found=len((keys - filled) & start.cells),
        failed=tuple(failed[name] for name in sorted(failed.keys() - keys)),
        others=len(keys - filled - start.cells),
        damaged=tuple(line for tally in tallies for line in tally.damaged),
    )


def _fill_all(
    study: Study,
    store: Store,
    start: _Start,
    watch: Watch,
    pool: _Workers,
) -> Iterator[tuple[int, Tally]]:
    """The number of every block and its tally, as they are completed."""
    grid = blocks(study)
    sizes = [len(planned(study, block)) for block in grid]
    total, done = sum(sizes), 0
    if pool.number == 1 and pool.where == "local":
        before: dict[int, Tally] = {}
        for number, patient in _twice(len(grid), before):
            watch.stage(_stage(grid[number]), done, total)
            tally = fill_block(
                study, store, grid[number], expected=start.expected, progress=watch.steps,
                patient=patient,
            )  # fmt: skip
            if tally.put_off:
                before[number] = tally
                continue
            yield number, _with_earlier(tally, before.get(number))
            done += sizes[number]
    else:
        watch.stage(f"{pool.number} workers", 0, total)
        for number, tally in _in_workers(study, store, start, pool):
            yield number, tally
            done += sizes[number]
            watch.stage(f"{pool.number} workers · {grid[number].name} done", done, total)
    watch.stage("done", total, total)


def _twice(count: int, put_off: Mapping[int, Tally]) -> Iterator[tuple[int, bool]]:
    """Every block without waiting for other runs of the study, then those that were put off, with
    patience: runs on one store share the blocks.
    """
    for number in range(count):
        yield number, False
    for number in list(put_off):
        yield number, True


def _with_earlier(tally: Tally, earlier: Tally | None) -> Tally:
    """The tally with what was computed before the block was put off."""
    if earlier is None:
        return tally
    return replace(
        tally, filled=[*earlier.filled, *tally.filled], damaged=[*earlier.damaged, *tally.damaged]
    )


def _in_workers(
    study: Study, store: Store, start: _Start, pool: _Workers
) -> Iterator[tuple[int, Tally]]:
    """The same from several processes; the blocks that a killed worker leaves undone fail."""
    grid = blocks(study)
    order = _taking_turns(grid)
    resolved = Store(store.path.resolve())  # a worker may run in another folder
    threads = max(1, torch.get_num_threads() // pool.number) if pool.where == "local" else 0
    jobs = [_Job(study, resolved, grid[number], start.expected, threads) for number in order]
    known = {"BABELSCOPE_CACHE": str(cache_folder().resolve())}
    if (folder := mirror()) is not None:
        known[MIRROR] = str(folder.resolve())
    undone = dict.fromkeys(order)
    try:
        for at, tally in as_completed(
            _work, jobs, workers=pool.number, where=pool.where, environment=known,
            gpus_per_worker=pool.gpus,
        ):  # fmt: skip
            del undone[order[at]]
            yield order[at], tally
    except WorkerLost as error:
        for number in undone:
            yield number, _lost(study, store, grid[number], start, error)


def _lost(study: Study, store: Store, block: Block, start: _Start, error: WorkerLost) -> Tally:
    """What a killed worker has done of a block, and the failure of the rest."""
    places = {place_row(asdict(place)) for place in planned(study, block)}
    manifests = {key(manifest["identity"]): manifest for manifest in intact_cells(store)}
    here = {
        name: manifest["kind"]
        for name, manifest in manifests.items()
        if place_row(manifest.get("place") or {}) in places
    }
    keys = [name for name, kind in here.items() if kind != SKIPPED]
    skipped = [name for name, kind in here.items() if kind == SKIPPED]
    filled = [name for name in keys if name not in start.cells]
    tally = Tally(keys=keys, filled=filled, skipped=skipped)
    if len(keys) < len(places):
        record = failure(failed_place(block, ", ".join(study.analyses)), error)
        fail(store, record)
        tally.failed.append(record)
    return tally


@dataclass(frozen=True, slots=True)
class _Job:
    """What a worker is given."""

    study: Study
    store: Store
    block: Block
    expected: frozenset[str]
    threads: int
    """Its share of this machine's threads; 0: as many as it has."""


def _work(job: _Job) -> Tally:
    if job.threads:
        torch.set_num_threads(job.threads)
    with quiet():
        return fill_block(job.study, job.store, job.block, expected=job.expected)


def _taking_turns(grid: Sequence[Block]) -> list[int]:
    """The positions of the blocks, models taking turns: blocks of one model may wait for the same
    base to be trained."""
    seen: Counter[str] = Counter()
    turn = {}
    for number, block in enumerate(grid):
        turn[number] = seen[block.model.name]
        seen[block.model.name] += 1
    return sorted(turn, key=lambda number: (turn[number], number))


def _stage(block: Block) -> str:
    return f"{block.name} · {block.task.name} · {', '.join(block.languages)}"
