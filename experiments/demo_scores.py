"""How well a sentiment model does on held-out reviews, intact and with words erased."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from babelscope.data import builtin
from babelscope.model.load import load
from babelscope.random import keyed
from babelscope.types import Example

TESTED = 1000
"""Test examples per language; no training text is among them, and no pretraining text but by
chance."""
BINS = 10


def scores(folder: Path, langs: Sequence[str]) -> dict[str, dict[str, float]]:
    """By language: the accuracy, the expected calibration error, and the accuracy after the words
    of the gold rationale, or as many others, are erased.

        calibration error = sum_b n_b / n |accuracy_b - confidence_b|, over 10 bins of confidence

    An accuracy of 0.5 after the rationale is erased means that nothing else gives the label away.
    """
    from experiments.demo_models import with_masks

    model = load(folder)
    mask = model.tokenizer.mask_token
    table = {}
    for lang in langs:
        rows = builtin.read("sentiment", lang, "test", TESTED)
        intact = probabilities(model, rows)
        deciding = [with_masks(row, _rationale(row), mask) for row in rows]
        others = [with_masks(row, _others(row), mask) for row in rows]
        table[lang] = {
            "accuracy": _accuracy(intact),
            "calibration_error": _calibration_error(intact),
            "rationale_erased": _accuracy(probabilities(model, deciding)),
            "other_words_erased": _accuracy(probabilities(model, others)),
        }
    return table


def probabilities(model: object, rows: Sequence[Example]) -> NDArray[np.float64]:
    """The probability of the gold label of each row."""
    hf, tokenizer = model.hf, model.tokenizer  # type: ignore[attr-defined]
    values = []
    for start in range(0, len(rows), 100):
        part = rows[start : start + 100]
        inputs = tokenizer([row.texts[0] for row in part], padding=True, return_tensors="pt")
        with torch.inference_mode():
            chances = hf(**inputs).logits.double().softmax(-1)
        labels = torch.tensor([hf.config.label2id[row.label] for row in part])
        values.append(chances[torch.arange(len(part)), labels].numpy())
    return np.concatenate(values)


def _rationale(row: Example) -> list[tuple[int, int]]:
    assert row.words is not None
    assert row.rationale is not None
    return [span for span, decides in zip(row.words[0], row.rationale[0]) if decides]


def _others(row: Example) -> list[tuple[int, int]]:
    """As many words that do not belong to the rationale, as far as there are so many."""
    assert row.words is not None
    rationale = _rationale(row)
    rest = [span for span in row.words[0] if span not in rationale]
    order = keyed("other words", row.id).permutation(len(rest))
    return [rest[at] for at in order[: len(rationale)]]


def _accuracy(gold: NDArray[np.float64]) -> float:
    return round(float((gold > 0.5).mean()), 3)


def _calibration_error(gold: NDArray[np.float64]) -> float:
    right, confidence = gold > 0.5, np.maximum(gold, 1 - gold)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        (bins == each).mean() * abs(right[bins == each].mean() - confidence[bins == each].mean())
        for each in np.unique(bins)
    ]
    return round(float(sum(gaps)), 3)
