"""Tokenizers over a corpus: every measure by tokenizer and language, with intervals; agreement of every two tokenizers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import Any

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
from babelscope.data.segmentation import segment, segmenter
from babelscope.data.texts import check_text
from babelscope.errors import InputError
from babelscope.model import tokenizers as reading
from babelscope.model.inference_state import Progress
from babelscope.stats.bootstrap import of_sums, ratio
from babelscope.types import (
    Estimate,
    Example,
    Segmentation,
    Span,
)


@dataclass(frozen=True, slots=True)
class _Text:
    """An example as one tokenizer cuts it."""

    group: str
    counts: Counts
    cuts: tuple[Segmentation, ...]
    inside: tuple[frozenset[int], ...]


def tokenization(
    tokenizers: Mapping[str, Any], examples: Sequence[Example], *, limit: int | None = None, progress: Progress | None = None
) -> Tokenization:
    """How tokenizers cut the words of each language: fertility and its kin, use of the vocabulary, agreement.

    Ratios are of sums over the texts of a language; intervals resample translation groups. `limit` is how many tokens the
    models read, where it is not what the tokenizers say. The words of both texts of a pair count; they are always those of
    words.py, also where the corpus brings its own.

    *Laws*: the order of texts and of tokenizers changes nothing.
    """
    for name, given in (("tokenizers", tokenizers), ("texts", examples)):
        if not given:
            raise InputError(f"no {name} to look at; give at least one")
    limits = {name: limit or reading.longest(each) for name, each in tokenizers.items()}
    measured, agreed = [], []
    langs = list(dict.fromkeys(row.lang for row in examples))
    for done, lang in enumerate(langs):
        rows = [row for row in examples if row.lang == lang]
        words = [_words(row) for row in rows]
        read = {
            name: [_text(one, row, mine, limits[name]) for row, mine in zip(rows, words)] for name, one in tokenizers.items()
        }
        for name, texts in read.items():
            measured += [LanguageMeasure(name, lang, *found) for found in _measures(texts, len(tokenizers[name]))]
        agreed += [Agreement(a, b, lang, _agree(read[a], read[b])) for a, b in combinations(read, 2)]
        if progress:
            progress(done + 1, len(langs))
    return Tokenization(tuple(measured), tuple(agreed), {lang: segmenter(lang) for lang in langs}, limits)


def _words(row: Example) -> tuple[tuple[Span, ...], ...]:
    check_text(row)
    return tuple(segment(text, row.lang) for text in row.texts)


def _text(tokenizer: Any, row: Example, words: Sequence[Sequence[Span]], limit: int | None) -> _Text:
    cuts = tuple(reading.cut(tokenizer, text) for text in row.texts)
    found = together([counts(one, mine) for one, mine in zip(cuts, words)])
    cut_off = float("nan") if limit is None else float(reading.length(tokenizer, row.texts) > limit)
    inside = tuple(boundaries(one, mine) for one, mine in zip(cuts, words))
    return _Text(row.group, replace(found, texts=1, cut_off=cut_off), cuts, inside)


def _measures(texts: Sequence[_Text], vocabulary: int) -> list[tuple[str, Estimate]]:
    names = [each.name for each in fields(Counts)]
    table = np.array([astuple(one.counts) for one in texts], dtype=np.float64)
    groups = [one.group for one in texts]
    found = []
    for row in MEASURES.values():
        above, below = (table[:, names.index(each)] for each in (row.above, row.below))
        found.append((row.name, ratio(above, below, groups)))
    types, place = np.unique([each for one in texts for cut in one.cuts for each in cut.ids], return_inverse=True)
    owner = np.repeat(np.arange(len(texts)), table[:, names.index("tokens")].astype(int))
    uses = np.zeros((len(texts), len(types)))
    np.add.at(uses, (owner, place), 1)
    return [*found, ("efficiency", of_sums(uses, groups, partial(efficiency, vocabulary=vocabulary)))]


def _agree(first: Sequence[_Text], second: Sequence[_Text]) -> Estimate:
    sums = [
        [sum(len(a & b) for a, b in zip(x.inside, y.inside)), sum(map(len, x.inside)), sum(map(len, y.inside))]
        for x, y in zip(first, second)
    ]
    return of_sums(np.array(sums, dtype=np.float64), [one.group for one in first], agreement)
