"""The published tables, analysed anew with our own functions;
docs/results/published-consistency.md tells the same figures.
"""

from __future__ import annotations

import csv

import numpy as np
import pytest

from babelscope.analyses.consistency.correlation import (
    correlation,
    interaction,
    mantel,
    off_diagonal,
    pearson,
    variance_shares,
)
from babelscope.reporting.papers.published import published_file

FILE = published_file("consistency")
LANGS = ("en", "de", "es", "fr", "ko", "zh")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    lines = FILE.read_text("utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def values(rows: list[dict[str, str]], table: str, by: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["table"] == table:
            found.setdefault(row[by], {})[row["target"]] = float(row["value"])
    return found


def square(rows: list[dict[str, str]], table: str) -> np.ndarray:
    found = values(rows, table, "source")
    return np.array([[found[source][target] for target in LANGS] for source in LANGS])


@pytest.mark.parametrize("table", ["xnli", "pawsx", "xquad start", "xquad end"])
def test_the_published_overall_counts_the_trivial_one(
    rows: list[dict[str, str]], table: str
) -> None:
    """Every overall is the mean over the languages with the source's 1 among them, to rounding;
    without it, it is .05 off.
    """
    for row in values(rows, f"{table} consistency", "model").values():
        told = row.pop("overall")
        assert (sum(row.values()) + 1) / (len(row) + 1) == pytest.approx(told, abs=0.0011)
        assert abs(np.mean(list(row.values())) - told) > 0.05


def test_the_score_hardly_depends_on_the_model(rows: list[dict[str, str]]) -> None:
    """XNLI: 1.4 % of the variance between models, 98.3 % between languages; any two models'
    profiles correlate above .99.
    """
    found = values(rows, "xnli consistency", "model")
    table = np.array(
        [[value for lang, value in row.items() if lang != "overall"] for row in found.values()]
    )
    models, languages, rest = variance_shares(table)
    assert (models, languages, rest) == (
        pytest.approx(0.014, abs=5e-4),
        pytest.approx(0.983, abs=5e-4),
        pytest.approx(0.003, abs=5e-4),
    )
    lowest = min(pearson(one, two) for place, one in enumerate(table) for two in table[:place])
    assert lowest == pytest.approx(0.994, abs=5e-4)


def test_the_matrix_is_symmetric_although_rows_are_differently_trained_models(
    rows: list[dict[str, str]],
) -> None:
    table = square(rows, "pawsx consistency by source")
    assert np.abs(table - table.T).max() <= 0.004 + 1e-9
    assert pearson(off_diagonal(table), off_diagonal(table.T)) == pytest.approx(0.9998, abs=1e-4)


def test_the_strong_correlation_belongs_to_the_english_row(rows: list[dict[str, str]]) -> None:
    c, accuracy = (
        square(rows, "pawsx consistency by source"),
        square(rows, "pawsx accuracy by source"),
    )
    told = {"en": (0.786, 0.987), "de": (0.301, 0.543), "es": (0.479, 0.601), "fr": (0.442, 0.475),
            "ko": (-0.704, -0.346),
            "zh": (-0.178, 0.593)}  # fmt: skip
    for place, lang in enumerate(LANGS):
        others = np.arange(len(LANGS)) != place
        found = (
            pearson(c[place], accuracy[place]),
            pearson(c[place][others], accuracy[place][others]),
        )
        assert found == (
            pytest.approx(told[lang][0], abs=6e-4),
            pytest.approx(told[lang][1], abs=6e-4),
        ), lang


def test_over_all_cells(rows: list[dict[str, str]]) -> None:
    """r = .427 over 30 cells, p = .018 if they were independent. But they share languages:
    permuted together, p is larger.
    """
    c, accuracy = (
        square(rows, "pawsx consistency by source"),
        square(rows, "pawsx accuracy by source"),
    )
    assert pearson(c.ravel(), accuracy.ravel()) == pytest.approx(0.291, abs=6e-4)
    naive = correlation(off_diagonal(c), off_diagonal(accuracy))
    assert (naive.pearson, naive.spearman) == (
        pytest.approx(0.427, abs=6e-4),
        pytest.approx(0.481, abs=6e-4),
    )
    assert naive.p == pytest.approx(0.018, abs=0.006)
    r, p = mantel(c, accuracy)
    assert r == pytest.approx(naive.pearson, abs=1e-12)
    assert p > naive.p
    rests = [off_diagonal(interaction(table)) for table in (c, accuracy)]
    assert pearson(rests[0], rests[1]) == pytest.approx(0.647, abs=6e-4)


def test_the_best_source_language_is_a_matter_of_the_diagonal(rows: list[dict[str, str]]) -> None:
    """Row means against row accuracies: r = .83 with the 1 of each language with itself, .02
    without.
    """
    c, accuracy = (
        square(rows, "pawsx consistency by source"),
        square(rows, "pawsx accuracy by source"),
    )
    assert pearson(c.mean(1), accuracy.mean(1)) == pytest.approx(0.83, abs=0.01)
    apart = [(table.sum(1) - np.diag(table)) / (len(LANGS) - 1) for table in (c, accuracy)]
    assert pearson(apart[0], apart[1]) == pytest.approx(0.02, abs=0.01)
    order = np.argsort(-apart[0])
    assert [LANGS[at] for at in order] == ["es", "fr", "de", "en", "ko", "zh"]
