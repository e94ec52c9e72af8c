"""Files of scored units, from any tool: one JSON object per line, one line per example and
language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from math import isfinite, nan
from pathlib import Path
from typing import Any

from babelscope.data.formats.jsonl import (
    rows,
)
from babelscope.data.formats.problems import Problem, sound
from babelscope.types import UnitScores

Line = tuple[int, UnitScores]


def unit_scores(file: str | Path) -> list[UnitScores]:
    """The rows of a file with id, lang, units, attributions and perhaps segment, prediction, gold,
    confidence and cluster.

    Also what `babelscope explain --output FILE.jsonl` writes (words and word_scores). A line that
    is no such row is raised with its number; a row whose counts differ is kept, with the reason why
    it has no value.
    """
    from babelscope.errors import InputError

    seen: dict[tuple[str, str], int] = {}
    scored = []
    for number, row in sound(_rows(Path(file))):
        if (row.id, row.lang) in seen:
            first = seen[row.id, row.lang]
            raise InputError(
                f"{file}, line {number}: {row.id} in {row.lang} is in line {first} already; give "
                "one line for each"
            )
        seen[row.id, row.lang] = number
        scored.append(row)
    if not scored:
        raise InputError(
            f"{file}: there is no row; expected objects with id, lang, units and attributions"
        )
    return scored


def _rows(file: Path) -> Iterator[Line | Problem]:
    for item in rows(file):
        if isinstance(item, Problem):
            yield item
            continue
        number, row = item
        if "word_scores" in row:  # written by `babelscope explain`
            row = {**row, "units": row.get("words"), "attributions": row["word_scores"],
                   "segment": row.get("word_segment"),
                   "prediction": row.get("label")}  # fmt: skip
        fault = _fault(file, number, row)
        yield fault if fault is not None else (number, _row(row))


def _fault(file: Path, number: int, row: Mapping[str, Any]) -> Problem | None:
    def wrong(field: str, expected: str) -> Problem:
        reason = "is missing" if row.get(field) is None else f"is {row[field]!r:.60}"
        return Problem(str(file), number, field, reason, expected)

    if not isinstance(row.get("id"), (str, int)) or isinstance(row.get("id"), bool):
        return wrong("id", "a name that translations share")
    if not isinstance(row.get("lang"), str) or not row["lang"]:
        return wrong("lang", "a language tag")
    if not isinstance(row.get("units"), list) or not all(
        isinstance(each, str) for each in row["units"]
    ):
        return wrong("units", "a list of words")
    if not isinstance(row.get("attributions"), list) or not all(
        _number(each) for each in row["attributions"]
    ):
        return wrong("attributions", "a list of numbers, one per unit")
    if row.get("segment") is not None and not (
        isinstance(row["segment"], list) and all(isinstance(each, int) for each in row["segment"])
    ):
        return wrong("segment", "a list of whole numbers, one per unit")
    if not _number(row.get("confidence")):
        return wrong("confidence", "a number")
    return None


def _number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _row(row: Mapping[str, Any]) -> UnitScores:
    units = tuple(row["units"])
    scores = tuple(nan if each is None else float(each) for each in row["attributions"])
    segment = tuple(row["segment"]) if row.get("segment") is not None else (0,) * len(units)
    reason = ""
    if len(scores) != len(units):
        reason = f"{len(units)} units, but {len(scores)} attributions"
    elif len(segment) != len(units):
        reason = f"{len(units)} units, but {len(segment)} segments"
    named = {
        name: None if row.get(name) is None else str(row[name]) for name in ("prediction", "gold")
    }
    sure = None if row.get("confidence") is None else float(row["confidence"])
    cluster = "" if row.get("cluster") is None else str(row["cluster"])
    return UnitScores(
        str(row["id"]),
        row["lang"],
        units,
        scores,
        segment,
        **named,
        reason=reason,
        confidence=sure,
        cluster=cluster,
    )


def line(row: UnitScores) -> str:
    """The row as a line of such a file.

    *Law*: read again it is the same row.
    """
    record = asdict(row)
    record["attributions"] = [each if isfinite(each) else None for each in record.pop("scores")]
    del record["reason"]
    return json.dumps(record, ensure_ascii=False)
