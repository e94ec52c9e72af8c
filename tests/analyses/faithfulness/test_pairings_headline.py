"""The answer about multilingual and monolingual models over tasks and languages."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup

from answer_checks import check_answer
from babelscope.analyses.faithfulness.pairings_headline import claims_csv, paired_headline
from babelscope.display.section import Section
from babelscope.stats.disparity import Claim, claims
from ten_seconds import paired

MULTI = "mbert − bert"


def rows(
    effect: float, tasks: int, spread: float, name: str = MULTI, seed: int = 0
) -> pd.DataFrame:
    """Values of both models on twelve texts of every task; `spread` is that of tasks."""
    draw = np.random.default_rng(seed)
    found = []
    for task in range(tasks):
        shift = effect + spread * draw.normal()
        for text in range(12):
            base = draw.normal(0.3, 0.01)
            difference = shift + 0.01 * draw.normal()
            found.append((name, f"t{task}", "en", 0, f"{text}", f"{text}", "occlusion",
                          "comprehensiveness", base + difference, base, difference))  # fmt: skip
    columns = ["pairing", "task", "lang", "seed", "cluster", "id", "method", "metric", "first",
               "second", "difference"]  # fmt: skip
    return pd.DataFrame(found, columns=columns)


def claimed(*parts: pd.DataFrame) -> list[Claim]:
    return claims(pd.concat(parts), ("pairing", "metric"))


@pytest.mark.parametrize(
    ("effect", "spread", "verdict", "words"),
    [
        (-0.2, 0.01, "no", "Explanations of mbert are less faithful than those of bert"),
        (0.2, 0.01, "no", "Explanations of mbert are more faithful than those of bert"),
        (0.0, 0.005, "yes", "about as faithful"),
        (0.0, 0.3, "undecided", "is open"),
    ],
)
def test_the_sentence_follows_from_its_table(
    effect: float, spread: float, verdict: str, words: str
) -> None:
    found = claimed(rows(effect, 12, spread))
    answer = paired_headline(found)
    assert answer is not None
    section = Section(
        "faithfulness", "", "?", Markup(""), Markup(""),
        files={"pairings.csv": claims_csv(found)}, headline=answer,
    )  # fmt: skip
    check_answer(section)
    derived, numbers = paired(pd.read_csv(io.StringIO(claims_csv(found))))
    assert answer.verdict == derived == verdict
    assert words in answer.sentence
    plain = answer.sentence.striptags().replace("−", "")
    assert [number for number in numbers if number not in plain] == []


def test_the_widest_of_those_that_differ_is_named() -> None:
    """A larger difference that is not significant is no answer."""
    sure = rows(-0.1, 12, 0.01)
    wavering = rows(0.2, 12, 0.9, "xlm-r − roberta", seed=3)
    found = claimed(sure, wavering)
    answer = paired_headline(found)
    assert answer is not None
    assert answer.verdict == "no"
    assert answer.sentence.startswith("Explanations of mbert are less faithful")
    assert answer.sentence.endswith(
        "Of 2 such comparisons of models and metrics, 1 is significant."
    )


def test_too_few_tasks_and_languages_answer_nothing() -> None:
    """The signs of five values flip in 32 ways: no p can be below .05."""
    found = claimed(rows(-0.5, 5, 0.001))
    assert found[0].adjusted > 0.05
    assert paired_headline(found) is None
    assert not pd.read_csv(io.StringIO(claims_csv(found)))["defined"].any()
