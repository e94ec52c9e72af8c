"""The ten-second test: every sentence of the first screen, derived anew from the tables beside the
page. docs/study.md lists the rule of each analysis.

The pilots of the demo and of everything-small are used: they fill every table in seconds. The
tables of a full run go through the same functions.
"""

from __future__ import annotations

import ast
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import babelscope
from answer_checks import check_answer, drawn
from babelscope.analyses import ANALYSES
from babelscope.analyses.faithfulness.summary import base
from babelscope.analyses.surrogates.fits import lines
from babelscope.analyses.surrogates.section import section as surrogate_section
from babelscope.analyses.surrogates.spec import Spec
from babelscope.analyses.surrogates.tables import Tables, _errors
from babelscope.data.synthetic import language
from babelscope.display.numbers import number
from babelscope.display.section import Section
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.metrics import METRICS
from babelscope.reporting.build import answers, sections
from babelscope.store import open_store, read_study
from babelscope.study.config import demo_study
from babelscope.study.config import read_study as study_file
from babelscope.study.pilot import pilot
from babelscope.study.run import run

SOURCE = Path(babelscope.__file__).parent
STUDIES = Path(__file__).parents[2] / "studies"
EVERYTHING = "everything-small.yaml"
METHODS = ("random", "input_x_gradient", "occlusion")
"""The quickest of both studies."""

pytestmark = [pytest.mark.slow, pytest.mark.training]


