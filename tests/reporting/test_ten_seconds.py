"""The ten-second test: every sentence of the first screen, derived anew from the tables beside the
page. docs/study.md lists the rule of each analysis.

The pilots of the demo and of everything-small are used: they fill every table in seconds. The
tables of a full run go through the same functions; tests/study/test_pilots.py asks the same of the
studies of papers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import babelscope
from answer_checks import check_answer, drawn
from babelscope.analyses import ANALYSES
from babelscope.analyses.surrogates.fits import lines
from babelscope.analyses.surrogates.section import section as surrogate_section
from babelscope.analyses.surrogates.spec import Spec
from babelscope.analyses.surrogates.tables import Tables, _errors
from babelscope.data.synthetic import language
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.reporting.build import answers, sections
from babelscope.store import open_store, read_study
from babelscope.study.config import demo_study
from babelscope.study.config import read_study as study_file
from babelscope.study.pilot import pilot
from babelscope.study.run import run
from ten_seconds import DERIVED, check_sentence, surrogates

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


def test_every_sentence_follows_from_its_tables(listed: Any) -> None:
    for section in listed[0]:
        check_sentence(section)
