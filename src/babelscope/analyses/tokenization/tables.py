"""From the store to measures of tokenizers and responses to re-segmentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from babelscope.analyses.stored import (
    skipped_groups,
    stored_clusters,
    stored_keys,
    without_groups,
)
from babelscope.analyses.tokenization.counts import Tokenization
from babelscope.analyses.tokenization.responses import Response, flips, responses
from babelscope.analyses.tokenization.summary import summarise
from babelscope.store import Store, read
from babelscope.types import DoseOutcome, TokenizedText

NAME = "tokenization"


@dataclass(frozen=True, slots=True)
class Doses:
    """The interventions on one model: every outcome, responses, and what each dose did to the
    texts.
    """

    model: str
    outcomes: tuple[DoseOutcome, ...]
    responses: tuple[Response, ...]
    flips: Mapping[tuple[str, str, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Tables:
    """Measures by tokenizer and language, segmented texts to look at, and interventions
    by model.
    """

    measures: Tokenization
    texts: tuple[TokenizedText, ...]
    interventions: tuple[Doses, ...]


def tables(store: Store, study: Mapping[str, Any]) -> Tables | None:
    """What the store holds about the study's tokenizers; None where there is nothing."""
    keys = stored_keys(store, study, NAME)
    groups = skipped_groups(store, study)
    segmentations = without_groups(read(store, "segmentations", keys), groups)
    rows = [_text(row) for row in segmentations.to_pylist()]
    if not rows:
        return None
    several = len({row.task for row in rows}) > 1
    named = [_with_task(row) if several else row for row in rows]
    names = list(dict.fromkeys(study.get("names") or sorted(row.tokenizer for row in rows)))
    langs = list(study.get("languages") or ())
    named.sort(
        key=lambda row: (
            _position(row.tokenizer.split(" · ")[0], names),
            _position(row.lang, langs),
        )
    )
    interventions = without_groups(read(store, "interventions", keys), groups)
    outcomes = [DoseOutcome(**row) for row in interventions.to_pylist()]
    doses = _doses(outcomes, stored_clusters(segmentations))
    return Tables(summarise(named), tuple(named), doses)


def _position(name: str, order: list[str]) -> int:
    """Where a name is listed; unknown ones come last."""
    return order.index(name) if name in order else len(order)


def _doses(
    outcomes: list[DoseOutcome], clusters: Mapping[tuple[str, str], str]
) -> tuple[Doses, ...]:
    by_model: dict[str, list[DoseOutcome]] = {}
    for outcome in outcomes:
        by_model.setdefault(outcome.model, []).append(outcome)
    return tuple(
        Doses(model, tuple(rows), tuple(responses(rows, clusters)), flips(rows))
        for model, rows in by_model.items()
    )


def _with_task(row: TokenizedText) -> TokenizedText:
    return replace(row, tokenizer=f"{row.tokenizer} · {row.task}")


def _text(row: dict[str, Any]) -> TokenizedText:
    def spans(parts: list[list[list[int]]]) -> tuple[tuple[tuple[int, int], ...], ...]:
        return tuple(tuple((start, stop) for start, stop in part) for part in parts)

    lists = {
        "texts": tuple(row["texts"]),
        "ids": tuple(map(tuple, row["ids"])),
        "words": spans(row["words"]),
        "offsets": spans(row["offsets"]),
    }
    return TokenizedText(**{**row, **lists})
