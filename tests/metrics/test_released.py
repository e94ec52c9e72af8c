"""A study's released definitions: every deviation by hand, and the written definition without
any."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babelscope.data.formats.in_memory import as_examples
from babelscope.errors import InputError
from babelscope.metrics import METRICS
from babelscope.metrics.released import summed_occurrences
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.types import Target
from conftest import PAIRS, TEXTS, tiny
from planted import WEIGHTS, planted_model

BIAS = 0.3


def p(*words: str) -> float:
    """The planted model's probability of these words."""
    return float(1 / (1 + np.exp(-sum(WEIGHTS[word] for word in words) - BIAS)))


def value(
    metric: str, model: Model, row: object, scores: list[float], *deviations: str,
    index: int = 1, grid: tuple[float, ...] = (0.5,),
) -> float:  # fmt: skip
    function = METRICS[f"released_{metric}"].function
    options = {"grid": grid, "deviations": deviations}
    (measured,) = function(model, [row], [np.array(scores)], [Target(index)], **options)
    return measured.value


def planted(text: str) -> tuple[Model, object]:
    model = planted_model()
    (row,) = encode(model, as_examples(text))
    return model, row


@pytest.mark.parametrize("architecture", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("metric", ["comprehensiveness", "sufficiency"])
def test_without_deviations_it_is_the_written_definition(metric: str, architecture: str) -> None:
    model = tiny(architecture)
    rows = encode(model, as_examples([*TEXTS[:2], PAIRS[0]]), part="first")
    rng = np.random.default_rng(3)
    scores = [rng.normal(size=int(row.content.sum())) for row in rows]
    options = {"unit": "token", "grid": (0.01, 0.2, 0.5, 1.0)}
    targets = [Target(1)] * len(rows)
    written = METRICS[f"normalised_{metric}"].function(model, rows, scores, targets, **options)
    here = METRICS[f"released_{metric}"].function(
        model, rows, scores, targets, **options, deviations=()
    )
    for left, right in zip(written, here):
        assert left.value == pytest.approx(right.value, abs=1e-12, nan_ok=True)


def test_the_budget_counts_a_separator() -> None:
    """Four words: half of them are two, half of n + 1 = 5 are three."""
    model, row = planted("great good fine film")
    scores = [4.0, 3.0, 2.0, 1.0]
    full, null = p("great", "good", "fine", "film"), p()
    two, three = p("fine", "film"), p("film")
    defined = value("comprehensiveness", model, row, scores)
    released = value("comprehensiveness", model, row, scores, "budget")
    assert defined == pytest.approx((full - two) / (full - null))
    assert released == pytest.approx((full - three) / (full - null))


def test_equal_lengths_are_counted_as_often() -> None:
    """Two words: 10 %, 50 % and 100 % are 1, 1 and 2 words."""
    model, row = planted("great fine")
    full, null = p("great", "fine"), p()
    one = (full - p("fine")) / (full - null)
    grid = (0.1, 0.5, 1.0)
    assert value("comprehensiveness", model, row, [2.0, 1.0], grid=grid) == pytest.approx(
        (one + 1) / 2
    )
    released = value("comprehensiveness", model, row, [2.0, 1.0], "lengths", grid=grid)
    assert released == pytest.approx((2 * one + 1) / 3)


def test_occurrences_share_their_scores() -> None:
    """good occurs twice with 1 and 1, great once with 1.5: summed, good comes first."""
    ids, scores = np.array([7, 9, 7]), np.array([1.0, 1.5, 1.0])
    assert summed_occurrences(ids, scores).tolist() == [2.0, 1.5, 2.0]
    model, row = planted("good great good")
    full, null = p("good", "great", "good"), p()
    defined = value("sufficiency", model, row, [1.0, 1.5, 1.0], grid=(0.3,))
    released = value("sufficiency", model, row, [1.0, 1.5, 1.0], "occurrences", grid=(0.3,))
    assert defined == pytest.approx((p("great") - null) / (full - null))
    assert released == pytest.approx((p("good") - null) / (full - null))


def test_the_null_loses_its_special_tokens_and_erased_tokens_have_the_id_0() -> None:
    """In XLM-R's vocabulary the id 0 is <s>, not padding: p(x - R) by the model itself."""
    model = tiny("xlm-roberta")
    (row,) = encode(model, as_examples(TEXTS[0]))
    scores = list(np.arange(float(row.content.sum())))
    full = _probabilities(model, row.ids)
    nulls = {
        "": _probabilities(model, np.where(row.content, 0, row.ids)),
        "null": _probabilities(model, np.zeros_like(row.ids)),
    }
    top = row.ids.copy()
    top[np.flatnonzero(row.content)[-1]] = 0
    without = _probabilities(model, top)
    for null, empty in nulls.items():
        index = int((full - empty).argmax())
        drop = (full - empty)[index]
        assert drop >= 1e-3, "the metric is defined"
        released = value(
            "comprehensiveness", model, row, scores, "erasure", *filter(None, [null]),
            index=index, grid=(0.01,),
        )  # fmt: skip
        expected = np.clip(max(0.0, (full - without)[index]) / drop, 0, 1)
        assert released == pytest.approx(float(expected), abs=1e-9)
    assert not np.allclose(*nulls.values())


def test_comprehensiveness_erases_the_query_too() -> None:
    """Whatever the rationale is, what is left of a pair is its special tokens and the rest of the
    first text: with everything in the rationale, both definitions differ by the query alone."""
    model = tiny("bert")
    (row,) = encode(model, as_examples([PAIRS[0]]), part="first")
    scores = list(np.arange(float(row.content.sum())))
    mask = model.tokenizer.mask_token_id
    full = _probabilities(model, row.ids, row.types)
    both = _probabilities(model, np.where(row.segment >= 0, mask, row.ids), row.types)
    first = _probabilities(model, np.where(row.content, mask, row.ids), row.types)
    index = int((full - first).argmax())
    drop = (full - first)[index]
    assert drop >= 1e-3, "the metric is defined"
    released = value("comprehensiveness", model, row, scores, "query", index=index, grid=(1.0,))
    expected = np.clip(max(0.0, (full - both)[index]) / drop, 0, 1)
    assert released == pytest.approx(float(expected), abs=1e-9)
    defined = value("comprehensiveness", model, row, scores, index=index, grid=(1.0,))
    assert defined == pytest.approx(1.0)
    assert released != pytest.approx(1.0)
    assert (row.segment >= 0).sum() > row.content.sum(), "there is a query to erase"


def test_an_unknown_deviation_is_refused() -> None:
    model, row = planted("great fine")
    with pytest.raises(InputError, match="deviation 'pad' is not one of: erasure, null"):
        value("sufficiency", model, row, [2.0, 1.0], "pad")


def _probabilities(model: Model, ids: np.ndarray, types: np.ndarray | None = None) -> np.ndarray:
    """By the model's own call."""
    given = {"input_ids": torch.from_numpy(ids)[None]}
    given["attention_mask"] = torch.ones_like(given["input_ids"])
    if types is not None:
        given["token_type_ids"] = torch.from_numpy(types)[None]
    if model.hf.config.model_type == "xlm-roberta":
        start = model.hf.config.pad_token_id + 1
        given["position_ids"] = torch.arange(start, start + len(ids))[None]
    with torch.no_grad():
        return torch.softmax(model.hf(**given).logits[0].double(), -1).numpy()
