"""Stored pairs drawn: the words and scores of the stored explanations, the flow of the stored
plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from babelscope.analyses.consistency.comparisons import Comparison
from babelscope.analyses.consistency.pairs import Flow, Pair
from babelscope.analyses.consistency.ribbons import Ribbon, make_ribbon
from babelscope.analyses.consistency.stored_pairs import Origin
from babelscope.files import canonical
from babelscope.types import UnitScores

Place = tuple[Any, ...]


def stored_ribbons(
    chosen: Sequence[tuple[Origin, Comparison, Sequence[Pair]]],
    rows: pa.Table,
    explained: pa.Table,
) -> list[Ribbon]:
    """A ribbon for every wanted pair whose explanations are in the store."""
    ids = pa.array(sorted({pair.id for _, _, pairs in chosen for pair in pairs}), pa.string())
    stored = _pairs(rows.filter(pc.is_in(rows["id"], value_set=ids)))
    texts = _texts(explained.filter(pc.is_in(explained["group"], value_set=ids)))
    ribbons = []
    for origin, comparison, pairs in chosen:
        run = (
            origin.model,
            origin.task,
            origin.method,
            canonical(dict(origin.options)),
            origin.seed,
        )
        how = (comparison.space, comparison.settings.norm)
        for pair in pairs:
            source = texts.get((*run, pair.id, comparison.source))
            target = texts.get((*run, pair.id, pair.lang))
            if source is not None and target is not None:
                ribbons.append(
                    _ribbon(source, target, pair, stored[*run, *how, pair.id, pair.lang])
                )
    return ribbons


def _pairs(rows: pa.Table) -> dict[Place, Mapping[str, Any]]:
    names = ("model", "task", "method", "options", "seed", "space", "norm", "id", "lang")
    return {tuple(row[name] for name in names): row for row in rows.to_pylist()}


def _texts(explained: pa.Table) -> dict[Place, UnitScores]:
    """The explained words by everything that tells two explanations of a study apart."""
    names = ["model", "task", "method", "options", "seed", "group", "lang"]
    words = ["words", "word_scores", "word_segment"]
    texts = {}
    for row in explained.select(names + words).to_pylist():
        units, scores, segment = (tuple(row[name]) for name in words)
        place = tuple(row[name] for name in names)
        texts[place] = UnitScores(row["group"], row["lang"], units, scores, segment)
    return texts


def _ribbon(source: UnitScores, target: UnitScores, pair: Pair, row: Mapping[str, Any]) -> Ribbon:
    flow = Flow(
        np.asarray(row["flow_s"], dtype=np.int64),
        np.asarray(row["flow_t"], dtype=np.int64),
        np.asarray(row["flow_weight"], dtype=np.float64),
        np.asarray(row["flow_similarity"], dtype=np.float64),
    )
    known = np.asarray(row["known_s"], dtype=bool), np.asarray(row["known_t"], dtype=bool)
    kept = known if row["unknown"] == "drop" else tuple(np.ones_like(side) for side in known)
    return make_ribbon(source, target, pair.score, flow, (kept[0], kept[1]))
