"""Attributions from what happens when a token is erased."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from babelscope.methods.rounding import rounding_errors, rounding_flag
from babelscope.model import inference
from babelscope.model.erase import default_operator, erase, moved
from babelscope.model.load import Model
from babelscope.model.targets import cut_off, value
from babelscope.model.units import player_count, players, spread, unit_name
from babelscope.types import Encoded, Explained, Target


def occlusion(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    operator: str | None = None,
) -> list[Explained]:
    """How much the value falls when one token, or one unit, is erased (leave one out).

        a_t = F(x) - F(x without t)

    F the explained quantity, "without" the erasure operator (default: the mask token; pad, unk or a
    zeroed attention mask where the tokenizer has none).

    *Laws*: a token that the model ignores scores 0; a linear model of token indicators gives its
    weights; for a one-token text a_1 = F(x) - F(null). Where the erasure leaves an empty text, or
    deletes the explained position, the score is NaN and flagged. In half precision, scores that
    rounding moves by more than 5 % of their standard deviation are flagged (`rounding.py`).
    Source: Zeiler and Fergus 2014; Li, Monroe and Jurafsky 2016 (representation erasure).
    """
    how = operator or default_operator(model)
    queries: list[inference.Query] = []
    places: list[list[tuple[int, Target] | None]] = []
    for row, target in zip(inputs, targets):
        queries.append(inference.query(row))
        erasures: list[tuple[int, Target] | None] = []
        owner = np.full(len(row.ids), -1, dtype=np.int64)
        owner[row.content] = players(row)
        for unit in range(player_count(row)):
            erased = owner == unit
            query = erase(model, row, erased, how)
            shifted = moved(target, erased, how, model.row.spans)
            if query is None or shifted is None:
                erasures.append(None)
                continue
            erasures.append((len(queries), shifted))
            queries.append(query)
        places.append(erasures)
    outputs = inference.outputs(model, queries)
    results = []
    start = 0
    errors = rounding_errors(model, inputs, targets)
    for row, target, erasures, error in zip(inputs, targets, places, errors):
        full = float(value(model, outputs[start], target))
        values = [
            np.nan if place is None else float(value(model, outputs[place[0]], place[1]))
            for place in erasures
        ]
        undefined = sum(place is None for place in erasures)
        start += 1 + len(erasures) - undefined
        flags = (
            (f"{undefined} {unit_name(row)}(s) undefined: erasing them leaves no target",)
            if undefined
            else ()
        )
        cut = cut_off(model, target, (full, *values))
        scores = full - np.array(values)
        rounded = rounding_flag(model, error, scores)
        results.append(Explained(spread(row, scores), flags=(*flags, *cut, *rounded)))
    return results
