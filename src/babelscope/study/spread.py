"""Independent pieces of work, here one after the other, in several processes, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

import joblib
import torch

from babelscope.errors import InputError

Given = TypeVar("Given")
Made = TypeVar("Made")
BACKENDS = {
    "local": "loky",
    "ray": "ray",
}
"""Where pieces run -> joblib's name for it: processes of this machine, or a Ray cluster (the extra babelscope[ray])."""


def spread(
    work: Callable[[Given], Made], pieces: Sequence[Given], workers: int = 1, where: str = "local"
) -> Iterator[tuple[int, Made]]:
    """The place and the result of every piece, as they are done.

    Each process has its share of this machine's threads, so that together they have as many as one alone would.

    *Laws*: the pieces' results do not depend on `workers`; a piece that raises ends the whole.
    """
    check(workers, where)
    if workers == 1 and where == "local":
        yield from ((place, work(piece)) for place, piece in enumerate(pieces))
        return
    threads = max(1, torch.get_num_threads() // workers) if where == "local" else 0
    with _backend(where):
        many = joblib.Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, pre_dispatch=workers)
        yield from many(joblib.delayed(_one)(work, place, piece, threads) for place, piece in enumerate(pieces))


def check(workers: int, where: str) -> None:
    """Refuses what cannot be, before anything is loaded."""
    if where not in BACKENDS:
        raise InputError(f"work cannot run on {where!r}; choose one of: {', '.join(BACKENDS)}")
    if workers < 1:
        raise InputError(f"{workers} workers were asked for; at least 1 is needed")
    if where == "ray":
        _ray()


def _one(work: Callable[[Given], Made], place: int, piece: Given, threads: int) -> tuple[int, Made]:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    if threads:
        torch.set_num_threads(threads)
    return place, work(piece)


def _backend(where: str) -> Any:
    if where == "ray":
        _ray().register_ray()
    return joblib.parallel_config(backend=BACKENDS[where])


def _ray() -> Any:
    try:
        return import_module("ray.util.joblib")
    except ImportError as error:
        raise InputError("work on a Ray cluster needs Ray: pip install 'babelscope[ray]'") from error
