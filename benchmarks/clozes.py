"""Rows of extractive question answering from paragraphs alone: a sentence without some of its words
asks for these words (after Lewis et al. 2019, Unsupervised question answering by cloze translation,
without the translation).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from babelscope.data.segmentation import segment
from babelscope.types import Example, Span

SENTENCE = re.compile(r"[^.!?。।؟！？\n]+[.!?。।؟！？\n]*")
LEAST = 6
"""Words of a sentence that asks, at least."""
LENGTHS = (0.4, 0.3, 0.2, 0.1)
"""How often an answer has one, two, three and four words."""
KEPT = 0.7
"""The share of the other words that the question keeps: real questions do not quote."""
UNSPACED = ("zh", "ja", "th")
"""Languages that are written without spaces."""
MOST = 20
"""Words of a question, at most."""


def sentences(context: str, lang: str) -> list[list[Span]]:
    """The words of each sentence, as spans of the context."""
    words = segment(context, lang)
    bounds = [match.span() for match in SENTENCE.finditer(context)]
    return [[word for word in words if start <= word[0] < end] for start, end in bounds]


def clozes(contexts: Sequence[str], lang: str, count: int, seed: int = 0) -> Iterator[Example]:
    """`count` questions on each context. Of four spans, one with a digit or a capital is taken if
    there is any: names and numbers are what people ask for.
    """
    generator = np.random.default_rng(seed)
    for number, context in enumerate(contexts):
        asking = [words for words in sentences(context, lang) if len(words) >= LEAST]
        for at in range(count if asking else 0):
            words = asking[generator.integers(len(asking))]
            size = int(generator.choice(len(LENGTHS), p=LENGTHS)) + 1
            starts = generator.integers(0, len(words) - size + 1, 4)
            first = int(max(starts, key=lambda start: _named(context, words[start : start + size])))
            answer = words[first][0], words[first + size - 1][1]
            rest = [*words[:first], *words[first + size :]]
            letters = [word for word in rest if any(map(str.isalnum, context[slice(*word)]))]
            kept = [word for word in letters if generator.random() < KEPT][:MOST]
            joint = "" if lang in UNSPACED else " "
            question = joint.join(context[slice(*word)] for word in kept) + "?"
            name = f"cloze-{lang}-{number}"
            yield Example(f"{name}-{at}", (question, context), lang, name, answer=answer)


def _named(context: str, words: Sequence[Span]) -> bool:
    text = context[words[0][0] : words[-1][1]]
    return any(each.isdigit() or each.isupper() for each in text)
