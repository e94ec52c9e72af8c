"""The first screen: each question, its answer, and the table cells that the answer follows from."""

from __future__ import annotations

from math import nan
from pathlib import Path

import pytest
from markupsafe import Markup

import synthetic_study
from answer_checks import check_answer
from babelscope.analyses import ANALYSES
from babelscope.analyses.faithfulness.families import Pair
from babelscope.analyses.faithfulness.headline import headline
from babelscope.analyses.faithfulness.summary import Summary
from babelscope.analyses.faithfulness.tables import tables
from babelscope.analyses.trust.headline import overall
from babelscope.analyses.trust.section import section as trust_section
from babelscope.analyses.trust.values import Check, Trust
from babelscope.display.highlight import UNSIGNED
from babelscope.display.section import MARKS, Answer
from babelscope.methods import METHODS
from babelscope.reporting.build import answers, sections
from babelscope.store import open_store, read_study


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers")
    synthetic_study.store(folder, groups=8)
    return folder


@pytest.fixture(scope="module")
def summary(stored: Path) -> Summary:
    store = open_store(stored, create=False)
    found = tables(store, read_study(store))
    assert found is not None
    return found.summary


def test_every_question_of_the_study_has_an_answer(stored: Path) -> None:
    store = open_store(stored, create=False)
    study = read_study(store)
    entries = answers(store, study, sections(store, study))
    assert [entry.question for entry in entries] == [
        ANALYSES[name].question for name in ("faithfulness", "trust")
    ]
    assert [entry.section for entry in entries] == ["faithfulness", ""]
    assert entries[1].answer.label == "Not measured"


def test_faithfulness_follows_from_its_tables(stored: Path) -> None:
    store = open_store(stored, create=False)
    (section,) = sections(store, read_study(store))
    answer = check_answer(section)
    assert answer.chart is not None
    assert answer.texts > 0


@pytest.mark.parametrize(
    ("decided", "verdict", "words"),
    [
        ("en", "no", "are less faithful in Hindi than in English: comprehensiveness is lower by"),
        ("", "undecided", "Whether explanations are equally faithful in all 5 languages is open"),
    ],
)
def test_languages_are_called_unequal_only_where_that_is_decided(
    summary: Summary, monkeypatch: pytest.MonkeyPatch, decided: str, verdict: str, words: str
) -> None:
    """The synthetic texts are too few for the correction, so that the decisions are set here: the
    best method beats random scores, and English is better than Hindi or nothing is known."""

    def decide(_: Summary, metric: str, pair: Pair) -> str:
        if pair.kind == "methods":
            return "better"
        return "better" if (pair.first, pair.second) == (decided, "hi") else "undecided"

    monkeypatch.setattr(Summary, "decided", decide)
    answer = headline(summary)
    assert answer.verdict == verdict
    assert words in answer.sentence
    gap = summary.between(
        "comprehensiveness", Pair("languages", "en", "hi", "multi", "integrated_gradients")
    )
    if decided:
        assert f"by {gap.mean:.3f} (interval {gap.low:.3f} to {gap.high:.3f})" in answer.sentence


@pytest.mark.parametrize(
    ("level", "verdict", "words"),
    [
        (0.5, "yes", "Explanations are about equally faithful in all 5 languages"),
        (0.0, "undecided", "close to zero in each, at most 0.000"),
    ],
)
def test_differences_within_the_margin_are_no_differences(
    summary: Summary, monkeypatch: pytest.MonkeyPatch, level: float, verdict: str, words: str
) -> None:
    """However surely they are measured; and where the metric is near zero, nothing is equal."""
    monkeypatch.setattr(Summary, "decided", lambda *_: "better")
    rows = summary.rows.assign(value=level + 1e-4 * summary.rows["value"])
    answer = headline(Summary(rows, summary.study))
    assert answer.verdict == verdict
    assert words in answer.sentence
    assert answer.chart is not None


def test_verdicts_have_marks_and_words() -> None:
    assert Answer("undecided", Markup(""), texts=1200).label == "Cannot be decided with 1,200 texts"
    assert Answer("yes", Markup("It is <b>so</b>.")).plain == "Yes. It is so."
    for verdict in MARKS:
        assert Answer(verdict, Markup("")).mark == MARKS[verdict]


def panel(**verdicts: str) -> Trust:
    checks = tuple(Check(name, nan, nan, nan, verdict, "") for name, verdict in verdicts.items())
    return Trust(synthetic_study.explanation(0, "en", "multi", "occlusion"), checks, (), nan)


def test_trust_tells_what_was_not_run_from_what_is_undefined() -> None:
    one = panel(completeness="undefined", calibration="not run", leave_one_out="holds")
    assert overall(one) == "holds"


@pytest.mark.parametrize(
    ("panels", "verdict", "words"),
    [
        # Nothing fails: trusted. One of one fails: not. One of three: partly.
        ([{"leave_one_out": "holds"}], "yes", "None of 1 checked explanation fails"),
        ([{"leave_one_out": "fails"}], "no", "most often leave one out (1)"),
        ([{"stability": "holds"}] * 2 + [{"stability": "fails"}], "partly", "Of 3 checked"),
        ([{"stability": "undecided"}], "undecided", "1 stays undecided"),
        ([{"stability": "holds", "calibration": "not run"}], "yes", "Not run: calibration."),
    ],
)
def test_trust_follows_from_its_checks(
    panels: list[dict[str, str]], verdict: str, words: str
) -> None:
    section = trust_section([panel(**each) for each in panels])
    answer = check_answer(section)
    assert answer.verdict == verdict
    assert words in answer.sentence


def test_the_methods_without_a_sign_are_those_of_the_table() -> None:
    assert {name for name, row in METHODS.items() if not row.signed} == UNSIGNED
