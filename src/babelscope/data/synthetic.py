"""Two made-up languages whose labels follow a known law: an additive one, and a SLALOM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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


def slalom_words(count: int = 200, *, seed: int = 0) -> Language:
    """Words of a SLALOM: the stronger a word's value, the more it weighs.

        v ~ 0.25 t_3,    s | v ~ N(5 |v|^1.5, 0.5^2),   centred

    *Left open by the paper*: values come from word counts of film reviews there; Student's t with 3
    degrees of freedom has the same spread and tails. Source: Leemann et al. 2024 (SLALOM), appendix
    E.2.
    """
    generator = keyed(seed, "slalom words")
    value = np.clip(0.25 * generator.standard_t(3, count), -2, 2)
    importance = 5 * np.abs(value) ** 1.5 + 0.5 * generator.standard_normal(count)
    return Language(tuple(f"w{at}" for at in range(count)), value, importance - importance.mean())


def sample(
    language: Language, count: int, *, seed: int = 0, scale: float = 1.0
) -> tuple[list[Example], list[list[int]]]:
    """That many texts with labels sampled by their log-odds (times `scale`), and the words of each
    by number.

        label ~ Bernoulli( 1 / (1 + exp(-scale log-odds)) )

    A linear text has a length ~ Binomial(30, 1/2), at least 1, and words by their frequency; a
    SLALOM text a length uniform over 1 to 30 and words alike.

    *Laws*: the same seed gives the same texts; labels follow the log-odds.
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
