"""Whether an answer's numbers are those of the tables beside the page."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from math import isfinite

import pandas as pd
import pytest

from babelscope.display.numbers import number, rounded
from babelscope.display.section import Answer, Reference, Section

NUMBER = re.compile(r"[−+]?\d[\d,]*(?:\.\d+)?")
FIXED = {"100", "20", "0.001"}
"""Numbers that are no result: the pairs of a relation below which heads show nothing, the groups
below which an interval may be too narrow, and the difference that has no digits to show."""
ROUNDED = {"seconds": 2, "times": 2, "tokens": 1}
"""Columns whose values differ by factors: they are displayed with so many significant digits."""


def cells(table: pd.DataFrame, reference: Reference) -> pd.DataFrame:
    """The rows of a table that a reference names."""
    for column, value in reference.row.items():
        texts = table[column].astype(object).where(table[column].notna(), "").astype(str)
        table = table[texts == ("" if value is None else str(value))]
    return table


def shown_as(table: pd.DataFrame, reference: Reference) -> set[str]:
    """How the number of a reference may be displayed; the table must hold it."""
    rows = cells(table, reference)
    if reference.distinct or not reference.column:
        count = rows[reference.column].nunique() if reference.distinct else len(rows)
        assert count == reference.value, reference
        return {f"{count:,}"}
    assert len(rows) == 1, reference
    value = float(rows[reference.column].iloc[0])
    assert value == pytest.approx(reference.value, nan_ok=True)
    if rows[reference.column].dtype.kind == "i":  # a count
        return {f"{int(value):,}"}
    if reference.column in ROUNDED:
        return {rounded(value, ROUNDED[reference.column])}
    return {number(value), number(-value), number(abs(value))} if isfinite(value) else set()


def drawn(answer: Answer) -> bool:
    """Whether the chart of an answer has a mark; one that was not measured needs no chart."""
    if answer.chart is None:
        return answer.verdict == "unmeasured"
    return 'class="mark' in answer.chart.marks


def check_answer(section: Section, files: Mapping[str, str] | None = None) -> Answer:
    """Every reference is found in its file with its value, and every number of the sentence, whole
    or decimal, is that of a reference as it is displayed, or part of a name in its row; its sign
    may be put into words. What was measured has a small chart that draws something."""
    answer = section.headline
    assert answer is not None
    assert drawn(answer), f"{section.name}: {answer.verdict} without a chart"
    listed = files or section.files
    tables = {name: pd.read_csv(io.StringIO(text)) for name, text in listed.items()}
    shown: set[str] = set()
    names: set[str] = set()
    for reference in answer.references:
        shown |= shown_as(tables[reference.file], reference)
        values = [value for value in reference.row.values() if isinstance(value, str)]
        names |= {part for value in values for part in (value, *value.split(" · "))}
    sentence = answer.sentence.striptags()
    for name in sorted(names, key=len, reverse=True):
        whole = rf"(?<![\d.]){re.escape(name)}(?![\d])"  # the head 0.0 is no part of 0.000
        sentence = re.sub(whole, " ", sentence) if re.search(r"\d", name) else sentence
    said = {text.lstrip("+") for text in NUMBER.findall(sentence)}
    allowed = shown | {text.lstrip("−") for text in shown} | FIXED
    assert said <= allowed, (answer.sentence, said - allowed)
    return answer
