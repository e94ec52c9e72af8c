"""Agreement of two explanations, and ratios to random scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from babelscope.stats.ratio_tables import faithful_counts, ratio_table
from babelscope.stats.score_agreement import kendall, rank_biased_overlap, top_overlap


def test_agreement_by_hand() -> None:
    """Rankings 1 2 3 4 5 and 2 1 3 4 5. Of ten pairs nine agree: tau = 8/10. The tops of 2 hold the
    same units, those of 1 differ. RBO with p = 1/2: agreements 0, 1, 1, 1, 1 with the weights 1,
    1/2, 1/4, 1/8, 1/16: (15/16) / (31/16).
    """
    first, second = np.array([5.0, 4, 3, 2, 1]), np.array([4.0, 5, 3, 2, 1])
    assert kendall(first, second) == pytest.approx(0.8)
    assert top_overlap(first, second, 0.4) == 1
    assert top_overlap(first, second, 0.2) == 0
    assert top_overlap(first, second, 0.21) == 1
    assert rank_biased_overlap(first, second, 0.5) == pytest.approx(15 / 31)
    # Tops of 3 of 5 with two in common: 2 of 4
    assert top_overlap(first, np.array([5.0, 4, 0, 3, 1]), 0.6) == 0.5


def test_agreement_laws() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=12), rng.normal(size=12)
    for agreement in (kendall, top_overlap, rank_biased_overlap):
        assert agreement(first, first) == pytest.approx(1)
        assert agreement(first, second) == pytest.approx(agreement(second, first))
        assert agreement(np.exp(first), second) == pytest.approx(agreement(first, second))
    assert kendall(first, -first) == pytest.approx(-1)
    assert np.isnan(kendall(first, np.ones(12)))


def rows(values: dict[tuple[str, str], list[float]]) -> pd.DataFrame:
    """By model and method the values of the texts."""
    return pd.DataFrame(
        [
            (model, 0, "topic", "en", f"c{at}", f"t{at}", method, "nc", value)
            for (model, method), several in values.items()
            for at, value in enumerate(several)
        ],
        columns=["model", "seed", "task", "lang", "cluster", "id", "method", "metric", "value"],
    )


def test_ratios_by_hand() -> None:
    """Random scores: samples .1 and .3 on the first text (mean .2), .2 on the second: sum .4. The
    method's .3 + .5 = .8: twice random. The third text lacks a value: it counts in neither.
    """
    table = ratio_table(
        pd.concat(
            [
                rows({("multi", "ig"): [0.3, 0.5, np.nan], ("multi", "random"): [0.1, 0.2, 0.9]}),
                rows({("multi", "random"): [0.3, 0.2, 0.9]}),
            ]
        )
    )
    (line,) = table.to_dict("records")
    assert line["ratio"] == pytest.approx(2)
    assert line["low"] <= 2 <= line["high"]
    assert (line["n"], line["undefined"]) == (2, 1)
    assert ratio_table(rows({("m", "random"): [0.1], ("m", "ig"): [0.2]}), lower=["nc"]).empty


def test_counts_by_hand() -> None:
    table = pd.DataFrame(
        {
            "model": ["multi", "multi", "multi", "mono", "other"],
            "task": list("abcaa"), "lang": ["en"] * 5, "method": ["ig"] * 5, "metric": ["nc"] * 5,
            "ratio": [1.2, 1.0, np.nan, 0.9, 5.0], "low": [1.1, 0.9, np.nan, 0.8, 4.0],
        }
    )  # fmt: skip
    counts = faithful_counts(table, {"multi": "multilingual", "mono": "monolingual"})
    assert counts.to_dict("records") == [
        {"kind": "multilingual", "lang": "en", "method": "ig", "faithful": 1, "surely": 1,
         "cells": 2},
        {"kind": "monolingual", "lang": "en", "method": "ig", "faithful": 0, "surely": 0,
         "cells": 1},
    ]  # fmt: skip
