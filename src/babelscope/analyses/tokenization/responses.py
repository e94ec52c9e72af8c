"""How outcomes of explanations respond to other segmentations: means by dose, and slopes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from babelscope.stats import estimate
from babelscope.stats.slopes import slope
from babelscope.types import DoseOutcome, Estimate


@dataclass(frozen=True, slots=True)
class Response:
    """How an outcome responds to an arm: its mean at every dose, and its slope by fertility and by
    dose within texts.
    """

    arm: str
    lang: str
    method: str
    outcome: str
    means: tuple[tuple[float, Estimate], ...]
    by_fertility: Estimate
    by_dose: Estimate


def responses(found: Sequence[DoseOutcome]) -> list[Response]:
    """Per arm, language, method and outcome the means by dose and the slopes; intervals resample
    translation groups.
    """
    cells: dict[tuple[str, str, str, str], list[DoseOutcome]] = {}
    for one in found:
        cells.setdefault((one.arm, one.lang, one.method, one.outcome), []).append(one)
    made = []
    for place, mine in cells.items():
        doses = list(dict.fromkeys(one.dose for one in mine))
        at = {dose: [one for one in mine if one.dose == dose] for dose in doses}
        means = tuple(
            (dose, estimate([o.value for o in at[dose]], [o.group for o in at[dose]]))
            for dose in doses
        )
        values, names, groups = (
            [one.value for one in mine],
            [one.id for one in mine],
            [one.group for one in mine],
        )
        slopes = [
            slope(x, values, names, groups)
            for x in ([o.fertility for o in mine], [o.dose for o in mine])
        ]
        made.append(Response(*place, means, *slopes))
    return made


def flips(found: Sequence[DoseOutcome]) -> dict[tuple[str, str, float], tuple[float, float]]:
    """Per arm, language and dose: mean fertility, and the share of texts whose
    prediction changed.
    """
    cells: dict[tuple[str, str, float], dict[str, DoseOutcome]] = {}
    for one in found:
        cells.setdefault((one.arm, one.lang, one.dose), {})[one.id] = one
    return {
        place: (
            float(np.nanmean([o.fertility for o in mine.values()])),
            1 - float(np.mean([o.kept for o in mine.values()])),
        )
        for place, mine in cells.items()
    }
