"""Harm is claimed only of models that learnt their own language, and after a correction over all
cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelscope.analyses.tradeoffs.grid import Grid
from babelscope.analyses.tradeoffs.harm import harmed, losses, unlearnt

TEXTS = 60
GOLD = np.tile(np.arange(TEXTS) % 3, (2, 1))


class Judged(Grid):
    """Two languages of sixty texts with three classes, twenty texts each."""

    @property
    def gold(self) -> NDArray[np.int64]:
        return GOLD


def table(diagonal: list[int] | None = None) -> Judged:
    groups = {str(at): str(at) for at in range(TEXTS)}
    places = [0, 1] if diagonal is None else diagonal
    return Judged(("en", "hi"), ("en", "hi"), (0,), places, {}, {}, groups, True)


def hits(shares: list[list[float]]) -> NDArray[np.float64]:
    """Right on the first texts of each class, as many as the share says."""
    rank = np.arange(TEXTS) // 3 / (TEXTS / 3)
    return np.array([[(rank < share).astype(float) for share in row] for row in shares])


def test_a_model_at_the_level_of_a_constant_did_not_learn() -> None:
    """Every class has a third of the texts, so a constant is right in .33; Hindi's model is right
    in .35 of its own language, English's in .9."""
    right = hits([[0.9, 0.2], [0.2, 0.35]])[None]
    (row,) = unlearnt(table(), right)
    assert row["source"] == "hi"
    assert "most frequent class (difference +0.02" in row["reason"]
    absent = unlearnt(table([0, -1]), right)
    assert absent == [{"source": "hi", "reason": "it was not tested in its own language"}]
    constant = np.broadcast_to((GOLD == 0).astype(float), (1, 2, 2, TEXTS))
    assert [row["source"] for row in unlearnt(table(), constant)] == ["en", "hi"]
    assert unlearnt(table(), np.ones((1, 2, 2, TEXTS))) == []


def test_harm_needs_a_learnt_language_a_corrected_p_and_an_interval_below_0() -> None:
    right, probe = hits([[0.9, 0.2], [0.2, 0.35]])[None], hits([[0.5, 0.8], [0.8, 0.5]])
    tests = losses(table(), right, probe)
    assert [(test["source"], test["target"]) for test in tests] == [("en", "hi"), ("hi", "en")]
    # 36 texts of 60 are lost and none gained: the exact p is 2 / 2^36, times 2 by Holm.
    assert [test["effect"] for test in tests] == [-0.6, -0.6]
    assert all(np.isclose(test["adjusted"], 2 * 2 / 2**36) for test in tests)
    below = {("en", "hi"): -0.4, ("hi", "en"): -0.4}
    assert harmed(tests, unlearnt(table(), right), below) == [["en", "hi"]]
    assert harmed(tests, [], below) == [["en", "hi"], ["hi", "en"]]
    assert harmed(tests, [], below | {("en", "hi"): 0.1}) == [["hi", "en"]]
    # Six texts lost, none gained: p = 2/64 = .031 alone, .0625 among two cells.
    slight = losses(table(), hits([[0.9, 0.7], [0.7, 0.9]])[None], hits([[0.9, 0.8], [0.8, 0.9]]))
    assert [np.isclose(test["p"], 2 / 64) for test in slight] == [True, True]
    assert harmed(slight, [], below) == []
