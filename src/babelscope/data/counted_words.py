"""Words of a SLALOM whose values are counted in labelled texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from babelscope.data.segmentation import segment
from babelscope.data.synthetic import Language, with_importance
from babelscope.errors import InputError
from babelscope.types import Example

SMOOTHING = 20
"""What is added to every count."""
FACTOR = 2
"""What log-ratios of frequencies are multiplied by."""
CLASSES = ("positive", "negative")


def counted_words(examples: Iterable[Example], count: int, *, seed: int = 0) -> Language:
    """The most frequent words of texts, each worth what naive Bayes says of it.

        v(w) = 2 log( (n+(w) + 20) / N+  /  ((n-(w) + 20) / N-) )
        s | v ~ N(5 |v|^1.5, 0.5^2),   centred

    `n+(w)` and `n-(w)` count the word in positive and negative texts, `N+` and `N-` are all words
    of them. Words are letters only, in lower case.

    *Laws*: another order of the texts changes nothing; with the labels exchanged every value
    changes its sign. *Left open by the paper*: which words; the most frequent ones, ties in
    alphabetical order. Source: Leemann et al. 2024 (SLALOM), appendix E.2; 2 and 20 as in the table
    of its code.
    """
    counts = {label: Counter[str]() for label in CLASSES}
    for example in examples:
        if example.label not in counts:
            raise InputError(
                f"counts of words need the labels positive and negative, not {example.label!r}; "
                "name them in 'labels'"
            )
        counts[example.label].update(letter_words(example))
    total = counts[CLASSES[0]] + counts[CLASSES[1]]
    words = sorted(total, key=lambda word: (-total[word], word))[:count]
    if len(words) < count or not all(counts.values()):
        raise InputError(
            f"the texts that are counted have {len(words)} words of letters and "
            f"{sum(map(bool, counts.values()))} of the two classes; {count} words are needed"
        )
    up, down = (
        np.array([counts[label][word] + SMOOTHING for word in words]) / counts[label].total()
        for label in CLASSES
    )
    return with_importance(tuple(words), FACTOR * np.log(up / down), seed)


def letter_words(example: Example) -> list[str]:
    """The words of an example's texts that are letters only, in lower case."""
    spans = ((text, segment(text, example.lang)) for text in example.texts)
    words = (text[start:end].lower() for text, pieces in spans for start, end in pieces)
    return [word for word in words if word.isalpha()]
