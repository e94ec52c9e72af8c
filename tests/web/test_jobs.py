"""The queue: bounded, in order, cancelled between batches, and no answer lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from babelscope.errors import InputError
from babelscope.web.jobs import FINISHED, Busy, Job, Jobs, Report
from babelscope.web.limits import Limits


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    queue = Jobs(Limits(waiting=4, seconds=20, kept=0.2, cache=200))
    yield queue
    queue.close()


def finished(job: Job) -> Job:
    end = time.monotonic() + 10
    while job.state not in FINISHED:
        assert time.monotonic() < end
        time.sleep(0.005)
    return job


def endless(report: Report) -> dict[str, Any]:
    while True:
        report(1, 2)
        time.sleep(0.002)


def test_a_job_is_answered_once_and_then_from_the_cache(jobs: Jobs) -> None:
    runs: list[int] = []

    def work(report: Report) -> dict[str, Any]:
        runs.append(1)
        report(3, 3)
        return {"value": float("nan")}

    job = finished(jobs.submit("a", work))
    assert jobs.fetch(job) == b'{"value": null}'  # what is undefined is null, as JSON has no NaN
    assert (job.done, job.total, job.step) == (3, 3, 1)
    assert jobs.submit("a", work).state == "done"
    assert runs == [1]


def test_equal_jobs_that_wait_are_computed_once(jobs: Jobs) -> None:
    runs: list[int] = []
    go = threading.Event()

    def work(report: Report) -> dict[str, Any]:
        go.wait(5)
        runs.append(1)
        return {}

    listed = [jobs.submit("same", work) for _ in range(3)]
    go.set()
    assert [finished(job).state for job in listed] == ["done"] * 3
    assert len(runs) == 1


def test_a_full_queue_refuses_and_unfetched_answers_count(jobs: Jobs) -> None:
    listed = [jobs.submit(str(number), lambda report: {"a": 1}) for number in range(4)]
    for job in listed:
        finished(job)
    with pytest.raises(Busy, match="4 requests are waiting"):
        jobs.submit("fifth", lambda report: {})
    jobs.fetch(listed[0])  # makes room for one
    jobs.submit("fifth", lambda report: {})
    with pytest.raises(Busy):
        jobs.submit("sixth", lambda report: {})
    time.sleep(0.3)  # answers that nobody fetched in time are dropped
    assert jobs.submit("sixth", lambda report: {}).state in ("waiting", "running", "done")


def test_a_running_and_a_waiting_job_are_cancelled(jobs: Jobs) -> None:
    running, waiting = jobs.submit("a", endless), jobs.submit("b", endless)
    while running.state != "running":
        time.sleep(0.002)
    assert jobs.cancel(waiting.id)
    assert waiting.state == "cancelled"
    assert jobs.cancel(running.id)
    assert finished(running).state == "cancelled"
    assert not jobs.cancel("nothing")
    assert finished(jobs.submit("c", lambda report: {"next": 1})).state == "done"


def test_a_job_that_takes_too_long_is_ended_in_one_line() -> None:
    queue = Jobs(Limits(seconds=0.05))
    job = finished(queue.submit("a", endless))
    queue.close()
    assert job.state == "failed"
    assert "longer than 0.05 seconds" in job.error


def test_an_error_is_one_line_and_the_worker_goes_on(jobs: Jobs) -> None:
    def bad(report: Report) -> dict[str, Any]:
        raise InputError("a text\nin two lines")

    def broken(report: Report) -> dict[str, Any]:
        raise ZeroDivisionError("by nothing")

    assert finished(jobs.submit("a", bad)).error == "a text in two lines"
    assert "ZeroDivisionError: by nothing" in finished(jobs.submit("b", broken)).error
    assert finished(jobs.submit("c", lambda report: {})).state == "done"


def test_predictions_go_first(jobs: Jobs) -> None:
    order: list[str] = []
    go = threading.Event()

    def named(name: str) -> Any:
        return lambda report: order.append(name) or {}

    first = jobs.submit("gate", lambda report: {"open": go.wait(5)})
    while first.state != "running":
        time.sleep(0.002)
    later, sooner = jobs.submit("slow", named("slow")), jobs.submit("p", named("p"), first=True)
    go.set()
    finished(later)
    finished(sooner)
    assert order == ["p", "slow"]


def test_the_cache_is_bounded(jobs: Jobs) -> None:
    # Each answer is 63 bytes, {"a": "x * 54"}, and 200 bytes hold three of them.
    for number in range(6):
        jobs.fetch(finished(jobs.submit(str(number), lambda report: {"a": "x" * 54})))
    for number in (5, 4, 3):
        assert jobs.submit(str(number), lambda report: {}).state == "done"
    assert jobs.submit("0", lambda report: {}).state != "done"
