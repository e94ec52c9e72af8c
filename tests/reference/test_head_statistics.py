"""Head statistics once more, slowly: one sentence, one head, one word at a time, by the plain
model call.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch

import planted_heads as plant
from babelscope import corpus
from babelscope.model.encode import encode
from babelscope.model.head_statistics import accuracy
from babelscope.model.heads import head_statistics
from babelscope.model.load import Model
from babelscope.types import Encoded, Example


def attentions(model: Model, row: Encoded) -> Any:
    before = model.hf.config._attn_implementation
    model.hf.set_attn_implementation("eager")
    types = {} if row.types is None else {"token_type_ids": torch.from_numpy(row.types)[None]}
    try:
        with torch.no_grad():
            found = model.hf(
                torch.from_numpy(row.ids)[None], output_attentions=True, **types
            ).attentions
    finally:
        model.hf.set_attn_implementation(before)
    return [[head.tolist() for head in layer[0]] for layer in found]


def words_of(example: Example, row: Encoded) -> list[int | None]:
    """The treebank's word of every token: most characters in common, the first of equals; a blank
    belongs to the next word.
    """
    text, found = example.texts[0], []
    for content, (start, end) in zip(row.content, row.offsets):
        common = [
            sum(not text[at].isspace() for at in range(max(a, start), min(b, end)))
            for a, b in example.words[0]
        ]
        if not content:
            found.append(None)
        elif max(common) > 0:
            found.append(common.index(max(common)))
        else:
            later = [word for word, (_, b) in enumerate(example.words[0]) if b > start]
            found.append(later[0] if later else len(common) - 1)
    return found


def reference(
    model: Model, examples: list[Example], direction: str, causal: bool
) -> dict[str, Any]:
    names = ("nsubj", "obj", "amod", "advmod")
    hits: Counter[Any] = Counter()
    offsets: Counter[Any] = Counter()
    sinks: Counter[Any] = Counter()
    distances: dict[str, Counter[int]] = {name: Counter() for name in names}
    tokens = content = 0
    for example, row in zip(examples, encode(model, examples)):
        word = words_of(example, row)
        size = len(word)
        tokens += size
        content += sum(each is not None for each in word[1:])
        pairs = []
        for dependent, (head, name) in enumerate(zip(example.heads[0], example.relations[0])):
            name = {"dobj": "obj"}.get(name, name.split(":")[0])
            if name in names and head and dependent in word and head - 1 in word:
                ways = {"dep->head": [(dependent, head - 1)], "head->dep": [(head - 1, dependent)]}
                ways["either"] = ways["dep->head"] + ways["head->dep"]
                seen = [
                    (a, b)
                    for a, b in ways[direction]
                    if not causal or word.index(b) <= word.index(a)
                ]
                if seen:
                    pairs.append((name, seen))
                    apart = dependent - head + 1
                    distances[name][abs(apart) if direction == "either" else apart] += 1
        for layer, heads in enumerate(attentions(model, row)):
            for number, weights in enumerate(heads):
                goals: list[int | None] = []
                for query in range(size):
                    best = max(range(size), key=lambda key: weights[query][key])
                    sharp = weights[query][best] >= 1.5 / (query + 1 if causal else size)
                    goals.append(best if sharp else None)
                    if sharp:
                        offsets[layer, number, best - query] += 1
                        if query and word[query] is not None and (best == 0 or word[best] is None):
                            sinks[layer, number] += 1
                for name, ways in pairs:
                    found = [goals[word.index(a)] for a, _ in ways]
                    hits[layer, number, name] += any(
                        at is not None and word[at] == b for at, (_, b) in zip(found, ways)
                    )
    return {
        "hits": hits,
        "offsets": offsets,
        "sinks": sinks,
        "distances": distances,
        "tokens": tokens,
        "content": content,
    }


def compare(model: Model, rows: list[Example], direction: str, causal: bool) -> int:
    """Everything against the reference; returns the number of hits."""
    found = head_statistics(model, rows, direction=direction)
    slow = reference(model, rows, direction, causal)
    assert found.tokens == slow["tokens"]
    for place, name in enumerate(found.relations):
        known = slow["distances"][name]
        assert (found.pairs[:, place] == known.total()).all()
        if known:
            assert np.allclose(
                found.baseline[:, place], max(known.values()) / known.total(), atol=1e-12
            )
    for layer, head in np.ndindex(*found.shape):
        told = found.pairs[layer]
        mine = [
            slow["hits"][layer, head, name] / n if n else np.nan
            for name, n in zip(found.relations, told)
        ]
        assert np.allclose(accuracy(found)[layer, head], mine, atol=1e-12, equal_nan=True)
        most = max(
            (count for (a, b, _), count in slow["offsets"].items() if (a, b) == (layer, head)),
            default=0,
        )
        assert found.positional[layer, head] == pytest.approx(most / slow["tokens"], abs=1e-12)
        assert slow["offsets"][layer, head, int(found.offset[layer, head])] == most
        assert found.sink[layer, head] == pytest.approx(
            slow["sinks"][layer, head] / slow["content"], abs=1e-12
        )
    return sum(slow["hits"].values())


@pytest.mark.parametrize("lang", ["en", "zh", "ar"])
@pytest.mark.parametrize("direction", ["dep->head", "head->dep", "either"])
def test_statistics_equal_their_slow_reference(model: Model, direction: str, lang: str) -> None:
    rows = corpus.read("sentiment", lang, "test", 5)
    hits = compare(model, rows, direction, causal=model.hf.config.model_type == "gpt2")
    assert (
        0 <= hits <= sum(len(one.words[0]) for one in rows if one.words) * 2 * 2
    )  # at most every word, by every head


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("direction", ["dep->head", "head->dep", "either"])
def test_statistics_of_planted_heads_equal_their_slow_reference(
    direction: str, causal: bool
) -> None:
    roles = [
        [plant.syntactic, plant.previous, plant.first],
        [plant.dependent, plant.random(1), plant.random(2)],
    ]
    hits = compare(
        plant.planted_heads(roles, causal=causal), plant.drawn(15, pieces=3), direction, causal
    )
    assert hits > 50
