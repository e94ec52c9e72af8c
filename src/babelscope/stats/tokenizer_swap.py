"""Is it the tokenizer or the body? A multilingual and a monolingual model, each with both
tokenizers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import nan

import numpy as np
import pandas as pd

from babelscope.stats.corrections import holm
from babelscope.stats.disparity import TEXT, with_controls
from babelscope.stats.intervals import estimate, hierarchical, ratio
from babelscope.stats.units import across
from babelscope.types import Estimate

CELLS = ("multilingual", "multilingual_swapped", "monolingual_swapped", "monolingual")
"""Body and tokenizer: both multilingual; the multilingual body with the monolingual tokenizer; the
monolingual body with the multilingual tokenizer; both monolingual."""
EFFECTS = ("gap", "tokenizer", "body", "interaction")


@dataclass(frozen=True, slots=True)
class Swap:
    """The four models of a swap, each a name or one for each language."""

    multilingual: tuple[str, ...]
    multilingual_swapped: tuple[str, ...]
    monolingual_swapped: tuple[str, ...]
    monolingual: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{', '.join(self.multilingual)} − {', '.join(self.monolingual)}"

    @property
    def models(self) -> tuple[tuple[str, ...], ...]:
        """In the order of CELLS."""
        return tuple(getattr(self, cell) for cell in CELLS)


@dataclass(frozen=True, slots=True)
class SwapEffect:
    """One effect of a swap by one metric; `p` over tasks and languages, `adjusted` by Holm."""

    swap: str
    metric: str
    lang: str
    """Empty for all languages together."""
    effect: str
    value: Estimate
    units: int
    p: float
    adjusted: float
    share: Estimate
    """The effect as a share of the gap; undefined where the gap's interval holds 0."""


def swap_instances(
    measures: pd.DataFrame,
    predictions: pd.DataFrame,
    swaps: Sequence[Swap],
    *,
    lower: Collection[str] = (),
) -> pd.DataFrame:
    """For every text the four models' values above their controls, and the effects of the swap.

        v = value - mean over samples of random scores, of the same model and text
        gap = v_MM - v_mm                      tokenizer = ((v_MM - v_Mm) + (v_mM - v_mm)) / 2
        body = ((v_MM - v_mM) + (v_Mm - v_mm)) / 2
        interaction = ((v_MM + v_mm) - (v_Mm + v_mM)) / 2

    The first letter is the body, the second the tokenizer: M multilingual, m monolingual.
    `measures` and `predictions` are as in `disparity.instances`. The result has the columns swap,
    metric, method, those of TEXT, CELLS, EFFECTS and correct: whether all four models are right.

    *Laws*: tokenizer + body = gap; values that are a sum of a part of the body and a part of the
    tokenizer have no interaction; what any swap costs a model, the same for both bodies, is in the
    interaction alone; exchanging the two models with their tokenizers negates all but it.
    Source: the spec's arm A4; main effects of a two by two design, with weights 1/2.
    """
    joined = with_controls(measures, predictions, lower)
    joined["value"] -= joined.pop("control")
    return pd.concat([_four(joined, swap) for swap in swaps], ignore_index=True)


def _four(joined: pd.DataFrame, swap: Swap) -> pd.DataFrame:
    keys = [*TEXT, "metric", "method"]
    whole: pd.DataFrame | None = None
    for cell, names in zip(CELLS, swap.models):
        part = joined[joined["model"].isin(names)][[*keys, "value", "right"]]
        part = part.rename(columns={"value": cell, "right": f"right_{cell}"})
        whole = part if whole is None else whole.merge(part, on=keys)
    assert whole is not None
    right = [f"right_{cell}" for cell in CELLS]
    effects = effects_of(*(whole[cell].to_numpy(dtype=np.float64) for cell in CELLS))
    correct = whole[right].astype(bool).all(axis=1)
    named = whole.drop(columns=right).assign(swap=swap.name, correct=correct)
    return named.assign(**dict(zip(EFFECTS, effects)))


def effects_of(
    both: np.ndarray, body: np.ndarray, tokenizer: np.ndarray, neither: np.ndarray
) -> tuple[np.ndarray, ...]:
    """The effects of `swap_instances`: what is multilingual is both, the body, the tokenizer, or
    neither.
    """
    return (
        both - neither,
        ((both - body) + (tokenizer - neither)) / 2,
        ((both - tokenizer) + (body - neither)) / 2,
        ((both + neither) - (body + tokenizer)) / 2,
    )


def swap_effects(rows: pd.DataFrame, *, by_language: bool = False) -> list[SwapEffect]:
    """How much of the gap is the tokenizer's, and how much the body's.

        of all languages: `hierarchical` (unit, seed, cluster) and `across` units, a task in a
        language each;   of one language: `estimate` by cluster, without p
        share = sum of the effect / sum of the gap over texts

    Holm over all effects of all swaps and metrics that have a p. `rows` are those of
    `swap_instances`.

    *Laws*: the shares of tokenizer and body add up to 1; copying every row changes no effect and no
    p.
    """
    places = ["swap", "metric", "lang"] if by_language else ["swap", "metric"]
    effects = [
        _effect(part, effect, *map(str, place))
        for place, part in rows.groupby(places, sort=False)
        for effect in EFFECTS
    ]
    adjusted = holm([each.p for each in effects])
    return [replace(each, adjusted=p) for each, p in zip(effects, adjusted)]


def _effect(part: pd.DataFrame, effect: str, swap: str, metric: str, lang: str = "") -> SwapEffect:
    units = (part["task"] + " " + part["lang"]).tolist()
    clusters = part["cluster"].tolist()
    values = part[effect].tolist()
    if lang:
        value, count, p = estimate(values, clusters), len(set(units)), nan
    else:
        levels = [units, part["seed"].astype(str).tolist(), clusters]
        test = across(part[effect], np.zeros(len(part)), units)
        value, count, p = hierarchical(values, levels), test.n, test.sign_flip
    return SwapEffect(swap, metric, lang, effect, value, count, p, nan, _share(part, effect))


def _share(part: pd.DataFrame, effect: str) -> Estimate:
    clusters = part["cluster"].tolist()
    gap = estimate(part["gap"].tolist(), clusters)
    undefined = Estimate(nan, nan, nan, gap.n, gap.undefined)
    if effect not in ("tokenizer", "body") or not (gap.low > 0 or gap.high < 0):
        return undefined
    sign = 1.0 if gap.mean > 0 else -1.0
    return ratio(sign * part[effect], sign * part["gap"], clusters)
