"""The SLALOM study's measures as its code computes them: every deviation by hand, and the
definitions here without any."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import InputError
from babelscope.metrics import METRICS
from babelscope.metrics.released_slalom import counted_tokens
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Encoded, Target
from conftest import TEXTS, tiny
from planted import WEIGHTS, planted_model

BIAS = 0.3
STEPWISE = ("stepwise_deletion", "stepwise_insertion")


def p(*words: str) -> float:
    """The planted model's probability of its second class."""
    return float(1 / (1 + np.exp(-sum(WEIGHTS[word] for word in words) - BIAS)))


def planted(text: str, *rationale: bool) -> tuple[Model, Encoded]:
    model = planted_model()
    (row,) = encode(model, as_examples(text))
    example = replace(row.example, words=(row.word_offsets,), rationale=(rationale,))
    return model, replace(row, example=example) if rationale else row


def value(
    metric: str, model: Model, row: Encoded, scores: list[float], index: int = 1, **options: object
) -> float:
    function = METRICS[metric].function
    (measured,) = function(model, [row], [np.array(scores)], [Target(index)], **options)
    return measured.value


@pytest.mark.parametrize("metric", STEPWISE)
def test_without_deviations_it_is_the_definition_here(metric: str) -> None:
    model, row = planted("great good fine film bad")
    scores = [4.0, -3.0, 2.0, 1.0, 0.5]
    for index in (0, 1):
        here = value(f"released_{metric}", model, row, scores, index, step=2, deviations=())
        there = value(metric, model, row, scores, index, step=2, unit="token")
        assert here == pytest.approx(there)


def test_importances_of_the_first_class_are_turned_around() -> None:
    """Importances 3, 2, 1 of great, bad and film. Of the negative class the released code keeps
    great while it deletes, as if that were the least important word."""
    model, row = planted("great bad film")
    scores = [3.0, 2.0, 1.0]
    lowest = 1 - (1 - p("film"))
    highest = 1 - (1 - p("great"))
    assert value("stepwise_deletion", model, row, scores, 0, step=3) != pytest.approx(highest)
    for deviations, expected in (((), lowest), (("orientation",), highest)):
        options = {"step": 1, "deviations": deviations}
        mean = value("released_stepwise_deletion", model, row, scores, 0, **options)
        two = ("film", "bad") if not deviations else ("great", "bad")
        parts = [expected, p(*two), p("great", "bad", "film")]
        assert mean == pytest.approx(np.mean(parts))
    # Of the second class nothing is turned around
    for deviations in ((), ("orientation",)):
        options = {"step": 1, "deviations": deviations}
        kept = value("released_stepwise_insertion", model, row, scores, 1, **options)
        parts = [p("great"), p("great", "bad"), p("great", "bad", "film")]
        assert kept == pytest.approx(1 - np.mean(parts))


@pytest.mark.parametrize("metric", STEPWISE)
def test_there_is_no_first_of_three_classes(metric: str) -> None:
    model = tiny("bert")
    (row,) = encode(model, as_examples(TEXTS[0]))
    scores = np.arange(float(row.content.sum()))
    function = METRICS[f"released_{metric}"].function
    (measured,) = function(model, [row], [scores], [Target(0)])
    assert np.isnan(measured.value)
    assert measured.reason == "the model has 3 classes, not two"


def test_of_a_repeated_word_the_first_counts() -> None:
    """good bad good: marked are both good. Their scores 1 and 3 against 2: one of two pairs is
    right; of the first alone, none."""
    model, row = planted("good bad good", True, False, True)
    scores = [1.0, 2.0, 3.0]
    assert value("released_rationale_auroc", model, row, scores, deviations=()) == 0.5
    assert value("released_rationale_auroc", model, row, scores, deviations=("occurrences",)) == 0
    options = {"unit": "token", "sign": "abs"}
    assert value("rationale_auroc", model, row, scores, **options) == 0.5


def test_absolute_scores_unless_said_otherwise() -> None:
    model, row = planted("good bad", True, False)
    scores = [-2.0, 1.0]
    assert value("released_rationale_auroc", model, row, scores) == 1
    assert value("released_rationale_auroc", model, row, scores, sign="signed") == 0


def test_punctuation_does_not_count() -> None:
    model = tiny("bert")
    (row,) = encode(model, as_examples("the food was good, the room was lovely."))
    counted = counted_tokens(row, frozenset({"punctuation"}))
    texts = [row.example.texts[0][slice(*span)] for span in row.offsets[row.content]]
    assert [text for text, counts in zip(texts, counted) if not counts] == [",", "."]
    firsts = counted_tokens(row, frozenset({"occurrences"}))
    ids = row.ids[row.content]
    assert len(set(ids.tolist())) == firsts.sum() < len(ids)
    assert counted_tokens(row, frozenset()).all()


def test_undefined_where_nothing_marked_counts() -> None:
    model, row = planted("good bad good", False, True, True)
    function = METRICS["released_rationale_auroc"].function
    scores = [np.array([1.0, 2.0, 3.0])]
    (kept,) = function(model, [row], scores, [Target(1)])
    assert kept.value == 1
    model, row = planted("good good", False, True)
    (measured,) = function(model, [row], [np.array([1.0, 2.0])], [Target(1)])
    assert measured.reason == "the gold rationale holds none of the tokens that count"
    (unmarked,) = function(*planted_alone(), [np.array([1.0])], [Target(1)])
    assert unmarked.reason == "there is no gold rationale"


def planted_alone() -> tuple[Model, list[Encoded]]:
    model, row = planted("good")
    return model, [row]


def test_an_unknown_deviation_is_refused() -> None:
    model, row = planted("great fine")
    with pytest.raises(InputError, match="deviation 'pad' is not one of: orientation"):
        value("released_stepwise_deletion", model, row, [2.0, 1.0], deviations=("pad",))
    with pytest.raises(InputError, match="is not one of: occurrences, punctuation"):
        value("released_rationale_auroc", model, row, [2.0, 1.0], deviations=("pad",))
