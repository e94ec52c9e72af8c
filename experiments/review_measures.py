"""How good an explanation of a review is: against naive Bayes, human rationales, and the model
without some of the tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

Numbers = NDArray[np.float64]
ADDITIVE = ("lime", "kernel_shap", "occlusion")
"""Methods whose scores predict, by their sum, the effect of removing tokens."""


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedText:
    """A text as the model reads it, the scores of its tokens by method, and its surrogates."""

    example: Example
    units: TextUnits
    scores: Mapping[str, Numbers]
    surrogates: Mapping[str, Mixture]

    @property
    def distinct(self) -> NDArray[np.int64]:
        """The first position of every distinct token."""
        return np.unique(self.units.units, return_index=True)[1]

    @property
    def sign(self) -> int:
        """1 where the true class is positive, else -1."""
        return 1 if self.example.label == "positive" else -1


def log_odds(model: Model, text: ExplainedText, kept: Sequence[Sequence[int]]) -> Numbers:
    """The log-odds of positive for the text with only these positions, in order."""
    units = text.units.units
    queries = [text.units.query((tuple(units[sorted(places)]),)) for places in kept]
    return np.array([float(out[1] - out[0]) for out in inference.outputs(model, queries)])


def bayes_scores(model: Model, train: Sequence[Example]) -> Numbers:
    """log((N+ + 20) / (N- + 20)) of every token, N its occurrences in the training reviews."""
    classes = [
        [
            token
            for row in train
            if row.label == label
            for token in model.tokenizer(row.texts[0], add_special_tokens=False)["input_ids"]
        ]
        for label in ("positive", "negative")
    ]
    return naive_bayes(classes, [True, False], len(model.tokenizer))


def bayes_agreement(texts: Sequence[ExplainedText], name: str, bayes: Numbers) -> list[float]:
    """Spearman correlation with naive Bayes over distinct tokens; of importances, which have no
    sign, with its size."""
    correlations = []
    for text in texts:
        row, places = text.units.row, text.distinct
        expected = bayes[row.ids[row.content][places]]
        expected = np.abs(expected) if name == "importance" else expected
        correlations.append(_spearman(text.scores[name][places], expected))
    return correlations


def human_attention(texts: Sequence[ExplainedText], name: str) -> list[float]:
    """AUROC of |score| for the words that all readers marked; distinct tokens, no punctuation."""
    areas = []
    for text in texts:
        row, marks = text.units.row, np.array((text.example.rationale or [()])[0])
        gold = marks[row.word[row.content]]
        tokens = np.array(row.tokens)[row.content]
        letters = np.array([any(map(str.isalnum, token)) for token in tokens])
        places = text.distinct[letters[text.distinct]]
        scores = text.scores[name] if name == "importance" else np.abs(text.scores[name])
        if 0 < gold[places].sum() < len(places):
            defined = np.isfinite(scores).all()
            areas.append(float(roc_auc_score(gold[places], scores[places])) if defined else np.nan)
    return areas


def erased(
    model: Model, texts: Sequence[ExplainedText], name: str, *, insertion: bool
) -> list[float]:
    """1 - mean_k p_k of the true class, k = 5, 10, ... tokens left: the lowest (deletion) or the
    highest (insertion)."""
    areas = []
    for text in texts:
        scores = text.scores[name] if name == "importance" else text.sign * text.scores[name]
        order = np.argsort(-scores if insertion else scores, kind="stable")
        kept = [order[:count].tolist() for count in range(5, len(order), 5)]
        odds = text.sign * log_odds(model, text, kept)
        defined = np.isfinite(scores).all()
        areas.append(1 - float(np.mean(1 / (1 + np.exp(-odds)))) if defined else np.nan)
    return areas


def measures(model: Model, train: Sequence[Example]) -> dict[str, Callable[..., list[float]]]:
    """The columns of the page: each maps explained texts and the name of a score to a value for
    each text."""
    bayes = bayes_scores(model, train)
    return {
        "naive Bayes": lambda texts, name: bayes_agreement(texts, name, bayes),
        "human attention": human_attention,
        "deletion": lambda texts, name: erased(model, texts, name, insertion=False),
        "insertion": lambda texts, name: erased(model, texts, name, insertion=True),
    }


def removals(
    model: Model, texts: Sequence[ExplainedText], samples: int
) -> dict[str, tuple[float, float]]:
    """By method: the rank correlation with leaving one token out, and the mean squared error of the
    predicted effect of removing 1 to 10 random tokens, as a share of the mean square of the effect.

    A SLALOM predicts F(t - R) - F(t), an additive explanation minus the sum of its scores.
    """
    ranks: dict[str, list[float]] = {}
    errors: dict[str, list[float]] = {}
    effects: list[float] = []
    for text in texts:
        size = len(text.units.units)
        removed = _removed(text, samples)
        kept = [np.flatnonzero(~row).tolist() for row in removed]
        odds = log_odds(model, text, [*kept, list(range(size))])
        effect = odds[:-1] - odds[-1]
        effects += effect[size:].tolist()
        for name, predicted in _predictions(text, removed).items():
            ranks.setdefault(name, []).append(_spearman(predicted[:size], effect[:size]))
            errors.setdefault(name, []).append(float(((predicted - effect)[size:] ** 2).mean()))
    scale = float(np.mean(np.square(effects)))
    return {name: (_mean(ranks[name]), _mean(errors[name]) / scale) for name in errors}


def _removed(text: ExplainedText, samples: int) -> NDArray[np.bool_]:
    """A row for every position alone, then `samples` rows of 1 to 10 random positions."""
    size, generator = len(text.units.units), keyed(0, "removals", text.example.id)
    random = np.zeros((samples, size), bool)
    for row in random:
        count = min(int(generator.integers(1, 11)), size - 1)
        row[generator.choice(size, count, replace=False)] = True
    return np.concatenate([np.eye(size, dtype=bool), random])


def _predictions(text: ExplainedText, removed: NDArray[np.bool_]) -> dict[str, Numbers]:
    surrogates = {
        name: np.array([without(mixture, row) for row in removed]) - mixture.weights()[2]
        for name, mixture in text.surrogates.items()
    }
    sums = {name: -(removed @ text.scores[name]) for name in ADDITIVE if name in text.scores}
    return surrogates | sums | {"nothing changes": np.zeros(len(removed))}


def _spearman(scores: Numbers, expected: Numbers) -> float:
    """The rank correlation; NaN for scores that are undefined or all equal."""
    if not np.isfinite(scores).all() or np.ptp(scores) == 0:
        return float("nan")
    return float(spearmanr(scores, expected).statistic)


def _mean(values: Sequence[float]) -> float:
    """The mean of the defined values; NaN if there are none."""
    defined = [value for value in values if np.isfinite(value)]
    return float(np.mean(defined)) if defined else float("nan")


def mean_and_error(values: Sequence[float]) -> str:
    """Mean and standard error of the defined values, and their number where that is not all."""
    defined = [value for value in values if np.isfinite(value)]
    if len(defined) < 2:
        return "undefined"
    count = "" if len(defined) == len(values) else f" ({len(defined)} of {len(values)} texts)"
    return f"{np.mean(defined):.3f} ± {np.std(defined, ddof=1) / len(defined) ** 0.5:.3f}{count}"
