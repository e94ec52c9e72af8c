"""Two things timed in turn, so that whatever else the machine does meets both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ratio:
    """first / second, one per repetition."""

    each: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.each)

    def __str__(self) -> str:
        return f"{self.median:.2f} ({min(self.each):.2f} to {max(self.each):.2f})"


Clock = Callable[[], float]
"""Wall time, or `time.process_time` where other processes run and one thread is used."""


def seconds(work: Callable[[], object], clock: Clock = time.perf_counter) -> float:
    begin = clock()
    work()
    return clock() - begin


def in_turn(
    first: Callable[[], object],
    second: Callable[[], object],
    repetitions: int,
    clock: Clock = time.perf_counter,
    *,
    warm: bool = False,
) -> Ratio:
    """Each once for warming up, unless both are warm, then A B, B A, A B, ...: neither is always the one that comes
    after the other.
    """
    if not warm:
        first()
        second()
    ratios = []
    for turn in range(repetitions):
        if turn % 2 == 0:
            one, two = seconds(first, clock), seconds(second, clock)
        else:
            two, one = seconds(second, clock), seconds(first, clock)
        ratios.append(one / two)
    return Ratio(tuple(ratios))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])
