"""The published tables of cross-lingual consistency, analysed anew: what they do and do not
support.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from benchmarks.timing import table

from babelscope.analyses.consistency.correlation import (
    correlation,
    interaction,
    mantel,
    off_diagonal,
    pearson,
    variance_shares,
)

FILE = Path(__file__).resolve().parent / "published_consistency.csv"
LANGS = ("en", "de", "es", "fr", "ko", "zh")


def read(name: str, by: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    with FILE.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["table"] == name:
                found.setdefault(row[by], {})[row["target"]] = float(row["value"])
    return found


def square(name: str) -> np.ndarray:
    found = read(name, "source")
    return np.array([[found[source][target] for target in LANGS] for source in LANGS])


def by_row(c: np.ndarray, accuracy: np.ndarray) -> str:
    rows = []
    for place, lang in enumerate(LANGS):
        others = np.arange(len(LANGS)) != place
        found = correlation(c[place][others], accuracy[place][others])
        with_self = pearson(c[place], accuracy[place])
        rows.append(
            [
                lang,
                f"{with_self:.3f}",
                f"{found.pearson:.3f}",
                f"{found.spearman:.3f}",
                f"{found.p:.3f}",
            ]
        )
    return table(
        ["source", "r with itself", "r without", "Spearman without", "p without (5 languages)"],
        rows,
    )


def page() -> str:
    models = read("xnli consistency", "model")
    xnli = np.array(
        [[value for lang, value in row.items() if lang != "overall"] for row in models.values()]
    )
    of_models, of_languages, rest = variance_shares(xnli)
    lowest = min(pearson(one, two) for place, one in enumerate(xnli) for two in xnli[:place])
    c, accuracy = square("pawsx consistency by source"), square("pawsx accuracy by source")
    cells, whole = (
        correlation(off_diagonal(c), off_diagonal(accuracy)),
        pearson(c.ravel(), accuracy.ravel()),
    )
    _, p = mantel(c, accuracy)
    inner = pearson(off_diagonal(interaction(c)), off_diagonal(interaction(accuracy)))
    apart = [(each.sum(1) - np.diag(each)) / (len(LANGS) - 1) for each in (c, accuracy)]
    alike = pearson(off_diagonal(c), off_diagonal(c.T))
    told = ", ".join(f"{LANGS[at]} {apart[0][at]:.3f}" for at in np.argsort(-apart[0]))
    return f"""# The published consistency tables

The study that defined C(s, t) printed it for up to five models on XNLI, PAWS-X and XQuAD, and for models trained in each of six
languages on PAWS-X. This page is written by `python -m experiments published-consistency` from these tables
(experiments/published_consistency.csv) with the functions of `babelscope.analyses.consistency.correlation`; tests hold the same
figures.

## The overall score counts the source with itself

Each printed overall is the mean over the languages **and** the source's own 1.000. `babelscope consistency` leaves that 1 out
and prints both.

## The score hardly depends on the model

Of the variance of the XNLI table (5 models, 12 languages), {of_languages:.1%} lies between languages,
{of_models:.1%} between models and {rest:.1%} in neither. The profiles of any
two models over the languages correlate at {lowest:.3f} or more.

## The matrix is symmetric

PAWS-X, models trained in each language: C(s, t) and C(t, s) come from two differently trained models and differ by at most
{np.abs(c - c.T).max():.3f} (r = {alike:.4f}). So what distinguishes Spanish as a source is a property of
the pair of languages and of the space, not of training in Spanish. Without the diagonal: {told}.

## The correlation with accuracy

{by_row(c, accuracy)}

Over all 36 cells r = {whole:.3f}; over the 30 of two languages r = {cells.pearson:.3f} (Spearman {cells.spearman:.3f}).
Were the cells independent, p would be {cells.p:.3f}; they share languages, and with languages permuted as a whole (Mantel)
p = {p:.3f}. After the effects of source and target are taken out of both, r = {inner:.3f}. Means by source language
correlate at {pearson(c.mean(1), accuracy.mean(1)):.2f} with the diagonal and at {pearson(apart[0], apart[1]):.2f} without it.

These are the marks of a score that is mostly the similarity of two languages' words. They do not say that explanations are
inconsistent, or that the finding is wrong; they say that C alone cannot tell, which is why it is never printed here without
C_unif, C_perm and its ceiling ([how to read them](../consistency.md)).
"""
