"""Every explanation of a study as compact JSON: what the page's list of examples is drawn from.

A text and its words are written once, however many methods and models explain it. Scores are
thousandths of the largest score of their explanation, so that 50,000 explanations take a few
megabytes.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from markupsafe import Markup
from numpy.typing import NDArray

from babelscope.analyses.faithfulness.summary import Summary, described
from babelscope.display.highlight import UNSIGNED

PLAIN = [
    "task", "lang", "group", "id", "gold", "model", "method", "label", "target", "probability",
    "flags",
]  # fmt: skip
COLUMNS = [*PLAIN, "texts", "word_offsets", "word_segment", "word_scores"]
TOGETHER = 5000
"""Explanations whose words are in memory at a time."""
SCALE = 999
"""The number that stands for the largest score of an explanation."""
SHARES = np.arange(-SCALE, SCALE + 1).astype(object)
"""Every share that occurs, as an object that all lists of them refer to."""
_NUMBERS = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_SURROGATES = re.compile("[\ud800-\udfff]")


def example_data(
    attributions: pa.Table,
    study: Mapping[str, Any],
    methods: Sequence[str],
    summary: Summary | None,
) -> dict[str, Any]:
    """Names first, then texts and explanations that refer to them by number.

    *Laws*: every explanation is there once for each model, method and text; the same table gives
    the same data.
    """
    names: dict[str, dict[str, int]] = {
        part: {} for part in ("tasks", "langs", "models", "labels", "flags")
    }
    for listed in ("langs", "models"):
        wanted = study.get("languages") if listed == "langs" else described(study, "models")
        present = set(attributions["lang" if listed == "langs" else "model"].to_pylist())
        ordered = [row["name"] if isinstance(row, dict) else row for row in wanted or ()]
        for name in (*(n for n in ordered if n in present), *sorted(present)):
            names[listed].setdefault(name, len(names[listed]))
    order = {name: place for place, name in enumerate(methods)}
    texts: dict[tuple[str, str, str], int] = {}
    rows: list[list[Any]] = []
    runs: dict[tuple[int, int, int], list[Any]] = {}
    values = _measures(summary)
    with uncollected():
        for row in _rows(attributions):
            at = _text(row, texts, rows, names)
            place = (at, names["models"][row.model], order[row.method])
            if place not in runs:
                known = values.get((row.model, row.lang, row.id, row.method), [])
                runs[place] = [*place, *_run(row, rows[at], names), known]
    metrics = [] if summary is None else summary.metrics
    return {
        **{part: list(numbered) for part, numbered in names.items()},
        "methods": [[name, name.partition("[")[0] not in UNSIGNED] for name in methods],
        "metrics": [[name, summary.sign(name)] for name in metrics] if summary else [],
        "texts": rows,
        "runs": [runs[place] for place in sorted(runs)],
    }


@contextmanager
def uncollected() -> Iterator[None]:
    """Within, Python does not search for cycles: plain lists have none, and the search takes as
    long as making them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def data_json(data: Any) -> Markup:
    """JSON that may stand inside of a script element: neither a tag nor a lone surrogate."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028"))


class _Row(NamedTuple):
    """An explanation as this module needs it; fields of `PLAIN` first, in that order."""

    task: str | None
    lang: str
    group: str
    id: str
    gold: str | None
    model: str
    method: str
    label: str
    target: str
    probability: float
    flags: list[str] | None
    texts: list[str]
    spans: list[list[int]]
    largest: float
    shares: list[int | None]


def _rows(table: pa.Table) -> Iterator[_Row]:
    """The explanations; numbers of words are computed for many at once, and texts and spans once
    where several explanations share them.
    """
    for start in range(0, table.num_rows, TOGETHER):
        part = table.slice(start, TOGETHER)
        columns: list[Any] = [part[name].to_pylist() for name in (*PLAIN, "texts")]
        yield from map(_Row, *columns, _spans(part), *_scores(part))


def _scores(table: pa.Table) -> tuple[list[float], list[list[int | None]]]:
    """Of each explanation the largest magnitude of a score, and all scores as shares of it."""
    starts, scores = _flat(table["word_scores"])
    defined = np.isfinite(scores)
    sizes = np.where(defined, np.abs(scores), 0.0)
    lengths = np.diff(starts)
    largest = np.zeros(len(lengths))
    if len(sizes):
        largest[lengths > 0] = np.maximum.reduceat(sizes, starts[:-1][lengths > 0])
    scale = np.repeat(np.where(largest > 0, largest, 1.0), lengths)
    numbers = np.rint(SCALE * np.where(defined, scores, 0.0) / scale).astype(int)
    objects: Any = SHARES[numbers + SCALE]
    objects[~defined] = None
    shares: list[int | None] = objects.tolist()
    return largest.tolist(), [shares[start:end] for start, end in pairwise(starts)]


def _spans(table: pa.Table) -> Iterator[list[list[int]]]:
    """For each text of each explanation its words as gaps and lengths (`_gaps`)."""
    starts, segments = _flat(table["word_segment"])
    nested = table["word_offsets"].combine_chunks()
    flat = nested.flatten().flatten().to_numpy(zero_copy_only=False).reshape(-1, 2)
    known: dict[tuple[int, bytes, bytes], list[list[int]]] = {}
    counts = pc.list_value_length(table["texts"]).to_pylist()
    for count, (start, end) in zip(counts, pairwise(starts)):
        spans, owners = flat[start:end], segments[start:end]
        key = (count, spans.tobytes(), owners.tobytes())
        if key not in known:
            known[key] = _gaps(count, spans.tolist(), owners.tolist())
        yield known[key]


def _flat(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The values of all lists one after another, and where each list starts and the last ends."""
    lengths = pc.list_value_length(column).to_numpy()
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return starts, column.combine_chunks().flatten().to_numpy(zero_copy_only=False)


