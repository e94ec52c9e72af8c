"""Two made-up languages whose labels follow a known law: an additive one, and a SLALOM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.random import keyed
from babelscope.types import Example

LINEAR = {
    "the": (0.0, 0.2), "we": (0.0, 0.2), "movie": (0.0, 0.2), "watch": (0.0, 0.2), "good": (0.7,
    0.08), "best": (1.0, 0.06), "perfect": (1.5, 0.06), "ok": (-0.7, 0.08), "poor": (-1.0, 0.06),
    "worst": (-1.5, 0.06),
}  # fmt: skip
"""Weight and frequency of each word of the linear language; frequencies are divided by their sum,
1.2.
"""

TABLE = {"good": 0.6, "ok": -0.6, "poor": -1.0}
"""Weights of the paper's table 3 where its code has others; it calls "poor" "bad"."""
SPLITS = {"train": 1, "dev": 2, "test": 3}
"""Seeds of the splits."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """Words with what they are worth; `importance` is None where the words add up."""

    words: tuple[str, ...]
    value: NDArray[np.float64]
    importance: NDArray[np.float64] | None = None

    def log_odds(self, sequence: NDArray[np.int64]) -> float:
        """The log-odds of a positive label: the sum of weights, or the SLALOM's mixture."""
        if self.importance is None:
            return float(self.value[sequence].sum())
        weight = np.exp(self.importance[sequence] - self.importance[sequence].max())
        return float(weight @ self.value[sequence] / weight.sum())


def linear_words() -> Language:
    """Ten words whose weights add up.

        log-odds(t) = sum_i w(t_i)

    Source: Leemann et al. 2024 (SLALOM), appendix A; weights and frequencies of its code, which
    differ from table 3 in good and ok (0.7 for 0.6).
    """
    return Language(tuple(LINEAR), np.array([weight for weight, _ in LINEAR.values()]))


def table_words() -> Language:
    """The same with the weights and words of the paper's table 3."""
    words = tuple("bad" if word == "poor" else word for word in LINEAR)
    weights = [TABLE.get(word, weight) for word, (weight, _) in LINEAR.items()]
    return Language(words, np.array(weights))


def language(name: str) -> Language:
    """`linear` (the weights of the paper's code), `linear_table` (of its table 3), or `slalom:N` of
    N words, 200 by default. Words are letters only: no tokenizer splits them at a digit.
    """
    kind, colon, count = name.partition(":")
    if kind == "slalom" and (not colon or (count.isdigit() and 2 <= int(count) <= 26**3)):
        plain = slalom_words(int(count) if colon else 200)
        letters = ascii_lowercase
        words = [letters[at // 676] + letters[at // 26 % 26] + letters[at % 26]
                 for at in range(len(plain.words))]  # fmt: skip
        return replace(plain, words=tuple(words))
    if name not in ("linear", "linear_table"):
        raise InputError(
            f"there is no made-up language {name!r}; there are: linear, linear_table and slalom:N "
            "with N words from 2 on"
        )
    return linear_words() if name == "linear" else table_words()


def read(made_up: Language, split: str, count: int, seed: int = 0) -> list[Example]:
    """The first texts of a split of a made-up language."""
    if split not in SPLITS:
        raise InputError(
            f"made-up languages have no split {split!r}; there are: {', '.join(SPLITS)}"
        )
    return sample(made_up, count, seed=10 * seed + SPLITS[split])[0]


def slalom_words(count: int = 200, *, seed: int = 0) -> Language:
    """Words of a SLALOM: the stronger a word's value, the more it weighs.

        v ~ 0.25 t_3,    s | v ~ N(5 |v|^1.5, 0.5^2),   centred

    Values come from word counts of film reviews in the paper (`counted_words`); Student's t with 3
    degrees of freedom, for when no texts are at hand, has the same spread and tails. Source:
    Leemann et al. 2024 (SLALOM), appendix E.2.
    """
    generator = keyed(seed, "slalom words")
    value = np.clip(0.25 * generator.standard_t(3, count), -2, 2)
    return _with_importance(tuple(f"w{at}" for at in range(count)), value, generator)


def with_importance(words: tuple[str, ...], value: NDArray[np.float64], seed: int) -> Language:
    """Words with these values and sampled importances, s | v ~ N(5 |v|^1.5, 0.5^2), centred."""
    return _with_importance(words, value, keyed(seed, "importances", len(words)))


def _with_importance(
    words: tuple[str, ...], value: NDArray[np.float64], generator: np.random.Generator
) -> Language:
    importance = 5 * np.abs(value) ** 1.5 + 0.5 * generator.standard_normal(len(words))
    return Language(words, value, importance - importance.mean())


def sample(
    language: Language, count: int, *, seed: int = 0, scale: float = 1.0
) -> tuple[list[Example], list[list[int]]]:
    """That many texts with labels sampled by their log-odds (times `scale`), and the words of each
    by number.

        label ~ Bernoulli( 1 / (1 + exp(-scale log-odds)) )

    A linear text has a length ~ Binomial(30, 1/2), at least 1, and words by their frequency; a
    SLALOM text a length uniform over 1 to 30 and words alike.

    *Laws*: the same seed gives the same texts, and more texts begin with the fewer; labels follow
    the log-odds.
    """
    generator = keyed(seed, "synthetic", *language.words[:3])
    linear = language.importance is None
    chances = (
        np.array([chance for _, chance in LINEAR.values()])
        if linear
        else np.ones(len(language.words))
    )
    examples, sequences = [], []
    for number in range(count):
        length = (
            max(1, int(generator.binomial(30, 0.5))) if linear else int(generator.integers(1, 31))
        )
        sequence = generator.choice(len(language.words), length, p=chances / chances.sum())
        positive = generator.random() < 1 / (1 + np.exp(-scale * language.log_odds(sequence)))
        text = " ".join(language.words[word] for word in sequence)
        examples.append(
            Example(str(number), (text,), "en", label="positive" if positive else "negative")
        )
        sequences.append(sequence.tolist())
    return examples, sequences
