"""What the heads of a model attend to in a treebank: counts, and the shares they imply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError

RELATIONS = ("nsubj", "obj", "amod", "advmod")
"""The relations whose heads the method keeps."""
ALIASES = {"dobj": "obj"}
"""Earlier names of relations."""
DIRECTIONS = ("dep->head", "head->dep", "either")
SUBTYPES = ("strip", "exact")
FEW = 100
"""Below this number of pairs an accuracy is flagged as unreliable."""


@dataclass(frozen=True, slots=True, eq=False)
class HeadStatistics:
    """What every head of a model attends to in the sentences of one language.

    Arrays are indexed [layer], [head] and [relation] in this order, layers and heads from 0. A pair
    is a word and its syntactic head; `pairs` counts those that the layer can connect: the one word
    sees the other.
    """

    model: str
    lang: str
    corpus: str
    """SHA-256 of the sentences and trees."""
    sentences: int
    tokens: int
    relations: tuple[str, ...]
    direction: str
    subtypes: str
    hits: NDArray[np.int64]
    """[layer, head, relation]"""
    pairs: NDArray[np.int64]
    """[layer, relation]"""
    known: NDArray[np.int64]
    """[relation]: all pairs of the corpus whose two words the model reads."""
    dropped: NDArray[np.int64]
    """[relation]: pairs with a word that was truncated or has no token of its own."""
    baseline: NDArray[np.float64]
    """[layer, relation], lambda: the share of the commonest word distance among `pairs`; NaN
    without a pair."""
    positional: NDArray[np.float64]
    """[layer, head]: the share of tokens whose arg-max is at the head's commonest offset."""
    offset: NDArray[np.int64]
    """[layer, head]: that offset, key minus query, in tokens."""
    sink: NDArray[np.float64]
    """[layer, head]: the share of words' tokens whose arg-max is the first token or special."""

    @property
    def shape(self) -> tuple[int, int]:
        """Layers, heads."""
        layers, heads = self.positional.shape
        return layers, heads

    @property
    def flags(self) -> tuple[str, ...]:
        """What a user must know: relations with few pairs, pairs dropped or out of reach."""
        flags = []
        for at, name in enumerate(self.relations):
            most = int(self.pairs[:, at].max(initial=0))
            if most < FEW:
                flags.append(f"{name}: few pairs ({most})" if most else f"{name}: no pair")
            if self.dropped[at]:
                reason = "a word was truncated or has no token"
                flags.append(f"{name}: pairs dropped ({self.dropped[at]}): {reason}")
        if (self.pairs < self.known).any():
            reason = "the model does not look ahead, or not that far"
            flags.append(f"some pairs are out of reach: {reason}")
        return tuple(flags)


def accuracy(statistics: HeadStatistics) -> NDArray[np.float64]:
    """How often a head's arg-max connects a word with its syntactic head, per relation.

        acc[l, h, k] = hits[l, h, k] / pairs[l, k]

    hits counts the pairs of relation k in which the arg-max over all tokens, special ones included,
    of the first token of one word is any token of the other; pairs those in which layer l can see
    it. NaN where there is no pair.

    *Laws*: in [0, 1]; permuting heads permutes it; it does not change when words are split into
    more tokens.
    *Left open by the paper*: the direction; dependent to head by default, as in its code.
    Source: arXiv 2401.09972, section 3; Voita et al. 2019.
    """
    return share(statistics.hits, statistics.pairs[:, None, :])


def coverage(statistics: HeadStatistics) -> NDArray[np.float64]:
    """The share of pairs that a layer can connect, [layer, relation]: 1 unless the model is causal
    or sees a window only."""
    return share(statistics.pairs, statistics.known[None, :])


def thresholds(statistics: HeadStatistics, margin: float = 0.05) -> NDArray[np.float64]:
    """What an accuracy must exceed, [layer, relation].

        max(0, min(baseline[l, k] + margin, 1 - 1 / pairs[l, k]))

    baseline is lambda: what a head would reach by always looking at the commonest distance; margin
    is xi_synt. The upper bound lets a head pass that is right every time, also where one distance
    is all there is.

    *Laws*: a head without a miss passes, one without a hit does not; never falls as the margin
    grows.
    *Left open by the paper*: the margin; 0.05 here, Voita et al. 2019 take 0.10.
    Source: arXiv 2401.09972, eq. 7.
    """
    least = np.minimum(statistics.baseline + margin, 1 - share(np.ones(1), statistics.pairs))
    positive: NDArray[np.float64] = np.maximum(least, 0)
    return positive


def syntactic(statistics: HeadStatistics, margin: float = 0.05) -> NDArray[np.bool_]:
    """[layer, head, relation]: where the accuracy exceeds its threshold; never without a pair."""
    least = thresholds(statistics, margin)[:, None, :]
    with np.errstate(invalid="ignore"):
        passed: NDArray[np.bool_] = accuracy(statistics) > least
    return passed


def share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """The ratio, NaN where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: NDArray[np.float64] = np.where(whole > 0, part / whole, np.nan)
    return ratio


def resolve_relations(relations: tuple[str, ...], direction: str, subtypes: str) -> tuple[str, ...]:
    """The relations under their present names; what is not known is refused."""
    choices = (("direction", direction, DIRECTIONS), ("subtypes", subtypes, SUBTYPES))
    for name, value, known in choices:
        if value not in known:
            raise InputError(f"{name} {value!r} is not one of: {', '.join(known)}")
    resolved = tuple(dict.fromkeys(ALIASES.get(name, name) for name in relations))
    if not resolved:
        raise InputError(f"no relation was named; the method's are: {', '.join(RELATIONS)}")
    for name in resolved:
        if not name or (":" in name and subtypes == "strip"):
            raise InputError(
                f"relation {name!r} names a sub-type: these are stripped, unless subtypes is "
                "'exact'"
            )
    return resolved


def numbers(statistics: HeadStatistics, margin: float = 0.05) -> Mapping[str, Any]:
    """The statistics for JSON; undefined is null."""
    values: dict[str, Any] = {
        **{name: getattr(statistics, name) for name in HeadStatistics.__slots__},
        "accuracy": accuracy(statistics),
        "coverage": coverage(statistics),
        "thresholds": thresholds(statistics, margin),
    }
    for name, value in values.items():
        values[name] = defined(value.tolist() if isinstance(value, np.ndarray) else value)
    return values | {"flags": list(statistics.flags)}


def defined(value: Any) -> Any:
    """The same with null in the place of NaN."""
    if isinstance(value, list | tuple):
        return [defined(each) for each in value]
    return None if isinstance(value, float) and value != value else value
