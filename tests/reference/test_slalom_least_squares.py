"""The reference implementation of slalom: plain model calls, a softmax over positions, scipy's
least squares, loops.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.optimize import least_squares

from babelscope.methods.explain import explain
from babelscope.methods.slalom.design import parse_design
from babelscope.methods.slalom.text import plan_queries
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.types import Encoded
from conftest import TEXTS, tiny


def plain_logit(model: Model, ids: list[int], types: list[int] | None, target: int) -> float:
    n, first = len(ids), model.first_position
    given = {
        "attention_mask": torch.ones(1, n, dtype=torch.long),
        "position_ids": torch.arange(first, first + n)[None],
    }
    given["inputs_embeds"] = model.embeddings(torch.tensor([ids]))
    if types is not None and "token_type_ids" in model.accepts:
        given["token_type_ids"] = torch.tensor([types])
    return float(model.hf(**given).logits[0, target].detach())


def in_place_of(
    row: Encoded, wanted: list[list[tuple[int, int]]]
) -> tuple[list[int], list[int] | None]:
    """Ids and types with each segment's own tokens replaced by the wanted (id, segment) tokens."""
    ids, types, done = [], [], set()
    for token, (given, content, segment) in enumerate(zip(row.ids, row.content, row.segment)):
        if not content:
            ids.append(int(given))
            types.append(0 if row.types is None else int(row.types[token]))
        elif segment not in done:
            done.add(segment)
            mine = wanted[sorted({int(s) for s in row.segment[row.content]}).index(int(segment))]
            ids += [one for one, _ in mine]
            types += [0 if row.types is None else int(row.types[token])] * len(mine)
    return ids, None if row.types is None else types


def reference_slalom(model: Model, row: Encoded, target: int) -> np.ndarray:
    """Removal scores. The minimum is found again from where ours ended, with residuals written out
    position by position.
    """
    tokens = [(int(i), int(s)) for i, s in zip(row.ids[row.content], row.segment[row.content])]
    kinds = list(dict.fromkeys(sorted(tokens, key=lambda one: one[1])))
    parts = [
        [kinds.index(one) for one in tokens if one[1] == segment]
        for segment in sorted({s for _, s in tokens})
    ]
    if len(kinds) == 1:
        return np.full(len(tokens), np.nan)
    asked = plan_queries(parts, parse_design("mix+text"), 0, keyed(0, "slalom", *identity(row)))
    answers = []
    for text in asked.texts:
        ids, types = in_place_of(row, [[kinds[unit] for unit in one] for one in text])
        answers.append(plain_logit(model, ids, types, target))
    f = np.array(answers)
    mean = (asked.weight * f).sum() / asked.weight.sum()
    spread = np.sqrt((asked.weight * (f - mean) ** 2).sum() / asked.weight.sum())
    (ours,) = explain(
        model, row.example, "slalom", target=model.labels[target], options={"score": "removal"}
    )
    details = {kind: at for at, kind in enumerate(tokens)}
    start = [
        [ours.details[name][details[kind]] for kind in kinds] for name in ("importance", "value")
    ]
    flat = [[unit for one in text for unit in one] for text in asked.texts]

    longest = max(map(len, flat))  # the text itself, among texts of up to four units a segment
    places = np.array([units + [-1] * (longest - len(units)) for units in flat])

    def residuals(at: np.ndarray) -> np.ndarray:
        s, v = at[: len(kinds)], at[len(kinds) :]
        weights = np.where(places >= 0, np.exp(s[places]), 0)
        gaps = (weights * v[places]).sum(axis=1) / weights.sum(axis=1) - (f - mean) / spread
        return np.concatenate([np.sqrt(asked.weight) * gaps, np.sqrt(ours.details["ridge"]) * at])

    begin = np.concatenate([start[0], (np.array(start[1]) - mean) / spread])
    best = least_squares(residuals, begin, method="trf", xtol=1e-12, ftol=1e-12, gtol=1e-10).x
    s, v = best[: len(kinds)], mean + spread * best[len(kinds) :]

    def value(kept: list[tuple[int, int]]) -> float:
        units = [kinds.index(one) for one in kept]
        return float(sum(np.exp(s[u]) * v[u] for u in units) / sum(np.exp(s[u]) for u in units))

    return np.array(
        [value(tokens) - value(tokens[:at] + tokens[at + 1 :]) for at in range(len(tokens))]
    )


@pytest.mark.parametrize("architecture", ["bert", "gpt2"])
def test_words_as_units_move_together(architecture: str) -> None:
    """With unit=word the token scores of a word are equal parts of the word's; its value is asked
    with all its tokens.
    """
    model = tiny(architecture)
    (one,) = explain(
        model, TEXTS[1], "slalom", options={"unit": "word", "score": "value", "design": "exact"}
    )
    for word, total in enumerate(one.word_scores):
        mine = [score for score, owner in zip(one.scores, one.word_index) if owner == word]
        np.testing.assert_allclose(mine, total / len(mine))
    from babelscope.data.formats.in_memory import (
        as_examples,
    )
    from babelscope.model.encode import encode

    (row,) = encode(model, as_examples(TEXTS[1]))
    for word, total in enumerate(one.word_scores):
        chosen = [(int(i), 0) for i, owner in zip(row.ids, row.word) if owner == word]
        assert total == pytest.approx(
            plain_logit(model, *in_place_of(row, [chosen]), one.target_index), abs=1e-9
        )
