"""What a reader must know about the explanations behind a report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import pandas as pd
import pyarrow as pa

from babelscope.data.skipping import REASONS
from babelscope.display.sheets import csv_text
from babelscope.types import SkippedRow

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def flag_counts(attributions: pa.Table) -> list[tuple[str, str, int]]:
    """Per kind of flag (its numbers left out) and method: how many explanations carry it."""
    counts: Counter[tuple[str, str]] = Counter()
    columns = (attributions[name].to_pylist() for name in ("method", "flags"))
    for method, flags in zip(*columns):
        if flags:
            counts.update({(_NUMBER.sub("…", flag), method) for flag in flags})
    return [(kind, method, count) for (kind, method), count in sorted(counts.items())]


@dataclass(frozen=True, slots=True)
class SkippedCount:
    """The rows of one task, split, language and model that were skipped for one reason."""

    task: str
    split: str
    lang: str
    model: str
    reason: str
    total: int
    """How many rows were read there."""
    ids: tuple[str, ...]


def skipped_counts(rows: Sequence[SkippedRow]) -> list[SkippedCount]:
    """How many rows were skipped for each reason, and which."""
    ids: dict[tuple[str, str, str, str, str, int], list[str]] = {}
    for row in rows:
        place = (row.task, row.split, row.lang, row.model, REASONS[row.reason], row.total)
        ids.setdefault(place, []).append(row.id)
    return [SkippedCount(*place, tuple(names)) for place, names in ids.items()]


def skipped_csv(rows: Sequence[SkippedRow]) -> str:
    """One line per skipped row."""
    frame = pd.DataFrame([asdict(row) for row in rows])
    return csv_text(frame)
