"""Whether an answer's numbers are those of the tables beside the page."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from math import isfinite

import pandas as pd
import pytest

from babelscope.display.numbers import number
from babelscope.display.section import Answer, Section

NUMBER = re.compile(r"[−+]?\d+\.\d+")


def check_answer(section: Section, files: Mapping[str, str] | None = None) -> Answer:
    """Every reference is found in its file with its value, and every decimal number of the sentence
    is that of a reference, as it is displayed; its sign may be put into words."""
    answer = section.headline
    assert answer is not None
    shown = set()
    for reference in answer.references:
        table = pd.read_csv(io.StringIO((files or section.files)[reference.file]))
        for column, value in reference.row.items():
            cells = table[column].astype(object).where(table[column].notna(), "").astype(str)
            table = table[cells == ("" if value is None else str(value))]
        if not reference.column:
            assert len(table) == reference.value, reference
            shown.add(str(int(reference.value)))
            continue
        assert len(table) == 1, reference
        found = float(table[reference.column].iloc[0])
        assert found == pytest.approx(reference.value, nan_ok=True)
        if isfinite(found):
            shown |= {number(found), number(-found), number(abs(found))}
    said = {text.lstrip("+") for text in NUMBER.findall(answer.sentence.striptags())}
    assert said <= shown | {text.lstrip("−") for text in shown}, (said, shown)
    return answer
