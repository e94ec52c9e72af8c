"""Word alignments: as a similarity of 0 or 1, found in a similarity, and used to carry scores
over.
"""

from __future__ import annotations

from collections.abc import Collection
from math import nan

import numpy as np
from scipy.stats import spearmanr

from babelscope.analyses.consistency.score import SourceScores, TargetScores
from babelscope.analyses.consistency.transport import Similarity
from babelscope.errors import InputError

Links = frozenset[tuple[int, int]]
DAMPING = 0.9


def link_similarity(links: Collection[tuple[int, int]], shape: tuple[int, int]) -> Similarity:
    """1 where two words are linked, else 0.

    C of it is the largest share of weight that can be paired along links.

    *Law*: for one-to-one links C = sum_i min(a_i, b_match(i)).
    """
    table = np.zeros(shape)
    for i, j in links:
        if not (0 <= i < shape[0] and 0 <= j < shape[1]):
            size = f"{shape[0]} and {shape[1]} words"
            raise InputError(f"the link {i}-{j} leads out of the texts, which have {size}")
        table[i, j] = 1.0
    return table


def mutual_links(similarity: Similarity) -> Links:
    """The pairs of words that are each other's most similar: one to one, and only where the
    similarity is positive.

        (i, j) linked  iff  j = argmax_k similarity_ik  and  i = argmax_k similarity_kj

    *Laws*: one to one; the transposed similarity gives the transposed links; a permutation matrix
    gives itself.
    """
    if 0 in similarity.shape:
        return frozenset()
    best, back = similarity.argmax(1), similarity.argmax(0)
    pairs = ((i, int(j)) for i, j in enumerate(best))
    return frozenset((i, j) for i, j in pairs if back[j] == i and similarity[i, j] > 0)


def itermax(similarity: Similarity, *, rounds: int = 2) -> Links:
    """Mutual links, then again among the words that are left: pairs of two linked words are
    excluded, with one, damped.

        round 1: mutual_links(similarity)
        then similarity_ij times 0.9 if i or j is linked, 0 if both are; and so on

    *Laws*: contains the mutual links; one round is these; more rounds never lose a link.

    Source: SimAlign (Jalili Sabet et al., Findings of EMNLP 2020), section 3.2, its damping of 0.9.
    """
    links = mutual_links(similarity)
    for _ in range(rounds - 1):
        rows = np.zeros(similarity.shape[0], bool)
        columns = np.zeros(similarity.shape[1], bool)
        for i, j in links:
            rows[i] = columns[j] = True
        either = rows[:, None] | columns[None, :]
        both = rows[:, None] & columns[None, :]
        damped = np.where(either, DAMPING * similarity, similarity)
        links |= mutual_links(np.where(both, 0.0, damped))
    return links


def carry_over(
    scores: TargetScores, links: Collection[tuple[int, int]], units: int, *, split: bool = False
) -> SourceScores:
    """The target's scores on the source's words: the sum over a word's links, 0 without one.

    With `split` each target word shares its score equally among its links, so that nothing is
    counted twice.

    *Law*: split, the sum is that of the linked target words' scores.
    """
    degree = np.bincount(np.array([j for _, j in links], dtype=int), minlength=len(scores))
    carried = np.zeros(units)
    for i, j in links:
        carried[i] += scores[j] / (degree[j] if split else 1)
    return carried


def rank_agreement(
    source: SourceScores, target: TargetScores, links: Collection[tuple[int, int]]
) -> float:
    """Spearman's correlation between the source's scores and the target's carried over; NaN where
    one is constant.

    Source: Zaman and Belinkov, A multilingual perspective towards the evaluation of attribution
    methods (EMNLP 2022).
    """
    carried = carry_over(target, links, len(source))
    if len(source) < 2 or np.ptp(source) == 0 or np.ptp(carried) == 0:
        return nan
    return float(spearmanr(source, carried).statistic)


def shuffle_links(
    links: Collection[tuple[int, int]], shape: tuple[int, int], rng: np.random.Generator
) -> Links:
    """The same links between other words of the same texts: both sides permuted."""
    rows, columns = rng.permutation(shape[0]), rng.permutation(shape[1])
    return frozenset((int(rows[i]), int(columns[j])) for i, j in links)
