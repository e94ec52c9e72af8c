"""Surrogates of transformers that were trained on words that add up: which is nearest?"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from babelscope import options
from babelscope.data.synthetic import linear_words, sample
from babelscope.methods.slalom.baselines import additive, linear
from babelscope.methods.slalom.fit import fit
from babelscope.methods.slalom.surrogate import counted, predict
from babelscope.model.load import Model
from experiments.slalom_models import answers, trained

SURROGATES = ("linear", "GAM", "SLALOM")
CONSTANT = 0.01
"""A variance of the log-odds below which a model has learnt nothing: deep ones sometimes do."""


class Comparison(options.Spec):
    """Which models are trained, and on how many texts surrogates are fitted and tested."""

    models: list[tuple[str, int]]
    """Architecture and number of layers."""
    seeds: list[int]
    steps: int
    """Training steps of 64 texts."""
    fitted: int
    tested: int
    published: dict[str, str]
    """Leemann et al. 2024, table 6: linear / GAM / SLALOM."""


def compare(spec: Comparison) -> list[dict[str, Any]]:
    """A row for each architecture and depth, over the seeds."""
    rows = []
    for architecture, layers in spec.models:
        models = [
            trained(linear_words(), architecture, layers, seed, spec.steps) for seed in spec.seeds
        ]
        errors = [surrogate_errors(model, seed, spec) for model, seed in zip(models, spec.seeds)]
        name = f"{architecture} {layers}"
        rows.append(
            row(name, errors) | {"published": spec.published.get(name, ""), "models": models}
        )
    return rows


def surrogate_errors(model: Model, seed: int, spec: Comparison) -> dict[str, float]:
    """Mean squared error times 100 of each surrogate on texts that it was not fitted to."""
    language = linear_words()
    _, texts = sample(language, spec.fitted + spec.tested, seed=seed + 500)
    train, test, size = texts[: spec.fitted], texts[spec.fitted :], len(language.words)
    log_odds = answers(model, texts)
    known, expected = log_odds[: spec.fitted], log_odds[spec.fitted :]
    slalom = fit(counted(train), known, size=size)
    predictions = {
        "linear": linear(train, known, test, size),
        "GAM": additive(train, known, test, size),
        "SLALOM": predict(counted(test), slalom.importance, slalom.value),
    }
    errors = {
        name: 100 * float(((each - expected) ** 2).mean()) for name, each in predictions.items()
    }
    return errors | {"variance": float(expected.var())}


def row(name: str, errors: Sequence[dict[str, float]]) -> dict[str, Any]:
    """Means with standard errors over the seeds that learnt something."""
    learnt = [each for each in errors if each["variance"] > CONSTANT]
    return {
        "name": name,
        "errors": [
            mean_and_error([each[surrogate] for each in learnt]) for surrogate in SURROGATES
        ],
        "ordered": sum(each["GAM"] > each["linear"] > each["SLALOM"] for each in learnt),
        "runs": len(learnt),
        "variance": statistics.mean(each["variance"] for each in errors),
    }


def mean_and_error(numbers: Sequence[float]) -> str:
    if len(numbers) < 2:
        return "undefined"
    error = statistics.stdev(numbers) / len(numbers) ** 0.5
    return f"{statistics.mean(numbers):.1f} ± {error:.1f}"


def repeated(models: Iterable[Model], word: str, copies: Sequence[int]) -> np.ndarray:
    """The log-odds of a text of so many copies of a word, in the mean over models."""
    place = linear_words().words.index(word)
    return np.mean(
        [answers(model, [[place] * count for count in copies]) for model in models], axis=0
    )
