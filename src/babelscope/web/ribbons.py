"""How an explanation's weight flows between the words of two translations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from babelscope.analyses.consistency import gold_links
from babelscope.analyses.consistency.model_spaces import embedding_space
from babelscope.analyses.consistency.pairs import (
    Compare,
    Pair,
    Settings,
    Task,
    in_space,
    score_pair,
)
from babelscope.analyses.consistency.ribbons import make_ribbon, ribbon_figure
from babelscope.analyses.consistency.spaces import centre_if_needed
from babelscope.errors import InputError, Undefined
from babelscope.model.load import Model
from babelscope.types import Attribution, Example, UnitScores
from babelscope.web.figures import describe_figure
from babelscope.web.jobs import Report
from babelscope.web.live import attribution_of, example_of
from babelscope.web.requests import Passage, RibbonsRequest

Known = Mapping[tuple[str, tuple[str, ...]], Example]
"""Texts whose words have gold links, by language and texts."""
EMBEDDINGS = (
    "words are compared by the model's own input embeddings, which is circular: the explained "
    "model decides which words are alike"
)
GOLD = "words are compared by the gold links of the built-in corpus"


def ribbons(model: Model, request: RibbonsRequest, known: Known, report: Report) -> dict[str, Any]:
    """The flow between two explanations, how much of it is agreement, and what words are compared
    by."""
    examples, linked = _examples(request.source, request.translation, known)
    source, target = (attribution_of(model, row, request, report) for row in examples)
    left, right = (_units(*pair) for pair in zip((source, target), examples))
    compare = gold_links.in_links(examples) if linked else _embedded(model, left, right)
    try:
        compared = compare(left, right)
    except Undefined as error:
        raise InputError(
            "This model cannot compare the two texts: its tokenizer may not know the script of one "
            f"of them ({error})."
        ) from error
    pair = score_pair(Task(left, right, compared, None, Settings()))
    names = ("c", "c_perm", "ceil", "lift", "reason")
    return {
        "figure": _figure(left, right, pair),
        "about": GOLD if linked else EMBEDDINGS,
        **{name: getattr(pair.score, name) for name in names},
    }


def _figure(left: UnitScores, right: UnitScores, pair: Pair) -> dict[str, Any] | None:
    """The ribbons; None for a pair that could not be compared."""
    if pair.flow is None:
        return None
    everything = np.ones(len(left.units), bool), np.ones(len(right.units), bool)
    return describe_figure(
        ribbon_figure(make_ribbon(left, right, pair.score, pair.flow, everything))
    )


def _examples(
    source: Passage, translation: Passage, known: Known
) -> tuple[tuple[Example, Example], bool]:
    """The texts under one group and two languages, and whether gold links join their words: those
    of two texts of the built-in corpus with one meaning do."""
    left, right = (known.get((each.lang, tuple(each.texts))) for each in (source, translation))
    if left and right and left.group == right.group and left.lang != right.lang:
        return (left, right), True
    first, second = example_of(source), example_of(translation)
    if first.lang == second.lang:
        second = replace(second, lang=f"{second.lang}-x-2")
    return (first, second), False


def _units(attribution: Attribution, example: Example) -> UnitScores:
    return UnitScores(
        example.group, example.lang, attribution.words, attribution.word_scores,
        attribution.word_segment,
    )  # fmt: skip


def _embedded(model: Model, left: UnitScores, right: UnitScores) -> Compare:
    """Words compared by the model's input embeddings."""
    needed = {side.lang: sorted(set(side.units)) for side in (left, right)}
    return in_space(centre_if_needed(embedding_space(model, needed), left.lang))
