"""Intervals, tests and tables of fixed, drawn numbers."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pandas as pd

from babelscope.stats import estimate
from babelscope.stats.calibration import reliability
from babelscope.stats.components import components
from babelscope.stats.corrections import benjamini_hochberg, holm
from babelscope.stats.correlations import correlation
from babelscope.stats.disparity import (
    Pairing,
    claims,
    compared,
    covariates,
    disparities,
    instances,
    points,
    ratios,
)
from babelscope.stats.intervals import hierarchical, ratio
from babelscope.stats.paired import mcnemar, paired, sign_flip
from babelscope.stats.rankings import friedman
from babelscope.stats.slopes import slope
from babelscope.stats.specifications import specification_curve
from babelscope.stats.units import across, equivalence, unit_means
from baseline.values import Values, put

PAIRINGS = (Pairing("m", ("a", "b")), Pairing("m", ("c",)))


def values() -> Values:
    entries: Values = {}
    for size, groups in ((12, 6), (60, 25)):
        means(entries, f"inference/{size}", size, groups)
    units(entries)
    tables(entries)
    return entries


def means(entries: Values, key: str, size: int, groups: int) -> None:
    """Intervals and paired tests, few groups enumerated and many drawn, with an undefined value."""
    rng = np.random.default_rng(size)
    first, second, dose = rng.normal(0.3, 1, (3, size))
    first[1] = np.nan
    names = [f"g{at % groups}" for at in range(size)]
    put(
        entries,
        f"{key}/estimate",
        [astuple(estimate(first.tolist(), names))[:5]] * 2,
    )
    put(entries, f"{key}/ratio", ratio(np.abs(first), np.abs(second), names))
    floors = np.abs(rng.normal(2, 1, (size, 3)))
    put(entries, f"{key}/ratio of draws", ratio(np.abs(first), floors, names))
    levels = [[f"t{at % 3}" for at in range(size)], [f"s{at % 2}" for at in range(size)], names]
    put(entries, f"{key}/hierarchical", hierarchical(first.tolist(), levels))
    put(entries, f"{key}/sign_flip", [sign_flip(first.tolist(), names), sign_flip(second.tolist())])
    put(entries, f"{key}/paired", paired(first, second, names, seed=1))
    put(entries, f"{key}/mcnemar", mcnemar((first > 0).tolist(), (second > 0.5).tolist()))
    put(entries, f"{key}/slope", slope(dose, first, [f"i{at // 3}" for at in range(size)], names))
    put(
        entries,
        f"{key}/reliability",
        reliability(0.6, np.abs(second).tolist(), (first > 0).tolist(), nearest=9),
    )
    put(entries, f"{key}/specifications", specification_curve(rng.normal(0.1, 1, (5, size)), names))
    families = [f"f{at % 3}" for at in range(size)]
    for ranks in (False, True):
        put(
            entries,
            f"{key}/correlation/ranks {ranks}",
            correlation(first, second, families, ranks=ranks),
        )


def units(entries: Values) -> None:
    """Tasks as units; rankings, components, corrections."""
    rng = np.random.default_rng(5)
    first, second = rng.normal(0.2, 1, (2, 24))
    names = [f"task {at % 7}" for at in range(24)]
    put(entries, "inference/unit_means", unit_means(first, names))
    put(entries, "inference/across", across(first, second, names))
    put(entries, "inference/equivalence", equivalence(first, names, margin=0.5))
    put(entries, "inference/friedman", friedman(rng.normal(size=(6, 4)).round(1)))
    put(entries, "inference/components", components(rng.normal(size=(3, 8, 4))))
    put(entries, "inference/components of one draw", components(rng.normal(size=(3, 8, 1))))
    p = [*rng.uniform(0, 0.2, 9).tolist(), float("nan")]
    put(entries, "inference/holm", holm(p))
    put(entries, "inference/benjamini_hochberg", benjamini_hochberg(p))
    put(entries, "inference/correlation of eight", correlation(first[:8], second[:8]))


def drawn() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measures and readings of four models on two tasks in two languages."""
    rng = np.random.default_rng(17)
    measures, read = [], []
    for model in "mabc":
        for task, lang in (("x", "en"), ("x", "hi"), ("y", "en")):
            for at in range(6):
                place = {"model": model, "seed": 0, "task": task, "lang": lang}
                place |= {"cluster": f"{task}{at}", "id": f"{task}{lang}{at}"}
                read.append(
                    {
                        **place,
                        "right": bool(rng.random() < 0.8),
                        "words": 5 + at,
                        "tokens": 9 + 2 * at,
                        "split": 2,
                    }
                )
                for method in ("random", "good", "bad"):
                    for metric in ("up", "down"):
                        measure = {
                            "method": method,
                            "metric": metric,
                            "value": float(rng.uniform(0.1, 1)),
                        }
                        measures.append({**place, **measure})
    return pd.DataFrame(measures), pd.DataFrame(read)


def tables(entries: Values) -> None:
    """Multilingual against monolingual models."""
    measures, read = drawn()
    table = instances(measures, read, PAIRINGS, lower=["down"])
    put(entries, "inference/disparity/instances", table.rename(columns={"cluster": "group"}))
    for form in ("above", "plain"):
        rows = compared(table, form, correct=form == "above")
        put(entries, f"inference/disparity/{form}/compared", rows["difference"].tolist())
        put(
            entries,
            f"inference/disparity/{form}/disparities",
            disparities(rows, ("pairing", "lang", "metric")),
        )
        put(entries, f"inference/disparity/{form}/claims", claims(rows, ("pairing", "metric")))
        put(entries, f"inference/disparity/{form}/ratios", ratios(rows[rows["metric"] == "up"]))
        put(
            entries,
            f"inference/disparity/{form}/points",
            points(rows, read, PAIRINGS).drop(columns="splitting"),
        )
    put(entries, "inference/disparity/covariates", covariates(read).drop(columns="splitting"))
