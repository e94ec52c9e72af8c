"""SLALOMs fitted to exact SLALOMs with noise and to trained transformers: how near they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.data.synthetic import linear_words, slalom_words
from babelscope.methods.slalom.exact import recover
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.model.load import Model
from babelscope.random import keyed
from experiments.slalom_models import answers, published_fit, trained

NOISE, TESTED = 0.1, 3000
WORDS, FITTED = 40, 2500
"""Of the recovered SLALOM: words, and texts that it is fitted to."""


def against_published_fit(
    size: int, queries: Iterable[int], tried: Sequence[int]
) -> list[dict[str, Any]]:
    """Texts of three words: the errors of both fits at equal queries, and the least number of
    queries here with no larger error."""
    generator = keyed(size, "published")
    importance, value = generator.normal(size=size), generator.normal(size=size)
    fresh = counted(generator.integers(0, size, (TESTED, 3)).tolist())
    expected = predict(fresh, importance, value)
    errors: dict[int, float] = {}
    rows = []
    for count in tried:
        texts = keyed(size, count, "rows").integers(0, size, (count, 3)).tolist()
        noise = NOISE * keyed(size, count, "noise").normal(size=count)
        log_odds = predict(counted(texts), importance, value) + noise
        fitted = fit(counted(texts), log_odds, size=size)
        errors[count] = _error(predict(fresh, fitted.importance, fitted.value), expected)
        if count in queries:
            theirs = _error(predict(fresh, *published_fit(texts, log_odds, size)), expected)
            enough = min((each for each, error in errors.items() if error <= theirs), default=count)
            row = {"size": size, "queries": count, "theirs": theirs, "ours": errors[count]}
            rows.append(row | {"enough": enough})
    return rows


def by_length(model: Model, lengths: Iterable[int]) -> list[tuple[int, float, float, float]]:
    """The exact design and the fit, on a trained transformer, by the length of the text that is
    predicted; and the variance of the log-odds."""
    size, generator = len(linear_words().words), keyed(0, "lengths")
    exact = recover(lambda texts: answers(model, texts), size)
    texts = [generator.integers(0, size, generator.integers(1, 5)).tolist() for _ in range(500)]
    fitted = fit(counted(texts), answers(model, texts), size=size)
    rows = []
    for length in lengths:
        fresh = generator.integers(0, size, (200, length)).tolist()
        expected = answers(model, fresh)
        errors = [
            _error(predict(counted(fresh), each.importance, each.value), expected)
            for each in (exact, fitted)
        ]
        rows.append((length, errors[0], errors[1], float(expected.var())))
    return rows


def recovery(architecture: str, steps: int) -> tuple[str, float, float, float]:
    """A transformer trained on a SLALOM language: R2 of the fitted SLALOM, and correlations of its
    values and importances with the generating ones."""
    language = slalom_words(WORDS)
    model = trained(language, architecture, 2, 0, steps, scale=3.0)
    generator = keyed(1, "recovery")
    texts = [
        generator.integers(0, WORDS, generator.integers(1, 9)).tolist() for _ in range(FITTED + 500)
    ]
    log_odds = answers(model, texts)
    fitted = fit(counted(texts[:FITTED]), log_odds[:FITTED], size=WORDS)
    predicted = predict(counted(texts[FITTED:]), fitted.importance, fitted.value)
    r2 = 1 - _error(predicted, log_odds[FITTED:]) / float(log_odds[FITTED:].var())
    assert language.importance is not None
    pairs = ((fitted.value, language.value), (fitted.importance, language.importance))
    value, importance = (float(np.corrcoef(*pair)[0, 1]) for pair in pairs)
    return f"{architecture} 2", r2, value, importance


def _error(predicted: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    return float(((predicted - expected) ** 2).mean())