@pytest.fixture(scope="module", params=["demo", "everything-small"])
def listed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The sections of a study, and its questions."""
    folder = tmp_path_factory.mktemp(request.param)
    chosen = demo_study() if request.param == "demo" else study_file(STUDIES / EVERYTHING)
    quick = [each for each in chosen.methods if each.name in METHODS]
    outcome = run(pilot(chosen.model_copy(update={"methods": quick})), folder / "store")
    assert not outcome.failed
    store = open_store(folder / "store", create=False)
    study = read_study(store)
    parts = sections(store, study)
    return parts, answers(store, study, parts), study


def table(section: Section, file: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(section.files[file]))


def amounts(row: pd.Series, *columns: str) -> list[str]:
    return [number(abs(row[name])) for name in columns]


def faithfulness(section: Section) -> tuple[str, list[str]]:
    """Of the pairs of languages of the first metric, best method and main model, the widest that is
    decided, else the widest; all within .05 are equal, unless the metric itself is below that."""
    rows = table(section, "differences.csv")
    first = section.headline.references[0].row
    if section.headline.references[0].file == "differences.csv":
        # No method is better than random scores, or one language: the best method against them.
        rows = rows[(rows["kind"] == "methods") & (rows["metric"] == first["metric"])]
        rows = rows[(rows["first"] == first["first"]) & (rows["second"] == "random")]
        return section.headline.verdict, amounts(rows.iloc[0], "difference", "low", "high")
    rows = rows[rows["kind"] == "languages"]
    for column in ("model", "method", "metric"):
        rows = rows[rows[column] == first[column]]
    decided = rows[rows["verdict"] != "undecided"]
    near = ((rows["low"] > -0.05) & (rows["high"] < 0.05)).all()
    means = table(section, "summary.csv")
    for column in ("model", "method", "metric"):
        means = means[means[column] == first[column]]
    higher = METRICS[base(first["metric"])].higher_is_better
    if near and higher and means["mean"].max() < 0.05:
        return "undecided", [number(means["mean"].max())]
    chosen = decided if len(decided) and not near else rows
    row = chosen.loc[chosen["difference"].abs().idxmax()]
    verdict = "yes" if near else "no" if len(decided) else "undecided"
    return verdict, amounts(row, "difference", "low", "high")


def trust(section: Section) -> tuple[str, list[str]]:
    """How many explanations that are no control fail at least one check."""
    rows = table(section, "trust.csv")
    whole = rows[(rows["check"] == "overall") & ~rows["control"]]
    failing = int((whole["verdict"] == "fails").sum())
    verdict = "no" if 2 * failing > len(whole) else "partly" if failing else "yes"
    if not failing and (whole["verdict"] == "undecided").any():
        verdict = "undecided"
    return verdict, [str(len(whole)), *([str(failing)] if failing else [])]


def consistency(section: Section) -> tuple[str, list[str]]:
    """The smallest and the largest lift of the comparisons that the answer is about."""
    rows = table(section, "consistency.csv")
    rows = rows[rows["main"] & rows["defined"]].sort_values("lift")
    above = int((rows["lift_low"] > 0).sum())
    little = (rows["kappa_high"].dropna() < 0.1).all()
    verdict = (
        "yes" if above == len(rows) else "partly" if above else "no" if little else "undecided"
    )
    ends = [rows.iloc[0], rows.iloc[-1]]
    return verdict, [text for row in ends for text in amounts(row, "lift", "lift_low", "lift_high")]


def tokenization(section: Section) -> tuple[str, list[str]]:
    """The steepest slope whose interval excludes 0, else the steepest; yes where one of them is
    from twenty groups or more. Without re-segmented words where they take the most and the
    fewest tokens."""
    if "slopes.csv" not in section.files or not table(section, "slopes.csv")["defined"].any():
        rows = table(section, "tokenization.csv")
        rows = rows[rows["measure"] == "fertility"].sort_values("mean")
        return "unmeasured", amounts(rows.iloc[-1], "mean", "low", "high")
    rows = table(section, "slopes.csv")
    rows = rows[rows["defined"]]
    sure = rows[(rows["low"] > 0) | (rows["high"] < 0)]
    chosen = sure if len(sure) else rows
    row = chosen.loc[chosen["slope"].abs().idxmax()]
    counts = [str(len(sure)), str(len(rows))]
    enough = (sure["groups"] >= 20).any()
    return "yes" if enough else "undecided", [*amounts(row, "slope", "low", "high"), *counts]


def tradeoffs(section: Section) -> tuple[str, list[str]]:
    """The largest loss against the probe outside of the language fine-tuned on."""
    rows = table(section, "tradeoffs.csv")
    rows = rows[rows["source"] != rows["target"]].dropna(subset=["gain_low"])
    if section.headline.verdict == "unmeasured":
        return "unmeasured", []
    if section.headline.verdict == "yes":
        rows = rows[rows["gain_high"] < 0]
    row = rows.loc[rows["gain"].idxmin()]
    return section.headline.verdict, amounts(row, "gain", "gain_low", "gain_high")


def heads(section: Section) -> tuple[str, list[str]]:
    """The head that exceeds the threshold of a relation by most, of those that pass, else of the
    relations with 100 pairs."""
    rows = table(section, "head_relations.csv").dropna(subset=["threshold", "accuracy"])
    passed = rows[rows["passes"]]
    chosen = passed if len(passed) else rows[rows["pairs"] >= 100]
    total = str(table(section, "head_relations.csv")["head_of"].nunique())
    if not len(chosen):
        return "undecided", [total]
    row = chosen.loc[(chosen["accuracy"] - chosen["threshold"]).idxmax()]
    sure = ((passed["pairs"] >= 100) & (passed["low"] > passed["threshold"])).any()
    verdict = "no" if not len(passed) else "yes" if sure else "undecided"
    return verdict, [total, *amounts(row, "accuracy", "low", "high", "threshold")]


def surrogates(section: Section) -> tuple[str, list[str]]:
    """Of how many models whose log-odds vary the error of the SLALOM is the smallest."""
    rows = table(section, "surrogates.csv")
    learnt = rows[rows["variance"] > 0.01]
    nearest = int((learnt["SLALOM"] < learnt[["linear", "GAM"]].min(axis=1)).sum())
    if learnt.empty:
        return "undecided", []
    verdict = "yes" if nearest == len(learnt) else "partly" if nearest else "no"
    constant = len(rows) - len(learnt)
    counts = [f"nearer to {nearest} of {len(learnt)} models"]
    return verdict, counts + ([f"learnt nothing: {constant}."] if constant else [])


DERIVED: dict[str, Callable[[Section], tuple[str, list[str]]]] = {
    "faithfulness": faithfulness,
    "trust": trust,
    "consistency": consistency,
    "tokenization": tokenization,
    "tradeoffs": tradeoffs,
    "heads": heads,
    "surrogates": surrogates,
}


def test_every_analysis_is_derived() -> None:
    assert set(DERIVED) == set(ANALYSES)


def chart_of(call: ast.Call) -> ast.expr | None:
    """What an `Answer(...)` in the source gives as its chart."""
    named = {each.arg: each.value for each in call.keywords}
    return call.args[3] if len(call.args) > 3 else named.get("chart")


def test_no_answer_of_the_source_is_measured_without_a_chart() -> None:
    """Also on branches that no study here reaches: a verdict other than "unmeasured" comes with the
    fourth argument."""
    calls = [
        (f"{file.name}:{node.lineno}", node)
        for file in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Answer"
    ]
    measured = [
        (place, call) for place, call in calls if ast.unparse(call.args[0]) != "'unmeasured'"
    ]
    assert len(measured) >= len(ANALYSES)
    assert [place for place, call in measured if chart_of(call) is None] == []


def function_numbers(kind: str) -> pd.DataFrame:
    """Surrogates of a function of made-up texts: a sum, a SLALOM, or a constant."""
    words = language("slalom:12")
    assert words.importance is not None
    functions: dict[str, Callable[[Any], Any]] = {
        "sum": lambda texts: np.array([words.value[np.array(text)].sum() for text in texts]),
        "slalom": lambda texts: predict(counted(texts), words.importance, words.value),
        "constant": lambda texts: np.zeros(len(texts)),
    }
    spec = Spec(fitted=600, tested=60, shown=10, copies=[1, 4], lengths=[1, 6], exact=30)
    frame = pd.DataFrame(list(lines(words, functions[kind], spec, 0)))
    return frame.assign(model=kind, seed="0", task="made up", lang="en")


@pytest.mark.parametrize(
    ("kinds", "verdict"),
    [
        (("slalom",), "yes"),
        (("slalom", "sum", "constant"), "partly"),
        (("sum",), "no"),
        (("constant",), "undecided"),
    ],
)
def test_the_sentence_of_surrogates(kinds: tuple[str, ...], verdict: str) -> None:
    """A sum is nearest to a surrogate that adds up words, a SLALOM to a SLALOM."""
    rows = pd.concat([function_numbers(kind) for kind in kinds], ignore_index=True)
    section = surrogate_section(Tables(rows, _errors(rows)))
    answer = check_answer(section)
    derived, texts = surrogates(section)
    assert answer.verdict == derived == verdict
    assert [text for text in texts if text not in answer.sentence.striptags()] == []


def test_every_question_has_its_sentence_and_its_small_figure(listed: Any) -> None:
    parts, entries, study = listed
    assert [entry.section for entry in entries] == [part.name for part in parts]
    assert set(study["analyses"]) == {part.name for part in parts}
    for entry in entries:
        assert str(entry.answer.sentence).endswith(".")
        assert drawn(entry.answer), entry.section


def test_the_numbers_of_every_sentence_are_cells_of_a_table(listed: Any) -> None:
    for section in listed[0]:
        check_answer(section)


def test_every_sentence_follows_from_its_tables(listed: Any) -> None:
    for section in listed[0]:
        verdict, numbers = DERIVED[section.name](section)
        sentence = section.headline.sentence.striptags().replace("−", "")
        assert section.headline.verdict == verdict, section.name
        assert [text for text in numbers if text not in sentence] == [], (section.name, sentence)
