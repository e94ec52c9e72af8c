"""What SLALOM, LIME and Kernel SHAP say about the words of a text: scores, and a surrogate of the
log-odds of the text without some of them. All three erase a word by leaving it out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import lime.lime_text
import numpy as np
import shap
import torch
from numpy.typing import NDArray

from babelscope.methods.explain import explain
from babelscope.methods.slalom.design import DEFAULT
from babelscope.model.load import Model

Kept = NDArray[np.bool_]
"""Texts as rows of words that are kept."""
Play = Callable[[Kept], NDArray[np.float64]]
DESIGN = "mix+deletion+text+context"
"""The design of SLALOM that is compared; `USUAL` is its default."""
USUAL = DEFAULT
LIME_SAMPLES = 5000
"""LIME's default."""
UNBROKEN = ("zh", "ja", "th")
"""Languages written without blanks, whose characters count as words."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text as words with the blank, or nothing, that parts them."""

    words: tuple[str, ...]
    lang: str

    @property
    def blank(self) -> str:
        return "" if self.lang in UNBROKEN else " "

    def without(self, kept: Sequence[bool] | NDArray[np.bool_]) -> str:
        return self.blank.join(word for word, here in zip(self.words, kept) if here)


def as_text(text: str, lang: str) -> Text:
    parts = text.replace(" ", "") if lang in UNBROKEN else text.split()
    return Text(tuple(parts), lang)


@dataclass(frozen=True, slots=True, eq=False)
class Surrogate:
    """Scores of the words, the surrogate, and what it cost: distinct inputs of the model and the
    CPU seconds of the whole call."""

    scores: NDArray[np.float64]
    predict: Play
    queries: int
    seconds: float


def probabilities(model: Model, texts: Sequence[str]) -> NDArray[np.float64]:
    """In batches of 64 as the tokenizer pads them, as users of LIME and shap write it."""
    parts = []
    with torch.no_grad(), model.inference_mode():
        for start in range(0, len(texts), 64):
            batch = model.tokenizer(
                list(texts[start : start + 64]), return_tensors="pt", padding=True
            )
            parts.append(torch.softmax(model.hf(**batch).logits.double(), -1).numpy())
    return np.concatenate(parts)


def log_odds(p: NDArray[np.float64]) -> NDArray[np.float64]:
    bounded = np.clip(p, 1e-7, 1 - 1e-7)
    odds: NDArray[np.float64] = np.log(bounded) - np.log1p(-bounded)
    return odds


def slalom(
    model: Model, text: Text, label: int, samples: int, seed: int, design: str = DESIGN
) -> Surrogate:
    """The named design with so many samples, 0 for the method's own number, of the predicted class;
    units are the words.
    """
    before, begin = model.inference.distinct, time.process_time()
    unit = "token" if text.lang in UNBROKEN else "word"
    options = {"samples": samples, "unit": unit, "design": design}
    (attribution,) = explain(
        model, text.without([True] * len(text.words)), "slalom", quantity="log_odds",
        options=options, lang=text.lang, seed=seed,
    )  # fmt: skip
    seconds = time.process_time() - begin
    starts = np.cumsum([0] + [len(word) + len(text.blank) for word in text.words[:-1]])
    ends = np.array([max(start, end - 1) for start, end in attribution.offsets])
    owner = np.searchsorted(starts, ends, "right") - 1
    scores = np.zeros(len(text.words))
    np.add.at(scores, owner, np.nan_to_num(attribution.scores))
    position = np.array(attribution.details["unit_position"])
    first = np.unique(position, return_index=True)[1]
    units, value, importance = (
        owner[first],
        np.array(attribution.details["value"], float)[first],
        np.array(attribution.details["importance"], float)[first],
    )

    always = attribution.details["context"] or (-np.inf, 0.0)
    """Importance and value of what is always present, in a design with a context."""

    def predict(kept: Kept) -> NDArray[np.float64]:
        weights = np.where(
            kept[:, units] & np.isfinite(value), np.exp(np.nan_to_num(importance)), 0
        )
        total = weights.sum(axis=1) + np.exp(always[0])
        mixed: NDArray[np.float64] = weights @ np.nan_to_num(value) + np.exp(always[0]) * always[1]
        return mixed / total

    return Surrogate(scores, predict, model.inference.distinct - before, seconds)


def lime_surrogate(model: Model, text: Text, label: int, samples: int, seed: int) -> Surrogate:
    """The released LIME with the log-odds as the answer; it erases a word by nothing. 0 samples are
    its default.
    """
    seen: set[str] = set()

    def answer(texts: Sequence[str]) -> NDArray[np.float64]:
        seen.update(texts)
        odds = log_odds(probabilities(model, texts)[:, label])
        return np.stack((-odds, odds), axis=1)

    begin = time.process_time()
    explainer = lime.lime_text.LimeTextExplainer(
        split_expression=list if text.lang in UNBROKEN else r"\s+",
        bow=False, mask_string="", random_state=seed, feature_selection="none",
    )  # fmt: skip
    fitted = explainer.explain_instance(
        text.without([True] * len(text.words)), answer, labels=(1,),
        num_features=len(text.words), num_samples=samples or LIME_SAMPLES,
    )  # fmt: skip
    seconds = time.process_time() - begin
    scores = np.zeros(len(text.words))
    for word, weight in fitted.local_exp[1]:
        scores[word] = weight
    intercept = float(fitted.intercept[1])
    return Surrogate(scores, lambda kept: intercept + kept @ scores, len(seen), seconds)


def shap_surrogate(model: Model, text: Text, label: int, samples: int, seed: int) -> Surrogate:
    """shap's KernelExplainer with all features kept. 0 samples are its default, 2n + 2048."""
    seen: set[str] = set()

    def answer(present: NDArray[np.float64]) -> NDArray[np.float64]:
        texts = [text.without(row > 0.5) for row in present]
        seen.update(texts)
        return log_odds(probabilities(model, texts)[:, label])

    n = len(text.words)
    begin = time.process_time()
    explainer = shap.KernelExplainer(answer, np.zeros((1, n)))
    np.random.seed(seed)  # noqa: NPY002 (shap samples from the global generator)
    scores = np.asarray(
        explainer.shap_values(np.ones(n), nsamples=samples or "auto", l1_reg=False, silent=True)
    )
    seconds = time.process_time() - begin
    base = float(explainer.expected_value)
    return Surrogate(scores, lambda kept: base + kept @ scores, len(seen), seconds)


METHODS = {
    "slalom": slalom,
    USUAL: partial(slalom, design=USUAL),
    "LIME": lime_surrogate,
    "Kernel SHAP": shap_surrogate,
}
