"""The answer in one sentence: as strong as the intervals allow, with its uncertainty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from babelscope.analyses.tradeoffs.answer import answer, costs
from babelscope.analyses.tradeoffs.chapters import interval
from babelscope.analyses.tradeoffs.section import transfer_csv


def tables(
    gain: list[list[float]] | None, targets: tuple[str, ...] = ("en", "hi")
) -> dict[str, Any]:
    """Two sources; every gain over the probe has an interval of .05 on either side."""
    sources = ["en", "hi"][: len(targets)]
    accuracy = {
        edge: np.full((len(sources), len(targets)), 0.5).tolist()
        for edge in ("value", "low", "high")
    }
    behaviour: dict[str, Any] = {"accuracy": accuracy, "gain": {}, "harmed": None, "unlearnt": []}
    if gain is not None:
        edges = {"value": 0.0, "low": -0.05, "high": 0.05}
        behaviour["gain"]["probe"] = {
            edge: (np.array(gain) + step).tolist() for edge, step in edges.items()
        }
        behaviour["harmed"] = [
            [s, t]
            for row, s in enumerate(sources)
            for at, t in enumerate(targets)
            if s != t and gain[row][at] + 0.05 < 0
        ]
    return {"sources": sources, "targets": list(targets), "behaviour": behaviour}


def test_a_cost_is_named_with_its_interval_and_the_largest_comes_first() -> None:
    result = tables([[0.1, -0.12], [-0.3, 0.2]])
    assert [(cost.source, cost.target) for cost in costs(result)] == [("hi", "en"), ("en", "hi")]
    # The gain is -.3 with the interval -.35 to -.25, so the cost is .3 with .25 to .35.
    assert answer({"t": result}).striptags() == (
        "Fine-tuning on hi cost en 0.30 of accuracy against a probe on the base (95 % interval "
        "0.25 to 0.35); "
        "also en → hi 0.12."
    )
    alone = tables([[-0.4, -0.12], [0.1, 0.2]])
    assert answer({"t": alone}).striptags() == (
        "Fine-tuning on en cost hi 0.12 of accuracy against a probe on the base (95 % interval "
        "0.07 to 0.17)."
    ), "the own language is no other language"


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            tables([[0.1, -0.04], [0.0, 0.2]]),
            "No model is significantly below the probe outside its own language: no cost shown.",
        ),
        (tables(None), "There is no probe to compare with"),
        (
            tables([[0.1]], ("en",)),
            "No model was tested outside its own language, so nothing can be said about cost.",
        ),
    ],
)
def test_what_is_not_shown_is_not_claimed(result: dict[str, Any], sentence: str) -> None:
    assert answer({"t": result}).striptags().startswith(sentence)


def test_of_a_model_that_did_not_learn_its_language_no_harm_is_claimed() -> None:
    result = tables([[0.1, -0.12], [-0.3, 0.2]])
    result["behaviour"]["harmed"] = [["hi", "en"]]
    result["behaviour"]["unlearnt"] = [{"source": "en", "reason": "it <b>guesses"}]
    text = answer({"t": result})
    assert "Fine-tuning on hi cost en 0.30" in text.striptags()
    assert "en → hi" not in text
    assert text.endswith(": it &lt;b&gt;guesses.")
    result["behaviour"]["harmed"] = []
    result["behaviour"]["unlearnt"].append({"source": "hi", "reason": "it guesses"})
    assert answer({"t": result}).startswith("Whether fine-tuning did harm cannot be decided.")


def test_several_tasks_have_a_sentence_each_and_names_are_no_markup() -> None:
    both = answer({"<b>one": tables(None), "two": tables([[0.1, 0.1], [0.1, 0.2]])})
    assert "<b>" not in both
    assert both.striptags().count("cost") == 2
    assert "two: No model" in both


def test_intervals_as_text_and_the_file_of_numbers() -> None:
    assert interval([0.5, 0.4, 0.6], 2) == "0.50 (0.40 to 0.60)"
    assert interval([0.5, None, None]) == "0.500"
    assert interval([None, None, None]) == "–"
    assert interval([-0.5, -0.6, 0.4], 1) == "−0.5 (−0.6 to 0.4)"
    assert interval(None) == "–"
    lines = transfer_csv({"t": tables([[0.1, -0.25], [0.0, 0.5]])}).splitlines()
    assert lines[0] == "task,source,target,accuracy,low,high,gain,gain_low,gain_high"
    assert lines[2] == "t,en,hi,0.5,0.5,0.5,-0.25,-0.3,-0.2"
    assert transfer_csv({"t": tables(None)}).splitlines()[1] == "t,en,en,0.5,0.5,0.5,,,"
