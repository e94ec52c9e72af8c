"""Surrogates of one model of a made-up language: their errors, their parameters, and the exact
design beside the fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import nan
from typing import NamedTuple

import numpy as np

from babelscope.analyses.surrogates.spec import Spec
from babelscope.data.synthetic import Language, sample
from babelscope.methods.slalom.baselines import additive, linear
from babelscope.methods.slalom.exact import recover
from babelscope.methods.slalom.fit import Fit, fit
from babelscope.methods.slalom.surrogate import Numbers, counted, predict
from babelscope.random import keyed

ERROR, SCATTER, REPEATED, LENGTH, VALUE, IMPORTANCE, SHAPLEY = PARTS = (
    "error", "scatter", "repeated", "length", "value", "importance", "shapley",
)  # fmt: skip
VARIANCE = "variance"
SLALOM = "SLALOM"
SURROGATES = ("linear", "GAM", SLALOM)
EXACT, FITTED = "exact", "fitted"
SHORT = 4
"""Longest of the texts that the fit beside the exact design is from: as the method queries."""

Answers = Callable[[Sequence[Sequence[int]]], Numbers]
"""The model's log-odds of texts, given as numbers of words."""


class Line(NamedTuple):
    """A number about a model: which part of the analysis, of which name, at x."""

    part: str
    name: str
    x: float
    y: float


def lines(language: Language, answers: Answers, spec: Spec, seed: int) -> Iterator[Line]:
    """Everything that is stored of one model."""
    _, texts = sample(language, spec.fitted + spec.tested, seed=500 + seed)
    log_odds, size = answers(texts), len(language.words)
    train, test = texts[: spec.fitted], texts[spec.fitted :]
    known, expected = log_odds[: spec.fitted], log_odds[spec.fitted :]
    slalom = fit(counted(train), known, size=size)
    predictions = {
        "linear": linear(train, known, test, size),
        "GAM": additive(train, known, test, size),
        SLALOM: predict(counted(test), slalom.importance, slalom.value),
    }
    yield Line(ERROR, VARIANCE, nan, float(expected.var()))
    for name, predicted in predictions.items():
        yield Line(ERROR, name, nan, float(((predicted - expected) ** 2).mean()))
        pairs = zip(expected[: spec.shown].tolist(), predicted[: spec.shown].tolist())
        yield from (Line(SCATTER, name, *pair) for pair in pairs)
    yield from _repeated(language, answers, spec.copies)
    yield from _by_length(language, answers, spec, seed)
    yield from _parameters(language, slalom)
    yield from shapley_weights(language, answers, spec.shapley_copies)


def _repeated(language: Language, answers: Answers, copies: Sequence[int]) -> Iterator[Line]:
    """Copies of the words with the largest and the least value: a sum grows with them, a SLALOM
    does not."""
    for place in (int(language.value.argmax()), int(language.value.argmin())):
        values = answers([[place] * count for count in copies])
        for count, value in zip(copies, values.tolist()):
            yield Line(REPEATED, language.words[place], float(count), value)


def shapley_weights(language: Language, answers: Answers, copies: Sequence[int]) -> Iterator[Line]:
    """Kernel SHAP's mean weight of a copy of the strongest word, by the number k of copies, against
    as many copies of the weakest word.

        mean_i phi_i = (F(w, ..., w) - F(u, ..., u)) / k

    F the log-odds of k words, w the word with the largest value, u that with the least absolute
    one, phi_i the weight of place i where u takes the place of an erased word. The constraint of
    Kernel SHAP says what the weights sum to, so that their mean needs two queries and no samples.

    *Laws*: the mean of the weights of Kernel SHAP on these texts, for any samples; of words that
    add up their difference v(w) - v(u) for any k; of a SLALOM (v(w) - v(u)) / k.
    Source: Leemann et al. 2024 (SLALOM), appendix A and figure 6.
    """
    strongest, weakest = int(language.value.argmax()), int(abs(language.value).argmin())
    texts = [[word] * k for word in (strongest, weakest) for k in copies]
    full, empty = np.split(answers(texts), 2) if texts else (np.zeros(0), np.zeros(0))
    for k, whole, none in zip(copies, full.tolist(), empty.tolist()):
        yield Line(SHAPLEY, language.words[strongest], float(k), (whole - none) / k)


def _by_length(language: Language, answers: Answers, spec: Spec, seed: int) -> Iterator[Line]:
    """The mean squared error of the exact design and of a fit to short texts, by length."""
    size, generator = len(language.words), keyed(seed, "lengths")
    exact = recover(answers, size)
    short = [
        generator.integers(0, size, generator.integers(1, SHORT + 1)).tolist()
        for _ in range(max(300, min(10 * size, spec.fitted)))
    ]
    fitted = fit(counted(short), answers(short), size=size)
    for length in spec.lengths:
        fresh = generator.integers(0, size, (spec.exact, length)).tolist()
        expected = answers(fresh)
        for name, each in ((EXACT, exact), (FITTED, fitted)):
            gap = predict(counted(fresh), each.importance, each.value) - expected
            yield Line(LENGTH, name, float(length), float((gap**2).mean()))


def _parameters(language: Language, slalom: Fit) -> Iterator[Line]:
    """True (x) and fitted (y) value and importance of every word; the importances of words that
    add up are not defined."""
    true = (
        np.full(len(language.words), nan)
        if language.importance is None
        else language.importance - language.importance.mean()
    )
    for part, wanted, fitted in (
        (VALUE, language.value, slalom.value),
        (IMPORTANCE, true, slalom.importance),
    ):
        numbers = zip(language.words, wanted.tolist(), fitted.tolist())
        yield from (Line(part, *each) for each in numbers)
