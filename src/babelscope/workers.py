"""Independent pieces of work: in this process, in several processes of this machine, or on a Ray
cluster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from importlib import import_module
from typing import Any, TypeVar

import joblib

from babelscope.errors import InputError, WorkerLost

Item = TypeVar("Item")
Result = TypeVar("Result")
Numbered = Iterator[tuple[int, Result]]

BACKENDS = ("local", "ray")


def in_order(
    work: Callable[[Item], Result], items: Sequence[Item], *, workers: int = 1, where: str = "local"
) -> Iterator[Result]:
    """`map(work, items)` with several workers.

    *Laws*: those of `as_completed`; the results come in the order of the items.
    """
    early: dict[int, Result] = {}
    due = 0
    for number, result in as_completed(work, items, workers=workers, where=where):
        early[number] = result
        while due in early:
            yield early.pop(due)
            due += 1


def as_completed(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    workers: int = 1,
    where: str = "local",
    environment: Mapping[str, str] | None = None,
    gpus_per_worker: float | None = None,
) -> Numbered[Result]:
    """The number of every item and its result, as they are completed, so many at a time.

    `environment` are variables that workers on other machines need; `gpus_per_worker` is what each
    requests of a Ray cluster (see `resources`).

    *Laws*: the results do not depend on `workers` and `where`; every item has exactly one result;
    an item that raises ends the whole with its error; a local worker that is killed ends it with
    WorkerLost; one local worker is this process.
    """
    check(workers, where, gpus_per_worker)
    if where == "ray":
        return _on_ray(work, items, workers, dict(environment or {}), gpus_per_worker)
    return _local(work, items, workers)


def check(workers: int, where: str, gpus_per_worker: float | None = None) -> None:
    """Refuses workers that cannot be had, before anything is loaded."""
    if where not in BACKENDS:
        raise InputError(f"work cannot run on {where!r}; choose one of: {', '.join(BACKENDS)}")
    if workers < 1:
        raise InputError(f"{workers} workers were requested; at least 1 is needed")
    if gpus_per_worker is not None:
        _check_gpus(gpus_per_worker, where)
    if where == "ray":
        _ray()


def _check_gpus(gpus: float, where: str) -> None:
    if where != "ray":
        raise InputError(
            f"{gpus:g} GPUs per worker were requested of {where!r} workers, which share the first "
            "GPU; GPUs are assigned on a Ray cluster only"
        )
    if not (0 <= gpus <= 1 or (gpus > 1 and float(gpus).is_integer())):
        raise InputError(
            f"{gpus:g} GPUs per worker were requested; choose a share from 0 to 1 or a whole number"
        )


def resources(gpus_per_worker: float | None, available: float) -> dict[str, float]:
    """What an item requests of a Ray cluster whose largest node has so many GPUs: by default one if
    there are any. A request that no node can meet would wait for ever: it is refused."""
    if gpus_per_worker is None:
        return {"num_cpus": 1, "num_gpus": 1 if available else 0}
    if gpus_per_worker > available:
        raise InputError(
            f"{gpus_per_worker:g} GPUs per worker were requested; the largest node of "
            f"the Ray cluster has {available:g}: add a larger one or request fewer"
        )
    return {"num_cpus": 1, "num_gpus": gpus_per_worker}


def _local(work: Callable[[Item], Result], items: Sequence[Item], workers: int) -> Numbered[Result]:
    if workers == 1:
        yield from ((number, work(item)) for number, item in enumerate(items))
        return
    with joblib.parallel_config(backend="loky"):
        pool = joblib.Parallel(
            n_jobs=workers, return_as="generator_unordered", batch_size=1, pre_dispatch=workers
        )
        jobs = (joblib.delayed(_run)(work, number, item) for number, item in enumerate(items))
        try:
            yield from pool(jobs)
        except BrokenExecutor:
            raise WorkerLost(
                "a worker process was killed, perhaps for lack of memory; run the same command "
                "again to resume, with fewer workers if it happens again"
            ) from None


def _on_ray(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    environment: dict[str, str],
    gpus_per_worker: float | None,
) -> Numbered[Result]:
    """On the cluster that $RAY_ADDRESS names, or on one started here."""
    ray = _ray()
    ray.init(
        ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR",
        runtime_env={"env_vars": environment},
    )  # fmt: skip
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    available = max((node.get("GPU", 0) for node in nodes), default=0)
    task = ray.remote(**resources(gpus_per_worker, available))(_run)
    waiting = list(enumerate(items))[::-1]
    running: list[Any] = []
    while waiting or running:
        while waiting and len(running) < workers:
            number, item = waiting.pop()
            running.append(task.remote(work, number, item))
        done, running = ray.wait(running)
        try:
            yield from ray.get(done)
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as error:
            raise WorkerLost(
                f"a worker on the Ray cluster was lost again and again ({type(error).__name__}), "
                "perhaps for lack of memory; run the same command again to resume"
            ) from None


def _run(work: Callable[[Item], Result], number: int, item: Item) -> tuple[int, Result]:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    return number, work(item)


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise InputError(
            "work on a Ray cluster needs Ray: pip install 'babelscope[ray]'"
        ) from error
