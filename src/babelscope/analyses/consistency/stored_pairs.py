"""Compared pairs as rows of a store, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import pyarrow as pa

from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.analyses.consistency.pairs import Pair, Settings
from babelscope.analyses.consistency.score import Consistency
from babelscope.analyses.consistency.summary import summarise
from babelscope.types import TranslationPair

LISTS = (
    "known_s", "known_t", "earned_s", "earned_t", "flow_s", "flow_t", "flow_weight",
    "flow_similarity",
)  # fmt: skip
"""Columns that only a drawing of the pair needs."""
SCORE = ("c", "c_unif", "c_perm", "c_indep", "ceil_s", "ceil_t", "p", "reason")
PAIR = (
    "id", "lang", "c_mis", "c_rand", "coverage_s", "coverage_t", "prediction_s", "prediction_t",
    "gold_s", "gold_t", "confidence_s", "confidence_t", "cluster",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose explanations are compared."""

    model: str
    task: str
    method: str
    options: Mapping[str, Any]
    seed: int


def to_rows(comparison: Comparison, origin: Origin) -> list[TranslationPair]:
    """Every pair of a comparison with all that tables and drawings need."""
    return [_row(pair, comparison, origin) for pair in comparison.pairs]


def to_comparisons(rows: pa.Table) -> list[tuple[Origin, Comparison]]:
    """Stored pairs by model, task, method, source, space and norm, in their order in the table.

    *Law*: the lines are those of the pairs before they were stored.
    """
    columns = [name for name in rows.column_names if name not in LISTS]
    grouped: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows.select(columns).to_pylist():
        grouped.setdefault(_place(row), []).append(row)
    return [_comparison(group) for group in grouped.values()]


def _row(pair: Pair, comparison: Comparison, origin: Origin) -> TranslationPair:
    score, settings, flow = pair.score, comparison.settings, pair.flow
    return TranslationPair(
        **{name: getattr(pair, name) for name in PAIR},
        **{name: getattr(score, name) for name in SCORE},
        ceil=score.ceil,
        lift=score.lift,
        kappa=score.kappa,
        kappa_reason=score.kappa_reason,
        source=comparison.source,
        **{name: getattr(origin, name) for name in ("model", "task", "method", "options", "seed")},
        space=comparison.space,
        centred=comparison.centred,
        mean_cosine=comparison.mean_cosine.get(pair.lang, nan),
        norm=settings.norm,
        segments=settings.segments,
        unknown=settings.unknown,
        permutations=settings.permutations,
        permutation_seed=settings.seed,
        known_s=_listed(pair.known_s),
        known_t=_listed(pair.known_t),
        earned_s=_listed(score.earned_s),
        earned_t=_listed(score.earned_t),
        flow_s=_listed(flow and flow.unit_s),
        flow_t=_listed(flow and flow.unit_t),
        flow_weight=_listed(flow and flow.weight),
        flow_similarity=_listed(flow and flow.similarity),
    )


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    whose = ("model", "task", "method", "options", "seed", "source", "space")
    how = ("norm", "segments", "unknown", "permutations", "permutation_seed")
    return tuple(row[name] for name in (*whose, *how))


def _comparison(rows: Sequence[Mapping[str, Any]]) -> tuple[Origin, Comparison]:
    first = rows[0]
    options = json.loads(first["options"] or "{}")
    origin = Origin(first["model"], first["task"], first["method"], options, first["seed"])
    settings = Settings(
        first["norm"],
        first["segments"],
        first["unknown"],
        first["permutations"],
        first["permutation_seed"],
    )
    pairs = [_pair(row) for row in rows]
    comparison = Comparison(
        first["source"],
        first["space"],
        settings,
        pairs,
        summarise(pairs, seed=settings.seed),
        first["centred"],
        _cosines(rows),
    )
    return origin, comparison


def _pair(row: Mapping[str, Any]) -> Pair:
    score = Consistency(**{name: row[name] for name in SCORE})
    return Pair(score=score, **{name: row[name] for name in PAIR})


def _cosines(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    cosines = {row["lang"]: row["mean_cosine"] for row in rows}
    return {lang: value for lang, value in cosines.items() if value == value}


def _listed(values: Any) -> Any:
    return None if values is None else values.tolist()
