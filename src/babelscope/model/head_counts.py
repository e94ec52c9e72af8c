"""What the heads attend to in one sentence, counted where the weights are: only counts leave the
device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from babelscope.model.head_statistics import ALIASES
from babelscope.types import Encoded

SHARP = 1.5
"""An arg-max counts if its weight is at least this many times the uniform one."""


class Sentence(NamedTuple):
    """A sentence as it is counted: the word of every token, and the pairs whose two words have
    tokens.
    """

    word: NDArray[np.int64]
    """[token], -1 on special tokens."""
    pairs: NDArray[np.int64]
    """[pair, 3]: dependent, head, relation."""
    dropped: NDArray[np.int64]
    """[relation]"""


class Counts(NamedTuple):
    """What is counted in one sentence, or in many: counts add up."""

    hits: NDArray[np.int64]
    """[layer, head, relation]"""
    pairs: NDArray[np.int64]
    """[layer, relation]"""
    distances: NDArray[np.int64]
    """[layer, relation, distance]: pairs by the distance of their words, 0 in the middle."""
    offsets: NDArray[np.int64]
    """[layer, head, offset]: arg-max minus query, 0 in the middle."""
    sinks: NDArray[np.int64]
    """[layer, head]"""
    tokens: int
    queries: int
    """Tokens of words, without the first token of the sentence."""

    def plus(self, other: Counts) -> Counts:
        parts: Any = zip(self, other)
        return Counts(*(a + b for a, b in parts))


class Size(NamedTuple):
    """The most tokens and words of a sentence, and the number of relations."""

    tokens: int
    words: int
    relations: int


def sentence(row: Encoded, relations: Sequence[str], subtypes: str) -> Sentence:
    """The treebank's words of the tokens, by their place in the text, and the pairs of the
    relations asked for.
    """
    example = row.example
    assert example.words is not None
    assert example.heads is not None
    assert example.relations is not None
    starts = np.cumsum([0, *map(len, example.words)])
    place = {
        (text, span): starts[text] + at
        for text, spans in enumerate(example.words)
        for at, span in enumerate(spans)
    }
    known = [place[key] for key in zip(row.word_segment, row.word_offsets)]
    word = np.array([known[each] if each >= 0 else -1 for each in row.word], dtype=np.int64)
    pairs, dropped = [], np.zeros(len(relations), dtype=np.int64)
    for start, heads, names in zip(starts, example.heads, example.relations):
        for at, (head, name) in enumerate(zip(heads, names)):
            base = name.split(":")[0] if subtypes == "strip" else name
            base = ALIASES.get(base, base)
            if base not in relations or not head:
                continue
            pair = (start + at, start + head - 1, relations.index(base))
            if {pair[0], pair[1]} <= set(known):
                pairs.append(pair)
            else:
                dropped[pair[2]] += 1
    return Sentence(word, np.array(pairs, dtype=np.int64).reshape(-1, 3), dropped)


def count(
    weights: Float[Tensor, "layer head token token"],
    tree: Sentence,
    reach: Int[Tensor, "layer 2"],
    direction: str,
    size: Size,
) -> Counts:
    """What the heads attend to in one sentence; `reach` is how far each layer looks back and
    ahead.
    """
    here, layers, heads, length = weights.device, *weights.shape[:3]
    word, pairs = torch.from_numpy(tree.word).to(here), torch.from_numpy(tree.pairs).to(here)
    steps = torch.arange(length, device=here)
    ahead = steps[None, :] - steps[:, None]
    back, front = reach.to(here)[:, :, None, None].unbind(1)
    seen = (ahead >= back) & (ahead <= front)
    peak, place = weights.max(dim=-1)
    sharp = peak >= SHARP / seen.sum(dim=-1)[:, None, :]
    sink = (word < 0) | (steps == 0)
    hit, near = _connected(torch.where(sharp, word[place], -2), word, seen, pairs, direction)
    relation, apart = pairs[:, 2], pairs[:, 0] - pairs[:, 1]
    apart = (apart.abs() if direction == "either" else apart) + size.words - 1
    width = 2 * size.words - 1
    by_distance = _summed(
        (relation * width + apart).expand(layers, -1), near, size.relations * width
    )
    counted = (
        _summed(relation.expand(layers, heads, -1), hit, size.relations),
        _summed(relation.expand(layers, -1), near, size.relations),
        by_distance.reshape(layers, size.relations, width),
        _summed(place - steps + size.tokens - 1, sharp, 2 * size.tokens - 1),
        (sharp & sink[place])[:, :, ~sink].sum(dim=-1),
    )
    hits, reached, distances, offsets, sinks = (part.cpu().numpy() for part in counted)
    return Counts(hits, reached, distances, offsets, sinks, length, int((~sink).sum()))


def _summed(
    places: Int[Tensor, "*grid entry"], which: Bool[Tensor, "*grid entry"], size: int
) -> Int[Tensor, "*grid place"]:
    """How many of the entries that are true belong to each place."""
    counts = torch.zeros((*places.shape[:-1], size), dtype=torch.int64, device=places.device)
    return counts.scatter_add_(-1, places, which.long())


def _connected(
    pointed: Int[Tensor, "layer head token"],
    word: Int[Tensor, " token"],
    seen: Bool[Tensor, "layer token token"],
    pairs: Int[Tensor, "pair 3"],
    direction: str,
) -> tuple[Bool[Tensor, "layer head pair"], Bool[Tensor, "layer pair"]]:
    """Which head connects which pair, and which layer could; `pointed` is the word at the arg-max
    of every token.
    """
    hits, reached = [], []
    for name, (source, goal) in (("dep->head", (0, 1)), ("head->dep", (1, 0))):
        if direction not in (name, "either"):
            continue
        of_goal = word[None, :] == pairs[:, goal, None]
        first = (word[None, :] == pairs[:, source, None]).long().argmax(dim=-1)
        hits.append(pointed[:, :, first] == pairs[:, goal])
        reached.append((seen[:, first] & of_goal).any(dim=-1))
    return torch.stack(hits).any(dim=0), torch.stack(reached).any(dim=0)


def reach(weights: Float[Tensor, "layer head token token"]) -> Int[Tensor, "layer 2"]:
    """How far back and ahead any token of a (long) sentence looks, per layer: (-9, 0) is a causal
    layer over ten tokens.

    A softmax gives every key that is not masked some weight, so this finds causal layers and
    windows without knowing the architecture.
    """
    steps = torch.arange(weights.shape[-1], device=weights.device)
    ahead = torch.where((weights > 0).any(dim=1), steps[None, :] - steps[:, None], 0)
    return torch.stack((ahead.amin(dim=(1, 2)), ahead.amax(dim=(1, 2))), dim=-1).cpu()
