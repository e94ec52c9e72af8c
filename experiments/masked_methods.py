"""Masked relevance propagation and its baselines on the same texts: masks by size, values per text
and the rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from babelscope import options
from babelscope.methods.explain import explain
from babelscope.metrics.measure import measure
from babelscope.model.head_masks import HeadMask, head_mask, to_json
from babelscope.model.head_statistics import HeadStatistics, accuracy
from babelscope.model.load import Model
from babelscope.stats import estimate
from babelscope.types import Example

METRICS = ("aopc", "lodds")
MARGINS = tuple(round(0.05 - step / 20, 2) for step in range(20))
"""From the method's margin downwards, until a quarter of the heads is kept."""
PUBLISHED = "masked_lrp, method's mask"
"""The row that the paper calls Mask-LRP."""

Values = Mapping[str, Sequence[float]]
"""Values of every text, by metric."""


class Methods(options.Spec):
    """What is compared, and how it is measured."""

    baselines: dict[str, str]
    """From our names to the paper's."""
    others: list[str]
    masked: list[str]
    reference: str
    """The baseline that the others are compared with, text by text."""
    measured: dict[str, Any]
    samples: int


def quarter_mask(statistics: HeadStatistics) -> HeadMask:
    """The method's mask with the largest margin that keeps a quarter of the heads: chosen by the
    number, not by the outcome."""
    enough = np.prod(statistics.shape) / 4
    masks = [head_mask(statistics, margin=margin) for margin in MARGINS]
    return next((mask for mask in masks if mask.count >= enough), masks[-1])


def random_masks(statistics: HeadStatistics, mask: HeadMask, samples: int) -> list[HeadMask]:
    """Masks of as many heads, sampled at random."""
    return [
        head_mask(statistics, "random", margin=mask.margin, positional=mask.positional, seed=seed)
        for seed in range(samples)
    ]


def text_values(
    spec: Methods,
    model: Model,
    texts: Sequence[Example],
    method: str,
    mask: HeadMask | None = None,
) -> Values:
    """AOPC and LOdds of every text, the gold class explained."""
    heads = {} if mask is None else {"heads": to_json(mask)}
    attributions = explain(model, texts, method, target="gold", options=heads)
    rows = measure(model, attributions, list(METRICS), options=spec.measured)
    return {name: [row.value for row in rows if row.metric == name] for name in METRICS}


def values_by_method(
    spec: Methods, model: Model, texts: Sequence[Example], statistics: HeadStatistics
) -> dict[str, Values]:
    """The values of every row of the table; those of random masks are averaged text by text."""
    quarter = quarter_mask(statistics)
    names = (*spec.baselines, *spec.others)
    rows = {name: text_values(spec, model, texts, name) for name in names}
    for name in spec.masked:
        masks = {"method's mask": head_mask(statistics), "a quarter of the heads": quarter}
        for which, mask in masks.items():
            rows[f"{name}, {which}"] = text_values(spec, model, texts, name, mask)
        samples = [
            text_values(spec, model, texts, name, mask)
            for mask in random_masks(statistics, quarter, spec.samples)
        ]
        rows[f"{name}, as many random heads"] = {
            metric: np.mean([sample[metric] for sample in samples], axis=0).tolist()
            for metric in METRICS
        }
    return rows


def mask_summary(statistics: HeadStatistics) -> dict[str, Any]:
    """How many heads the masks keep, and the best head of each relation beside the share of the
    commonest distance."""
    best = np.nanmax(accuracy(statistics), axis=(0, 1))
    return {
        "shape": statistics.shape,
        "best": list(zip(statistics.relations, best, statistics.baseline[0])),
        "mask": head_mask(statistics),
        "quarter": quarter_mask(statistics),
    }


def comparison_rows(
    spec: Methods, measured: Mapping[str, Values], groups: Sequence[str]
) -> list[dict[str, Any]]:
    """Every method with its intervals over texts, the highest AOPC first."""
    reference = measured[spec.reference]["aopc"]
    rows = []
    for name, values in measured.items():
        gains = [value - other for value, other in zip(values["aopc"], reference)]
        rows.append(
            {
                "name": name,
                "published": "Mask-LRP" if name == PUBLISHED else spec.baselines.get(name, ""),
                **{metric: estimate(list(values[metric]), groups) for metric in METRICS},
                "gain": None if name == spec.reference else estimate(gains, groups),
            }
        )
    return sorted(rows, key=lambda row: -row["aopc"].mean)
