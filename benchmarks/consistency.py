"""What comparing translations costs: the transport against a linear-programming modeller, and a
whole parallel test set.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from babelscope.analyses.consistency.comparisons import score_pairs
from babelscope.analyses.consistency.pairs import Compared, Settings
from babelscope.analyses.consistency.transport import transport
from babelscope.types import UnitScores
from benchmarks.timing import in_turn, seconds, table

SIZES = ((20, 20), (37, 58), (100, 100))
LANGUAGES = 12
PAIRS = 1000
SAMPLE = 100
"""Pairs per language on which one process is compared with two; the whole set is run with two."""
Instance = tuple[np.ndarray, np.ndarray, np.ndarray]


def instance(m: int, n: int, rng: np.random.Generator) -> Instance:
    """Vectors like those of a translation, half of the target's near a source's, and heavy-tailed
    weights.
    """
    one, two = rng.normal(size=(m, 64)), rng.normal(size=(n, 64))
    two[: n // 2] += 1.5 * one[rng.integers(0, m, n // 2)]
    one, two = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (one, two))
    return rng.dirichlet(np.full(m, 0.4)), rng.dirichlet(np.full(n, 0.4)), one @ two.T


def modelled(given: Instance) -> float:
    """The definition written down for PuLP, solved by the CBC that comes with it."""
    import pulp

    a, b, similarity = given
    problem = pulp.LpProblem("consistency", pulp.LpMaximize)
    cells = [(i, j) for i in range(len(a)) for j in range(len(b))]
    flow: dict[tuple[int, int], Any] = {
        cell: pulp.LpVariable(f"f_{cell[0]}_{cell[1]}", lowBound=0) for cell in cells
    }
    problem += pulp.lpSum(float(similarity[cell]) * flow[cell] for cell in cells)
    for i in range(len(a)):
        problem += pulp.lpSum(flow[i, j] for j in range(len(b))) <= float(a[i])
    for j in range(len(b)):
        problem += pulp.lpSum(flow[i, j] for i in range(len(a))) <= float(b[j])
    problem.solve(pulp.PULP_CBC_CMD(msg=False))
    return float(pulp.value(problem.objective))


def _all(work: Callable[[Instance], object], given: list[Instance]) -> None:
    for each in given:
        work(each)


def against_pulp() -> str:
    if find_spec("pulp") is None:
        return "PuLP is not installed (`pip install pulp`), so the comparison with it was left out."
    rng = np.random.default_rng(0)
    rows = []
    for m, n in SIZES:
        given = [instance(m, n, rng) for _ in range(5)]
        gap = max(abs(transport(*each)[0] - modelled(each)) for each in given)
        ratio = in_turn(
            partial(_all, modelled, given), partial(_all, lambda each: transport(*each), given), 5
        )
        rows.append([f"{m} x {n}", str(ratio), f"{gap:.0e}"])
    return table(["units", "PuLP/CBC / babelscope", "largest difference of C"], rows)


def test_set(pairs: int, languages: int) -> list[UnitScores]:
    """Weights without a model: 40 words in the source, 45 in every target."""
    rng = np.random.default_rng(1)
    found = []
    for lang, words in (("en", 40), *((f"l{k}", 45) for k in range(languages))):
        for k in range(pairs):
            units = tuple(f"{lang}-{unit}" for unit in range(words))
            scores = tuple(rng.standard_t(3, words).tolist())
            found.append(UnitScores(str(k), lang, units, scores, (0,) * words))
    return found


def whole_set() -> str:
    rng = np.random.default_rng(2)
    known = np.ones(40, bool), np.ones(45, bool)
    compared = Compared(instance(40, 45, rng)[2], *known)
    settings = Settings(permutations=20)

    def work(rows: list[UnitScores], workers: int) -> tuple[float, float]:
        begin = _computed()
        wall = seconds(
            lambda: score_pairs(
                rows, "en", lambda one, two: compared, settings=settings, workers=workers
            )
        )
        return wall, _computed() - begin

    load, some = os.getloadavg()[0], test_set(SAMPLE, LANGUAGES)
    ratio = in_turn(lambda: work(some, 1), lambda: work(some, 2), 3)
    wall, computed = work(test_set(PAIRS, LANGUAGES), 2)
    return f"""A parallel test set of {PAIRS} texts in {LANGUAGES} languages, 40 x 45 words, with 20 permutations, C_unif and
C_mis for every pair ({PAIRS * LANGUAGES * 23:,} transports): {wall / 60:.1f} minutes with two processes (the only absolute
time here), {1000 * computed / (PAIRS * LANGUAGES):.1f} ms of CPU time per pair with all its nulls; the
load average before was {load:.1f}. On {SAMPLE} of the texts, one process takes {ratio} times as long as two."""


def _computed() -> float:
    """Processor seconds of this process and of those that it has waited for: other work on the
    machine has no part in it.
    """
    return sum(
        sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


def section() -> str:
    return f"""## The cost of comparing translations

`consistency` solves an exact transport for every pair of texts and for every permutation of C_perm. Compared with the same problem
formulated in PuLP and solved by CBC, on the same inputs, five instances per size:

{against_pulp()}

{whole_set()}
"""
