"""Pairs that share a premise, and whether little agreement goes with another prediction."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import numpy as np
import pytest

from babelscope.analyses.consistency.flips import association
from babelscope.analyses.consistency.pairs import Pair
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.summary import sign_flips, summarise
from babelscope.data.formats.unit_scores import line, unit_scores
from babelscope.data.independence import (
    clusters,
)
from babelscope.errors import InputError
from babelscope.types import Example, UnitScores


def drawn(
    seed: int, effect: float, count: int = 240, languages: tuple[str, ...] = ("es", "hi", "zh")
) -> list[Pair]:
    """Pairs whose confidence decides flips; the lift follows the confidence, and the flip itself
    by `effect`.
    """
    rng = np.random.default_rng(seed)
    found = []
    for shift, lang in enumerate(languages):
        for name in range(count):
            sure = rng.random()
            flips = rng.random() > 0.3 + 0.6 * sure
            lift = 0.5 * sure - effect * flips + 0.1 * rng.normal() + shift
            found.append(Pair(
                str(name), lang, Consistency(c=lift, c_perm=0.0, ceil_s=9.0, ceil_t=9.0,
                                             c_unif=0.0),
                prediction_s="x", prediction_t="y" if flips else "x", gold_t="x",
                confidence_s=sure, confidence_t=float(rng.random()),
                cluster=str(name // 3),
            ))  # fmt: skip
    return found


def regressed(pairs: list[Pair]) -> float:
    """The partial correlation by its definition: what least squares on the language and the
    confidences leave.
    """
    lift = np.array([pair.score.lift for pair in pairs])
    flip = np.array([float(not pair.same_prediction) for pair in pairs])
    names = sorted({pair.lang for pair in pairs})
    design = np.array(
        [
            [*(pair.lang == name for name in names), pair.confidence_s, pair.confidence_t]
            for pair in pairs
        ],
        float,
    )
    left, right = (
        each - design @ np.linalg.lstsq(design, each, rcond=None)[0] for each in (lift, flip)
    )
    return float(np.corrcoef(left, right)[0, 1])


@pytest.mark.parametrize("seed", range(3))
def test_partial_is_the_correlation_of_what_regression_leaves(seed: int) -> None:
    pairs = drawn(seed, 0.1)
    assert association(pairs).partial.mean == pytest.approx(regressed(pairs), abs=1e-10)


def test_confidence_explains_what_it_causes_and_not_more() -> None:
    """Without an effect of its own the lift goes with flips through confidence alone: plain is not
    0, partial is.
    """
    none, some = association(drawn(1, 0.0)), association(drawn(1, 0.2))
    assert none.plain.high < -0.1
    assert none.partial.low < 0 < none.partial.high
    assert some.partial.high < -0.4
    assert some.thirds[0] > some.thirds[1] > some.thirds[2]
    assert some.share == pytest.approx(np.mean(some.thirds), abs=1e-9)


def test_a_constant_of_a_language_has_no_part() -> None:
    pairs = drawn(2, 0.1)
    from dataclasses import replace

    moved = [
        replace(pair, score=replace(pair.score, c=pair.score.c + 5 * (pair.lang == "hi")))
        for pair in pairs
    ]
    assert association(moved).plain.mean == pytest.approx(association(pairs).plain.mean, abs=1e-9)
    assert association(moved).thirds == association(pairs).thirds


def test_what_does_not_vary_is_undefined_and_unknown_outcomes_are_refused() -> None:
    from dataclasses import replace

    same = [replace(pair, prediction_t=pair.prediction_s) for pair in drawn(0, 0.1)]
    assert isnan(association(same).plain.mean)
    assert isnan(association(drawn(0, 0.1), given="agreement").partial.mean), (
        "a flip given agreement is nothing"
    )
    assert not isnan(association(drawn(0, 0.1), "wrong").partial.mean)
    with pytest.raises(InputError, match="the outcome is one of"):
        association(same, "luck")


def test_clusters_are_texts_that_share_a_text() -> None:
    rows = [
        Example("1-en", ("p", "a"), "en", "1"), Example("1-es", ("pp", "aa"), "es", "1"),
        Example("2-en", ("p", "b"), "en", "2"), Example("3-en", ("q", "c"), "en", "3"),
        Example("4-es", ("r", "aa"), "es", "4"),
    ]  # fmt: skip
    for order in (rows, rows[::-1]):
        assert clusters(order) == {"1": "1", "2": "1", "3": "3", "4": "1"}


def test_intervals_and_sign_flips_resample_clusters() -> None:
    """Three copies of every pair in one cluster carry no more evidence than one."""
    pairs = drawn(4, 0.1, languages=("es",), count=90)
    rng = np.random.default_rng(0)
    from dataclasses import replace

    single = [
        replace(pair, cluster=pair.id, score=replace(pair.score, c=float(rng.normal(0.1))))
        for pair in pairs[:30]
    ]
    copied = [replace(pair, id=f"{pair.id}-{copy}") for pair in single for copy in range(3)]
    alone = [replace(pair, cluster=pair.id) for pair in copied]
    one, three, wrong = (summarise(each)[0] for each in (single, copied, alone))
    for name in ("c", "lift"):
        assert three.means[name].low == pytest.approx(one.means[name].low, abs=1e-12)
        assert wrong.means[name].low > one.means[name].low + 1e-3
    assert (three.kappa.low, three.kappa.high) == pytest.approx(
        (one.kappa.low, one.kappa.high), abs=1e-12
    )
    assert (
        three.p
        == one.p
        == sign_flips(
            np.array([pair.score.lift for pair in single]), [pair.cluster for pair in single]
        )
    )


def test_rows_are_written_as_they_are_read(tmp_path: Path) -> None:
    rows = [
        UnitScores(
            "a", "en", ("one", "دو"), (0.5, -1e-9), (0, 1), "x", None, confidence=0.75, cluster="p"
        ),
        UnitScores("a", "hi", ("एक",), (2.0,), (0,)),
    ]
    (tmp_path / "rows.jsonl").write_text("".join(line(row) + "\n" for row in rows), "utf-8")
    assert unit_scores(tmp_path / "rows.jsonl") == rows
