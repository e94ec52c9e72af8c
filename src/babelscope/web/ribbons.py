"""How an explanation's weight flows between the words of two translations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from babelscope.analyses.consistency import gold_links
from babelscope.analyses.consistency.model_spaces import embedding_space
from babelscope.analyses.consistency.pairs import Compare, Settings, Task, in_space, score_pair
from babelscope.analyses.consistency.spaces import centre_if_needed
from babelscope.errors import InputError, Undefined
from babelscope.model.load import Model
from babelscope.types import Attribution, Example, UnitScores
from babelscope.web.jobs import Report
from babelscope.web.live import attribution_of, describe_attribution
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
    passages = (request.source, request.translation)
    source, target = (attribution_of(model, passage, request, report) for passage in passages)
    left = _units(source, source.lang)
    right = _units(target, target.lang if target.lang != source.lang else f"{target.lang}-x-2")
    compare, about = _compare(model, left, right, passages, known)
    try:
        compared = compare(left, right)
    except Undefined as error:
        raise InputError(f"the two texts cannot be compared: {error}") from error
    pair = score_pair(Task(left, right, compared, None, Settings()))
    flow = pair.flow
    listed = [] if flow is None else zip(*(part.tolist() for part in flow))
    names = ("c", "c_perm", "ceil", "lift", "reason")
    return {
        "source": describe_attribution(source),
        "translation": describe_attribution(target),
        "flow": [list(each) for each in listed],
        "about": about,
        **{name: getattr(pair.score, name) for name in names},
    }


def _units(attribution: Attribution, lang: str) -> UnitScores:
    return UnitScores(
        attribution.group, lang, attribution.words, attribution.word_scores,
        attribution.word_segment,
    )  # fmt: skip


def _compare(
    model: Model,
    left: UnitScores,
    right: UnitScores,
    passages: tuple[Passage, Passage],
    known: Known,
) -> tuple[Compare, str]:
    """Gold links where both texts are of the built-in corpus and of one meaning, else the model's
    embeddings."""
    rows = [known.get((passage.lang, tuple(passage.texts))) for passage in passages]
    if rows[0] is not None and rows[1] is not None and rows[0].group == rows[1].group:
        pairs = zip((left, right), rows)
        examples = [replace(row, group=side.id, lang=side.lang) for side, row in pairs if row]
        return gold_links.in_links(examples), GOLD
    needed = {side.lang: sorted(set(side.units)) for side in (left, right)}
    space = centre_if_needed(embedding_space(model, needed), left.lang)
    return in_space(space), EMBEDDINGS
