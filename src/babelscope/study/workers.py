"""Independent pieces of work: one after the other, in several processes of this machine, or on a Ray cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

import joblib
import torch

from babelscope.errors import InputError
from babelscope.training.cache import cache_folder

Given = TypeVar("Given")
Made = TypeVar("Made")
Spread = Callable[[Callable[[Given], Made], Sequence[Given], int], Iterator[tuple[int, Made]]]


def spread(
    work: Callable[[Given], Made], pieces: Sequence[Given], workers: int = 1, where: str = "local"
) -> Iterator[tuple[int, Made]]:
    """The place and the result of every piece, as they are done, so many at a time.

    *Laws*: the results do not depend on `workers` and `where`; a piece that raises ends the whole.
    """
    check(workers, where)
    return PLACES[where](work, pieces, workers)


def check(workers: int, where: str) -> None:
    """Refuses what cannot be, before anything is loaded."""
    if where not in PLACES:
        raise InputError(f"work cannot run on {where!r}; choose one of: {', '.join(PLACES)}")
    if workers < 1:
        raise InputError(f"{workers} workers were asked for; at least 1 is needed")
    if where == "ray":
        _ray()


def _local(work: Callable[[Given], Made], pieces: Sequence[Given], workers: int) -> Iterator[tuple[int, Made]]:
    """Each process has its share of this machine's threads, so that together they have as many as one alone would."""
    threads = max(1, torch.get_num_threads() // workers)
    with joblib.parallel_config(backend="loky"):
        many = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, pre_dispatch=workers)
        yield from many(joblib.delayed(_one)(work, place, piece, threads) for place, piece in enumerate(pieces))


def _on_ray(work: Callable[[Given], Made], pieces: Sequence[Given], workers: int) -> Iterator[tuple[int, Made]]:
    """On the cluster that $RAY_ADDRESS names, or on one started here; a piece has a GPU to itself where there are any."""
    ray = _ray()
    known = {"BABELSCOPE_CACHE": str(cache_folder().resolve())}
    ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level="ERROR", runtime_env={"env_vars": known})
    resources = {"num_cpus": 1, "num_gpus": 1 if ray.cluster_resources().get("GPU") else 0}
    task = ray.remote(**resources)(_one)
    waiting = list(enumerate(pieces))[::-1]
    running: list[Any] = []
    while waiting or running:
        while waiting and len(running) < workers:
            place, piece = waiting.pop()
            running.append(task.remote(work, place, piece, 0))
        done, running = ray.wait(running)
        yield from ray.get(done)


PLACES: dict[str, Spread[Any, Any]] = {"local": _local, "ray": _on_ray}


def _one(work: Callable[[Given], Made], place: int, piece: Given, threads: int) -> tuple[int, Made]:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if threads:
        torch.set_num_threads(threads)
    return place, work(piece)


def _ray() -> Any:
    try:
        return import_module("ray")
    except ImportError as error:
        raise InputError("work on a Ray cluster needs Ray: pip install 'babelscope[ray]'") from error
