"""Jobs: one worker thread computes what visitors ask for, one job after the other.

Temporary settings of torch and transformers (threads, precision, attention that can be read)
belong to the whole process, therefore no two model calls run at the same time. Predictions go
before explanations. A queue that is full refuses (`Busy`), so that memory is bounded; what was
accepted is answered, and its answer kept until it is fetched.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from babelscope.errors import BabelscopeError
from babelscope.files import plain
from babelscope.web.limits import Limits

Report = Callable[[int, int], None]
"""Called by a model after every batch with the tokens done and to do; raises `Cancelled`."""
Work = Callable[[Report], dict[str, Any]]
FINISHED = ("done", "failed", "cancelled")


class Cancelled(Exception):
    """Raised between two batches of a job that nobody waits for any longer."""


class Busy(Exception):
    """The queue is full."""


@dataclass(eq=False)
class Job:
    """Something that was asked for. `version` rises with every change that a visitor sees."""

    key: str
    work: Work
    id: str = field(default_factory=lambda: token_urlsafe(12))
    state: str = "waiting"
    """One of "waiting", "running", "done", "failed" and "cancelled"."""
    step: int = 0
    """Calls of the model that were begun: some methods make several."""
    done: int = 0
    total: int = 0
    error: str = ""
    answer: bytes = b""
    version: int = 0
    cancelled: bool = False
    fetched: bool = False
    ended: float = 0.0

    def describe(self) -> dict[str, Any]:
        """The state in plain values, without the answer."""
        return {
            "id": self.id, "state": self.state, "step": self.step, "done": self.done,
            "total": self.total, "error": self.error, "version": self.version,
        }  # fmt: skip


class Jobs:
    """The queue, the worker and the answers that are kept.

    *Laws*: at most `limits.waiting` jobs wait, run or have an answer that was not fetched; a job
    that was accepted is finished or cancelled, never lost; answers in the cache never exceed
    `limits.cache` bytes.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._first: deque[Job] = deque()
        self._later: deque[Job] = deque()
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0
        self._changed = threading.Condition()
        self._open = True
        self._worker: threading.Thread | None = None

    def submit(self, key: str, work: Work, *, first: bool = False) -> Job:
        """The job, finished already where the same was computed before; `Busy` if too many wait."""
        with self._changed:
            answer = self._known(key)
            if answer is not None:
                return Job(key, work, state="done", answer=answer)
            self._forget()
            if sum(not job.fetched for job in self._jobs.values()) >= self.limits.waiting:
                raise Busy(
                    f"the server is busy: {self.limits.waiting} requests are waiting; try again in "
                    "a moment"
                )
            job = Job(key, work)
            self._jobs[job.id] = job
            (self._first if first else self._later).append(job)
            self._start()
            self._changed.notify()
            return job

    def get(self, name: str) -> Job | None:
        with self._changed:
            return self._jobs.get(name)

    def fetch(self, job: Job) -> bytes:
        """The answer of a finished job; from now on it may be forgotten."""
        with self._changed:
            job.fetched = True
            return job.answer

    def cancel(self, name: str) -> bool:
        """Takes a job from the queue, or stops it after its current batch; whether it was known."""
        with self._changed:
            job = self._jobs.get(name)
            if job is None:
                return False
            job.cancelled = job.fetched = True
            if job.state == "waiting":
                (self._first if job in self._first else self._later).remove(job)
                self._finish(job, "cancelled")
            return True

    def close(self) -> None:
        """Cancels everything and ends the worker after its current batch."""
        with self._changed:
            self._open = False
            for job in self._jobs.values():
                job.cancelled = True
            self._first.clear()
            self._later.clear()
            self._changed.notify_all()
        if self._worker is not None:
            self._worker.join(timeout=5)

    def _start(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._loop, name="babelscope-jobs", daemon=True)
            self._worker.start()

    def _loop(self) -> None:
        while True:
            with self._changed:
                while self._open and not (self._first or self._later):
                    self._changed.wait()
                if not self._open:
                    return
                job = (self._first or self._later).popleft()
                job.state, job.version = "running", job.version + 1
            self._run(job)

    def _run(self, job: Job) -> None:
        start = time.monotonic()

        def report(done: int, total: int) -> None:
            if job.cancelled:
                raise Cancelled
            if time.monotonic() - start > self.limits.seconds:
                raise BabelscopeError(
                    f"it took longer than {self.limits.seconds:g} seconds, the most that is "
                    "computed here; shorten the text, choose another method, or use the command "
                    "line"
                )
            job.step += done <= job.done or not job.step
            job.done, job.total, job.version = done, total, job.version + 1

        try:
            answer = self._answer(job, report)
        except Cancelled:
            self._end(job, "cancelled")
        except BabelscopeError as error:
            self._end(job, "failed", " ".join(str(error).split()))
        except Exception as error:  # a fault of one job must not end the worker
            text = " ".join(str(error).split())[:300]
            self._end(job, "failed", f"{type(error).__name__}: {text}; please report it")
        else:
            self._end(job, "done", answer=answer)

    def _answer(self, job: Job, report: Report) -> bytes:
        """From the cache where an equal job was computed while this one waited."""
        with self._changed:
            known = self._known(job.key)
        if known is not None:
            return known
        return json.dumps(plain(job.work(report)), ensure_ascii=False, allow_nan=False).encode()

    def _end(self, job: Job, state: str, error: str = "", answer: bytes = b"") -> None:
        with self._changed:
            job.error, job.answer = error, answer
            if answer:
                self._keep(job.key, answer)
            self._finish(job, state)

    def _finish(self, job: Job, state: str) -> None:
        job.state, job.ended, job.version = state, time.monotonic(), job.version + 1

    def _known(self, key: str) -> bytes | None:
        if key in self._cache:
            self._cache.move_to_end(key)
        return self._cache.get(key)

    def _keep(self, key: str, answer: bytes) -> None:
        self._size += len(answer) - len(self._cache.pop(key, b""))
        self._cache[key] = answer
        while self._size > self.limits.cache:
            _, old = self._cache.popitem(last=False)
            self._size -= len(old)

    def _forget(self) -> None:
        """Drops finished jobs that were fetched, or that nobody fetched in time."""
        oldest = time.monotonic() - self.limits.kept
        for job in list(self._jobs.values()):
            if job.state in FINISHED and (job.fetched or job.ended < oldest):
                del self._jobs[job.id]
