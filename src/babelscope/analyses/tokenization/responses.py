"""How outcomes of explanations respond to other segmentations: means by dose, and slopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from babelscope.stats import estimate
from babelscope.stats.slopes import slope
from babelscope.types import DoseOutcome, Estimate


@dataclass(frozen=True, slots=True)
class Response:
    """How an outcome responds to an arm: its mean at every dose, and its slope on fertility and on
    dose within texts.
    """

    arm: str
    lang: str
    method: str
    outcome: str
    means: tuple[tuple[float, Estimate], ...]
    by_fertility: Estimate
    by_dose: Estimate


def responses(
    outcomes: Sequence[DoseOutcome], clusters: Mapping[tuple[str, str], str]
) -> list[Response]:
    """Per arm, language, method and outcome the means by dose and the slopes.

    Intervals are by `clusters`, by task and translation group: those of the texts
    (`data/independence.py`). A group that is not among them is its own cluster.
    """
    cells: dict[tuple[str, str, str, str], list[DoseOutcome]] = {}
    for row in outcomes:
        cells.setdefault((row.arm, row.lang, row.method, row.outcome), []).append(row)
    return [_response(place, rows, clusters) for place, rows in cells.items()]


def _response(
    place: tuple[str, str, str, str],
    rows: Sequence[DoseOutcome],
    clusters: Mapping[tuple[str, str], str],
) -> Response:
    values, texts, members = (
        [row.value for row in rows],
        [row.id for row in rows],
        [clusters.get((row.task, row.group), row.group) for row in rows],
    )
    means = []
    for dose in dict.fromkeys(row.dose for row in rows):
        at = [place for place, row in enumerate(rows) if row.dose == dose]
        means.append((dose, estimate([values[i] for i in at], [members[i] for i in at])))
    by_fertility, by_dose = (
        slope(x, values, texts, members)
        for x in ([row.fertility for row in rows], [row.dose for row in rows])
    )
    return Response(*place, tuple(means), by_fertility, by_dose)


def flips(outcomes: Sequence[DoseOutcome]) -> dict[tuple[str, str, float], tuple[float, float]]:
    """Per arm, language and dose: mean fertility, and the share of texts whose
    prediction changed.
    """
    cells: dict[tuple[str, str, float], dict[str, DoseOutcome]] = {}
    for row in outcomes:
        cells.setdefault((row.arm, row.lang, row.dose), {})[row.id] = row
    return {
        place: (
            float(np.nanmean([row.fertility for row in texts.values()])),
            1 - float(np.mean([row.kept for row in texts.values()])),
        )
        for place, texts in cells.items()
    }
