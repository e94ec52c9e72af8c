"""Every explanation of a study as compact JSON: what the page's list of examples is drawn from.

A text and its words are written once, however many methods and models explain it. Scores are
thousandths of the largest score of their explanation, so that 50,000 explanations take a few
megabytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import pandas as pd
import pyarrow as pa
from markupsafe import Markup

from babelscope.analyses.faithfulness.summary import Summary, described
from babelscope.display.highlight import UNSIGNED, top

COLUMNS = [
    "task", "lang", "group", "id", "gold", "texts", "model", "method", "label", "target",
    "probability", "word_offsets", "word_segment", "word_scores", "flags",
]  # fmt: skip
SCALE = 999
"""The number that stands for the largest score of an explanation."""
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
    for row in attributions.select(COLUMNS).to_pylist():
        at = _text(row, texts, rows, names)
        place = (at, names["models"][row["model"]], order[row["method"]])
        if place not in runs:
            runs[place] = [*place, *_run(row, rows[at], names), values.get(_key(row), [])]
    metrics = [] if summary is None else summary.metrics
    return {
        **{part: list(numbered) for part, numbered in names.items()},
        "methods": [[name, name.partition("[")[0] not in UNSIGNED] for name in methods],
        "metrics": [[name, summary.sign(name)] for name in metrics] if summary else [],
        "texts": rows,
        "runs": [runs[place] for place in sorted(runs)],
    }


def data_json(data: Any) -> Markup:
    """JSON that may stand inside of a script element: neither a tag nor a lone surrogate."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028"))


def _text(
    row: Mapping[str, Any],
    texts: dict[tuple[str, str, str], int],
    rows: list[list[Any]],
    names: Mapping[str, dict[str, int]],
) -> int:
    place = (row["task"] or "", row["lang"], row["id"])
    if place not in texts:
        texts[place] = len(rows)
        gold = -1 if row["gold"] is None else _number(names["labels"], row["gold"])
        rows.append([
            _number(names["tasks"], place[0]), names["langs"][row["lang"]], row["group"], row["id"],
            gold, row["texts"], _spans(row),
        ])  # fmt: skip
    return texts[place]


def _run(
    row: Mapping[str, Any], text: Sequence[Any], names: Mapping[str, dict[str, int]]
) -> list[Any]:
    scores = row["word_scores"]
    largest = top(scores)
    shares = [
        None if score is None or not isfinite(score)
        else round(SCALE * score / largest) if largest else 0
        for score in scores
    ]  # fmt: skip
    spans = _spans(row)
    flags = [
        [_number(names["flags"], _NUMBERS.sub("…", flag)), *_NUMBERS.findall(flag)]
        for flag in row["flags"] or ()
    ]
    return [
        _number(names["labels"], row["label"]), _number(names["labels"], row["target"]),
        _rounded(row["probability"]), float(f"{largest:.4g}"), shares, flags,
        0 if spans == text[6] else spans,
    ]  # fmt: skip


def _spans(row: Mapping[str, Any]) -> list[list[int]]:
    """For each text its words as gaps and lengths: [gap, length, gap, length, ...]; then the
    order of the words, where it is not that of the text."""
    parts: list[list[int]] = []
    for segment in range(len(row["texts"])):
        at, flat = 0, []
        for place, ((start, end), here) in enumerate(zip(row["word_offsets"], row["word_segment"])):
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


def _key(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return row["model"], row["lang"], row["id"], row["method"]


def _number(numbered: dict[str, int], name: str) -> int:
    return numbered.setdefault(name, len(numbered))


def _rounded(value: float | None) -> float | None:
    return None if value is None or pd.isna(value) else round(float(value), 3)
