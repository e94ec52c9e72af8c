"""Agreement with naive Bayes: its laws, and what it needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import InputError
from babelscope.metrics.naive_bayes import bayes, naive_bayes_agreement, unit_counts, unit_tokens
from babelscope.model.encode import encode
from babelscope.types import Measured, Target
from conftest import tiny

TEXT = "the good food was bad and the room was lovely"
OTHER, CLASS = 0, 1


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    model = tiny("bert")
    texts = ["good lovely room", "good food was good", "bad food", "the bad bad room"]
    rows = [{"text": text, "label": model.labels[at < 2]} for at, text in enumerate(texts)]
    path = tmp_path_factory.mktemp("bayes") / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def measured(scores: np.ndarray, target: int, unit: str = "word", **options: Any) -> Measured:
    model = tiny("bert")
    (row,) = encode(model, as_examples(TEXT))
    (value,) = naive_bayes_agreement(model, [row], [scores], [Target(target)], unit=unit, **options)
    return value


def evidence(file: str, unit: str = "word") -> np.ndarray:
    """Of every unit of the text, for the second class."""
    model = tiny("bert")
    (row,) = encode(model, as_examples(TEXT))
    counts = unit_counts(model, file, unit)
    return np.array(
        [bayes(counts, model.labels[CLASS], each, 20.0) for each in unit_tokens(row, unit)]
    )


@pytest.mark.parametrize("unit", ["word", "token"])
def test_the_evidence_itself_agrees(file: str, unit: str) -> None:
    scores = evidence(file, unit)
    assert measured(scores, CLASS, unit, texts=file).value == pytest.approx(1)
    assert measured(np.exp(3 * scores), CLASS, unit, texts=file).value == pytest.approx(1)
    assert measured(-scores, CLASS, unit, texts=file).value == pytest.approx(-1)
    assert measured(scores, OTHER, unit, texts=file).value == pytest.approx(-1), "other class"
    absolute = measured(np.abs(scores), OTHER, unit, texts=file, against="abs")
    assert absolute.value == pytest.approx(1)


def test_evidence_by_hand(file: str) -> None:
    """good: 3 times in texts of the class, never in others: log(23 / 20); bad: log(20 / 23)."""
    words = dict(zip(TEXT.split(), evidence(file)))
    assert words["good"] == pytest.approx(np.log(23 / 20))
    assert words["bad"] == pytest.approx(np.log(20 / 23))
    assert words["and"] == 0
    assert words["room"] == 0, "once in each"


def test_only_the_first_of_two_equal_units_counts(file: str) -> None:
    scores = evidence(file)
    changed = scores.copy()
    changed[[6, 8]] = 50.0  # the second "the", the second "was"
    assert measured(changed, CLASS, texts=file) == measured(scores, CLASS, texts=file)


def test_a_mapping_is_the_data_of_a_task(file: str) -> None:
    model = tiny("bert")
    labels = {name: name for name in model.labels}
    rows = [json.loads(line) | {"lang": "en"} for line in Path(file).read_text().splitlines()]
    data = {"rows": rows, "labels": labels, "examples": None}
    scores = evidence(file)
    assert measured(scores, CLASS, texts=data) == measured(scores, CLASS, texts=file)


def test_undefined_has_a_reason(file: str) -> None:
    scores = evidence(file)
    assert "no labelled texts" in measured(scores, CLASS).reason
    assert "all scores are equal" in measured(np.zeros(10), CLASS, texts=file).reason
    rare = {"rows": [{"text": "x", "label": each, "lang": "en"} for each in ("p", "q")]}
    assert "no labelled text is of the class" in measured(scores, CLASS, texts=rare).reason
    with pytest.raises(InputError, match="needs labelled texts of two classes"):
        measured(scores, CLASS, texts={"rows": rare["rows"][:1]})
    with pytest.raises(InputError, match="against 'absolute' is not one of"):
        measured(scores, CLASS, texts=file, against="absolute")
