"""How well the designs of SLALOM describe a model near the explained text and on short texts:

    python -m benchmarks.slalom_designs MODEL FILE.jsonl [--count 20] [--unit word]

For every design, over the texts of the file, in log-odds of the predicted class:

* gap: |F(t) - f(t)| on the explained text itself, and how often F and f disagree in sign;
* near: root mean squared error on NEAR texts without 1 to 5 positions that were not queried;
* short: the same on texts of 2 to 4 units that were not queried;
* how many units' importances are not identified, and the tokens that the model read.
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from babelscope import load, read
from babelscope.methods.slalom.design import Design, Text, parse_design, sample_texts
from babelscope.methods.slalom.methods import TextUnits, text_units
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.methods.slalom.text import Surrogate, fit_answers, plan_queries, text_gap
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import predicted, value
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Target

DESIGNS = ("fixed(3)", "mix", "deletion", "near", "mix+text", "mix+deletion+text")
NEAR = 60
"""Texts of either kind whose answers are predicted."""
COLUMNS = ("design", "gap", "sign differs", "near", "short", "not identified", "tokens read")


class Errors(NamedTuple):
    """What one design reaches on one text."""

    gap: float
    differs: bool
    near: float
    short: float
    unidentified: float
    tokens: int


def answers(model: Model, row: TextUnits, target: Target, texts: list[Text]) -> NDArray[np.float64]:
    outputs = inference.outputs(model, [row.query(text) for text in texts])
    return np.array([float(value(model, output, target)) for output in outputs])


def error(
    model: Model, row: TextUnits, target: Target, fitted: Surrogate, texts: list[Text]
) -> float:
    """Root mean squared error of the surrogate on texts that it has not seen; NaN without any."""
    if not texts:
        return float("nan")
    flat = [[unit for segment in text for unit in segment] for text in texts]
    seen = np.nan_to_num(fitted.value, nan=float(np.nanmean(fitted.value)))
    importance = np.nan_to_num(fitted.importance)
    always = None
    if fitted.context is not None:
        always = len(seen)
        importance, seen = (
            np.append(importance, fitted.context[0]),
            np.append(seen, fitted.context[1]),
        )
    gap = predict(counted(flat, always), importance, seen) - answers(model, row, target, texts)
    return float(np.sqrt((gap**2).mean()))


def errors(model: Model, row: Encoded, target: Target, design: str, unit: str) -> Errors:
    units = text_units(row, unit)
    plan = plan_queries(units.segments, parse_design(design), 0, keyed(0, "fit", *identity(row)))
    answer = answers(model, units, target, list(plan.texts))
    fitted = fit_answers(plan, answer, keyed(0, "held out", *identity(row)))
    generator = keyed(1, "unseen", *identity(row))
    queried = {*plan.texts, tuple(map(tuple, units.segments))}
    near = sample_texts(units.segments, Design("deletion"), NEAR, generator)
    short = sample_texts(units.segments, Design("mix"), 4 * NEAR, generator)
    unseen_near = [text for text in near if text not in queried]
    unseen_short = [text for text in short if text not in queried and sum(map(len, text)) > 1]
    whole = answers(model, units, target, [tuple(map(tuple, units.segments))])[0]
    gap, _ = text_gap(fitted, units.units, whole)
    says = fitted.mixture(units.units[np.isfinite(fitted.value[units.units])]).weights()[2]
    return Errors(
        gap,
        bool(says * whole < 0),
        error(model, units, target, fitted, unseen_near),
        error(model, units, target, fitted, unseen_short[:NEAR]),
        float((~np.isfinite(fitted.importance_sd)).mean()),
        sum(len(units.query(text).ids) for text in plan.texts),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--unit", default="word")
    parser.add_argument("--designs", nargs="+", default=DESIGNS)
    chosen = parser.parse_args()
    model = load(chosen.model)
    rows = list(encode(model, list(islice(read(chosen.file), chosen.count))))
    outputs = inference.outputs(model, [inference.query(row) for row in rows])
    targets = [predicted(model, *pair, "log_odds") for pair in zip(rows, outputs)]
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---|" + "--:|" * (len(COLUMNS) - 1))
    for design in chosen.designs:
        measured = [errors(model, *pair, design, chosen.unit) for pair in zip(rows, targets)]
        gap, differs, near, short, unidentified, tokens = np.array(measured, float).T
        print(
            f"| `{design}` | {gap.mean():.2f} | {int(differs.sum())} of {len(gap)} | "
            f"{np.nanmean(near):.2f} | {np.nanmean(short):.2f} | {unidentified.mean():.2f} | "
            f"{tokens.mean():,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
