"""Where fine-tuning did harm: which models learnt their own language, and which of these are below
the probe elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from babelscope.analyses.tradeoffs.grid import Grid
from babelscope.analyses.tradeoffs.intervals import comparisons
from babelscope.display.numbers import signed, significant

ALPHA = 0.05
Correct = Float[np.ndarray, "seed source target text"]
Reference = Float[np.ndarray, "source target text"]


def unlearnt(table: Grid, hits: Correct, *, seed: int = 0) -> list[dict[str, str]]:
    """The models that did not learn their own language, each with the reason: what they lack
    elsewhere is then no cost of fine-tuning.

    A model learnt its language if it is significantly more often right than the most frequent class
    of the test texts there (`comparisons`, Holm over the models).

    *Laws*: a model that is always right is never listed with texts enough for a test; one that
    always predicts the most frequent class is always listed.
    """
    tested = [row for row, place in enumerate(table.diagonal) if place >= 0]
    reasons = {
        row: "it was not tested in its own language"
        for row in range(len(table.sources))
        if row not in tested
    }
    if tested:
        places = [table.diagonal[row] for row in tested]
        models = np.stack([hits[:, row, place] for row, place in zip(tested, places)], axis=1)
        constant = np.stack([_most_frequent(table, place) for place in places])
        names = [(table.sources[row], table.sources[row]) for row in tested]
        baseline = np.broadcast_to(constant, models.shape)
        tests = comparisons(baseline, models, names, table.clusters, seed=seed)
        for row, test in zip(tested, tests):
            if not (test.effect > 0 and test.adjusted < ALPHA):
                numbers = f"{signed(test.effect, 2)}, p = {significant(test.adjusted, 2)}"
                reasons[row] = (
                    "in its own language it is not significantly better than the most frequent "
                    f"class (difference {numbers})"
                )
    return [{"source": table.sources[row], "reason": reasons[row]} for row in sorted(reasons)]


def losses(table: Grid, hits: Correct, probe: Reference, *, seed: int = 0) -> list[dict[str, Any]]:
    """Every model against the probe in every language but its own: the difference, its p by sign
    flips of clusters, and p by Holm over all these cells."""
    cells = [
        (row, place)
        for row in range(len(table.sources))
        for place in range(len(table.targets))
        if place != table.diagonal[row]
    ]
    if not cells:
        return []
    models = np.stack([hits[:, row, place] for row, place in cells], axis=1)
    probes = np.broadcast_to(np.stack([probe[row, place] for row, place in cells]), models.shape)
    names = [(table.sources[row], table.targets[place]) for row, place in cells]
    tests = comparisons(probes, models, names, table.clusters, seed=seed)
    return [test._asdict() for test in tests]


def harmed(
    tests: list[dict[str, Any]],
    not_learnt: list[dict[str, str]],
    high: dict[tuple[str, str], float],
) -> list[list[str]]:
    """The cells where a model that learnt its own language is below the probe: p by Holm below .05,
    and the whole interval of the gain below 0."""
    excluded = {row["source"] for row in not_learnt}
    return [
        [test["source"], test["target"]]
        for test in tests
        if test["effect"] < 0
        and test["adjusted"] < ALPHA
        and high[test["source"], test["target"]] < 0
        and test["source"] not in excluded
    ]


def _most_frequent(table: Grid, place: int) -> Float[np.ndarray, " text"]:
    """Right or wrong of the class that most test texts of a language have."""
    gold = table.gold[place]
    label = np.bincount(gold[gold >= 0]).argmax()
    return np.where(gold < 0, np.nan, (gold == label).astype(float))
