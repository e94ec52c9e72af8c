"""Models that answer texts of units: exact SLALOMs with noise, and trained transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from babelscope import options
from babelscope.data.examples import examples
from babelscope.data.formats.in_memory import as_examples
from babelscope.data.synthetic import slalom_words
from babelscope.methods.slalom.methods import text_units
from babelscope.methods.slalom.surrogate import CountedTexts, Numbers, counted, predict
from babelscope.model import inference
from babelscope.model.encode import encode
from babelscope.model.load import Model
from babelscope.model.targets import predicted, value
from babelscope.random import keyed
from experiments.public_models import PublicModel, public_model
from experiments.slalom_models import answers, trained

Texts = Sequence[Sequence[int]]
"""Each text a sequence of units."""
Tests = dict[str, tuple[CountedTexts, Numbers]]
"""Texts that no surrogate was fitted to and the log-odds of each, by the length of the texts."""


class Boxes(options.Spec):
    """Which models are queried."""

    sizes: list[int]
    """Numbers of units of the exact SLALOMs and of the transformer that reads words."""
    spreads: list[float]
    """Standard deviations of the values of exact SLALOMs."""
    noise: float
    """Standard deviation of the noise on every answer of an exact SLALOM."""
    vocabulary: int
    """Words of the language that a BERT of two layers is trained on."""
    steps: int
    """Its training steps."""
    models: list[PublicModel]
    """Models of real texts."""
    text_sizes: list[int]
    """Numbers of units of real texts."""
    text_samples: int
    """The most samples that are tried on real texts: these models are slow."""


@dataclass(frozen=True, slots=True)
class BlackBox:
    """Something that answers texts of `size` units with log-odds."""

    name: str
    size: int
    answers: Callable[[Texts, str], Numbers]
    """From texts, and a key of the noise, to log-odds."""
    truth: tuple[Numbers, Numbers] | None = None
    """Importances and values, where these are known."""
    noise: float = 0.0
    most: int | None = None
    """The most samples that are tried."""


def black_boxes(spec: Boxes) -> Iterator[BlackBox]:
    """All models of the page, each in all sizes; those that are not installed are left out."""
    for spread in spec.spreads:
        for size in spec.sizes:
            yield exact_slalom(size, spread, spec.noise)
    for size in spec.sizes:
        yield word_transformer(size, spec.vocabulary, spec.steps)
    for each in spec.models:
        model = public_model(each)
        if model is not None:
            texts = [row.texts[0] for row in examples(each.data, "en")]
            for size in spec.text_sizes:
                yield real_text(model, texts, size, spec.text_samples)


def exact_slalom(size: int, spread: float, noise: float) -> BlackBox:
    """Standard normal importances, normal values with that standard deviation, and noise."""
    generator = keyed(size, "published")
    truth = generator.normal(size=size), spread * generator.normal(size=size)

    def log_odds(texts: Texts, sample: str) -> Numbers:
        error = keyed(size, sample, "noise").normal(size=len(texts))
        return predict(counted(texts), *truth) + noise * error

    return BlackBox(f"SLALOM with noise, values of sd {spread:g}", size, log_odds, truth, noise)


def word_transformer(size: int, vocabulary: int, steps: int) -> BlackBox:
    """A BERT of two layers and width 64, trained on a SLALOM language."""
    model = trained(slalom_words(vocabulary), "bert", 2, 0, steps, scale=3.0)
    name = f"BERT, 2 layers, trained on {vocabulary} words"
    return BlackBox(name, size, lambda texts, sample: answers(model, texts))


def real_text(model: Model, texts: Sequence[str], size: int, most: int) -> BlackBox:
    """As many real texts as have `size` distinct tokens, as one text; the first ones are its
    units."""
    text = ""
    for each in texts:
        text = f"{text} {each}".strip()
        (row,) = encode(model, as_examples(text, "en"))
        units = text_units(row, "token")
        if len(units.ids) >= size:
            break
    (output,) = inference.outputs(model, [inference.query(row)])
    target = predicted(model, row, output, "log_odds")

    def log_odds(queries: Texts, sample: str) -> Numbers:
        outputs = inference.outputs(model, [units.query((tuple(query),)) for query in queries])
        return np.array([float(value(model, output, target)) for output in outputs])

    return BlackBox(model.name, size, log_odds, most=most)


def fresh_texts(box: BlackBox, count: int) -> Tests:
    """Texts of 3 units and of 1 to 8, with log-odds without noise."""
    generator = keyed(box.size, "fresh")
    texts = {
        "3": generator.integers(0, box.size, (count, 3)).tolist(),
        "1 to 8": [
            generator.integers(0, box.size, generator.integers(1, 9)).tolist() for _ in range(count)
        ],
    }
    return {
        name: (
            counted(each),
            predict(counted(each), *box.truth) if box.truth else box.answers(each, "fresh"),
        )
        for name, each in texts.items()
    }
