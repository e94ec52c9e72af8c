"""Answers compared with gold ones: their words after SQuAD's normalisation, and F1."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence


def normalised(text: str, lang: str) -> list[str]:
    """The words of an answer in lower case, without punctuation, and in English without articles.

    Source: the evaluation script of SQuAD 1.1 (Rajpurkar et al. 2016). *Left open by it*: other
    languages. Punctuation is what Unicode calls so, in all scripts; articles are removed in English
    only, where the script removes "a", "an" and "the".
    """
    kept = (each for each in text.lower() if not unicodedata.category(each).startswith("P"))
    words = "".join(kept).split()
    return [word for word in words if word not in ARTICLES.get(lang, ())]


ARTICLES = {"en": ("a", "an", "the")}


UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Characters of scripts that are written without spaces: Thai, Lao, Burmese, Khmer, kana, Han."""


def answer_words(answer: str, lang: str) -> list[str]:
    """The words of an answer, by white space; in scripts without spaces its characters. An answer
    of articles or punctuation alone is itself.

    Source: the mixed segmentation of MLQA's evaluation script (Lewis et al. 2020), which has it for
    Chinese.
    """
    words = normalised(answer, lang) or answer.split()
    return UNSPACED.sub(r" \g<0> ", " ".join(words)).split()


def answer_f1(words: Sequence[str], expected: Sequence[str]) -> float:
    """The harmonic mean of precision and recall of an answer's words.

        2 |A and E| / ( |A| + |E| ),    a word that occurs twice counting twice

    *Laws*: within [0, 1]; 1 for the same words in any order; symmetric; 0 for no common word.
    Source: the evaluation script of SQuAD 1.1 (Rajpurkar et al. 2016).
    """
    answer, gold = Counter(words), Counter(expected)
    shared = sum((answer & gold).values())
    return 2 * shared / (sum(answer.values()) + sum(gold.values())) if shared else 0.0
