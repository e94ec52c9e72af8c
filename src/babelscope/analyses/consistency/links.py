"""Word alignments: as a similarity of 0 or 1, found in a similarity, and as a way to carry scores over."""

from __future__ import annotations

from collections.abc import Collection
from math import nan

import numpy as np
from jaxtyping import Int
from scipy.stats import spearmanr

from babelscope.analyses.consistency.transport import Similarity
from babelscope.analyses.consistency.weights import EitherScores
from babelscope.errors import InputError

Links = frozenset[tuple[int, int]]
DAMPING = 0.9


def linked(links: Collection[tuple[int, int]], shape: tuple[int, int]) -> Similarity:
    """1 where two words are linked, else 0. C of it is the largest share of weight that can be paired along links.

    *Law*: for one-to-one links C = sum_i min(a_i, b_match(i)).
    """
    found = np.zeros(shape)
    for one, two in links:
        if not (0 <= one < shape[0] and 0 <= two < shape[1]):
            raise InputError(f"the link {one}-{two} leads out of the texts, which have {shape[0]} and {shape[1]} words")
        found[one, two] = 1.0
    return found


def mutual(similarity: Similarity) -> Links:
    """The pairs of words that are each other's most similar: one to one, and only where the similarity is positive.

        (i, j) linked  iff  j = argmax_k similarity_ik  and  i = argmax_k similarity_kj

    *Laws*: one to one; the transposed similarity gives the transposed links; a permutation matrix gives itself.
    """
    if 0 in similarity.shape:
        return frozenset()
    best, back = similarity.argmax(1), similarity.argmax(0)
    return frozenset((i, int(j)) for i, j in enumerate(best) if back[j] == i and similarity[i, j] > 0)


def itermax(similarity: Similarity, *, rounds: int = 2) -> Links:
    """Mutual links, then again among the words that are left: pairs of two linked words are excluded, with one, damped.

        round 1: mutual(similarity); then similarity_ij times 0.9 if i or j is linked, 0 if both are; and so on

    *Laws*: contains the mutual links; one round is these; more rounds never lose a link.

    Source: SimAlign (Jalili Sabet et al., Findings of EMNLP 2020), section 3.2, its damping of 0.9.
    """
    found = mutual(similarity)
    for _ in range(rounds - 1):
        rows, columns = np.zeros(similarity.shape[0], bool), np.zeros(similarity.shape[1], bool)
        for one, two in found:
            rows[one] = columns[two] = True
        one_of, both = rows[:, None] | columns[None, :], rows[:, None] & columns[None, :]
        found |= mutual(np.where(both, 0.0, np.where(one_of, DAMPING * similarity, similarity)))
    return found


def carried(scores: EitherScores, links: Collection[tuple[int, int]], units: int, *, split: bool = False) -> EitherScores:
    """The target's scores on the source's words: the sum over a word's links, 0 without one.

    With `split` each target word shares its score equally among its links, so that nothing is counted twice.

    *Law*: split, the sum is that of the linked target words' scores.
    """
    degree = np.bincount([two for _, two in links], minlength=len(scores)) if links else np.zeros(len(scores))
    found = np.zeros(units)
    for one, two in links:
        found[one] += scores[two] / (degree[two] if split else 1)
    return found


def rank_agreement(source: EitherScores, target: EitherScores, links: Collection[tuple[int, int]]) -> float:
    """Spearman's correlation between the source's scores and the target's carried over; NaN where one is constant.

    Source: Zaman and Belinkov, A multilingual perspective towards the evaluation of attribution methods (EMNLP 2022).
    """
    other = carried(target, links, len(source))
    if len(source) < 2 or np.ptp(source) == 0 or np.ptp(other) == 0:
        return nan
    return float(spearmanr(source, other).statistic)


def shuffled(links: Collection[tuple[int, int]], shape: tuple[int, int], rng: np.random.Generator) -> Links:
    """The same links between other words of the same texts: both sides permuted."""
    rows: Int[np.ndarray, " unit"] = rng.permutation(shape[0])
    columns: Int[np.ndarray, " unit"] = rng.permutation(shape[1])
    return frozenset((int(rows[one]), int(columns[two])) for one, two in links)
