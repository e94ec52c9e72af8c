"""Attributions from what happens when a token is taken away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from babelscope.model import inference
from babelscope.model.erase import default_operator, erase, moved
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.types import Encoded, Explained, Target


def occlusion(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], *, operator: str | None = None
) -> list[Explained]:
    """How much the value falls when one token is erased (leave one out).

        a_t = F(x) - F(x without t)

    F the explained quantity, "without" the erasure operator (default: the mask token; pad, unk or a zeroed
    attention mask where the tokenizer has none).

    *Laws*: a token that the model ignores scores 0; a linear model of token indicators gives its weights; for a
    one-token text a_1 = F(x) - F(null). Where the erasure leaves nothing to read, or deletes the explained position, the
    score is NaN and flagged.
    Source: Zeiler and Fergus 2014; Li, Monroe and Jurafsky 2016 (representation erasure).
    """
    how = operator or default_operator(model)
    queries: list[inference.Query] = []
    places: list[list[tuple[int, Target] | None]] = []
    for row, target in zip(inputs, targets):
        queries.append(inference.query(row))
        mine: list[tuple[int, Target] | None] = []
        for token in np.flatnonzero(row.content):
            gone = np.arange(len(row.ids)) == token
            asked = erase(model, row, gone, how)
            there = moved(target, gone, how, model.row.spans)
            if asked is None or there is None:
                mine.append(None)
                continue
            mine.append((len(queries), there))
            queries.append(asked)
        places.append(mine)
    outputs = iter(inference.outputs(model, queries))
    results = []
    found = list(outputs)
    start = 0
    for target, mine in zip(targets, places):
        full = float(value(model, found[start], target))
        drops = [np.nan if at is None else full - float(value(model, found[at[0]], at[1])) for at in mine]
        start += 1 + sum(at is not None for at in mine)
        lost = sum(at is None for at in mine)
        flags = (f"{lost} token(s) undefined: erasing them leaves no target",) if lost else ()
        results.append(Explained(np.array(drops), flags=flags))
    return results
