"""How good an explanation of a review is: against naive Bayes, its readers, and what the model
does without some words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from babelscope.methods.slalom.baselines import naive_bayes
from babelscope.methods.slalom.methods import TextUnits
from babelscope.methods.slalom.scores import without
from babelscope.methods.slalom.surrogate import Mixture
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.random import keyed
from babelscope.types import Example
from experiments.slalom_readers import TRAINED_ON, reviews

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A text as the model reads it, and its explanations: scores by method, importance and value
    of the surrogates.
    """

    example: Example
    cut: TextUnits
    scores: Mapping[str, Numbers]
    surrogates: Mapping[str, Mixture]

    @property
    def first(self) -> NDArray[np.int64]:
        """The first place of every distinct token."""
        return np.unique(self.cut.units, return_index=True)[1]


def answers(model: Model, one: Judged, kept: Sequence[Sequence[int]]) -> Numbers:
    """The log-odds of positive for the text with only these places, in order."""
    units = one.cut.units
    outputs = inference.outputs(
        model, [one.cut.query((tuple(units[sorted(places)]),)) for places in kept]
    )
    return np.array([float(output[1] - output[0]) for output in outputs])


def bayes_agreement(model: Model, judged: Sequence[Judged], name: str) -> list[float]:
    """Spearman with log((N+ + 20) / (N- + 20)) of the training reviews over distinct tokens;
    importance with its size.
    """
    counts = _bayes(model)
    found = []
    for one in judged:
        at = one.first
        score = counts[one.cut.row.ids[one.cut.row.content][at]]
        given = one.scores[name][at]
        wanted = np.abs(score) if name == "importance" else score
        found.append(
            float(spearmanr(given, wanted).statistic) if np.isfinite(given).all() else np.nan
        )
    return found


def _bayes(model: Model) -> Numbers:
    train = [row for part in TRAINED_ON for row in reviews(part)]
    sides = [
        [token for one in train if (one.label == "positive") == side
         for token in model.tokenizer(one.texts[0], add_special_tokens=False)["input_ids"]] for side in (True, False)
    ]  # fmt: skip
    return naive_bayes(sides, [True, False], len(model.tokenizer))


def human_attention(model: Model, judged: Sequence[Judged], name: str) -> list[float]:
    """AUROC of |score| (importance as it is) for the words that all readers marked; distinct
    tokens, no punctuation.
    """
    found = []
    for one in judged:
        row, marks = one.cut.row, np.array(one.example.rationale[0])  # type: ignore[index]
        gold = marks[row.word[row.content]]
        spelt = np.array(
            [
                any(letter.isalnum() for letter in token)
                for token in np.array(row.tokens)[row.content]
            ]
        )
        at = one.first[spelt[one.first]]
        given = one.scores[name] if name == "importance" else np.abs(one.scores[name])
        if 0 < gold[at].sum() < len(at):
            found.append(
                float(roc_auc_score(gold[at], given[at])) if np.isfinite(given).all() else np.nan
            )
    return found


def erased(model: Model, judged: Sequence[Judged], name: str, *, insertion: bool) -> list[float]:
    """1 - mean_k p_k of the true class, k = 5, 10, ... tokens left: the lowest (deletion) or the
    highest (insertion).
    """
    found = []
    for one in judged:
        sign = 1 if one.example.label == "positive" else -1
        towards = one.scores[name] if name == "importance" else sign * one.scores[name]
        order = np.argsort(-towards if insertion else towards, kind="stable")
        kept = [order[:k].tolist() for k in range(5, len(order), 5)]
        odds = sign * answers(model, one, kept)
        found.append(
            1 - float(np.mean(1 / (1 + np.exp(-odds)))) if np.isfinite(towards).all() else np.nan
        )
    return found


def removals(model: Model, judged: Sequence[Judged], draws: int) -> dict[str, tuple[float, float]]:
    """Per method: the rank agreement with leaving one out, and the share of what random removals do
    that it does not say.

    1 to 10 places are removed. A SLALOM predicts F(t - R) - F(t), an additive explanation minus the
    sum of its scores.
    """
    ranks: dict[str, list[float]] = {}
    gaps: dict[str, list[float]] = {}
    real: list[float] = []
    for one in judged:
        n = len(one.cut.units)
        draw = keyed(0, "removals", one.example.id)
        some = [
            draw.choice(n, min(int(draw.integers(1, 11)), n - 1), replace=False).tolist()
            for _ in range(draws)
        ]
        gone = [[place] for place in range(n)] + some
        kept = [[place for place in range(n) if place not in out] for out in gone]
        moved = answers(model, one, [*kept, list(range(n))])
        change = moved[:-1] - moved[-1]
        real += change[n:].tolist()
        for name, said in _predictions(one, gone).items():
            ranks.setdefault(name, []).append(
                float(spearmanr(said[:n], change[:n]).statistic) if np.ptp(said[:n]) > 0 else np.nan
            )
            gaps.setdefault(name, []).append(float(((said - change)[n:] ** 2).mean()))
    scale = float(np.mean(np.square(real)))
    return {name: (_mean(ranks[name]), _mean(gaps[name]) / scale) for name in gaps}


def _mean(values: Sequence[float]) -> float:
    """The mean of what is defined; of nothing, NaN."""
    kept = [value for value in values if np.isfinite(value)]
    return float(np.mean(kept)) if kept else np.nan


def _predictions(one: Judged, gone: Sequence[Sequence[int]]) -> dict[str, Numbers]:
    n = len(one.cut.units)
    out = np.array([[place in some for place in range(n)] for some in gone])
    found = {name: np.array([without(mixture, row) for row in out]) - mixture.weights()[2]
             for name, mixture in one.surrogates.items()}  # fmt: skip
    found |= {
        name: -(out @ one.scores[name])
        for name in ("lime", "kernel_shap", "occlusion")
        if name in one.scores
    }
    return found | {"nothing changes": np.zeros(len(out))}
