"""Gold labels beside the classes of a model: the same class in another spelling is the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from babelscope import corpus
from babelscope.methods.explain import explain
from babelscope.model.functions import from_function
from babelscope.model.gold import foreign, foreign_labels, gold_name, of_known_class
from babelscope.model.load import Model
from babelscope.training.evaluate import evaluate
from babelscope.types import Example
from conftest import tiny_reader


def named(*labels: str) -> Model:
    """A function that gives every text the last class."""
    return from_function(
        lambda texts: [[0.1] * (len(labels) - 1) + [0.9]] * len(texts), labels=list(labels)
    )


@pytest.mark.parametrize(
    ("label", "expected"),
    [("POSITIVE", "POSITIVE"), ("positive", "POSITIVE"), ("1", "POSITIVE"),
     ("LABEL_0", "NEGATIVE"), ("neutral", None), ("-1", None), ("", None), (None, None)],
)  # fmt: skip
def test_a_gold_label_is_spelled_as_the_model_spells_it(
    label: str | None, expected: str | None
) -> None:
    model = named("NEGATIVE", "POSITIVE")
    assert gold_name(model, label) == expected
    assert gold_name(model, gold_name(model, label)) == expected


def test_accuracy_does_not_depend_on_the_case_of_labels() -> None:
    """Half of the texts are positive, which the model says of all."""
    model = named("NEGATIVE", "POSITIVE")
    texts = corpus.read("sentiment", "en", "test", 12)
    rows = [replace(row, label=("negative", "positive")[at % 2]) for at, row in enumerate(texts)]
    accuracy, f1 = evaluate(model, rows)
    assert (accuracy.measure, accuracy.estimate.mean, accuracy.chance) == ("accuracy", 0.5, 0.5)
    upper = [replace(row, label=str(row.label).upper()) for row in rows]
    assert evaluate(model, upper) == [accuracy, f1]
    # F1 of POSITIVE: precision 1/2, recall 1; of NEGATIVE: 0
    assert f1.estimate.mean == pytest.approx((2 / 3 + 0) / 2)
    explained = explain(model, rows[:2], "random")
    assert [(each.label, each.gold) for each in explained] == [
        ("POSITIVE", "NEGATIVE"), ("POSITIVE", "POSITIVE"),
    ]  # fmt: skip


def test_labels_that_the_model_lacks() -> None:
    model = named("contradictory", "entailment", "neutral")
    rows = [
        Example(f"row-{at}", ("a text",), "en", label=label)
        for at, label in enumerate(("entailment", "contradiction", "-1", "Neutral"))
    ]
    known, skipped = of_known_class(model, rows)
    assert [row.id for row in known] == ["row-0", "row-2", "row-3"]
    ((name, reason, detail),) = [(row.id, row.reason, row.detail) for row in skipped]
    assert (name, reason) == ("row-1", "label")
    assert "'contradiction'" in detail
    assert "contradictory, entailment, neutral" in detail
    strange = [replace(row, label="topic") for row in rows]
    assert foreign(model, strange)
    assert of_known_class(model, strange) == (strange, ())
    assert "topic, the classes of" in foreign_labels(model, strange)
    assert not foreign(model, [replace(row, label="-1") for row in rows])


def test_labels_of_models_without_named_classes_stay() -> None:
    reader = tiny_reader()
    assert gold_name(reader, "anything") == "anything"
    row = Example("one", ("What?", "a text"), "en", label="anything")
    assert of_known_class(reader, [row]) == ([row], ())


def test_predictions_of_another_scheme_are_compared_with_nothing() -> None:
    model = named("LABEL_A", "LABEL_B")
    rows = [replace(row, label="good") for row in corpus.read("sentiment", "en", "test", 2)]
    assert [each.gold for each in explain(model, rows, "random")] == [None, None]
