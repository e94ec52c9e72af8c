"""Faithfulness above random scores by language, beside a reference language."""

from __future__ import annotations

import pandas as pd
import pytest

from babelscope.analyses.faithfulness.across_languages import above_control, across_languages


def measures(values: dict[str, list[float]]) -> pd.DataFrame:
    """Per language the values of one method, a text each; random scores are 1 everywhere."""
    return pd.DataFrame(
        {
            "lang": lang,
            "group": str(at),
            "cluster": str(at),
            "metric": "m",
            "method": method,
            "value": value,
        }
        for lang, row in values.items()
        for at, number in enumerate(row)
        for method, value in (("deeplift", number), ("random", 1.0))
    )


def test_values_are_less_those_of_random_scores_and_paired_with_the_reference() -> None:
    table = above_control(measures({"en": [2, 3, 4], "hi": [1, 3, 2], "sw": [2, 3, 4]}))
    en, hi, sw = across_languages(table, "en", ["en", "hi", "sw"], ["m"])
    assert en.above.mean == pytest.approx(2)  # (1 + 2 + 3) / 3
    assert en.against is None
    assert en.adjusted is None
    assert hi.above.mean == pytest.approx(1)  # (0 + 2 + 1) / 3
    assert hi.against is not None
    assert hi.against.difference.mean == pytest.approx(-1)  # (-1 + 0 - 2) / 3
    assert sw.against is not None
    assert (sw.against.difference.mean, sw.against.p, sw.adjusted) == (0, 1, 1)
