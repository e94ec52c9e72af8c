"""The printed intervals contain the truth as often as they say, with few groups too; a bootstrap of
percentiles does not.

4000 samples each from fixed seeds, by the rows of the table in docs/statistics.md. Three
Monte-Carlo standard errors of a coverage of .95 are 3 sqrt(.95 .05 / 4000) = .010, of the 400
samples of the transfer matrix .033.
"""

from __future__ import annotations

import pytest
from benchmarks.coverage import ROWS, Row, coverage

EXACT = {
    (row.name, row.distribution): row
    for row in ROWS
    if (row.name, row.distribution) in (
        ("mean, difference", "normal"), ("mean over tasks", "two seeds, five texts"),
        ("rate", ".7, correlated"), ("rate", ".95, correlated"), ("ratio", "random / random"),
        ("kappa", "correlated parts"), ("correlation", ".5, correlated texts"),
        ("slope within texts", "unequal noise"),
    )
}  # fmt: skip
SKEWED = [row for row in ROWS if row.distribution in ("bounded and skewed", "60 % zeros")]


@pytest.mark.parametrize("groups", [3, 5, 10])
@pytest.mark.parametrize("row", EXACT.values(), ids=lambda row: f"{row.name} {row.distribution}")
def test_intervals_cover_at_their_level(row: Row, groups: int) -> None:
    assert len(EXACT) == 8
    assert coverage(row, groups) >= 0.95 - 0.010


@pytest.mark.parametrize("row", SKEWED, ids=lambda row: row.distribution)
def test_skewed_values_cover_from_ten_groups_on(row: Row) -> None:
    """Below ten groups they may not, and pages print the number of groups."""
    assert coverage(row, 10) >= 0.95 - 0.010
    assert coverage(row, 3) >= 0.85


def test_shares_of_variance_cover() -> None:
    (row,) = [row for row in ROWS if row.name == "share of variance"]
    assert min(coverage(row, groups) for groups in (3, 10)) >= 0.95 - 0.033


def test_percentiles_of_resamples_do_not_cover() -> None:
    """The variance of resampled means is (G - 1)/G of what it should be, and there is no t: about
    .72 at 3 groups and .83 at 5."""
    (row,) = [row for row in ROWS if "bootstrap" in row.name]
    assert coverage(row, 3) < 0.80
    assert coverage(row, 5) < 0.90
