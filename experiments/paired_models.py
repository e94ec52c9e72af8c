"""What the page on multilingual and monolingual models shows of a pairing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from babelscope.analyses.faithfulness.pairings import Pairs
from babelscope.analyses.faithfulness.pairings_section import accuracy
from babelscope.stats.disparity import Claim, covariates


def readings(pairs: Pairs) -> tuple[list[str], list[list[str]]]:
    """Accuracy and fertility of every model, a row for each task and language."""
    measures, each = ("accuracy", "fertility"), covariates(pairs.readings).reset_index()
    wide = each.pivot_table(list(measures), ["task", "lang"], "model", sort=False)
    columns = [(name, model) for name in measures for model in dict.fromkeys(each["model"])]
    rows = [
        [" ".join(map(str, place)), *(f"{row[column]:.2f}" for column in columns)]
        for place, row in wide.iterrows()
    ]
    return ["", *(", ".join(column) for column in columns)], rows


def with_accuracy(pairs: Pairs, rows: Iterable[Any], parts: int = 1) -> list[tuple[Any, str]]:
    """Each row, and the accuracies at the first parts of its place."""
    return [(row, accuracy(pairs, *row.place[:parts])) for row in rows]


def claim_name(claim: Claim) -> str:
    return f"{claim.place[0]}, {claim.place[1].removeprefix('normalised_').replace('_', ' ')}"
