"""Workers: the same results whatever their number, in order or as they are completed."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from babelscope.errors import InputError, WorkerLost
from babelscope.workers import as_completed, check, in_order, resources


def work(item: int) -> tuple[int, int]:
    time.sleep(0.05)
    return item * item, os.getpid()


def fail(item: int) -> int:
    if item == 3:
        raise InputError("item 3 is bad")
    return item


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_workers_changes_no_result(workers: int) -> None:
    items = list(range(7))
    ordered = [square for square, _ in in_order(work, items, workers=workers)]
    assert ordered == [0, 1, 4, 9, 16, 25, 36]
    completed = [
        (number, square) for number, (square, _) in as_completed(work, items, workers=workers)
    ]
    assert sorted(completed) == list(enumerate(ordered))
    assert list(in_order(work, [], workers=workers)) == []


def test_one_worker_is_this_process_and_several_are_not() -> None:
    assert {process for _, process in in_order(work, range(3))} == {os.getpid()}
    assert os.getpid() not in {process for _, process in in_order(work, range(4), workers=2)}


def wait_for_the_other(item: tuple[Path, str]) -> str:
    """The one that waits ends when there is a file; the others end at once, one has written it."""
    file, role = item
    if role == "writes":
        file.touch()
    late = time.monotonic() + 300
    while role == "waits" and not file.exists():
        assert time.monotonic() < late, "both are at work at the same time"
        time.sleep(0.01)
    return role


def test_results_come_as_they_are_completed(tmp_path: Path) -> None:
    items = [(tmp_path / "a", "waits"), (tmp_path / "a", "awaited")]
    completed = as_completed(wait_for_the_other, items, workers=2)
    assert next(completed) == (1, "awaited")
    (tmp_path / "a").touch()  # only now can the first one end
    assert list(completed) == [(0, "waits")]


def test_results_in_order_wait_for_a_late_one(tmp_path: Path) -> None:
    items = [(tmp_path / "a", "waits"), (tmp_path / "a", "writes")]
    assert list(in_order(wait_for_the_other, items, workers=2)) == ["waits", "writes"]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_item_that_raises_ends_the_whole(workers: int) -> None:
    with pytest.raises(InputError, match="item 3 is bad"):
        list(in_order(fail, range(6), workers=workers))


def test_what_cannot_be_is_refused_in_one_line() -> None:
    with pytest.raises(InputError, match="0 workers were requested; at least 1"):
        check(0, "local")
    with pytest.raises(InputError, match="cannot run on 'slurm'; choose one of: local, ray"):
        list(in_order(work, [1], where="slurm"))


def end(item: int) -> int:
    if item == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_a_killed_worker_is_one_line() -> None:
    with pytest.raises(WorkerLost, match="a worker process was killed, perhaps for lack of memory"):
        list(as_completed(end, range(3), workers=2))
    assert list(in_order(fail, range(3), workers=2)) == [0, 1, 2], "the next ones work"


@pytest.mark.parametrize(
    ("gpus", "available", "requested"),
    [(None, 0, 0), (None, 4, 1), (0, 4, 0), (0.5, 1, 0.5), (2, 4, 2)],
)
def test_gpus_that_a_worker_requests(gpus: float | None, available: int, requested: float) -> None:
    assert resources(gpus, available) == {"num_cpus": 1, "num_gpus": requested}


def test_gpus_that_cannot_be_had_are_refused() -> None:
    with pytest.raises(InputError, match="largest node of the Ray cluster has 1: add a larger one"):
        resources(2, 1)
    with pytest.raises(InputError, match="1 GPUs per worker were requested of 'local' workers"):
        check(1, "local", 1)
    for gpus in (-1, 1.5, float("nan"), float("inf")):
        with pytest.raises(InputError, match="choose a share from 0 to 1 or a whole number"):
            check(1, "ray", gpus)
