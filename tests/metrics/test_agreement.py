"""The laws of areas, leave-one-out agreement, monotonicity, infidelity, complexity and agreement
with gold rationales.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from math import exp, log, nan
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from babelscope.data.formats.in_memory import (
    as_examples,
)
from babelscope.errors import InputError
from babelscope.methods.explain import (
    explain,
)
from babelscope.metrics import METRICS
from babelscope.metrics.agreement import sensitivity
from babelscope.metrics.curves import stops
from babelscope.metrics.measure import measure
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.store import Cell, open_store, put, read_attributions
from babelscope.types import Encoded, Example, Target
from conftest import PAIRS, TEXTS, tiny

PLAUSIBILITY = [
    name
    for name, row in METRICS.items()
    if row.family == "plausibility" and "texts" not in row.options  # no gold, but labelled texts
]
PLAIN = {"released_rationale_auroc": {"deviations": ()}}
"""Of equal tokens only the first counts with them: test_released_slalom.py."""


def drawn(rows: list[Encoded], seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=len(row.words)) for row in rows]


def valued(
    model: Model, rows: list[Encoded], scores: list[np.ndarray], metric: str, **options: object
) -> np.ndarray:
    found = METRICS[metric].function(model, rows, scores, [Target(1)] * len(rows), **options)
    return np.array([one.value for one in found])


def constant(model: Model) -> Model:
    made = Model(copy.deepcopy(model.hf), model.tokenizer, "constant", model.task)
    with torch.no_grad():
        made.hf.classifier.weight.zero_()
    return made


@given(st.integers(1, 200), st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_stops_reach_from_end_to_end(n: int, levels: int) -> None:
    found = stops(n, levels)
    assert found[0] == 0
    assert found[-1] == n
    assert found == sorted({n - size for size in found})
    if n <= levels and levels % 2 == 0:
        assert found == list(range(n + 1))


@pytest.mark.parametrize("levels", [1, 4, 20])
def test_inserting_is_deleting_from_the_other_end(model: Model, levels: int) -> None:
    rows = encode(model, as_examples([*TEXTS[:2], PAIRS[0]]))
    scores = drawn(rows)
    inserted = valued(model, rows, scores, "insertion_area", levels=levels)
    deleted = valued(model, rows, [-one for one in scores], "deletion_area", levels=levels)
    np.testing.assert_allclose(inserted, deleted, atol=1e-12)
    assert (
        not np.allclose(inserted, valued(model, rows, scores, "deletion_area", levels=levels))
        or levels == 1
    )


def test_areas_of_a_constant_model_are_its_probability(bert: Model) -> None:
    still = constant(bert)
    rows = encode(still, as_examples(TEXTS[:3]))
    p = float(torch.softmax(still.hf.classifier.bias.detach(), -1)[1])
    for metric in ("insertion_area", "deletion_area"):
        np.testing.assert_allclose(valued(still, rows, drawn(rows), metric), p, atol=1e-12)
    np.testing.assert_allclose(valued(still, rows, drawn(rows), "monotonicity"), 0.5)
    assert np.isnan(valued(still, rows, drawn(rows), "infidelity", draws=4)).all()
    assert np.isnan(valued(still, rows, drawn(rows), "loo_correlation")).all()


def test_leaving_one_out_agrees_with_itself(model: Model) -> None:
    """Occlusion of the probability over texts whose words are single tokens is the other side of
    the comparison.
    """
    rows = [row for row in encode(model, as_examples(list(TEXTS))) if len(row.words) > 1]
    effects = []
    for row in rows:
        mine = [valued(model, [row], [np.eye(len(row.words))[word]], "comprehensiveness",
                       grid=(1e-9,))[0]
                for word in range(len(row.words))]  # fmt: skip
        effects.append(np.array(mine))
    np.testing.assert_allclose(valued(model, rows, effects, "loo_correlation"), 1, atol=1e-12)
    np.testing.assert_allclose(
        valued(model, rows, [-one for one in effects], "loo_correlation"), -1, atol=1e-12
    )


def test_monotonicity_of_the_opposite(bert: Model) -> None:
    rows = encode(bert, as_examples(list(TEXTS)))
    scores = drawn(rows)
    found = valued(bert, rows, scores, "monotonicity")
    np.testing.assert_allclose(
        valued(bert, rows, [-one for one in scores], "monotonicity"), 1 - found, atol=1e-12
    )
    np.testing.assert_allclose(
        valued(bert, rows, [3 * one for one in scores], "monotonicity"), found, atol=1e-12
    )
    np.testing.assert_allclose(valued(bert, rows, [0 * one for one in scores], "monotonicity"), 0.5)
    assert len(set(found.tolist())) > 2


def test_infidelity_is_free_of_scale_but_not_of_sign(bert: Model) -> None:
    rows = encode(bert, as_examples(list(TEXTS[:2])))
    scores = drawn(rows)
    found = valued(bert, rows, scores, "infidelity", draws=20)
    np.testing.assert_allclose(
        valued(bert, rows, [5 * one for one in scores], "infidelity", draws=20), found, atol=1e-9
    )
    opposite = valued(bert, rows, [-one for one in scores], "infidelity", draws=20)
    assert (np.maximum(found, opposite) == 1).all()
    assert (np.minimum(found, opposite) < 1).all()
    assert (valued(bert, rows, [0 * one for one in scores], "infidelity", draws=20) == 1).all()


def test_infidelity_is_about_the_explained_quantity(bert: Model) -> None:
    found = [measure(bert, explain(bert, TEXTS[0], "occlusion", quantity=quantity),
                     "infidelity")[0].value
             for quantity in ("logit", "probability")]  # fmt: skip
    (row,) = encode(bert, as_examples(TEXTS[0]))
    one = explain(bert, TEXTS[0], "occlusion", quantity="probability")[0]
    for quantity, value in zip(("logit", "probability"), found):
        scores = np.array(explain(bert, TEXTS[0], "occlusion", quantity=quantity)[0].word_scores)
        target = Target(one.target_index, quantity=quantity)
        assert METRICS["infidelity"].function(bert, [row], [scores], [target])[
            0
        ].value == pytest.approx(value, abs=1e-12)
    assert found[0] != pytest.approx(found[1], abs=1e-6)


def test_sensitivity_between_two_explanations() -> None:
    a = np.array([3.0, 0.0, -4.0])
    assert sensitivity(a, a) == 0
    assert sensitivity(a, np.array([3.0, 5.0, -4.0])) == pytest.approx(5 / 5)
    assert sensitivity(7 * a, 7 * np.array([3.0, 5.0, -4.0])) == pytest.approx(1)
    assert np.isnan(sensitivity(np.zeros(3), a))
    with pytest.raises(InputError, match="same units"):
        sensitivity(a, np.zeros(2))


@given(st.integers(1, 9), st.floats(0.01, 100))
@settings(max_examples=40, deadline=None)
def test_complexity_counts_the_words(n: int, size: float) -> None:
    from babelscope.metrics.complexity import _entropy

    model = METRICS["complexity"]
    assert model.bounds[0] == 0
    row = _words(n)
    assert _entropy(row, np.full(n, -size), "word").value == pytest.approx(log(n), abs=1e-12)
    assert _entropy(row, size * np.eye(n)[0], "word").value == 0
    assert np.isnan(_entropy(row, np.zeros(n), "word").value)


def _words(n: int) -> Encoded:
    zeros = np.zeros(n, dtype=np.int64)
    names = tuple(f"w{at}" for at in range(n))
    spans = tuple((at, at + 1) for at in range(n))
    return Encoded(Example("e", ("x" * n,)), zeros, None, zeros == 0, np.arange(n), zeros,
                   np.array(spans), names, names, spans,
                   (0,) * n)  # fmt: skip


def test_effective_units_are_the_exponential(bert: Model) -> None:
    rows = encode(bert, as_examples(list(TEXTS)))
    scores = drawn(rows)
    entropy = valued(bert, rows, scores, "complexity")
    np.testing.assert_allclose(
        valued(bert, rows, scores, "effective_units"), [exp(one) for one in entropy]
    )
    for row, one, turned in zip(
        rows, entropy, valued(bert, rows, [-2 * one[::-1] for one in scores], "complexity")
    ):
        assert 0 <= one <= log(len(row.words)) + 1e-12
        assert turned == pytest.approx(one, abs=1e-12)


def marked(marks: tuple[bool, ...]) -> Encoded:
    row = _words(len(marks))
    return replace(row, example=replace(row.example, words=(row.word_offsets,), rationale=(marks,)))


def judged(
    bert: Model, marks: list[int], scores: list[float], metric: str, **options: object
) -> float:
    row = marked(tuple(bool(mark) for mark in marks))
    return (
        METRICS[metric].function(bert, [row], [np.array(scores)], [Target(0)], **options)[0].value
    )


def test_plausibility_by_hand(bert: Model) -> None:
    """Gold words 1 and 4; the order by score is 1, 2, 4, 3, 5. Of the six pairs (gold, other) five
    are in order: 4 is below 2. Precision where recall rises: 1/1 at the first, 2/3 at the third. Of
    the two highest one is gold."""
    marks, scores = [1, 0, 0, 1, 0], [9.0, 5.0, 1.0, 3.0, -2.0]
    assert judged(bert, marks, scores, "rationale_auroc") == pytest.approx(5 / 6)
    assert judged(bert, marks, scores, "rationale_auprc") == pytest.approx((1 + 2 / 3) / 2)
    assert judged(bert, marks, scores, "rationale_f1") == pytest.approx(1 / 2)
    assert judged(bert, marks, scores, "rationale_iou") == pytest.approx(1 / 3)
    assert judged(bert, marks, scores, "rationale_f1", k=3) == pytest.approx(4 / 5)
    assert judged(bert, marks, scores, "rationale_iou", k=3) == pytest.approx(2 / 3)
    assert judged(bert, marks, scores, "rationale_precision", k=3) == pytest.approx(2 / 3)
    assert judged(bert, marks, scores, "rationale_precision", k=50) == pytest.approx(2 / 5)


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=9))
@settings(max_examples=40, deadline=None)
def test_laws_of_plausibility(pairs: list[tuple[bool, int]]) -> None:
    marks, scores = [int(mark) for mark, _ in pairs], [float(score) for _, score in pairs]
    if all(marks) or not any(marks):
        return
    area = judged(tiny("bert"), marks, scores, "rationale_auroc")
    assert judged(
        tiny("bert"), marks, [-score for score in scores], "rationale_auroc"
    ) == pytest.approx(1 - area)
    assert judged(tiny("bert"), marks, [1.0] * len(marks), "rationale_auroc") == 0.5
    assert judged(tiny("bert"), marks, [1.0] * len(marks), "rationale_auprc") == pytest.approx(
        np.mean(marks)
    )
    f1, iou = (
        judged(tiny("bert"), marks, scores, name) for name in ("rationale_f1", "rationale_iou")
    )
    assert iou == pytest.approx(f1 / (2 - f1))
    for name in PLAUSIBILITY:
        assert (
            judged(
                tiny("bert"),
                marks,
                [float(mark) for mark in marks],
                name,
                **({"k": 1} if "precision" in name else {}),
                **PLAIN.get(name, {}),
            )
            == 1
        )


def test_the_rationale_survives_the_store(bert: Model, tmp_path: Path) -> None:
    """Gold words of a pair, through explain, the store and measure: the value is that of the gold
    the example had.
    """
    first, second = "the food was good", "nobody liked the meal"
    spans = tuple(
        tuple((text.index(word), text.index(word) + len(word)) for word in text.split())
        for text in (first, second)
    )
    gold = ((False, False, False, True), (True, False, False, False))
    data = [
        Example("p", (first, second), "en", words=spans, rationale=gold),
        Example("q", (first,), "en"),
    ]
    for part in ("all", "second"):
        found = explain(bert, data[:1], "random", part=part)
        place = open_store(tmp_path / part)
        put(place, [Cell({"part": part}, "attributions", list(found))])
        again = read_attributions(place)
        assert again == list(found)
        assert again[0].rationale == (gold[0] + gold[1] if part == "all" else gold[1])
        kept = dict(zip(zip(again[0].word_segment, again[0].word_offsets), again[0].rationale))
        direct = METRICS["rationale_auroc"].function(
            bert, encode(bert, data[:1], part=part), [np.array(found[0].word_scores)], [Target(0)]
        )
        assert all(kept[text, span] == gold[text][spans[text].index(span)] for text, span in kept)
        (one,) = measure(bert, again, "rationale_auroc")
        assert one.value == direct[0].value
        (token,) = measure(bert, again, "rationale_auroc", options={"unit": "token"})
        assert 0 <= token.value <= 1
    (without,) = measure(bert, explain(bert, data[1:], "random"), "rationale_f1")
    assert np.isnan(without.value)
    assert without.reason == "there is no gold rationale"


def test_rationales_of_none_or_all_are_undefined(bert: Model) -> None:
    for mark, said in ((0, "none"), (1, "all")):
        row = marked((bool(mark),) * 3)
        for name in PLAUSIBILITY:
            options = PLAIN.get(name, {})
            (one,) = METRICS[name].function(bert, [row], [np.arange(3.0)], [Target(0)], **options)
            assert np.isnan(one.value)
            assert f"holds {said} of the " in one.reason
    (one,) = METRICS["rationale_f1"].function(
        bert, [marked((True, False))], [np.array([nan, 1.0])], [Target(0)]
    )
    assert "1 of 2 scores are undefined" in one.reason
