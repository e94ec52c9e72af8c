"""From a method's scores to the explanation that is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from math import isfinite, nan
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from babelscope.methods.row import Method
from babelscope.model import targets
from babelscope.model.gold import gold_name
from babelscope.model.load import Model
from babelscope.model.stored_input import model_input
from babelscope.model.units import aggregated, players
from babelscope.types import Attribution, Encoded, Explained, ScoredUnits, Target


def word_scores(row: Encoded, scores: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    """A word's score: the sum (or maximum) of its tokens' scores; undefined if one of them is."""
    return aggregated(row.word[row.content], len(row.words), scores, how)


def _units(row: Encoded, scores: NDArray[np.float64], how: str) -> ScoredUnits | None:
    """The scores of the units, where these are not tokens."""
    if row.units is None:
        return None
    owner = players(row)
    values = aggregated(owner, len(row.units.texts), scores, how)
    return ScoredUnits(
        row.units.name,
        tuple(owner.tolist()),
        row.units.texts,
        row.units.offsets,
        row.units.segment,
        tuple(float(score) if isfinite(score) else nan for score in values),
    )


def to_attribution(
    model: Model, method: Method, options: Mapping[str, Any], seed: int,
    row: Encoded, output: torch.Tensor, target: Target, explained: Explained,
) -> Attribution:  # fmt: skip
    """The explanation of one input, with all that later steps need."""
    scores = np.asarray(explained.scores, dtype=np.float64)
    words = word_scores(row, scores, method.words)
    content = np.flatnonzero(row.content)
    lost = int((~np.isfinite(scores)).sum())
    constant = len(scores) > 1 and lost == 0 and np.ptp(scores) == 0
    flags = row.flags + explained.flags + (("all scores are equal",) if constant else ())
    word = int(row.word[target.end]) if model.row.tags else None
    if word is not None:
        flags = (f"the tag of word {word}, {row.words[word]!r}", *flags)
    return Attribution(
        id=row.example.id,
        group=row.example.group,
        lang=row.example.lang,
        method=method.name,
        options=dict(options),
        seed=seed,
        model=model.name,
        texts=row.example.texts,
        target=targets.name(model, row, target),
        quantity=target.quantity,
        label=targets.name(model, row, targets.predicted(model, row, output, token=target.end)),
        gold=gold_name(model, row.example.label),
        probability=targets.probability(model, output, target),
        value=float(targets.value(model, output, target)),
        reference_value=explained.reference_value,
        tokens=tuple(row.tokens[token] for token in content.tolist()),
        offsets=tuple((start, end) for start, end in row.offsets[content].tolist()),
        segment=tuple(row.segment[content].tolist()),
        word_index=tuple(row.word[content].tolist()),
        words=row.words,
        word_offsets=row.word_offsets,
        word_segment=row.word_segment,
        scores=_finite(scores),
        word_scores=_finite(words),
        flags=flags,
        target_index=target.index,
        target_end=target.end,
        details={
            **explained.details,
            **(
                {"tokenless_words": [asdict(word) for word in row.tokenless]}
                if row.tokenless
                else {}
            ),
        },
        rationale=_rationale(row),
        contrast=None
        if target.contrast < 0
        else targets.name(model, row, replace(target, index=target.contrast)),
        contrast_index=target.contrast,
        tagged_word=word,
        input=model_input(row),
        signature=model.signature,
        units=_units(row, scores, method.words),
    )


def _finite(scores: NDArray[np.float64]) -> tuple[float, ...]:
    """The scores as stored: NaN where they are not finite."""
    return tuple(score if isfinite(score) else nan for score in scores.tolist())


def _rationale(row: Encoded) -> tuple[bool, ...] | None:
    """The gold marks of the words that are explained."""
    example = row.example
    if example.rationale is None or example.words is None:
        return None
    marked = [dict(zip(spans, marks)) for spans, marks in zip(example.words, example.rationale)]
    return tuple(
        marked[text].get(span, False) for text, span in zip(row.word_segment, row.word_offsets)
    )
