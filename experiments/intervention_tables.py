"""How outcomes respond to other segmentations: slopes in words, counted, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from babelscope.analyses.tokenization.intervention import AGREEMENT
from babelscope.analyses.tokenization.responses import Response
from babelscope.types import Estimate

FAITHFULNESS = (
    "normalised_comprehensiveness",
    "normalised_sufficiency",
    "chance_corrected",
    "loo_correlation",
)
ADDITIONAL = ("complexity", AGREEMENT)
CUTS = ("characters", "dropout", "truncate")
"""Arms with more tokens per word; the others are controls."""
BY_DOSE = ("same", "filler")
"""Arms that leave the tokens per word as they are: slopes on the share of words."""
BASELINES = ("characters", "characters, tuned", "vocabulary, from scratch")
"""Arms whose dose 0 is listed; that of the others is the same."""
TINY = 1e-6
"""Slopes nearer to 0 count as 0."""
WRONG = 0.25
"""The share of wrong texts above which a model of two classes has not learned its task."""
FINE_TUNED = {
    "characters, tuned": "split into characters",
    "truncate, tuned": "by ever fewer pieces",
    "vocabulary, from scratch": "from scratch, by vocabulary",
    "duplicate, tuned": "repeated pieces",
}
Doses = Mapping[tuple[str, str, float], tuple[float, float]]
"""By arm, language and dose: tokens per word, and the share of texts left out."""


def dose_rows(doses: Doses) -> list[list[str]]:
    """Arm, language, dose, tokens per word, share of texts left out."""
    return [
        [arm, lang, f"{dose:g}", f"{fertility:.2f}", f"{left_out:.0%}"]
        for (arm, lang, dose), (fertility, left_out) in doses.items()
        if dose > 0 or arm in BASELINES
    ]


def slope_rows(rows: Sequence[Response], outcomes: Sequence[str]) -> list[list[str]]:
    """A row for each arm, language and method: the slope of each outcome."""
    cells: dict[tuple[str, str, str], dict[str, Response]] = {}
    for row in rows:
        cells.setdefault((row.arm, row.lang, row.method), {})[row.outcome] = row
    return [
        [*place, *(signed(slope(each[name])) for name in outcomes)] for place, each in cells.items()
    ]


def slope(row: Response) -> Estimate:
    return row.by_dose if row.arm in BY_DOSE else row.by_fertility


def signed(estimate: Estimate) -> str:
    """`+0.074 (+0.006 to +0.146)`; a dash where it is undefined."""
    if not isfinite(estimate.mean):
        return "–"
    bounded = isfinite(estimate.low)
    interval = f" ({estimate.low:+.3f} to {estimate.high:+.3f})" if bounded else ""
    return f"{estimate.mean:+.3f}{interval}"


def tally(
    rows: Sequence[Response], outcomes: Sequence[str], arms: Sequence[str]
) -> tuple[int, int, int]:
    """The number of slopes on tokens per word, and of those whose interval is below and above 0."""
    slopes = [row.by_fertility for row in rows if row.outcome in outcomes and row.arm in arms]
    known = [each for each in slopes if isfinite(each.low)]
    below = sum(each.high < -TINY for each in known)
    return len(known), below, sum(each.low > TINY for each in known)


def tallies(rows: Sequence[Response]) -> list[tuple[str, int, int, int]]:
    """By measure of faithfulness, over the arms that split words."""
    return [(name, *tally(rows, [name], CUTS)) for name in FAITHFULNESS]


def conclusion(
    inference: Sequence[Response],
    slopes: Mapping[str, Sequence[Response]],
    doses: Mapping[str, Doses],
) -> list[dict[str, Any]]:
    """The counts of slopes of faithfulness for each arm; where a model did not learn its task, the
    share of texts that it gets wrong instead."""
    lines = [
        {"name": "at inference, split", "tally": tally(inference, FAITHFULNESS, CUTS)},
        {
            "name": "at inference, repeated pieces",
            "tally": tally(inference, FAITHFULNESS, ["duplicate"]),
        },
    ]
    for task, rows in slopes.items():
        for arm, name in FINE_TUNED.items():
            wrong = max(share for (each, *_), (_, share) in doses[task].items() if each == arm)
            if wrong > WRONG:
                lines.append({"name": f"{task}, {arm}", "wrong": wrong})
            else:
                counts = tally(rows, FAITHFULNESS, [arm])
                lines.append({"name": f"{task}, fine-tuned, {name}", "tally": counts})
    return lines
