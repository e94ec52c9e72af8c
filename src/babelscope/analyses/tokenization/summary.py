"""Measures of every tokenizer in every language with intervals; agreement of every two
tokenizers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import partial
from itertools import combinations

import numpy as np

from babelscope.analyses.tokenization.counts import (
    MEASURES,
    Agreement,
    Counts,
    LanguageMeasure,
    Tokenization,
    agreement,
    boundaries,
    counts,
    efficiency,
    together,
)
from babelscope.data.independence import clusters_by_task
from babelscope.data.segmentation import segmenter
from babelscope.stats.intervals import of_sums, ratio
from babelscope.types import Estimate, Segmentation, TokenizedText


@dataclass(frozen=True, slots=True)
class _Counted:
    """What is counted in one example as one tokenizer segments it."""

    cluster: str
    counts: Counts
    ids: tuple[int, ...]
    inside: tuple[frozenset[int], ...]
    """Per text, where tokens start inside words."""


def summarise(rows: Sequence[TokenizedText]) -> Tokenization:
    """Fertility and related measures, use of the vocabulary, agreement: by language and tokenizer.

    Ratios are of sums over the texts of a language; intervals are by cluster of texts that are not
    independent (`data/independence.py`). The words of both texts of a pair count; they are
    those of `data/segmentation.py`, the same for every tokenizer.

    *Laws*: the order of texts and of tokenizers changes no number.
    """
    names, langs = (
        list(dict.fromkeys(column)) for column in zip(*((r.tokenizer, r.lang) for r in rows))
    )
    clusters = clusters_by_task((row.task, row.group, row.texts) for row in rows)
    measured, agreed = [], []
    for lang in langs:
        by_name = {
            name: [row for row in rows if (row.tokenizer, row.lang) == (name, lang)]
            for name in names
        }
        counted = {
            name: [_count(row, clusters[row.task, row.group]) for row in texts]
            for name, texts in by_name.items()
            if texts
        }
        for name, texts in counted.items():
            values = _measures(texts, by_name[name][0].vocabulary)
            measured += [LanguageMeasure(name, lang, measure, value) for measure, value in values]
        for first, second in combinations(counted, 2):
            agreed.append(
                Agreement(first, second, lang, _agreement(counted[first], counted[second]))
            )
    limits = {row.tokenizer: row.limit if row.limit >= 0 else None for row in rows}
    return Tokenization(
        tuple(measured), tuple(agreed), {lang: segmenter(lang) for lang in langs}, limits
    )


def _count(row: TokenizedText, cluster: str) -> _Counted:
    unknown = row.unknown if row.unknown >= 0 else None
    segmentations = [
        Segmentation(text, ids, offsets, unknown)
        for text, ids, offsets in zip(row.texts, row.ids, row.offsets)
    ]
    total = together([counts(each, words) for each, words in zip(segmentations, row.words)])
    truncated = float(row.length > row.limit) if row.limit >= 0 else float("nan")
    inside = tuple(boundaries(each, words) for each, words in zip(segmentations, row.words))
    ids = tuple(token for each in row.ids for token in each)
    return _Counted(cluster, replace(total, texts=1, cut_off=truncated), ids, inside)


def _measures(texts: Sequence[_Counted], vocabulary: int) -> list[tuple[str, Estimate]]:
    names = [field.name for field in fields(Counts)]
    table = np.array([astuple(text.counts) for text in texts], dtype=np.float64)
    clusters = [text.cluster for text in texts]
    measures = []
    for row in MEASURES.values():
        above, below = (table[:, names.index(name)] for name in (row.above, row.below))
        measures.append((row.name, ratio(above, below, clusters)))
    types, position = np.unique(
        [token for text in texts for token in text.ids], return_inverse=True
    )
    owner = np.repeat(np.arange(len(texts)), table[:, names.index("tokens")].astype(int))
    uses = np.zeros((len(texts), len(types)))
    np.add.at(uses, (owner, position), 1)
    used = of_sums(uses, clusters, partial(efficiency, vocabulary=vocabulary), scale="share")
    return [*measures, ("efficiency", used)]


def _agreement(first: Sequence[_Counted], second: Sequence[_Counted]) -> Estimate:
    sums = []
    for left, right in zip(first, second):
        common = sum(len(a & b) for a, b in zip(left.inside, right.inside))
        sums.append([common, sum(map(len, left.inside)), sum(map(len, right.inside))])
    clusters = [text.cluster for text in first]
    return of_sums(np.array(sums, dtype=np.float64), clusters, agreement, scale="share")
