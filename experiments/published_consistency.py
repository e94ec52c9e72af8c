"""The published tables of cross-lingual consistency: what they do and do not support."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from babelscope import options
from babelscope.analyses.consistency.correlation import (
    correlation,
    interaction,
    mantel,
    off_diagonal,
    pearson,
    variance_shares,
)
from experiments.published_profiles import across, profile, published, square


class Spec(options.Spec):
    languages: list[str]
    models: str
    consistency: str
    accuracy: str
    tables: dict[str, str]
    """By title: the tables of models by languages."""


def values(spec: Spec) -> dict[str, Any]:
    models = published(spec.models, "model").drop(columns="overall").to_numpy(float)
    c, accuracy = (square(name, spec.languages) for name in (spec.consistency, spec.accuracy))
    rows = []
    for place, lang in enumerate(spec.languages):
        without = [np.delete(each[place], place) for each in (c, accuracy)]
        rows.append((lang, pearson(c[place], accuracy[place]), correlation(*without)))
    apart = [(each.sum(1) - np.diag(each)) / (len(each) - 1) for each in (c, accuracy)]
    return {
        "profiles": [profile(title, name) for title, name in spec.tables.items()],
        "across": across(spec.tables, "mBERT"),
        "shares": variance_shares(models),
        "lowest": min(pearson(*pair) for pair in combinations(models, 2)),
        "rows": rows,
        "asymmetry": np.abs(c - c.T).max(),
        "alike": pearson(off_diagonal(c), off_diagonal(c.T)),
        "by_source": [f"{spec.languages[at]} {apart[0][at]:.3f}" for at in np.argsort(-apart[0])],
        "whole": pearson(c.ravel(), accuracy.ravel()),
        "cells": correlation(off_diagonal(c), off_diagonal(accuracy)),
        "mantel": mantel(c, accuracy)[1],
        "inner": pearson(*(off_diagonal(interaction(each)) for each in (c, accuracy))),
        "means": (pearson(c.mean(1), accuracy.mean(1)), pearson(*apart)),
    }
