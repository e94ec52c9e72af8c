"""The consistency tables as plain values and as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite, nan
from typing import Any

import pandas as pd

from babelscope.analyses.consistency.answer import answer
from babelscope.analyses.consistency.pairs import Pair
from babelscope.analyses.consistency.summary import COLUMNS, Line
from babelscope.analyses.consistency.tables import Matrix, Result, Sensitivity, Tables
from babelscope.analyses.consistency.verdict import above_chance, adjusted
from babelscope.display.sheets import csv_text
from babelscope.files import plain

PAIR = ("id", "lang", "cluster", "c_mis", "c_rand", "same_prediction", "correct_s", "correct_t")
SCORE = ("c", "c_unif", "c_perm", "c_indep", "ceil_s", "ceil_t", "ceil", "lift", "kappa", "p")
REASONS = ("reason", "kappa_reason")
REST = ("coverage_s", "coverage_t", "confidence_s", "confidence_t")


def plain_tables(tables: Tables) -> dict[str, Any]:
    """The tables as plain values: what `--json` prints."""
    values = {
        "answer": answer(tables).striptags(),
        "comparisons": [_result(result) for result in tables.results],
        "sensitivity": [_sensitivity(each) for each in tables.sensitivity],
        "matrices": [_matrix(matrix) for matrix in tables.matrices],
    }
    return plain(values)  # type: ignore[no-any-return]


def pair_rows(result: Result) -> list[dict[str, Any]]:
    """Every pair as plain values, with what each word adds to C where that is known."""
    return [plain(_key(result) | _pair(pair) | _earned(pair)) for pair in result.comparison.pairs]


def lines_csv(tables: Tables) -> str:
    """One line per comparison and language; undefined numbers are empty. `main` marks the
    comparisons that the answer is about."""
    records, main = [], set(map(id, tables.main))
    tests = _tests([each for each in tables.results if id(each) in main])
    tests |= _tests([each for each in tables.results if id(each) not in main])
    for result in tables.results:
        for line in result.comparison.lines:
            p, above = tests.get(id(line), (nan, False))
            record = _key(result) | {"lang": line.lang, "n": line.means["c"].n}
            for name in (*COLUMNS, "kappa"):
                estimate = line.kappa if name == "kappa" else line.means[name]
                bounds = {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
                record |= {name: estimate.mean} | bounds
            record |= {"p": line.p, "p_adjusted": p, "accuracy": result.accuracy[line.lang]}
            lift = line.means["lift"]
            verdict = {
                "main": id(result) in main, "defined": isfinite(lift.mean),
                "above_chance": above,
            }  # fmt: skip
            records.append(record | {"undefined": line.means["c"].undefined} | verdict)
    return _csv(records)


def _tests(results: Sequence[Result]) -> dict[int, tuple[float, bool]]:
    """Of every line that has a lift: its p corrected for the others, and whether it is above
    chance."""
    lines = [line for result in results for line in result.comparison.lines]
    lines = [line for line in lines if isfinite(line.means["lift"].mean)]
    return dict(zip(map(id, lines), zip(adjusted(lines), above_chance(lines))))


def pairs_csv(tables: Tables) -> str:
    """One line per pair; what each word adds to C is in the store."""
    return _csv([_key(r) | _pair(pair) for r in tables.results for pair in r.comparison.pairs])


def _result(result: Result) -> dict[str, Any]:
    comparison = result.comparison
    return _origin(result) | {
        "settings": asdict(comparison.settings),
        "space": comparison.space,
        "centred": comparison.centred,
        "mean_cosine": dict(comparison.mean_cosine),
        "overall": result.overall[0],
        "overall_incl_self": result.overall[1],
        "lift_and_accuracy": result.correlation._asdict()
        | {"partial_given_c_unif": result.partial},
        "languages": [_line(line, result.accuracy) for line in comparison.lines],
    }


def _line(line: Line, accuracy: Mapping[str, float]) -> dict[str, Any]:
    values = asdict(line)
    lang, means = values.pop("lang"), values.pop("means")
    return {"lang": lang, **means, **values, "accuracy": accuracy[lang]}


def _sensitivity(each: Sensitivity) -> dict[str, Any]:
    return {
        "model": each.origin.model,
        "task": each.origin.task,
        "method": each.origin.method,
        "source": each.source,
        "languages": [asdict(row) | {"claim": row.claim} for row in each.rows],
    }


def _matrix(matrix: Matrix) -> dict[str, Any]:
    first = matrix.results[0]
    return {
        "task": first.origin.task,
        "method": first.origin.method,
        "norm": first.comparison.settings.norm,
        "sources": [result.comparison.source for result in matrix.results],
        "mantel": {"r": matrix.mantel[0], "p": matrix.mantel[1]},
    }


def _pair(pair: Pair) -> dict[str, Any]:
    values = {name: getattr(pair, name) for name in PAIR}
    values |= {name: getattr(pair.score, name) for name in (*SCORE, *REASONS)}
    return values | {name: getattr(pair, name) for name in REST}


def _earned(pair: Pair) -> dict[str, Any]:
    sides = {"earned_s": pair.score.earned_s, "earned_t": pair.score.earned_t}
    return {name: None if side is None else side.tolist() for name, side in sides.items()}


def _key(result: Result) -> dict[str, Any]:
    comparison = result.comparison
    return _origin(result) | {"space": comparison.space, "norm": comparison.settings.norm}


def _origin(result: Result) -> dict[str, Any]:
    """Whose explanations are compared, and the language that the others are compared with."""
    origin = result.origin
    return {
        "model": origin.model,
        "task": origin.task,
        "method": origin.method,
        "seed": origin.seed,
        "source": result.comparison.source,
    }


def _csv(records: list[dict[str, Any]]) -> str:
    return csv_text(pd.DataFrame(records))
