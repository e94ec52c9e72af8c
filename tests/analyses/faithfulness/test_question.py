"""The question of the faithfulness section: what these languages and models can answer."""

from __future__ import annotations

import pandas as pd
import pytest

from babelscope.analyses import ANALYSES
from babelscope.analyses.faithfulness.headline import (
    ALONE,
    EVERY_LANGUAGE,
    EVERY_MODEL,
    question,
)
from babelscope.analyses.faithfulness.summary import Summary

WHOLE = ANALYSES["faithfulness"].question


@pytest.mark.parametrize(
    ("read", "paired", "expected"),
    [
        ({"a": ["en"]}, False, ALONE),
        ({"a": ["en"], "b": ["en"]}, False, ALONE),
        ({"a": ["en"], "b": ["en"]}, True, WHOLE),
        ({"a": ["en", "hi"]}, False, EVERY_LANGUAGE),
        ({"a": ["en", "hi"], "b": ["en", "hi"]}, False, EVERY_MODEL),
        ({"a": ["en", "hi"], "b": ["en"]}, False, WHOLE),
    ],
)
def test_a_question_compares_what_there_is(
    read: dict[str, list[str]], paired: bool, expected: str
) -> None:
    rows = pd.DataFrame(
        [(model, lang) for model, langs in read.items() for lang in langs],
        columns=["model", "lang"],
    )
    assert question(Summary(rows, {}), paired) == expected
