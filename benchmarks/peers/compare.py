"""Ours and a peer in turn (A B, B A, ...), and how alike their scores are."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from babelscope.errors import InputError
from benchmarks.peers.processes import Request, Run, Server
from benchmarks.peers.rows import Comparison
from benchmarks.timing import Ratio

BRIEF, ROUNDS = 1.0, 3
"""Rounds of four runs: three where none takes more than so many CPU seconds, else one."""
REFERENCE = 1e-5
"""The required error of the reference of integrated gradients."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Both sides of one comparison on one model."""

    ratio: Ratio
    """CPU seconds from strings to scores, the peer's / ours."""
    alone: Ratio
    """The same without what the peer's user does beforehand: the library's own calls / ours."""
    seconds: float
    """Ours, per text."""
    agreement: float
    """Mean correlation over the texts; NaN where no scores vary."""
    quality: tuple[float, float] | None
    """Ours and the peer's: error of the worst token, noise, or gap."""


def compared(
    ours: Server, theirs: Server, comparison: Comparison, texts: Sequence[Mapping[str, Any]]
) -> Outcome:
    """InputError with the reason where a side cannot explain. `texts` are those of the job."""
    requests = [
        Request(comparison.method, options, comparison.texts)
        for options in (comparison.ours, comparison.theirs)
    ]
    for server, request in zip((ours, theirs), requests):
        warm(server, request)
    first, second = alternated(ours, theirs, requests)
    options = {**comparison.ours, "nodes": 48, "tolerance": REFERENCE}
    finer = Request(comparison.method, options, comparison.texts)
    exact = ours.run(finer) if comparison.quality == "error" else first[0]
    differences = [text["difference"] for text in texts]
    measures: dict[str, Callable[[Sequence[Run]], float]] = {
        "noise": lambda runs: noise(runs[0], runs[1]),
        "error": lambda runs: error(runs[0], exact),
        "gap": lambda runs: gap(runs[0], differences),
    }
    measure = measures.get(comparison.quality)
    quality = (measure(first), measure(second)) if measure else None
    ratio = Ratio(tuple(their.seconds / our.seconds for our, their in zip(first, second)))
    alone = tuple(
        (their.seconds - their.preparing) / our.seconds for our, their in zip(first, second)
    )
    seconds = statistics.median(run.seconds for run in first) / comparison.texts
    return Outcome(ratio, Ratio(alone), seconds, agreement(first[0], second[0]), quality)


def warm(server: Server, request: Request) -> None:
    """One text, once for each method of a process: what it imports or compiles is not timed."""
    if request.method not in server.warmed:
        server.run(Request(request.method, request.options, 1))
        server.warmed.add(request.method)


def alternated(
    ours: Server, theirs: Server, requests: Sequence[Request]
) -> tuple[list[Run], list[Run]]:
    """A B, B A, ...: each pair with a seed of its own, the same on both sides."""
    first: list[Run] = []
    second: list[Run] = []
    sides = [(ours, requests[0], first), (theirs, requests[1], second)]
    turn, turns = 0, 2
    while turn < turns:
        for server, request, runs in sides if turn % 2 == 0 else reversed(sides):
            runs.append(server.run(Request(request.method, request.options, request.texts, turn)))
        turn += 1
        if turn == 2 and max(run.seconds for run in (*first, *second)) < BRIEF:
            turns = 2 * ROUNDS
    return first, second


def agreement(first: Run, second: Run) -> float:
    """The correlation of the scores of two runs, meaned over the texts.

    NaN where it is undefined in every text: fewer than three scores, or all alike.
    *Laws*: 1 of scores and a positive multiple of them; -1 of their opposites.
    """
    values = []
    for ours, theirs in zip(first.scores, second.scores, strict=True):
        if len(ours) != len(theirs):
            raise InputError(f"{len(theirs)} scores where ours has {len(ours)}")
        if len(ours) > 2 and np.std(ours) > 0 and np.std(theirs) > 0:
            values.append(float(np.corrcoef(ours, theirs)[0, 1]))
    return statistics.mean(values) if values else float("nan")


def noise(first: Run, second: Run) -> float:
    """How far two seeds are apart: the standard deviation of a score over seeds, relative to the
    scores.

        sqrt( sum_t (a_t - b_t)^2 / 2 ) / sqrt( sum_t (a_t^2 + b_t^2) / 2 )

    a and b the scores of all texts with two seeds.
    *Laws*: 0 of equal scores; unchanged where both are scaled alike.
    """
    a, b = (np.concatenate(run.scores) for run in (first, second))
    size = np.sum(a**2 + b**2)
    return float(np.sqrt(np.sum((a - b) ** 2) / size)) if size > 0 else float("nan")


def error(run: Run, exact: Run) -> float:
    """The largest difference of a score from the reference, over tokens and texts."""
    return max(
        float(np.abs(ours - true).max())
        for ours, true in zip(run.scores, exact.scores, strict=True)
    )


def gap(run: Run, differences: Sequence[float]) -> float:
    """How far the scores of a text are from summing to F(x) - F(b), in the worst text.

        max over texts of | sum_t a_t - (F(x) - F(b)) |

    a the scores, b the baseline.
    *Law*: 0 of scores that are complete.
    """
    sums = [float(np.sum(scores)) for scores in run.scores]
    return max(abs(whole - change) for whole, change in zip(sums, differences))
