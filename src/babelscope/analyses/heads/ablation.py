"""Does the model itself need the heads of a mask? Predictions with the others switched off, or with
these, against as many heads at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from babelscope.display.sheets import csv_text
from babelscope.model.head_masks import HeadMask, random_like
from babelscope.types import Example, StoredHeadAblation

if TYPE_CHECKING:
    from babelscope.model.load import Model

KIND = "head_ablations"
KEPT, REMOVED = SIDES = ("kept", "removed")
"""Only the mask's heads work, or all but these."""
CONTROLS = ("random", "all")
"""Kinds that need no control: chance itself, and no mask."""


class Ablation(NamedTuple):
    """A mask on one side, beside as many heads at random; NaN without a control."""

    lang: str
    kind: str
    side: str
    heads: int
    total: int
    texts: int
    same: float
    """Share of predictions that stay as they are."""
    probability: float
    """Mean probability of what the whole model predicts."""
    accuracy: float
    control_same: float
    control_probability: float
    samples: int
    p: float
    """Share of random masks, this one counted, that do at least as well: keep as many predictions
    where they are kept, lose as many where they are removed."""


def ablated(
    model: Model, examples: Sequence[Example], masks: Mapping[str, HeadMask], samples: int
) -> list[StoredHeadAblation]:
    """What the model predicts with the heads of every mask alone and without them, and with
    `samples` random masks of the same size."""
    from babelscope.model import inference
    from babelscope.model.encode import encode_readable
    from babelscope.model.targets import name, predicted, probability
    from babelscope.propagation.ablation import heads_kept

    rows, _ = encode_readable(model, examples)
    queries = [inference.query(row) for row in rows]
    whole = [
        predicted(model, row, output)
        for row, output in zip(rows, inference.outputs(model, queries))
    ]
    lines = []
    for kind, seed, side, mask in _variants(masks, samples):
        with heads_kept(model, _keep(mask, side)):
            outputs = inference.outputs(model, queries)
        now = [predicted(model, row, output) for row, output in zip(rows, outputs)]
        right = [
            nan if row.example.label is None
            else float(name(model, row, target) == row.example.label)
            for row, target in zip(rows, now)
        ]  # fmt: skip
        lines.append(
            StoredHeadAblation(
                mask.lang, kind, seed, side, mask.count, mask.shape[0] * mask.shape[1],
                tuple(row.example.group for row in rows),
                tuple(ablated == intact for ablated, intact in zip(now, whole)),
                tuple(probability(model, *pair) for pair in zip(outputs, whole)),
                tuple(right),
            )
        )  # fmt: skip
    return lines


def _variants(
    masks: Mapping[str, HeadMask], samples: int
) -> Iterable[tuple[str, int, str, HeadMask]]:
    """Kind, seed (-1: the mask itself), side and mask; a mask of no or all heads has no control."""
    for kind, mask in masks.items():
        proper = 0 < mask.count < mask.shape[0] * mask.shape[1] and kind not in CONTROLS
        variants = {-1: mask} | {
            seed: random_like(mask, seed) for seed in range(samples if proper else 0)
        }
        for seed, variant in variants.items():
            for side in SIDES:
                yield kind, seed, side, variant


def _keep(mask: HeadMask, side: str) -> dict[int, list[float]]:
    return {
        layer: [float(head == (side == KEPT)) for head in heads]
        for layer, heads in enumerate(mask.keep)
    }


def summaries(rows: Iterable[Mapping[str, Any]]) -> list[Ablation]:
    """One line per language, kind of mask and side, with its control.

        p = (1 + number of random masks that do at least as well) / (1 + number of random masks)

    Source of p: Phipson and Smyth 2010.
    """
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["lang"], row["kind"], row["side"]), []).append(row)
    return [_summary(*place, members) for place, members in groups.items()]


def _summary(lang: str, kind: str, side: str, rows: Sequence[Mapping[str, Any]]) -> Ablation:
    (mask,) = (row for row in rows if row["seed"] < 0)
    others = [row for row in rows if row["seed"] >= 0]
    same, probability = float(np.mean(mask["same"])), float(np.mean(mask["probability"]))
    controls = [float(np.mean(row["probability"])) for row in others]
    sign = 1 if side == KEPT else -1
    as_good = sum(sign * each >= sign * probability for each in controls)
    return Ablation(
        lang, kind, side, mask["heads"], mask["total"], len(mask["same"]), same, probability,
        float(np.mean(mask["right"])) if mask["right"] else nan,
        float(np.mean([np.mean(row["same"]) for row in others])) if others else nan,
        float(np.mean(controls)) if others else nan, len(others),
        (1 + as_good) / (1 + len(others)) if others else nan,
    )  # fmt: skip


def ablations_csv(models: Iterable[Any]) -> str:
    """One line per model, task, language, mask and side."""
    return csv_text(ablations_table(models))


def ablations_table(models: Iterable[Any]) -> pd.DataFrame:
    lines = [(model.model, model.task, *each) for model in models for each in model.ablations]
    return pd.DataFrame(lines, columns=["model", "task", *Ablation._fields])