def _text(
    row: _Row,
    texts: dict[tuple[str, str, str], int],
    rows: list[list[Any]],
    names: Mapping[str, dict[str, int]],
) -> int:
    place = (row.task or "", row.lang, row.id)
    if place not in texts:
        texts[place] = len(rows)
        gold = -1 if row.gold is None else _number(names["labels"], row.gold)
        rows.append([
            _number(names["tasks"], place[0]), names["langs"][row.lang], row.group, row.id,
            gold, row.texts, row.spans,
        ])  # fmt: skip
    return texts[place]


def _run(row: _Row, text: Sequence[Any], names: Mapping[str, dict[str, int]]) -> list[Any]:
    flags = [
        [_number(names["flags"], _NUMBERS.sub("…", flag)), *_NUMBERS.findall(flag)]
        for flag in row.flags or ()
    ]
    return [
        _number(names["labels"], row.label), _number(names["labels"], row.target),
        _rounded(row.probability), float(f"{row.largest:.4g}"), row.shares, flags,
        0 if row.spans == text[6] else row.spans,
    ]  # fmt: skip


def _gaps(count: int, spans: Sequence[Sequence[int]], owners: Sequence[int]) -> list[list[int]]:
    """For each text its words as gaps and lengths: [gap, length, gap, length, ...]; then the
    order of the words, where it is not that of the text."""
    parts: list[list[int]] = []
    for segment in range(count):
        at, flat = 0, []
        for place, ((start, end), here) in enumerate(zip(spans, owners)):
            if here == segment and start >= at:
                flat += [start - at, end - start, place]
                at = end
        parts.append(flat)
    return parts


def _measures(summary: Summary | None) -> dict[tuple[str, str, str, str], list[float | None]]:
    """Of each explanation its value by every metric; seeds and settings are averaged."""
    if summary is None or not len(summary.rows):
        return {}
    table = (
        summary.rows.groupby(["model", "lang", "id", "method", "metric"])["value"]
        .mean()
        .unstack("metric")
        .reindex(columns=summary.metrics)
    )
    return {
        place: [_rounded(value) for value in row]
        for place, row in zip(table.index, table.to_numpy().tolist())
    }


def _number(numbered: dict[str, int], name: str) -> int:
    return numbered.setdefault(name, len(numbered))


def _rounded(value: float | None) -> float | None:
    return None if value is None or value != value else round(float(value), 3)
