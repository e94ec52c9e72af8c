"""How a tokenizer splits the words of a language: counts of one text, measures from these counts,
agreement of two tokenizers.

Words are those of data/segmentation.py, the same for every tokenizer; punctuation marks are words,
too. Markers of a tokenizer (##, the meta-space) are not used: their meaning differs between
families.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import log, nan

import numpy as np
from jaxtyping import Float

from babelscope.data.segmentation import words_of_tokens
from babelscope.types import Estimate, Segmentation, Span

ALPHA = 2.5
"""The order of the entropy in `efficiency`, as recommended by its paper."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted in one text. `characters` are code points other than white space; `plain` is
    about words that hold a letter or a digit; `split` words have two tokens or more; `single`
    tokens cover at most one character; `cut_off` texts exceed the model's length (NaN where that is
    not known)."""

    tokens: float = 0
    words: float = 0
    plain_tokens: float = 0
    plain_words: float = 0
    split: float = 0
    split_tokens: float = 0
    characters: float = 0
    single: float = 0
    unknown: float = 0
    texts: float = 0
    cut_off: float = nan


@dataclass(frozen=True, slots=True)
class LanguageMeasure:
    """One measure of one tokenizer in one language."""

    tokenizer: str
    lang: str
    measure: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    """How alike two tokenizers split the words of a language."""

    first: str
    second: str
    lang: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Tokenization:
    """Measures and agreements; the word segmenter of each language; how many tokens each
    tokenizer's model reads.
    """

    measured: tuple[LanguageMeasure, ...]
    agreed: tuple[Agreement, ...]
    segmenters: Mapping[str, str]
    limits: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class Measure:
    """A row of MEASURES: a sum divided by another, both fields of `Counts`."""

    name: str
    above: str
    below: str
    summary: str


MEASURES = {
    row.name: row
    for row in (
        Measure("fertility", "tokens", "words", "tokens per word"),
        Measure(
            "fertility_plain",
            "plain_tokens",
            "plain_words",
            "tokens per word that holds a letter or a digit",
        ),
        Measure("continued", "split", "words", "share of words with two tokens or more"),
        Measure("pieces_per_split", "split_tokens", "split", "tokens per split word"),
        Measure("characters_per_token", "characters", "tokens", "characters per token"),
        Measure(
            "single_character",
            "single",
            "tokens",
            "share of tokens that cover at most one character",
        ),
        Measure("unknown", "unknown", "tokens", "share of tokens that are the unknown token"),
        Measure("truncated", "cut_off", "texts", "share of texts longer than the model reads"),
    )
}
"""Numbers of a tokenizer and a language, each a ratio of sums over texts; `efficiency` comes
beside them.
"""


def counts(segmentation: Segmentation, words: Sequence[Span]) -> Counts:
    """What is counted in one text.

        pieces_w = number of tokens that belong to word w (the one they share most characters
          with)
        tokens = sum_w pieces_w;   split = |{w: pieces_w >= 2}|;   split_tokens = sum of their
          pieces

    *Laws*: a tokenizer whose tokens are the words has fertility 1 and splits nothing; one of single
    characters has the mean word length as fertility, one character per token, and splits every word
    of two characters; an unknown token is counted as such.
    *Left open by the paper*: a token over several words counts for the one it shares most with; the
    others have none.
    """
    owners = Counter(words_of_tokens(segmentation.offsets, words, segmentation.text))
    seen = [
        sum(not each.isspace() for each in segmentation.text[start:stop])
        for start, stop in segmentation.offsets
    ]
    plain = [
        place
        for place, (start, stop) in enumerate(words)
        if any(each.isalnum() for each in segmentation.text[start:stop])
    ]
    split = [count for place, count in owners.items() if count > 1 and place >= 0]
    return Counts(
        tokens=len(segmentation.ids),
        words=len(words),
        plain_tokens=sum(owners[place] for place in plain),
        plain_words=len(plain),
        split=len(split),
        split_tokens=sum(split),
        characters=sum(not each.isspace() for each in segmentation.text),
        single=sum(each <= 1 for each in seen),
        unknown=sum(each == segmentation.unknown for each in segmentation.ids),
        texts=1,
    )


def together(parts: Sequence[Counts]) -> Counts:
    """The sums over the texts of one example."""
    return Counts(
        **{name.name: sum(getattr(each, name.name) for each in parts) for name in fields(Counts)}
    )


def boundaries(segmentation: Segmentation, words: Sequence[Span]) -> frozenset[int]:
    """The characters inside words, not at their beginning, where a token starts."""
    inside = {place for start, stop in words for place in range(start + 1, stop)}
    return frozenset(start for start, _ in segmentation.offsets if start in inside)


def agreement(sums: Float[np.ndarray, "*row 3"]) -> Float[np.ndarray, "*row"]:
    """How alike two tokenizers split words: F1 of their word-internal boundaries.

        F1 = 2 |A and B| / (|A| + |B|);   sums = (|A and B|, |A|, |B|), A and B the `boundaries` of
          the two, summed over texts

    *Laws*: between 0 and 1; symmetric; a tokenizer agrees with itself wholly; NaN where neither
    splits a word.
    """
    total = sums[..., 1] + sums[..., 2]
    return np.asarray(
        np.divide(2 * sums[..., 0], total, out=np.full(total.shape, nan), where=total > 0)
    )


def efficiency(uses: Float[np.ndarray, "*row type"], vocabulary: int) -> Float[np.ndarray, "*row"]:
    """How evenly a vocabulary is used: Rényi's entropy of the tokens' frequencies, as a share of
    the largest possible.

        p_t = uses_t / sum_t uses_t;   H = 1 / (1 - alpha) log sum_t p_t^alpha;   efficiency = H /
          log |V|,   alpha = 2.5

    *Laws*: between 0 and 1; 1 if every type of the vocabulary is used equally; 0 if one type is
    all; scaling the uses changes nothing; types that are not used change it through |V| only.
    *Left open by the paper*: |V| is the whole vocabulary, also for one language of many, so a
    multilingual vocabulary is low in each. Source: Zouhar et al. 2023, Tokenization and the
    noiseless channel, Rényi efficiency.
    """
    shares = uses / uses.sum(axis=-1, keepdims=True)
    return np.asarray(
        np.log((shares**2 * np.sqrt(shares)).sum(axis=-1)) / (1 - ALPHA) / log(vocabulary)
    )
