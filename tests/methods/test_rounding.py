"""The rounding of half precision is estimated, and occlusion says where it matters."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from babelscope.methods import rounding
from babelscope.methods.explain import explain
from babelscope.methods.rounding import rounding_errors, rounding_flag
from babelscope.model import inference, targets
from babelscope.model.encode import encode
from babelscope.model.inference_state import InferenceState
from babelscope.model.load import Model
from babelscope.types import Aim, Encoded, Example, Target
from conftest import TEXTS, tiny

EXAMPLES = [Example(f"t{at}", (text,)) for at, text in enumerate(TEXTS[:4])]


def copied(model: Model, dtype: torch.dtype) -> Model:
    hf = copy.deepcopy(model.hf).to(dtype)
    return replace(model, hf=hf, inference=InferenceState())


def rows(model: Model) -> tuple[list[Encoded], list[Target]]:
    encoded = encode(model, EXAMPLES)
    outputs = inference.outputs(model, [inference.query(row) for row in encoded])
    return encoded, [targets.chosen(model, *each, Aim()) for each in zip(encoded, outputs)]


@pytest.mark.parametrize("name", ["bert", "gpt2"])
def test_the_estimate_is_about_the_deviation_from_float64(name: str) -> None:
    """Of the differences of the scores of occlusion, in float64 with the same weights."""
    model = copied(tiny(name), torch.bfloat16)
    estimated = rounding_errors(model, *rows(model))
    exact = explain(copied(model, torch.float64), EXAMPLES, "occlusion")
    errors = [
        np.subtract(a.scores, b.scores)
        for a, b in zip(explain(model, EXAMPLES, "occlusion"), exact)
        if len(a.scores) > 1
    ]
    deviation = np.sqrt(np.mean([each.var() for each in errors]))
    assert 1 / 3 < np.sqrt(np.mean(np.square(estimated))) / deviation < 3


def test_alone_as_in_a_batch_and_nothing_is_read_in_float32() -> None:
    model = copied(tiny("bert"), torch.bfloat16)
    encoded, aims = rows(model)
    together = rounding_errors(model, encoded, aims)
    alone = [rounding_errors(model, [row], [aim])[0] for row, aim in zip(encoded, aims)]
    assert together == pytest.approx(alone, rel=1.0), "the batch rounds differently itself"
    wide = copied(model, torch.float32)
    before = wide.inference.queries
    assert rounding_errors(wide, encoded, aims) == [0.0] * len(encoded)
    assert wide.inference.queries == before


def test_scores_near_the_rounding_error_are_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores 0, 1, 0, 1 have a standard deviation of 1/2, a twentieth of which is 0.025."""
    model = copied(tiny("bert"), torch.bfloat16)
    scores = np.array([0.0, 1.0, 0.0, 1.0])
    assert rounding_flag(model, 0.024, scores) == ()
    (flag,) = rounding_flag(model, 0.026, scores)
    assert flag.startswith("rounding in bfloat16 moves each score by about 0.026")
    assert rounding_flag(model, 0.049, np.array([1.0])) == ()
    assert rounding_flag(model, 0.051, np.array([1.0, np.nan])) != ()
    monkeypatch.setattr(rounding, "LARGEST", 0.0)
    (half,) = explain(model, TEXTS[0], "occlusion")
    (full,) = explain(copied(model, torch.float32), TEXTS[0], "occlusion")
    assert [flag.split(" moves")[0] for flag in half.flags] == ["rounding in bfloat16"]
    assert full.flags == ()


def test_the_movement_is_the_mean_over_tokens() -> None:
    """Variances over the copies: of 1 and 3 it is 2, of 3 and 3 it is 0; the root of their mean."""
    assert rounding.movement([np.array([1.0, 3.0]), np.array([3.0, 3.0])]) == 1.0
    assert rounding.movement([]) == 0.0


@pytest.mark.parametrize("method", ["input_x_gradient", "attnlrp"])
def test_gradients_in_half_precision_are_flagged_by_copies_that_change_no_score(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = copied(tiny("gpt2"), torch.bfloat16)
    (plain,) = explain(model, TEXTS[0], method)
    monkeypatch.setattr(rounding, "LARGEST", 0.0)
    (half,) = explain(model, TEXTS[0], method)
    assert [flag.split(" moves")[0] for flag in half.flags] == ["rounding in bfloat16"]
    monkeypatch.setattr(rounding, "GRADIENTS", 0)
    (alone,) = explain(model, TEXTS[0], method)
    assert half.scores == plain.scores == alone.scores
    wide = copied(model, torch.float32)
    monkeypatch.setattr(rounding, "GRADIENTS", 2)
    assert explain(wide, TEXTS[0], method)[0].flags == ()
    assert rounding.changed_copies(wide, encode(wide, EXAMPLES)) == []
