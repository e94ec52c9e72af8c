"""Controls: attributions that do not depend on the model, which any method must outperform."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from jaxtyping import Float

from babelscope.data import builtin, sources
from babelscope.data.segmentation import segment
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Explained, Target


def random(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], *, seed: int = 0
) -> list[Explained]:
    """Independent standard normal scores.

        a_t ~ N(0, 1)

    *Laws*: the same seed, id, language and token ids give the same scores in any batch; another
    seed, a translation under the same id and another text under the same id give others.
    """
    return [
        Explained(keyed(seed, "random", *identity(row)).standard_normal(int(row.content.sum())))
        for row in inputs
    ]


def position(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """The earlier, the more important.

        a_t = 1 - i / n        i the 0-based place among the n content tokens

    *Laws*: strictly decreasing; 1 at the first content token. A method that ranks no better
    captures word order only.
    """
    counts = [int(row.content.sum()) for row in inputs]
    return [Explained(1.0 - np.arange(count) / count) for count in counts]


def inverse_frequency(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], *, corpus: str = "builtin"
) -> list[Explained]:
    """The rarer a token, the more important.

        a_t = -log((c_t + 1) / (N + V))

    c_t how often the token's id occurs in the corpus' texts in the example's language, N their
    tokens, V the size of the vocabulary; they are tokenized by the model's tokenizer. For a
    function of texts words are counted, and V is the number of different ones in the corpus, and
    one for all others. `corpus` is a
    file or a corpus by its name, as for `explain --input` and studies; `builtin` takes training
    texts of all tasks of the built-in corpus, which needs no network. A language that the corpus
    lacks (`und` among them) gets the frequencies over all its languages, and a flag.

    *Laws*: never negative; over the whole vocabulary the probabilities exp(-a) sum to 1; two
    occurrences of a token score alike, in any batch: nothing is counted in the explained texts. A
    method that ranks no better finds rare words only.
    *Left open*: smoothing (add one, so that unseen tokens are the rarest). A word's score is the
    sum of its tokens': minus the logarithm of their joint probability.
    """
    if model.row.reads_text:
        return [_rare_words(row, corpus) for row in inputs]
    known: dict[str, tuple[Float[np.ndarray, " id"], tuple[str, ...]]] = {}
    results = []
    for row in inputs:
        lang = row.example.lang
        if lang not in known:
            texts, flags = _texts(corpus, lang)
            known[lang] = _rarity(model, texts), flags
        rarity, flags = known[lang]
        results.append(Explained(rarity[row.ids[row.content]], flags=flags))
    return results


EACH = 50
"""Training texts of each built-in task and language that are counted."""


def _texts(corpus: str, lang: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The corpus' texts in a language, or in all of them, with a flag."""
    missing = (f"{corpus} has no texts in {lang!r}: frequencies over all its languages",)
    if corpus == "builtin":
        if lang in builtin.LANGUAGES:
            return _generated(lang), ()
        return tuple(text for each in builtin.LANGUAGES for text in _generated(each)), missing
    rows = sources.rows(corpus)
    matching = [row for row in rows if row.lang == lang]
    return tuple(
        text for row in matching or rows for text in row.texts
    ), () if matching else missing


@cache
def _generated(lang: str) -> tuple[str, ...]:
    rows = (row for name in builtin.CORPORA for row in builtin.read(name, lang, "train", EACH))
    return tuple(text for row in rows for text in row.texts)


def _rare_words(row: Encoded, corpus: str) -> Explained:
    """The negative logarithm of every word's smoothed relative frequency."""
    texts, flags = _texts(corpus, row.example.lang)
    counts = _word_counts(texts, row.example.lang)
    total = counts.total() + len(counts) + 1
    content = np.flatnonzero(row.content)
    frequency = np.array([(counts[row.tokens[at]] + 1) / total for at in content])
    return Explained(-np.log(frequency), flags=flags)


@lru_cache(maxsize=16)
def _word_counts(texts: tuple[str, ...], lang: str) -> Counter[str]:
    return Counter(text[start:end] for text in texts for start, end in segment(text, lang))


def _rarity(model: Model, texts: Sequence[str]) -> Float[np.ndarray, " id"]:
    """The negative logarithm of every id's smoothed relative frequency."""
    encoded = model.tokenizer(
        list(texts), add_special_tokens=False, truncation=False, verbose=False
    )["input_ids"]
    counts = (
        np.bincount(
            np.concatenate([np.array(ids, dtype=np.int64) for ids in encoded]),
            minlength=len(model.tokenizer),
        )
        + 1
    )
    rarity: np.ndarray = -np.log(counts / counts.sum())
    return rarity
